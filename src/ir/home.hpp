// Where an operation lives: a constant at namespace scope of src/ops, which every other file sees as an `extern const
// Home` in the header beside it.
#pragma once

#include <atomic>
#include <type_traits>

#include "ir/op.hpp"

namespace tutti {

/// Stands wherever a `const Op&` is meant, and `&ops::cumsum` is the address of the Op, as Eqns hold it:
///
///     constinit const Home cumsum = [] {
///       Op op;
///       op.name = "cumsum";
///       ...
///       return op;
///     };
///
/// Its Op is made when somebody asks for it first. So operations are there before a user's arrays at namespace scope,
/// homes may name each other, and the order in which files are initialised does not matter.
class Home {
 public:
  template <class Define>
  requires std::is_invocable_r_v<Op, Define>
  constexpr Home(Define define) : define_(define) {}
  Home(const Home&) = delete;

  operator const Op&() const {
    const Op* op = made_.load(std::memory_order_acquire);
    return op ? *op : make();
  }
  const Op* operator&() const { return &static_cast<const Op&>(*this); }
  const Op* operator->() const { return &static_cast<const Op&>(*this); }

 private:
  const Op& make() const;

  Op (*define_)();
  mutable std::atomic<const Op*> made_ = nullptr;
};

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
