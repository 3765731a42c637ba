// a x = b for many small a. The compiler makes it of lu and solve, where no derivative needs the factors; its bits are
// theirs.
#include "ops/linalg/direct_solve.hpp"

#include "ops/elementwise/convert.hpp"
#include "ops/linalg/dense.hpp"
#include "ops/linalg/lu.hpp"
#include "ops/linalg/matrix.hpp"
#include "ops/linalg/small_solves.hpp"
#include "ops/linalg/solve.hpp"

namespace tutti::ops {
namespace {

// Extents up to which engines solve many matrices side by side; the others are worth factors of their own.
bool is_small(const Type& b) {
  const std::int64_t n = rows_of(b.shape), cols = cols_of(b.shape);
  return (b.dtype == float32 || b.dtype == float64) && SmallSolves::takes(n, cols, batch_size(b.shape), b.dtype.size());
}

void eval_direct_solve(const Call&, std::span<const HostView> in, std::span<const HostView> out) {
  const Shape& shape = in[1].type.shape;
  with_matrix_element(in[1].type.dtype, [&]<class T>() {
    for (std::int64_t k = 0; k < batch_size(shape); ++k) {
      Dense<Precise<T>> a = read_matrix<T>(in[0], k), x = read_matrix<T>(in[1], k);
      const std::vector<std::int64_t> pivots = factor_lu(a);
      for (std::int64_t i = 0; i < a.rows; ++i)
        for (std::int64_t j = 0; j < x.cols && pivots[i] != i; ++j) std::swap(x(i, j), x(pivots[i], j));
      substitute(a, true, true, x);
      substitute(a, false, false, x);
      write_values<T>(x.data, out[0], k);
    }
  });
}

}  // namespace

std::optional<Eqn> solved_directly(const Program& program, const ProgramIndex& index, const Eqn& e) {
  if (e.op != &solve || e.params.get<Solve>().transposed) return {};
  auto maker = [&](const Atom& x) -> const Eqn* {
    const int i = x.is_literal() ? -1 : index.producer(x.id);
    return i < 0 ? nullptr : &program.eqns[static_cast<std::size_t>(i)];
  };
  // What x is, where derivatives were stopped; `once`: nothing if somebody else reads it.
  auto source = [&](Atom x, bool once) -> std::optional<Atom> {
    for (;;) {
      if (x.is_literal() || (once && index.use_count(x.id) != 1)) return {};
      const Eqn* stop = maker(x);
      if (!stop || stop->op != &stop_gradient) return x;
      x = stop->operands[0];
    }
  };
  const std::optional<Atom> factors = source(e.operands[1], true), pivots = source(e.operands[2], true);
  if (!factors || !pivots) return {};
  const Eqn* from = maker(*factors);
  if (!from || from->op != &lu || from->results[0] != factors->id || from->results[1] != pivots->id ||
      index.is_read(from->results[2]) || source(from->operands[0], false) != source(e.operands[0], false))
    return {};
  const Atom &a = e.operands[0], &b = e.operands[3];
  if (!is_small(program.type(b))) return {};
  return Eqn{&static_cast<const Op&>(direct_solve), {}, {a, b}, e.results, {}, e.loc};
}

constinit const Home direct_solve = [] {
  Op op;
  op.name = "direct_solve";
  op.infer = [](const Call& c) {
    check_matrices(c, 0, true);
    check_matrices(c, 1, false);
    check_batches(c, {2, 2});
    return std::vector{type(c.operands[1].dtype, c.operands[1].shape)};
  };
  op.eval = eval_direct_solve;
  op.factors = [](const Call& c, const std::vector<Type>& r) { return matrix_factors(c, r, {2, 2}, {2}, {1, -1}); };
  op.batch = matrix_batch;
  op.not_differentiable = "The compiler makes it behind all derivatives.";
  op.flops = [](const Call& c, const std::vector<Type>& r) {
    const std::int64_t n = cols_of(c.operands[0].shape);
    return 2. / 3. * static_cast<double>(c.operands[0].num_elements() * n) +
           2 * static_cast<double>(r[0].num_elements() * n);
  };
  op.samples = {
      {.params = {}, .operands = {type(float32, {3, 3}), type(float32, {3, 2})}, .differentiable = false},
      {.params = {}, .operands = {type(float64, {5, 4, 4}), type(float64, {5, 4, 1})}, .differentiable = false}};
  return op;
};

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
