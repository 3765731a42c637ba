#include "backend/cpu/kernels/kernels.hpp"

#include <unordered_map>

#include "array/evaluate.hpp"
#include "ops/contraction/dot_general.hpp"
#include "ops/fft/fft.hpp"
#include "ops/linalg/cholesky.hpp"
#include "ops/linalg/determinant.hpp"
#include "ops/linalg/direct_solve.hpp"
#include "ops/linalg/eigen.hpp"
#include "ops/linalg/forms.hpp"
#include "ops/linalg/lu.hpp"
#include "ops/linalg/qr.hpp"
#include "ops/linalg/solve.hpp"
#include "ops/linalg/svd.hpp"
#include "ops/linalg/triangular_solve.hpp"
#include "ops/movement/pad.hpp"
#include "ops/reduction/bincount.hpp"
#include "ops/reduction/cumsum.hpp"
#include "ops/reduction/search.hpp"
#include "ops/reduction/sort.hpp"
#include "ops/reduction/true_positions.hpp"

namespace tutti::kernels {
namespace {

// Those that take every call of an op.
const std::unordered_map<const Op*, Kernel*>& kernels() {
  static const auto& all = *new std::unordered_map<const Op*, Kernel*>{
      {&ops::bincount, bincount},
      {&ops::cholesky, cholesky},
      {&ops::cumsum, cumsum},
      {&ops::det, det},
      {&ops::direct_solve, direct_solve},
      {&ops::eig, eig},
      {&ops::eigh, eigh},
      {&ops::fft, fft},
      {&ops::hessenberg, hessenberg},
      {&ops::lu, lu},
      {&ops::pad, pad},
      {&ops::qr, qr},
      {&ops::schur, schur},
      {&ops::search, search},
      {&ops::slogdet, slogdet},
      {&ops::solve, solve},
      {&ops::sort, sort},
      {&ops::svd, svd},
      {&ops::triangular_solve, triangular_solve},
      {&ops::tridiagonal, tridiagonal},
      {&ops::true_positions, true_positions},
  };
  return all;
}

}  // namespace

Kernel* kernel_of(const Call& call) {
  if (const auto at = kernels().find(&call.op); at != kernels().end()) return at->second;
  if (&call.op == &ops::dot_general) return is_integer_product(call) ? integer_product : nullptr;
  if (has_complex_function(call)) return complex_function;
  return is_shared_out(call) ? elementwise : nullptr;
}

std::vector<const Op*> ops_with_kernels() {
  std::vector<const Op*> out;
  for (const auto& [op, kernel] : kernels()) out.push_back(op);
  return out;
}

void run(const Eqn& eqn, const std::vector<Type>& operand_types, std::span<const HostView> operands,
         std::span<const HostView> results) {
  const Call call{*eqn.op, eqn.params, operand_types, eqn.subs};
  if (Kernel* kernel = kernel_of(call)) return kernel(call, operands, results);
  evaluate(eqn, operand_types, operands, results);
}

}  // namespace tutti::kernels

// SPDX-License-Identifier: Apache-2.0
