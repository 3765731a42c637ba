// inspect_sharding: no results; tells a callback how its operand is laid out, once per compilation. Source:
// jax.debug.inspect_array_sharding.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "ir/home.hpp"
#include "tutti/mesh/sharding.hpp"

namespace tutti::ops {

/// What is called with a sharding and the shape that it is for. Equal only to itself: a Program that holds one is
/// shared with no other.
class Inspector {
 public:
  using Call = std::function<void(const Sharding&, const Shape&)>;
  explicit Inspector(Call call) : call_(std::make_shared<const Call>(std::move(call))) {}
  void operator()(const Sharding& sharding, const Shape& shape) const { (*call_)(sharding, shape); }

  friend bool operator==(const Inspector&, const Inspector&) = default;
  friend std::size_t hash(const Inspector& i) { return std::hash<const void*>{}(i.call_.get()); }
  friend std::string text(const Inspector&) { return "callback"; }

 private:
  std::shared_ptr<const Call> call_;
};
struct InspectSharding {
  Inspector inspector;
  bool operator==(const InspectSharding&) const = default;
};

extern const Home inspect_sharding;

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
