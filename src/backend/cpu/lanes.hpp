// Instructions of a body as vector instructions of LLVM, 16 lanes each whatever the machine: LLVM splits them where
// registers are narrower, so that results do not depend on the machine. Elementwise work, of which each lane is what it
// is alone, has 8 for short rows and 64 for bytes.
#pragma once

#include <llvm/ADT/STLFunctionalExtras.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <map>
#include <vector>

#include "backend/cpu/kernel.hpp"

namespace tutti::cpu {

inline constexpr unsigned kLanes = 16;

class Lanes {
 public:
  using Value = llvm::Value*;
  /// `wide`: the machine has the 512-bit instructions. `count`: lanes of a vector.
  Lanes(llvm::Module& module, llvm::IRBuilder<>& builder, bool wide, unsigned count = kLanes)
      : count(count), m_(module), b_(builder), wide_(wide) {}
  const unsigned count;
  bool wide() const { return wide_; }

  llvm::Type* scalar_type(DType dtype) const;  // in registers; bool: i1
  llvm::Type* memory_type(DType dtype) const;  // in memory; bool: i8, 16-bit floats: i16 or half
  llvm::Type* vector_type(llvm::Type* scalar) const { return llvm::FixedVectorType::get(scalar, count); }

  /// Whether some lane of a bool is set, as one i1.
  Value any(Value condition);
  /// By lane: whether either of two bools is set.
  Value either(Value a, Value b) { return logic(VectorIR::Bin::or_, a, b); }
  /// One instruction other than load. `operands` are vectors.
  Value inst(const compile::Inst& i, Value a, Value b, Value c);
  Value constant(DType dtype, std::int64_t bits);
  /// Between memory and register types, scalars or vectors.
  Value from_memory(Value x, DType dtype);
  Value to_memory(Value x, DType dtype);
  Value narrow(Value x, DType half) { return from_memory(to_memory(x, half), half); }
  Value combine(Op::Reduce kind, DType dtype, Value x, Value y);
  Value identity(Op::Reduce kind, DType dtype, llvm::Type* like);

 private:
  Value unary(VectorIR::Un op, DType dtype, Value x);
  Value logic(VectorIR::Bin op, Value x, Value y);
  Value chosen(Value condition, Value a, Value b);
  Value mask_of(Value condition, unsigned bits);
  unsigned mask_bits(Value condition) const;
  Value binary(VectorIR::Bin op, DType dtype, Value x, Value y);
  Value product_or_quotient(VectorIR::Bin op, Value x, Value y);
  Value divide(VectorIR::Bin op, DType dtype, Value x, Value y);
  Value quotient_of_reals(DType dtype, Value x, Value y);
  Value to_small_integer(DType to, Value x);
  Value extreme(VectorIR::Bin op, DType dtype, Value x, Value y);
  Value extreme_wide(VectorIR::Bin op, Value x, Value y);
  Value extreme_real(VectorIR::Bin op, Value x, Value y);
  Value shift(VectorIR::Bin op, Value x, Value y);
  Value scale(Value x, Value y);
  // Of an instruction that takes registers of so many lanes.
  Value in_registers(unsigned lanes, Value x, Value y, llvm::function_ref<Value(Value, Value)> f);
  Value compare(VectorIR::Cmp op, DType dtype, Value x, Value y);
  Value convert(DType from, DType to, Value x);
  Value of_lanes(const char* name, DType dtype, const std::vector<Value>& operands);
  Value library(const char* name, DType dtype, std::vector<Value> operands, Value condition, Value otherwise);
  // An integer in every lane, of the type of `like`.
  static Value number(Value like, std::int64_t n) {
    return llvm::ConstantInt::get(like->getType(), static_cast<std::uint64_t>(n), true);
  }
  llvm::Type* like(Value x, llvm::Type* scalar) const;
  template <class Float8> Value from_float8(Value x);
  template <class Float8> Value to_float8(Value x);

  llvm::Module& m_;
  llvm::IRBuilder<>& b_;
  bool wide_;
  // Of bools that are computed of others: all bits of a lane, as wide as those of what was compared. (lanes_masks.cpp)
  std::map<Value, Value> masks_;

 public:
  std::vector<DType> types;  // of the registers, set by the kernel's emitter
};

}  // namespace tutti::cpu

// SPDX-License-Identifier: Apache-2.0
