// Bools of lanes where the processor has no registers for them: masks, of which each lane is as wide as what has been
// compared. LLVM alone packs the result of each comparison to bytes before it combines two of them.
#include "backend/cpu/lanes.hpp"

namespace tutti::cpu {

using Bin = VectorIR::Bin;

// The width of the lanes of which a bool is a mask; 0: it is none.
unsigned Lanes::mask_bits(Value x) const {
  if (wide_ || !x->getType()->isVectorTy()) return 0;
  if (auto known = masks_.find(x); known != masks_.end()) return known->second->getType()->getScalarSizeInBits();
  const auto* compared = llvm::dyn_cast<llvm::CmpInst>(x);
  const unsigned bits = compared ? compared->getOperand(0)->getType()->getScalarSizeInBits() : 0;
  return bits == 32 || bits == 64 ? bits : 0;
}

Lanes::Value Lanes::mask_of(Value x, unsigned bits) {
  if (auto known = masks_.find(x); known != masks_.end()) return known->second;
  return b_.CreateSExt(x, like(x, b_.getIntNTy(bits)));
}

// `and`, `or` and `xor` of bools.
Lanes::Value Lanes::logic(Bin op, Value x, Value y) {
  auto combined = [&](Value a, Value b) {
    return op == Bin::and_ ? b_.CreateAnd(a, b) : op == Bin::or_ ? b_.CreateOr(a, b) : b_.CreateXor(a, b);
  };
  const unsigned of_x = mask_bits(x), of_y = mask_bits(y), bits = std::max(of_x, of_y);
  const bool alike = (of_x == bits || llvm::isa<llvm::Constant>(x)) && (of_y == bits || llvm::isa<llvm::Constant>(y));
  if (bits == 0 || !alike) return combined(x, y);
  Value mask = combined(mask_of(x, bits), mask_of(y, bits));
  Value made = b_.CreateICmpSLT(mask, llvm::Constant::getNullValue(mask->getType()));
  if (!llvm::isa<llvm::Constant>(made)) masks_[made] = mask;
  return made;
}

// The sign bits of the mask decide: of the mask itself, which another block may have made.
Lanes::Value Lanes::chosen(Value condition, Value a, Value b) {
  if (auto known = masks_.find(condition); known != masks_.end())
    condition = b_.CreateICmpSLT(known->second, llvm::Constant::getNullValue(known->second->getType()));
  return b_.CreateSelect(condition, a, b);
}

Lanes::Value Lanes::any(Value x) {
  const unsigned bits = mask_bits(x);
  constexpr unsigned kRegister = 256;
  if (bits == 0) return b_.CreateOrReduce(x);
  Value mask = mask_of(x, bits);
  for (unsigned n = count; n * bits > kRegister; n /= 2) {
    std::vector<int> low, high;
    for (unsigned i = 0; i < n / 2; ++i) {
      low.push_back(static_cast<int>(i));
      high.push_back(static_cast<int>(i + n / 2));
    }
    mask = b_.CreateOr(b_.CreateShuffleVector(mask, low), b_.CreateShuffleVector(mask, high));
  }
  Value set = b_.CreateICmpSLT(mask, llvm::Constant::getNullValue(mask->getType()));
  const unsigned lanes = llvm::cast<llvm::FixedVectorType>(mask->getType())->getNumElements();
  return b_.CreateICmpNE(b_.CreateBitCast(set, b_.getIntNTy(lanes)), b_.getIntN(lanes, 0));
}

}  // namespace tutti::cpu

// SPDX-License-Identifier: Apache-2.0
