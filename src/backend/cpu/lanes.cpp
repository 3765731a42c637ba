#include "backend/cpu/lanes.hpp"

#include <llvm/ADT/Sequence.h>
#include <llvm/Analysis/VectorUtils.h>
#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/IntrinsicsX86.h>

#include <algorithm>
#include <bit>
#include <limits>

#include "base/half.hpp"
#include "lane/lane_functions.hpp"
#include "lane/library.hpp"
#include "tutti/base/error.hpp"

namespace tutti::cpu {

using llvm::Intrinsic::ID;
namespace In = llvm::Intrinsic;
using Un = VectorIR::Un;
using Bin = VectorIR::Bin;
using Cmp = VectorIR::Cmp;
using Inst = compile::Inst;

llvm::Type* Lanes::scalar_type(DType d) const {
  llvm::LLVMContext& c = m_.getContext();
  switch (d.kind()) {
    case DType::Kind::bool_: return llvm::Type::getInt1Ty(c);
    case DType::Kind::float32:
    case DType::Kind::float8_e4m3fn:
    case DType::Kind::float8_e5m2:
    case DType::Kind::bfloat16:
    case DType::Kind::float16: return llvm::Type::getFloatTy(c);
    case DType::Kind::float64: return llvm::Type::getDoubleTy(c);
    default: return llvm::Type::getIntNTy(c, static_cast<unsigned>(d.size() * 8));
  }
}

llvm::Type* Lanes::memory_type(DType d) const {
  llvm::LLVMContext& c = m_.getContext();
  if (d.is_bool()) return llvm::Type::getInt8Ty(c);
  if (d == bfloat16 || d == float16) return llvm::Type::getInt16Ty(c);
  if (d.is_floating() && d.size() == 1) return llvm::Type::getInt8Ty(c);
  return scalar_type(d);
}

llvm::Type* Lanes::like(Value x, llvm::Type* scalar) const {
  return x->getType()->isVectorTy() ? vector_type(scalar) : scalar;
}

// As base/half.hpp does it.
template <class Float8> Lanes::Value Lanes::from_float8(Value x) {
  llvm::Type *i32 = like(x, b_.getInt32Ty()), *f32 = like(x, b_.getFloatTy());
  auto bits = [&](std::uint32_t n) { return llvm::ConstantInt::get(i32, n); };
  auto real = [&](Value n) { return b_.CreateBitCast(n, f32); };
  Value wide = b_.CreateZExt(x, i32), m = b_.CreateAnd(wide, 0x7f);
  Value sign = b_.CreateShl(b_.CreateAnd(wide, 0x80), 24);
  const auto scale = std::bit_cast<float>(static_cast<std::uint32_t>(254 - Float8::bias) << 23);
  Value finite = b_.CreateFMul(real(b_.CreateShl(m, Float8::shift)), llvm::ConstantFP::get(f32, scale));
  Value nan = b_.CreateICmpUGE(m, bits(Float8::infinite + (Float8::infinite != Float8::nan)));
  Value rest = b_.CreateSelect(nan, bits(0x7fc00000), bits(0x7f800000));
  Value is_finite = b_.CreateICmpULT(m, bits(Float8::infinite));
  return real(b_.CreateOr(b_.CreateSelect(is_finite, b_.CreateBitCast(finite, i32), rest), sign));
}

template <class Float8> Lanes::Value Lanes::to_float8(Value x) {
  llvm::Type *i32 = like(x, b_.getInt32Ty()), *f32 = like(x, b_.getFloatTy());
  auto bits = [&](std::uint32_t n) { return llvm::ConstantInt::get(i32, n); };
  auto real = [&](Value n) { return b_.CreateBitCast(n, f32); };
  Value u = b_.CreateBitCast(x, i32), magnitude = b_.CreateAnd(u, 0x7fffffff);
  Value added = b_.CreateFAdd(real(magnitude), real(bits(Float8::rounder)));
  Value subnormal = b_.CreateSub(b_.CreateBitCast(added, i32), bits(Float8::rounder));
  Value odd = b_.CreateAnd(b_.CreateLShr(magnitude, Float8::shift), 1);
  Value up =
      b_.CreateAdd(magnitude, b_.CreateAdd(odd, bits((1u << (Float8::shift - 1)) - 1 + (1u << 23) - Float8::normal)));
  Value m =
      b_.CreateSelect(b_.CreateICmpULT(magnitude, bits(Float8::normal)), subnormal, b_.CreateLShr(up, Float8::shift));
  m = b_.CreateBinaryIntrinsic(In::umin, m, bits(Float8::infinite));
  m = b_.CreateSelect(b_.CreateFCmpUNO(x, x), bits(Float8::nan), m);
  return b_.CreateTrunc(b_.CreateOr(b_.CreateAnd(b_.CreateLShr(u, 24), 0x80), m), like(x, b_.getInt8Ty()));
}

Lanes::Value Lanes::from_memory(Value x, DType d) {
  if (d.is_bool()) return b_.CreateICmpNE(x, llvm::Constant::getNullValue(x->getType()));
  if (d == bfloat16)
    return b_.CreateBitCast(b_.CreateShl(b_.CreateZExt(x, like(x, b_.getInt32Ty())), 16), like(x, b_.getFloatTy()));
  if (d == float8_e4m3fn) return from_float8<Float8E4M3FN>(x);
  if (d == float8_e5m2) return from_float8<Float8E5M2>(x);
  if (d == float16) return b_.CreateFPExt(b_.CreateBitCast(x, like(x, b_.getHalfTy())), like(x, b_.getFloatTy()));
  return x;
}

Lanes::Value Lanes::to_memory(Value x, DType d) {
  if (d.is_bool()) return b_.CreateZExt(x, like(x, b_.getInt8Ty()));
  if (d == float8_e4m3fn) return to_float8<Float8E4M3FN>(x);
  if (d == float8_e5m2) return to_float8<Float8E5M2>(x);
  if (d == int4) return b_.CreateAShr(b_.CreateShl(x, 4), 4);
  if (d == uint4) return b_.CreateAnd(x, number(x, 15));
  if (d == float16) return b_.CreateBitCast(b_.CreateFPTrunc(x, like(x, b_.getHalfTy())), like(x, b_.getInt16Ty()));
  if (d == bfloat16) {
    llvm::Type* i32 = like(x, b_.getInt32Ty());
    auto number = [&](std::uint32_t n) { return llvm::ConstantInt::get(i32, n); };
    Value u = b_.CreateBitCast(x, i32);
    Value odd = b_.CreateAnd(b_.CreateLShr(u, 16), number(1));
    Value rounded = b_.CreateLShr(b_.CreateAdd(b_.CreateAdd(u, number(0x7fff)), odd), 16);
    Value nan = b_.CreateOr(b_.CreateLShr(u, 16), number(0x40));
    return b_.CreateTrunc(b_.CreateSelect(b_.CreateFCmpUNO(x, x), nan, rounded), like(x, b_.getInt16Ty()));
  }
  return x;
}

Lanes::Value Lanes::constant(DType d, std::int64_t bits) {
  llvm::Type* t = vector_type(scalar_type(d));
  if (d.is_floating()) return llvm::ConstantFP::get(t, std::bit_cast<double>(bits));
  if (d.is_bool()) bits = bits != 0;
  return llvm::ConstantInt::get(t, static_cast<std::uint64_t>(bits), d.is_signed());
}

Lanes::Value Lanes::unary(Un op, DType d, Value x) {
  const bool real = d.is_floating();
  auto call = [&](ID id) { return b_.CreateUnaryIntrinsic(id, x); };
  switch (op) {
    case Un::neg: return real ? b_.CreateFNeg(x) : b_.CreateNeg(x);
    case Un::abs:
      return real ? call(In::fabs) : d.is_signed() ? b_.CreateBinaryIntrinsic(In::abs, x, b_.getFalse()) : x;
    case Un::sqrt: return call(In::sqrt);
    case Un::floor: return real ? call(In::floor) : x;
    case Un::ceil: return real ? call(In::ceil) : x;
    case Un::round_even: return real ? call(In::roundeven) : x;
    case Un::trunc: return real ? call(In::trunc) : x;
    case Un::not_:
      return d.is_bool() ? logic(Bin::xor_, x, llvm::Constant::getAllOnesValue(x->getType())) : b_.CreateNot(x);
    case Un::popcount: return call(In::ctpop);
    case Un::clz: return b_.CreateBinaryIntrinsic(In::ctlz, x, b_.getFalse());
  }
  throw InternalError("lanes: unknown unary");
}

// The number that all lanes of a constant are.
static const llvm::ConstantFP* number_of(llvm::Value* x) {
  const auto* constant = llvm::dyn_cast<llvm::Constant>(x);
  if (constant && x->getType()->isVectorTy()) constant = constant->getSplatValue();
  return llvm::dyn_cast_or_null<llvm::ConstantFP>(constant);
}

// Derivatives of sums begin with products by one. By powers of two, a product has the bits of the quotient and takes a
// fraction of the time.
Lanes::Value Lanes::product_or_quotient(Bin op, Value x, Value y) {
  auto is_one = [](Value v) {
    const llvm::ConstantFP* n = number_of(v);
    return n && n->isExactlyValue(1.0);
  };
  if (is_one(y)) return x;
  if (op == Bin::mul) return is_one(x) ? y : b_.CreateFMul(x, y);
  llvm::APFloat reciprocal(0.f);
  const llvm::ConstantFP* divisor = number_of(y);
  if (!divisor || !divisor->getValueAPF().getExactInverse(&reciprocal)) return b_.CreateFDiv(x, y);
  return b_.CreateFMul(x, llvm::ConstantFP::get(y->getType(), reciprocal));
}

Lanes::Value Lanes::binary(Bin op, DType d, Value x, Value y) {
  const bool real = d.is_floating();
  switch (op) {
    case Bin::add: return real ? b_.CreateFAdd(x, y) : d.is_bool() ? logic(Bin::or_, x, y) : b_.CreateAdd(x, y);
    case Bin::sub: return real ? b_.CreateFSub(x, y) : b_.CreateSub(x, y);
    case Bin::mul:
      return real ? product_or_quotient(op, x, y) : d.is_bool() ? logic(Bin::and_, x, y) : b_.CreateMul(x, y);
    case Bin::div: return real ? product_or_quotient(op, x, y) : divide(op, d, x, y);
    case Bin::rem: return divide(op, d, x, y);
    case Bin::min:
    case Bin::max: return real ? extreme_real(op, x, y) : extreme(op, d, x, y);
    case Bin::and_: return d.is_bool() ? logic(op, x, y) : b_.CreateAnd(x, y);
    case Bin::or_: return d.is_bool() ? logic(op, x, y) : b_.CreateOr(x, y);
    case Bin::xor_: return d.is_bool() ? logic(op, x, y) : b_.CreateXor(x, y);
    case Bin::shl:
    case Bin::shr_logical:
    case Bin::shr_arithmetic: return shift(op, x, y);
    case Bin::scale: return scale(x, y);
  }
  throw InternalError("lanes: unknown binary");
}

// Integers. Division traps on 0 and on lowest / -1: both get a harmless divisor, and their own results.
Lanes::Value Lanes::divide(Bin op, DType d, Value x, Value y) {
  const bool quotient = op == Bin::div;
  Value zero = b_.CreateICmpEQ(y, number(y, 0)), safe = b_.CreateSelect(zero, number(y, 1), y), minus = nullptr, result;
  if (d.is_signed()) {
    minus = b_.CreateICmpEQ(y, number(y, -1));
    safe = b_.CreateSelect(minus, number(y, 1), safe);
  }
  if (d.size() <= 4 && !llvm::isa<llvm::Constant>(safe)) {
    result = quotient_of_reals(d, x, safe);
    if (!quotient) result = b_.CreateSub(x, b_.CreateMul(result, safe));
  } else if (d.is_signed()) {
    result = quotient ? b_.CreateSDiv(x, safe) : b_.CreateSRem(x, safe);
  } else {
    result = quotient ? b_.CreateUDiv(x, safe) : b_.CreateURem(x, safe);
  }
  if (minus) result = b_.CreateSelect(minus, quotient ? b_.CreateNeg(x) : number(x, 0), result);
  return b_.CreateSelect(zero, quotient ? number(x, -1) : x, result);
}

// Processors divide no vectors of integers. A quotient that is no integer is at least 1 / y from one, and that of reals
// is off by less: of 16 bits in float32, of 32 in float64.
Lanes::Value Lanes::quotient_of_reals(DType d, Value x, Value y) {
  llvm::Type* t = like(x, d.size() <= 2 ? b_.getFloatTy() : b_.getDoubleTy());
  if (d.is_signed()) return b_.CreateFPToSI(b_.CreateFDiv(b_.CreateSIToFP(x, t), b_.CreateSIToFP(y, t)), x->getType());
  return b_.CreateFPToUI(b_.CreateFDiv(b_.CreateUIToFP(x, t), b_.CreateUIToFP(y, t)), x->getType());
}

// The nearest number of 8 or 16 bits, 0 for NaN: all of them are floats, so that nothing is left to do but to convert.
Lanes::Value Lanes::to_small_integer(DType to, Value x) {
  const int bits = static_cast<int>(to.size()) * 8;
  const double low = to.is_signed() ? -static_cast<double>(1 << (bits - 1)) : 0,
               high = static_cast<double>((1 << (to.is_signed() ? bits - 1 : bits)) - 1);
  auto real = [&](double v) { return llvm::ConstantFP::get(x->getType(), v); };
  Value inside = b_.CreateSelect(b_.CreateFCmpOGT(x, real(low)), x, real(low));
  inside = b_.CreateSelect(b_.CreateFCmpOLT(inside, real(high)), inside, real(high));
  inside = b_.CreateSelect(b_.CreateFCmpUNO(x, x), real(0), inside);
  return b_.CreateTrunc(b_.CreateFPToSI(inside, like(x, b_.getInt32Ty())), like(x, scalar_type(to)));
}

// By the width or more: zero, or the sign everywhere.
Lanes::Value Lanes::shift(Bin op, Value x, Value y) {
  const unsigned width = x->getType()->getScalarSizeInBits();
  Value inside = b_.CreateICmpULT(y, number(y, width));
  if (op == Bin::shr_arithmetic) return b_.CreateAShr(x, b_.CreateSelect(inside, y, number(y, width - 1)));
  Value by = b_.CreateSelect(inside, y, number(y, 0));
  return b_.CreateSelect(inside, op == Bin::shl ? b_.CreateShl(x, by) : b_.CreateLShr(x, by), number(x, 0));
}

// What is past the end of the last register is of no account.
Lanes::Value Lanes::in_registers(unsigned lanes, Value x, Value y, llvm::function_ref<Value(Value, Value)> f) {
  const unsigned all = llvm::cast<llvm::FixedVectorType>(x->getType())->getNumElements();
  if (all == lanes) return f(x, y);
  auto piece = [&](Value v, unsigned first) {
    std::vector<int> places(lanes, -1);
    for (unsigned i = 0; i < std::min(lanes, all); ++i) places[i] = static_cast<int>(first + i);
    return b_.CreateShuffleVector(v, places);
  };
  std::vector<Value> parts;
  for (unsigned first = 0; first < all; first += lanes) parts.push_back(f(piece(x, first), piece(y, first)));
  if (all < lanes) return b_.CreateShuffleVector(parts[0], llvm::to_vector(llvm::seq(0, static_cast<int>(all))));
  return llvm::concatenateVectors(b_, parts);
}

// x * 2^y, in two steps where no instruction does it, so that the powers are finite.
Lanes::Value Lanes::scale(Value x, Value y) {
  const bool wide_numbers = x->getType()->getScalarSizeInBits() == 64;
  if (wide_ && x->getType()->isVectorTy()) {
    constexpr int as_set = 4;  // rounding
    const unsigned lanes = wide_numbers ? 8 : 16;
    return in_registers(lanes, x, y, [&](Value a, Value b) {
      return b_.CreateIntrinsic(wide_numbers ? In::x86_avx512_mask_scalef_pd_512 : In::x86_avx512_mask_scalef_ps_512,
                                {},
                                {a, b, a, llvm::Constant::getAllOnesValue(b_.getIntNTy(lanes)), b_.getInt32(as_set)});
    });
  }
  const double magic = wide_numbers ? 6755399441055744. + 1023 : 12582912. + 127;
  auto power = [&](Value n) {  // the sum has n + 127, or 1023, in its low bits
    Value bits = b_.CreateBitCast(b_.CreateFAdd(n, llvm::ConstantFP::get(n->getType(), magic)),
                                  like(n, wide_numbers ? b_.getInt64Ty() : b_.getInt32Ty()));
    return b_.CreateBitCast(b_.CreateShl(bits, wide_numbers ? 52 : 23), n->getType());
  };
  Value half = b_.CreateUnaryIntrinsic(In::floor, b_.CreateFMul(y, llvm::ConstantFP::get(y->getType(), 0.5)));
  return b_.CreateFMul(b_.CreateFMul(x, power(half)), power(b_.CreateFSub(y, half)));
}

Lanes::Value Lanes::compare(Cmp op, DType d, Value x, Value y) {
  using P = llvm::CmpInst::Predicate;
  static const P real[] = {P::FCMP_OEQ, P::FCMP_UNE, P::FCMP_OLT, P::FCMP_OLE, P::FCMP_OGT, P::FCMP_OGE};
  static const P sign[] = {P::ICMP_EQ, P::ICMP_NE, P::ICMP_SLT, P::ICMP_SLE, P::ICMP_SGT, P::ICMP_SGE};
  static const P plain[] = {P::ICMP_EQ, P::ICMP_NE, P::ICMP_ULT, P::ICMP_ULE, P::ICMP_UGT, P::ICMP_UGE};
  const int i = static_cast<int>(op);
  return d.is_floating() ? b_.CreateFCmp(real[i], x, y) : b_.CreateICmp(d.is_signed() ? sign[i] : plain[i], x, y);
}

Lanes::Value Lanes::convert(DType from, DType to, Value x) {
  llvm::Type* t = like(x, scalar_type(to));
  if (from.is_floating()) {
    if (to.is_floating()) return b_.CreateFPCast(x, t);
    if (to.is_bool()) return b_.CreateFCmpUNE(x, llvm::Constant::getNullValue(x->getType()));
    if (to == int8 || to == uint8 || to == int16 || to == uint16) return to_small_integer(to, x);
    return b_.CreateIntrinsic(to.is_signed() ? In::fptosi_sat : In::fptoui_sat, {t, x->getType()}, {x});
  }
  if (to.is_floating()) return from.is_signed() ? b_.CreateSIToFP(x, t) : b_.CreateUIToFP(x, t);
  if (to.is_bool()) return b_.CreateICmpNE(x, llvm::Constant::getNullValue(x->getType()));
  return b_.CreateIntCast(x, t, from.is_signed());
}

// All lanes at once, by way of memory.
Lanes::Value Lanes::of_lanes(const char* name, DType d, const std::vector<Value>& in) {
  llvm::Function* fn = b_.GetInsertBlock()->getParent();
  llvm::Type* v = vector_type(scalar_type(d));
  auto room = [&] {
    llvm::IRBuilder<> at(&fn->getEntryBlock(), fn->getEntryBlock().begin());
    llvm::AllocaInst* a = at.CreateAlloca(v);
    a->setAlignment(llvm::Align(64));
    return a;
  };
  llvm::Type* pointer = b_.getPtrTy();
  std::vector<Value> args;
  for (Value x : in) {
    args.push_back(room());
    b_.CreateAlignedStore(x, args.back(), llvm::Align(64));
  }
  args.resize(3, llvm::ConstantPointerNull::get(b_.getPtrTy()));
  llvm::AllocaInst* out = room();
  args.push_back(out);
  const std::string symbol = std::string("tutti_") + name + (d == float64 ? "_f64" : "_f32");
  b_.CreateCall(m_.getOrInsertFunction(
                    symbol, llvm::FunctionType::get(b_.getVoidTy(), {pointer, pointer, pointer, pointer}, false)),
                args);
  return b_.CreateAlignedLoad(v, out, llvm::Align(64));
}

// Lane by lane. With a condition, only when some lane needs it, and only where.
Lanes::Value Lanes::library(const char* name, DType d, std::vector<Value> in, Value condition, Value otherwise) {
  llvm::Type* t = scalar_type(d);
  std::string symbol = std::string("tutti_") + name + (d == float64 ? "_f64" : "_f32");
  llvm::FunctionCallee f =
      m_.getOrInsertFunction(symbol, llvm::FunctionType::get(t, std::vector<llvm::Type*>(in.size(), t), false));
  llvm::Function* fn = b_.GetInsertBlock()->getParent();
  llvm::LLVMContext& c = m_.getContext();
  llvm::BasicBlock *before = b_.GetInsertBlock(), *loop = llvm::BasicBlock::Create(c, "lib", fn),
                   *after = llvm::BasicBlock::Create(c, "libend", fn);
  llvm::BasicBlock *work = loop, *next = loop;
  Value start = otherwise ? otherwise : llvm::Constant::getNullValue(vector_type(t));
  if (condition)
    b_.CreateCondBr(any(condition), loop, after);
  else
    b_.CreateBr(loop);
  b_.SetInsertPoint(loop);
  llvm::PHINode* i = b_.CreatePHI(b_.getInt32Ty(), 2);
  llvm::PHINode* r = b_.CreatePHI(vector_type(t), 2);
  i->addIncoming(b_.getInt32(0), before);
  r->addIncoming(start, before);
  Value skipped = r;
  if (condition) {
    work = llvm::BasicBlock::Create(c, "libcall", fn, after);
    next = llvm::BasicBlock::Create(c, "libnext", fn, after);
    b_.CreateCondBr(b_.CreateExtractElement(condition, i), work, next);
    b_.SetInsertPoint(work);
  }
  std::vector<Value> args;
  for (Value x : in) args.push_back(b_.CreateExtractElement(x, i));
  Value result = b_.CreateInsertElement(r, b_.CreateCall(f, args), i);
  if (condition) {
    b_.CreateBr(next);
    b_.SetInsertPoint(next);
    llvm::PHINode* merged = b_.CreatePHI(vector_type(t), 2);
    merged->addIncoming(skipped, loop);
    merged->addIncoming(result, work);
    result = merged;
  }
  Value n = b_.CreateAdd(i, b_.getInt32(1));
  i->addIncoming(n, next);
  r->addIncoming(result, next);
  b_.CreateCondBr(b_.CreateICmpULT(n, b_.getInt32(kLanes)), loop, after);
  b_.SetInsertPoint(after);
  llvm::PHINode* out = b_.CreatePHI(vector_type(t), 2);
  out->addIncoming(result, next);
  if (condition) out->addIncoming(start, before);
  return out;
}

Lanes::Value Lanes::inst(const Inst& i, Value a, Value b, Value c) {
  switch (i.kind) {
    case Inst::Kind::constant: return constant(i.dtype, i.bits);
    case Inst::Kind::unary: return unary(static_cast<Un>(i.sub), types[i.a], a);
    case Inst::Kind::binary: return binary(static_cast<Bin>(i.sub), types[i.a], a, b);
    case Inst::Kind::compare: return compare(static_cast<Cmp>(i.sub), types[i.a], a, b);
    case Inst::Kind::select: return chosen(a, b, c);
    case Inst::Kind::fma: return b_.CreateIntrinsic(In::fma, {a->getType()}, {a, b, c});
    case Inst::Kind::convert: return convert(types[i.a], i.dtype, a);
    case Inst::Kind::narrow: return narrow(a, DType(static_cast<DType::Kind>(i.sub)));
    case Inst::Kind::bitcast: {
      const DType half(static_cast<DType::Kind>(i.sub));
      if (half.is_bool())
        return types[i.a].is_bool() || i.dtype.is_bool() ? convert(types[i.a], i.dtype, a)
                                                         : b_.CreateBitCast(a, like(a, scalar_type(i.dtype)));
      return i.dtype.is_floating() ? from_memory(a, half) : to_memory(a, half);
    }
    case Inst::Kind::library: {
      std::vector<Value> in{a};
      if (b) in.push_back(b);
      if (c) in.push_back(c);
      return lane::find_lane_function(i.name) ? of_lanes(i.name, i.dtype, in)
                                              : library(i.name, i.dtype, std::move(in), nullptr, nullptr);
    }
    case Inst::Kind::rare: {
      const bool two = lane::find_library(i.name)->takes_two();
      return library(i.name, i.dtype, two ? std::vector<Value>{b, c} : std::vector<Value>{b}, a, c);
    }
    case Inst::Kind::rotate: return b_.CreateIntrinsic(In::fshl, {a->getType()}, {a, a, number(a, i.bits)});
    case Inst::Kind::load: break;
  }
  throw InternalError("lanes: not an instruction");
}

Lanes::Value Lanes::combine(Op::Reduce kind, DType d, Value x, Value y) {
  switch (kind) {
    case Op::Reduce::sum: return binary(Bin::add, d, x, y);
    case Op::Reduce::prod: return binary(Bin::mul, d, x, y);
    case Op::Reduce::max: return binary(Bin::max, d, x, y);
    case Op::Reduce::min: return binary(Bin::min, d, x, y);
    case Op::Reduce::any: return b_.CreateOr(x, y);
    case Op::Reduce::all: return b_.CreateAnd(x, y);
    case Op::Reduce::none: break;
  }
  throw InternalError("lanes: no reduction");
}

Lanes::Value Lanes::identity(Op::Reduce kind, DType d, llvm::Type* t) {
  const bool real = d.is_floating();
  const unsigned bits = t->getScalarSizeInBits();
  switch (kind) {
    case Op::Reduce::sum:
    case Op::Reduce::any: return llvm::Constant::getNullValue(t);
    case Op::Reduce::prod:
      return real ? llvm::ConstantFP::get(t, 1.0) : static_cast<Value>(llvm::ConstantInt::get(t, 1));
    case Op::Reduce::all: return llvm::Constant::getAllOnesValue(t);
    case Op::Reduce::max:
    case Op::Reduce::min: {
      const bool low = kind == Op::Reduce::max;
      if (real) return llvm::ConstantFP::getInfinity(t, low);
      const llvm::APInt n = d.is_signed()
                                ? (low ? llvm::APInt::getSignedMinValue(bits) : llvm::APInt::getSignedMaxValue(bits))
                                : (low ? llvm::APInt::getMinValue(bits) : llvm::APInt::getMaxValue(bits));
      return llvm::ConstantInt::get(t, n);
    }
    case Op::Reduce::none: break;
  }
  throw InternalError("lanes: no reduction");
}

}  // namespace tutti::cpu

// SPDX-License-Identifier: Apache-2.0
