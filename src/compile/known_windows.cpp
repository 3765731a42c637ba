// Gathers whose places are known and count evenly are strided readings of their operand, which loops read where it
// lies; scatters that add rows of such places need no indices.
#include "array/known_values.hpp"
#include "compile/passes.hpp"
#include "ops/movement/gather.hpp"
#include "ops/movement/strided_read.hpp"

namespace tutti::compile {
namespace {

constexpr std::int64_t kMostNumbers = 1 << 22;
constexpr std::int64_t kLongRow = 16, kMostRows = 1 << 14;  // of what is added, elements that lie side by side

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

// The Eqn without its indices, which are known.
std::optional<Eqn> strided(const Program& p, const Eqn& e, const std::vector<std::int64_t>& indices) {
  std::vector<Type> types;
  for (const Atom& a : e.operands) types.push_back(p.type(a));
  const Call call{*e.op, e.params, types, e.subs};
  if (is_read(e)) {
    if (const auto read = ops::strided_gather(call, indices))
      return Eqn{&static_cast<const Op&>(ops::strided_read), *read, {e.operands[0]}, e.results, {}, e.loc};
  } else if (const auto add = ops::strided_scatter(call, indices); add && adds_rows(*add, types[2])) {
    return Eqn{&static_cast<const Op&>(ops::strided_add), *add, {e.operands[0], e.operands[2]}, e.results, {}, e.loc};
  }
  return std::nullopt;
}

}  // namespace

Program known_windows(const Program& program) {
  if (!names_places(program)) return program;
  KnownValues known(program, kMostNumbers);
  Program out = program;
  for (Eqn& e : out.eqns) {
    for (ProgramPtr& sub : e.subs) sub = std::make_shared<const Program>(known_windows(*sub));
    if ((!is_read(e) && !is_sum(e)) || e.operands[0].is_literal() || e.operands[1].is_literal() ||
        !known.knows(e.operands[1].id))
      continue;
    if (std::optional<Eqn> direct = strided(program, e, known.integers(e.operands[1].id))) e = *std::move(direct);
  }
  return out;
}

}  // namespace tutti::compile
