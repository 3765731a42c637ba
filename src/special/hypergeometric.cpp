// Hypergeometric functions. Source: jax.scipy.special.
#include "special/approximation.hpp"
#include "tutti/lax/gamma.hpp"
#include "tutti/special/special.hpp"

namespace tutti::special {

Array hyp1f1(const Operand& a, const Operand& b, const Operand& x) {
  CallScope scope(a.loc);
  const std::vector<Array> v = real_numbers("hyp1f1", {a.array, b.array, x.array});
  return lax::hyp1f1(v[0], v[1], v[2]);
}
Array hyp2f1(const Operand& a, const Operand& b, const Operand& c, const Operand& x) {
  CallScope scope(a.loc);
  const std::vector<Array> v = real_numbers("hyp2f1", {a.array, b.array, c.array, x.array});
  return lax::hyp2f1(v[0], v[1], v[2], v[3]);
}

}  // namespace tutti::special

// SPDX-License-Identifier: Apache-2.0
