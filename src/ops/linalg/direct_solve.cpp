// a x = b for many small a. The compiler makes it of lu and solve, where no derivative needs the factors; its bits are
// theirs.
#include "ops/linalg/direct_solve.hpp"

#include "ops/elementwise/convert.hpp"
#include "ops/linalg/lu.hpp"
#include "ops/linalg/matrix.hpp"
#include "ops/linalg/solve.hpp"

namespace tutti::ops {
namespace {

template <class T> bool solves_small(const Shape& b) {
  return SmallMatrices<T>::solves(rows_of(b), cols_of(b), batch_size(b));
}

void eval_direct_solve(const Call&, std::span<const HostView> in, std::span<const HostView> out) {
  const Shape& shape = in[1].type.shape;
  const std::int64_t n = rows_of(shape), cols = cols_of(shape);
  auto run = [&]<class T>() {
    for_each_group<T>(batch_size(shape), static_cast<double>(n * n) * static_cast<double>(n + 2 * cols),
                      [&](std::int64_t k, std::int64_t count, SmallMatrices<T>& kernels) {
                        kernels.solve(count, static_cast<int>(n), static_cast<int>(cols),
                                      in[0].as<const T>() + k * n * n, in[1].as<const T>() + k * n * cols,
                                      out[0].as<T>() + k * n * cols);
                      });
  };
  in[0].type.dtype == float32 ? run.template operator()<float>() : run.template operator()<double>();
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
  const Type type = program.type(b);
  if (!(type.dtype == float32 && solves_small<float>(type.shape)) &&
      !(type.dtype == float64 && solves_small<double>(type.shape)))
    return {};
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
  op.factors = [](const Call& c, const std::vector<Type>& r) { return matrix_factors(c, r, {2, 2}, {2}); };
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
