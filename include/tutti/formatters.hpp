// What <tutti/format.hpp> gives, where <fmt/format.h> was included before; else nothing, so that who does not print by
// fmt does not read it. May be included again after fmt, hence no `#pragma once`.
#ifndef TUTTI_TEXT_OF_SHARDS
#define TUTTI_TEXT_OF_SHARDS
#include <iosfwd>
#include <string>

#include "tutti/array/array.hpp"
#include "tutti/tree/structure.hpp"

namespace tutti {

/// `Shard(device=CpuDevice(id=0), index=(slice(0, 2, None),), replica_id=0, data=[0. 1.])`.
std::string str(const Shard& shard);
std::ostream& operator<<(std::ostream& out, const Shard& shard);

}  // namespace tutti
#endif

#if defined(FMT_FORMAT_H_) && !defined(TUTTI_FMT_FORMATTERS)
#define TUTTI_FMT_FORMATTERS
#include <concepts>
#include <sstream>

namespace tutti {

class Dict;
struct Explanation;
struct ProgramView;
struct SavedResiduals;
struct ShapeDtypeStruct;
struct Timing;
namespace sharding {
struct Proposal;
}

namespace detail {

template <class T>
concept OneText = std::same_as<T, Shape> || std::same_as<T, Device> || std::same_as<T, DeviceGrid> ||
    std::same_as<T, Mesh> || std::same_as<T, PartitionSpec> || std::same_as<T, tree::Path> || std::same_as<T, Scalar> ||
    std::derived_from<T, Sharding>;
// What has an operator<< for streams, in the header of the type.
template <class T>
concept Streamed = std::same_as<T, Dict> || std::same_as<T, Explanation> || std::same_as<T, ProgramView> ||
    std::same_as<T, SavedResiduals> || std::same_as<T, ShapeDtypeStruct> || std::same_as<T, Timing> ||
    std::same_as<T, sharding::Proposal> || std::derived_from<T, tree::Structure>;

}  // namespace detail
}  // namespace tutti

template <tutti::detail::OneText T> struct fmt::formatter<T> : fmt::formatter<fmt::string_view> {
  template <class Context> auto format(const T& value, Context& context) const {
    return fmt::formatter<fmt::string_view>::format(value.str(), context);
  }
};

template <tutti::detail::Streamed T> struct fmt::formatter<T> : fmt::formatter<fmt::string_view> {
  template <class Context> auto format(const T& value, Context& context) const {
    std::ostringstream out;
    out << value;
    return fmt::formatter<fmt::string_view>::format(out.str(), context);
  }
};

template <> struct fmt::formatter<tutti::Shard> : fmt::formatter<fmt::string_view> {
  template <class Context> auto format(const tutti::Shard& shard, Context& context) const {
    return fmt::formatter<fmt::string_view>::format(tutti::str(shard), context);
  }
};

template <> struct fmt::formatter<tutti::DType> : fmt::formatter<fmt::string_view> {
  template <class Context> auto format(tutti::DType dtype, Context& context) const {
    std::string_view name = dtype.name();
    return fmt::formatter<fmt::string_view>::format(fmt::string_view(name.data(), name.size()), context);
  }
};

template <> struct fmt::formatter<tutti::Array> {
  constexpr auto parse(fmt::format_parse_context& context) {
    auto begin = context.begin(), end = begin;
    while (end != context.end() && *end != '}') ++end;
    spec_ = fmt::string_view(begin, static_cast<std::size_t>(end - begin));
    return end;
  }
  template <class Context> auto format(const tutti::Array& x, Context& context) const {
    std::string text;
    if (spec_.size() == 0)
      text = tutti::str(x);
    else if (x.ndim() > 0 || x.dtype().is_complex())
      text = with(tutti::str(x));
    else if (x.dtype().is_floating())
      text = with(x.item<double>());
    else if (x.dtype().is_bool())
      text = with(x.item<bool>());
    else if (x.dtype().is_unsigned())
      text = with(x.item<unsigned long long>());
    else
      text = with(x.item<long long>());
    return fmt::format_to(context.out(), "{}", text);
  }

 private:
  template <class V> std::string with(const V& value) const {
    return fmt::format(fmt::runtime(std::string("{:").append(spec_.data(), spec_.size()).append(1, '}')), value);
  }
  fmt::string_view spec_;
};
#endif

// SPDX-License-Identifier: Apache-2.0
