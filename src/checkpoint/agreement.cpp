#include "checkpoint/agreement.hpp"

#include <algorithm>
#include <exception>

#include "distributed/agree.hpp"
#include "tutti/distributed/distributed.hpp"
#include "tutti/io/file_error.hpp"

namespace tutti::checkpoint::detail {
namespace {

constexpr const char* kWhat = "a checkpoint";
// In front of a text: whether it is what was said or what was thrown.
constexpr char kSaid = '+', kThrown = '-';

// An error that another process raised, with its text.
[[noreturn]] void throw_theirs(const std::string& text) {
  std::rethrow_exception(std::make_exception_ptr(FileError(text)));
}

// `work`, as a text with such a mark.
std::string attempt(const std::function<std::string()>& work, std::exception_ptr& failure) {
  try {
    return kSaid + work();
  } catch (const std::exception& e) {
    failure = std::current_exception();
    return kThrown + std::string(e.what());
  } catch (...) {
    failure = std::current_exception();
    return std::string(1, kThrown) + "an exception";
  }
}

}  // namespace

Agreement::Agreement() : channel_(process_count() > 1 ? distributed::next_channel() : 0) {}

std::string Agreement::first(const std::function<std::string()>& work) const {
  if (process_count() == 1) return work();
  std::exception_ptr failure;
  std::string text = process_index() == 0 ? attempt(work, failure) : "";
  text = distributed::text_of_the_first(text, kWhat, channel_);
  if (failure) std::rethrow_exception(failure);
  if (text[0] == kThrown) throw_theirs(text.substr(1));
  return text.substr(1);
}

std::vector<std::string> Agreement::gathered(const std::function<std::string()>& work) const {
  if (process_count() == 1) return {work()};
  std::exception_ptr failure;
  std::vector<std::string> all = distributed::gather_texts(attempt(work, failure), kWhat, channel_);
  for (std::size_t p = 0; p < all.size(); ++p) {
    if (all[p][0] == kThrown) throw_theirs("in process " + std::to_string(p) + ": " + all[p].substr(1));
    all[p].erase(0, 1);
  }
  return all;
}

void Agreement::together(const std::function<void()>& work) const {
  if (process_count() == 1) return work();
  std::exception_ptr mine;
  auto tried = [&] {
    try {
      work();
    } catch (...) {
      mine = std::current_exception();
      throw;
    }
    return std::string();
  };
  std::vector<std::string> none;
  std::exception_ptr others;
  try {
    none = gathered(tried);
  } catch (...) {
    others = std::current_exception();
  }
  try {
    first([&] {
      if (others) std::rethrow_exception(others);
      return std::string();
    });
  } catch (...) {
    if (mine) std::rethrow_exception(mine);
    throw;
  }
}

bool Agreement::any(bool mine) const {
  const std::vector<std::string> all = gathered([&] { return std::string(mine ? "yes" : "no"); });
  const auto one = [&] { return std::string(std::find(all.begin(), all.end(), "yes") != all.end() ? "yes" : "no"); };
  return first(one) == "yes";
}

}  // namespace tutti::checkpoint::detail

// SPDX-License-Identifier: Apache-2.0
