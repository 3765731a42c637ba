#include <ostream>

#include "mesh/text.hpp"
#include "tutti/mesh/sharding.hpp"

namespace tutti {

SpecEntry::SpecEntry(const SpecEntry&) = default;
SpecEntry::SpecEntry(SpecEntry&&) noexcept = default;
SpecEntry& SpecEntry::operator=(const SpecEntry&) = default;
SpecEntry& SpecEntry::operator=(SpecEntry&&) noexcept = default;
SpecEntry::~SpecEntry() = default;
SpecEntry::SpecEntry(const char* axis) : names_{axis} {}
SpecEntry::SpecEntry(Names axes) : names_(axes.list()) {}

PartitionSpec::PartitionSpec(const PartitionSpec&) = default;
PartitionSpec::PartitionSpec(PartitionSpec&&) noexcept = default;
PartitionSpec& PartitionSpec::operator=(const PartitionSpec&) = default;
PartitionSpec& PartitionSpec::operator=(PartitionSpec&&) noexcept = default;
PartitionSpec::~PartitionSpec() = default;
void PartitionSpec::add(SpecEntry&& entry) { entries_.push_back(std::move(entry)); }

std::string SpecEntry::str() const {
  if (unconstrained_) return "UNCONSTRAINED";
  if (names_.empty()) return "None";
  return names_.size() == 1 ? text::quoted(names_[0]) : text::names(names_);
}

PartitionSpec PartitionSpec::from(std::vector<SpecEntry> entries) {
  PartitionSpec out;
  out.entries_ = std::move(entries);
  return out;
}

std::string PartitionSpec::str() const {
  std::vector<std::string> items;
  for (const SpecEntry& entry : entries_) items.push_back(entry.str());
  return "P" + text::tuple(items);
}

std::size_t PartitionSpec::hash() const { return std::hash<std::string>{}(str()); }
std::ostream& operator<<(std::ostream& out, const PartitionSpec& spec) { return out << spec.str(); }

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
