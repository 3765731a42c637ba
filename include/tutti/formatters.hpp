// What <tutti/format.hpp> gives, where <fmt/format.h> or <format> was included before; else nothing, so that who does
// not print by them does not read them. May be included again after them, hence no `#pragma once`.
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

#if defined(FMT_FORMAT_H_) || defined(_GLIBCXX_FORMAT) || defined(_LIBCPP_FORMAT)
#ifndef TUTTI_KINDS_OF_TEXT
#define TUTTI_KINDS_OF_TEXT
#include <concepts>
#include <sstream>
#include <string_view>

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
template <class T>
concept Formatted = OneText<T> || Streamed<T> || std::same_as<T, Shard> || std::same_as<T, DType>;

template <Formatted T> std::string format_text(const T& value) {
  if constexpr (OneText<T>) {
    return value.str();
  } else if constexpr (std::same_as<T, Shard>) {
    return str(value);
  } else if constexpr (std::same_as<T, DType>) {
    return std::string(value.name());
  } else {
    std::ostringstream out;
    out << value;
    return out.str();
  }
}

/// The text of an array under a format such as `.3f`, which is that of its number where it has no dims. `with(v)` is
/// the text of a string or number under it.
template <class With> std::string format_array(const Array& x, bool plain, const With& with) {
  if (plain) return str(x);
  if (x.ndim() > 0 || x.dtype().is_complex()) return with(str(x));
  if (x.dtype().is_floating()) return with(x.item<double>());
  if (x.dtype().is_bool()) return with(x.item<bool>());
  if (x.dtype().is_unsigned()) return with(x.item<unsigned long long>());
  return with(x.item<long long>());
}

}  // namespace detail
}  // namespace tutti
#endif
#endif

#if defined(FMT_FORMAT_H_) && !defined(TUTTI_FMT_FORMATTERS)
#define TUTTI_FMT_FORMATTERS

template <tutti::detail::Formatted T> struct fmt::formatter<T> : fmt::formatter<fmt::string_view> {
  template <class Context> auto format(const T& value, Context& context) const {
    return fmt::formatter<fmt::string_view>::format(tutti::detail::format_text(value), context);
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
    const std::string spec = std::string("{:").append(spec_.data(), spec_.size()).append(1, '}');
    const std::string text = tutti::detail::format_array(
        x, spec_.size() == 0, [&](const auto& value) { return fmt::format(fmt::runtime(spec), value); });
    return fmt::format_to(context.out(), "{}", text);
  }

 private:
  fmt::string_view spec_;
};
#endif

#if defined(__cpp_lib_format) && (defined(_GLIBCXX_FORMAT) || defined(_LIBCPP_FORMAT)) && !defined(TUTTI_STD_FORMATTERS)
#define TUTTI_STD_FORMATTERS
#include <algorithm>

template <tutti::detail::Formatted T> struct std::formatter<T, char> : std::formatter<std::string_view, char> {
  template <class Context> auto format(const T& value, Context& context) const {
    return std::formatter<std::string_view, char>::format(tutti::detail::format_text(value), context);
  }
};

template <> struct std::formatter<tutti::Array, char> {
  constexpr auto parse(std::format_parse_context& context) {
    auto begin = context.begin(), end = begin;
    while (end != context.end() && *end != '}') ++end;
    spec_ = std::string_view(begin, end);
    return end;
  }
  template <class Context> auto format(const tutti::Array& x, Context& context) const {
    const std::string spec = "{:" + std::string(spec_) + "}";
    const std::string text = tutti::detail::format_array(
        x, spec_.empty(), [&](const auto& value) { return std::vformat(spec, std::make_format_args(value)); });
    return std::copy(text.begin(), text.end(), context.out());
  }

 private:
  std::string_view spec_;
};
#endif

// SPDX-License-Identifier: Apache-2.0
