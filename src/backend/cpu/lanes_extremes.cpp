// The less and the greater of two.
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/IntrinsicsX86.h>

#include "backend/cpu/lanes.hpp"

namespace tutti::cpu {

using llvm::Intrinsic::ID;
namespace In = llvm::Intrinsic;
using Bin = VectorIR::Bin;

// The less or the greater of integers or bools.
Lanes::Value Lanes::extreme(Bin op, DType d, Value x, Value y) {
  if (d.is_bool()) return op == Bin::min ? b_.CreateAnd(x, y) : b_.CreateOr(x, y);
  const ID least = d.is_signed() ? In::smin : In::umin, greatest = d.is_signed() ? In::smax : In::umax;
  return b_.CreateBinaryIntrinsic(op == Bin::min ? least : greatest, x, y);
}

// The less or the greater of floating numbers; NaN when one of them is; -0 is less than 0.
Lanes::Value Lanes::extreme_real(Bin op, Value x, Value y) {
  auto constant = [](Value v) -> llvm::ConstantFP* {
    auto* c = llvm::dyn_cast<llvm::Constant>(v);
    return c ? llvm::dyn_cast_or_null<llvm::ConstantFP>(c->getType()->isVectorTy() ? c->getSplatValue() : c) : nullptr;
  };
  // Of equal zeros y is chosen: a constant stands there when it is the zero that wins.
  auto wins = [&](const llvm::ConstantFP* c) { return c->isZero() && c->isNegative() == (op == Bin::min); };
  if (constant(x) ? wins(constant(x)) : constant(y) && !wins(constant(y))) std::swap(x, y);
  auto* first = constant(x);
  if (wide_ && !first && !constant(y) && x->getType()->isVectorTy() && x->getType()->getScalarType()->isFloatTy())
    return extreme_wide(op, x, y);
  Value chosen = b_.CreateSelect(op == Bin::min ? b_.CreateFCmpOLT(x, y) : b_.CreateFCmpOGT(x, y), x, y);
  if (!first && !constant(y)) {  // equal ones have the same bits but for the sign of zeros
    llvm::Type* bits = x->getType()->getWithNewType(b_.getIntNTy(x->getType()->getScalarSizeInBits()));
    Value a = b_.CreateBitCast(x, bits), b = b_.CreateBitCast(y, bits);
    Value both = b_.CreateBitCast(op == Bin::min ? b_.CreateOr(a, b) : b_.CreateAnd(a, b), x->getType());
    chosen = b_.CreateSelect(b_.CreateFCmpOEQ(x, y), both, chosen);
  }
  if (first && !first->isNaN()) return chosen;  // y when that is NaN
  return b_.CreateSelect(b_.CreateFCmpUNO(x, x), x, chosen);
}

// By one instruction, in which zeros are ordered; of which NaN has to be kept apart.
Lanes::Value Lanes::extreme_wide(Bin op, Value x, Value y) {
  constexpr int sign_of_result = 4, greater = 1, as_set = 4;
  Value every = llvm::ConstantInt::get(b_.getInt16Ty(), 0xffff);
  Value chosen = in_registers(16, x, y, [&](Value a, Value b) {
    return b_.CreateIntrinsic(
        In::x86_avx512_mask_range_ps_512, {},
        {a, b, b_.getInt32(sign_of_result + (op == Bin::max ? greater : 0)), a, every, b_.getInt32(as_set)});
  });
  return b_.CreateSelect(b_.CreateFCmpUNO(x, y), b_.CreateFAdd(x, y), chosen);
}

}  // namespace tutti::cpu

// SPDX-License-Identifier: Apache-2.0
