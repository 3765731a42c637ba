// Gathers whose places are known and count evenly are strided readings of their operand, which loops read where it
// lies; scatters that add rows of such places need no indices. Those that add to every n-th element are sums.
#include "array/known_values.hpp"
#include "compile/passes.hpp"
#include "ops/elementwise/arithmetic.hpp"
#include "ops/movement/gather.hpp"
#include "ops/movement/pad.hpp"
#include "ops/movement/strided_read.hpp"

namespace tutti::compile {
namespace {

constexpr std::int64_t kMostNumbers = 1 << 22;
constexpr std::int64_t kSpread = 8;                         // elements of the array for each that is added
constexpr std::int64_t kLongRow = 16, kMostRows = 1 << 17;  // of what is added, elements that lie side by side

bool is_read(const Eqn& e) { return e.op->window == Op::Window::read; }
bool is_sum(const Eqn& e) { return e.op->window == Op::Window::add; }

bool names_places(const Program& p) {
  return std::any_of(p.eqns.begin(), p.eqns.end(), [](const Eqn& e) {
    return is_read(e) || is_sum(e) ||
           std::any_of(e.subs.begin(), e.subs.end(), [](const ProgramPtr& sub) { return names_places(*sub); });
  });
}

bool adds_rows(const ops::StridedAdd& add, const Type& updates) {
  const std::int64_t row = updates.ndim() ? updates.shape.back() : 1;
  return row >= kLongRow && add.strides.back() == 1 && updates.num_elements() / row <= kMostRows &&
         !updates.dtype.is_key();
}

// Where the updates are a slice with steps of a good part of the array: how they are padded to its shape.
std::optional<ops::Pad> spread(const ops::StridedAdd& add, const Type& x, const Type& updates) {
  const bool is_plain = x.dtype == float32 || x.dtype == float64 || x.dtype == int32 || x.dtype == int64;
  if (!is_plain || updates.ndim() != x.ndim() || updates.num_elements() * kSpread < x.num_elements())
    return std::nullopt;
  const ops::Dims dense = ops::row_major_strides(x.shape);
  ops::Pad out;
  for (int d = 0; d < x.ndim(); ++d) {
    const auto k = static_cast<std::size_t>(d);
    const std::int64_t n = updates.shape[d], step = n > 1 ? add.strides[k] / dense[k] : 1,
                       first = add.offset / dense[k] % x.shape[d], last = first + step * (n - 1);
    if (step < 1 || (n > 1 && step * dense[k] != add.strides[k]) || last >= x.shape[d]) return std::nullopt;
    out.config.push_back({first, x.shape[d] - 1 - last, step - 1});
  }
  return out;
}

// x + the updates among zeros that change no sign. None where this is no such Eqn.
std::vector<Eqn> spread_sum(Program& p, const Eqn& e, const ops::StridedAdd& add) {
  const Type x = p.type(e.operands[0]), updates = p.type(e.operands[2]);
  const std::optional<ops::Pad> pad = spread(add, x, updates);
  if (!pad) return {};
  p.types.push_back({x.dtype, x.shape, false, {}});
  const ValueId padded = static_cast<ValueId>(p.types.size()) - 1;
  const Atom zero(Scalar(x.dtype.is_floating() ? -0.0 : 0.0).to(x.dtype), false);
  return {{&static_cast<const Op&>(ops::pad), *pad, {e.operands[2], zero}, {padded}, {}, e.loc},
          {&static_cast<const Op&>(ops::add), {}, {e.operands[0], padded}, e.results, {}, e.loc}};
}

// What stands for the Eqn without its indices, which are known; nothing where it has to stay.
std::vector<Eqn> strided(Program& p, const Eqn& e, const std::vector<std::int64_t>& indices) {
  std::vector<Type> types;
  for (const Atom& a : e.operands) types.push_back(p.type(a));
  const Call call{*e.op, e.params, types, e.subs};
  if (is_read(e)) {
    const auto read = ops::strided_gather(call, indices);
    if (!read) return {};
    return {{&static_cast<const Op&>(ops::strided_read), *read, {e.operands[0]}, e.results, {}, e.loc}};
  }
  const auto add = ops::strided_scatter(call, indices);
  if (!add) return {};
  if (adds_rows(*add, types[2]))
    return {{&static_cast<const Op&>(ops::strided_add), *add, {e.operands[0], e.operands[2]}, e.results, {}, e.loc}};
  return spread_sum(p, e, *add);
}

}  // namespace

Program known_windows(const Program& program) {
  if (!names_places(program)) return program;
  KnownValues known(program, kMostNumbers);
  Program out = program;
  out.eqns.clear();
  for (Eqn e : program.eqns) {
    for (ProgramPtr& sub : e.subs) sub = std::make_shared<const Program>(known_windows(*sub));
    std::vector<Eqn> direct;
    if ((is_read(e) || is_sum(e)) && !e.operands[0].is_literal() && !e.operands[1].is_literal() &&
        known.knows(e.operands[1].id))
      direct = strided(out, e, known.integers(e.operands[1].id));
    if (direct.empty()) direct.push_back(std::move(e));
    out.eqns.insert(out.eqns.end(), direct.begin(), direct.end());
  }
  return out;
}

}  // namespace tutti::compile

// SPDX-License-Identifier: Apache-2.0
