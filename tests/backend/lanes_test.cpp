// What vector instructions the code of a body leaves out.
#include "backend/cpu/lanes.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <string>
#include <utility>

namespace tutti::test {
namespace {

using Inst = compile::Inst;

// What LLVM is told of `x op constant`, where x is an argument.
std::string told(VectorIR::Bin op, DType dtype, double constant, bool constant_first = false) {
  llvm::LLVMContext context;
  llvm::Module module("m", context);
  llvm::IRBuilder<> builder(context);
  cpu::Lanes lanes(module, builder, false);
  llvm::Type* type = lanes.vector_type(lanes.scalar_type(dtype));
  auto* f = llvm::Function::Create(llvm::FunctionType::get(type, {type}, false), llvm::Function::ExternalLinkage, "f",
                                   module);
  builder.SetInsertPoint(llvm::BasicBlock::Create(context, "", f));
  lanes.types = {dtype, dtype};
  llvm::Value* x = f->getArg(0);
  llvm::Value* number = lanes.constant(
      dtype, dtype.is_floating() ? std::bit_cast<std::int64_t>(constant) : static_cast<std::int64_t>(constant));
  if (constant_first) std::swap(x, number);
  const Inst inst{.kind = Inst::Kind::binary, .sub = static_cast<std::uint8_t>(op), .dtype = dtype, .a = 0, .b = 1};
  return builder.CreateRet(lanes.inst(inst, x, number, nullptr))->getReturnValue() == f->getArg(0)
             ? "the argument"
             : f->front().front().getOpcodeName();
}

using Bin = VectorIR::Bin;

}  // namespace

TEST(Lanes, QuotientsByPowersOfTwoAreProducts) {
  for (const DType d : {float32, float64}) {
    for (const double x : {2., 4., 0.5, -8., 1024., 0.125}) EXPECT_EQ(told(Bin::div, d, x), "fmul") << x;
    for (const double x : {3., 0., -10., 0.75}) EXPECT_EQ(told(Bin::div, d, x), "fdiv") << x;
    EXPECT_EQ(told(Bin::div, d, 2, true), "fdiv");
  }
  EXPECT_EQ(told(Bin::div, float32, 0x1p127), "fdiv") << "the reciprocal is below the normal numbers";
}

TEST(Lanes, ProductsWithOneAreTheOtherFactor) {
  for (const bool first : {false, true}) {
    EXPECT_EQ(told(Bin::mul, float32, 1, first), "the argument");
    EXPECT_EQ(told(Bin::mul, float32, -1, first), "fmul");
  }
  EXPECT_EQ(told(Bin::div, float32, 1), "the argument");
}

}  // namespace tutti::test

// SPDX-License-Identifier: Apache-2.0
