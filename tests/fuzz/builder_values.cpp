#include <cmath>

#include "fuzz/builder.hpp"

namespace tutti::fuzz {
namespace {

// No value is larger than that, so that sums and products of a few of them are exact in float32.
constexpr double most = 2000;

bool broadcasts(const Shape& from, const Shape& to) {
  if (from.ndim() > to.ndim()) return false;
  for (int i = 1; i <= from.ndim(); ++i)
    if (from[from.ndim() - i] != 1 && from[from.ndim() - i] != to[to.ndim() - i]) return false;
  return true;
}

}  // namespace

const Builder::Value& Builder::any(unsigned choice) const {
  return pool_[pool_.size() - 1 - choice % std::min<std::size_t>(pool_.size(), 10)];
}

Builder::Value Builder::floating(unsigned choice) { return as(any(choice), false); }

Builder::Value Builder::put(const Array& x, const std::string& expression, double bound) {
  Value v{x, fresh("v"), bound};
  line("const Array " + v.name + " = " + expression + ";");
  if (bound > most) return small(v, 31);
  pool_.push_back(v);
  return v;
}

Builder::Value Builder::small(const Value& v, int below) {
  if (v.bound < below) return v;
  return put(fmod(v.array, below), "fmod(" + v.name + ", " + std::to_string(below) + ")", below - 1);
}

Builder::Value Builder::as(const Value& v, bool integer) {
  if (v.integer() == integer) return v;
  return put(v.array.astype(integer ? int32 : float32), v.name + (integer ? ".astype(int32)" : ".astype(float32)"),
             v.bound);
}

Builder::Value Builder::fitting(const Value& given, const Shape& shape, bool integer) {
  const Value v = as(given, integer);
  if (broadcasts(v.shape(), shape)) return v;
  if (v.shape().num_elements() == shape.num_elements())
    return put(v.array.reshape(shape), v.name + ".reshape(" + braces(shape) + ")", v.bound);
  return put(sum(v.array), "sum(" + v.name + ")", v.bound * static_cast<double>(v.shape().num_elements()));
}

Builder::Value Builder::places(unsigned choice, std::int64_t n, bool list) {
  const std::string size = std::to_string(n);
  if (!list) {
    const Value v = as(any(choice), true);
    return put(fmod(abs(sum(v.array)), n), "fmod(abs(sum(" + v.name + ")), " + size + ")", static_cast<double>(n - 1));
  }
  for (std::size_t i = pool_.size(); i-- > 0;)
    if (const Value& v = pool_[i]; v.integer() && v.ndim() == 1)
      return put(fmod(abs(v.array), n), "fmod(abs(" + v.name + "), " + size + ")", static_cast<double>(n - 1));
  const int count = 1 + static_cast<int>(choice % 9);
  return put(fmod(arange(count) * 5, n), "fmod(arange(" + std::to_string(count) + ") * 5, " + size + ")",
             static_cast<double>(n - 1));
}

std::string text_of(const PartitionSpec& spec) {
  std::string out = "P(";
  for (std::size_t i = 0; i < spec.size(); ++i) {
    const std::vector<std::string>& names = spec[i].names();
    out += i ? ", " : "";
    if (names.empty()) out += "none";
    if (names.size() > 1) out += "axes(";
    for (std::size_t k = 0; k < names.size(); ++k) out += (k ? ", \"" : "\"") + names[k] + "\"";
    if (names.size() > 1) out += ")";
  }
  return out + ")";
}

}  // namespace tutti::fuzz

// SPDX-License-Identifier: Apache-2.0
