// Every op with samples: the engine against eval, through one-Eqn programs.
#include <gtest/gtest.h>

#include "backend/programs.hpp"
#include "ops/laws_elsewhere.hpp"

namespace tutti::test {

TEST(engine, agrees_with_eval_on_every_op) {
  std::mt19937 random(7);
  int cases = 0;
  for (const Op* op : all_ops()) {
    if (!op->eval || op->collective) continue;
    for (std::size_t k = 0; k < op->samples.size(); ++k) {
      const Sample& s = op->samples[k];
      if (has_law_elsewhere(*op, s)) continue;
      Builder b;
      std::vector<Atom> operands;
      std::vector<BufferPtr> inputs;
      for (const Type& t : s.operands) {
        operands.push_back(b.input(t));
        inputs.push_back(random_buffer(t, s.lo, s.hi, random));
      }
      for (ValueId v : b.adds(*op, s.params, operands, s.subs)) b.output(v);
      SCOPED_TRACE(op->name + " sample " + std::to_string(k));
      auto want = backend("reference").compile(on_one_device(b.program))->run(inputs);
      auto exe = backend("cpu").compile(on_one_device(b.program));
      auto got = exe->run(inputs);
      // Sums and products of many terms have another order than eval's.
      const bool sums = op->reduce != Op::Reduce::none || op->name == "dot_general" || op->name == "cumsum" ||
                        op->name == "conv_general_dilated" || op->name == "scatter_add";
      for (std::size_t r = 0; r < got.size(); ++r) {
        const Type t = b.program.type(b.program.outputs[r]);
        EXPECT_EQ(
            difference(t, on_host(got[r]).data(), on_host(want[r]).data(), s.ulp, sums ? 1e-6 : 0, sums ? 1e-6 : 0), "")
            << t.str();
      }
      ++cases;
    }
  }
  EXPECT_GT(cases, 50);
}

}  // namespace tutti::test

// SPDX-License-Identifier: Apache-2.0
