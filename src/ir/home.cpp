#include "ir/home.hpp"

#include <memory>

namespace tutti {

// Never given back: arrays that are destroyed after main still hold Eqns that point to it.
const Op& Home::make() const {
  auto made = std::make_unique<const Op>(define_());
  const Op* first = nullptr;
  bool mine = made_.compare_exchange_strong(first, made.get(), std::memory_order_acq_rel, std::memory_order_acquire);
  return mine ? *made.release() : *first;
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
