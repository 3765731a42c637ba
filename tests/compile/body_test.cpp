// What recorded bodies of loops leave to do.
#include "compile/body.hpp"

#include <gtest/gtest.h>

namespace tutti::test {
namespace {

std::string quotient(DType dtype, double divisor) {
  compile::Recorder ir;
  ir.binary(VectorIR::Bin::div, ir.load(0, dtype), ir.constant(dtype, divisor));
  return ir.take().str();
}
bool divides(DType dtype, double divisor) { return quotient(dtype, divisor).find(" = div ") != std::string::npos; }

}  // namespace

TEST(Bodies, QuotientsByPowersOfTwoAreProducts) {
  for (const DType d : {float32, float64, bfloat16}) {
    for (const double x : {2., 4., 0.5, -8., 1024., 0.125}) {
      EXPECT_FALSE(divides(d, x)) << quotient(d, x);
      EXPECT_NE(quotient(d, x).find(" = mul "), std::string::npos) << quotient(d, x);
    }
    for (const double x : {3., 0., -10., 0.75}) EXPECT_TRUE(divides(d, x)) << quotient(d, x);
  }
  EXPECT_TRUE(divides(float32, 0x1p127)) << "the reciprocal is below the normal numbers";
  EXPECT_TRUE(divides(int32, 4)) << "integers round towards zero";
}

TEST(Bodies, ProductsWithOneAreTheOtherFactor) {
  compile::Recorder ir;
  const Reg x = ir.load(0, float32), one = ir.constant(float32, 1);
  EXPECT_EQ(ir.binary(VectorIR::Bin::mul, x, one).id, x.id);
  EXPECT_EQ(ir.binary(VectorIR::Bin::mul, one, x).id, x.id);
  EXPECT_EQ(ir.binary(VectorIR::Bin::div, x, one).id, x.id);
  EXPECT_NE(ir.binary(VectorIR::Bin::mul, x, ir.constant(float32, -1)).id, x.id);
}

}  // namespace tutti::test
