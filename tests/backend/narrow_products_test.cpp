// bfloat16 products large enough for the processor's own instructions, in all orders of the operands' dims.
#include <gtest/gtest.h>

#include <optional>

#include "backend/programs.hpp"

namespace tutti::test {

TEST(narrow_products, agree_with_eval_up_to_one_rounding) {
  std::mt19937 random(5);
  const std::int64_t m = 150, n = 333, k = 257;
  for (int order = 0; order < 4; ++order)
    for (std::optional<DType> preferred : {std::optional<DType>(), std::optional<DType>(float32)}) {
      SCOPED_TRACE(order);
      Builder b;
      const bool turn_a = order & 1, turn_b = order & 2;
      const Type ta{bfloat16, turn_a ? Shape{k, m} : Shape{m, k}, false, {}}, tb{bfloat16, turn_b ? Shape{n, k} : Shape{k, n}, false, {}};
      const Atom x = b.input(ta), y = b.input(tb);
      ops::DotGeneral d;
      d.dims.lhs_contract = {turn_a ? 0 : 1};
      d.dims.rhs_contract = {turn_b ? 1 : 0};
      d.preferred = preferred;
      b.output(b.add(ops::dot_general, Params(d), {x, y}));
      const std::vector<BufferPtr> in{random_buffer(ta, -1, 1, random), random_buffer(tb, -1, 1, random)};
      auto want = backend("reference").compile(b.program)->run(in), got = backend("cpu").compile(b.program)->run(in);
      const Type t = b.program.type(b.program.outputs[0]);
      EXPECT_EQ(difference(t, got[0]->data(), want[0]->data(), t.dtype == bfloat16 ? 1 : 0, 1e-6, 2e-5), "");
    }
}

}  // namespace tutti::test
