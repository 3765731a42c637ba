// What is checked between passes: each check finds what it is there for.
#include <gtest/gtest.h>

#include "backend/programs.hpp"
#include "compile/passes.hpp"
#include "ops/contraction/dot_general.hpp"
#include "ops/elementwise/exponential.hpp"
#include "ops/elementwise/trigonometric.hpp"

namespace tutti::test {
namespace {

Builder chain(int eqns) {
  Builder b;
  ValueId v = b.input(f32({64, 64}));
  for (int k = 0; k < eqns; ++k) v = b.add(k % 2 ? ops::sin : ops::tanh, {v});
  b.output(v);
  return b;
}

// Its text would be a million characters, once for every Eqn: verify makes it for none.
TEST(Verify, IsLinear) { verify(chain(20000).program); }

TEST(Verify, FindsAWrongType) {
  Builder b = chain(3);
  b.program.types[2].shape = Shape{64, 63};
  try {
    verify(b.program);
    FAIL();
  } catch (const InternalError& e) {
    EXPECT_NE(std::string(e.what()).find("Eqn 1 (sin)"), std::string::npos) << e.what();
  }
}

TEST(Verify, FindsBlocksThatDoNotFit) {
  LocalProgram local = on_one_device(chain(2).program);
  verify(local);
  local.input_types[0].shape = Shape{128, 64};
  EXPECT_THROW(verify(local), InternalError);
}

TEST(Verify, FindsAnEqnInTwoUnits) {
  Program p = chain(3).program;
  compile::Fusion fusion = compile::fuse(p);
  compile::verify(fusion);
  fusion.units.push_back(fusion.units[0]);
  EXPECT_THROW(compile::verify(fusion), InternalError);
}

TEST(Verify, FindsTemporariesThatOverlap) {
  Builder b;
  auto product = [&](ValueId x, ValueId y) {
    ops::DotGeneral d;
    d.dims.lhs_contract = {1};
    d.dims.rhs_contract = {0};
    return b.add(ops::dot_general, Params(d), {x, y});
  };
  ValueId x = b.input(f32({32, 32}));
  ValueId first = product(x, x), second = product(first, x);
  b.output(product(first, second));
  compile::Plan plan = compile::compile(on_one_device(b.program), {});
  compile::verify(plan);
  for (compile::Storage& s : plan.storages)
    if (s.kind == compile::Storage::Kind::temporary) s.offset = 0;
  EXPECT_THROW(compile::verify(plan), InternalError);
}

TEST(Verify, FindsAStepWithoutStage) {
  compile::Plan plan = compile::compile(on_one_device(chain(2).program), {});
  plan.stages.push_back(plan.stages[0]);
  EXPECT_THROW(compile::verify(plan), InternalError);
}

}  // namespace
}  // namespace tutti::test

// SPDX-License-Identifier: Apache-2.0
