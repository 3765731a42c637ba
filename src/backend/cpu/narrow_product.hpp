// Products of bfloat16 matrices by the processor's own bfloat16 instructions, through oneDNN.
#pragma once

#include <cstdint>
#include <memory>

#include "tutti/base/dtype.hpp"

namespace tutti::cpu {

/// Strides in elements; one of each pair is 1.
struct NarrowShape {
  std::int64_t m, n, k, a_m, a_k, b_k, b_n, c_m;
  DType operand, result;
};

class NarrowProduct {
 public:
  virtual ~NarrowProduct() = default;
  /// On the calling thread; several threads may run the same product.
  virtual void run(const void* a, const void* b, void* c) const = 0;
};

/// Nothing where the machine or the library has no fast way.
std::unique_ptr<NarrowProduct> narrow_product(const NarrowShape& shape);

}  // namespace tutti::cpu

// SPDX-License-Identifier: Apache-2.0
