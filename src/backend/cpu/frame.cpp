#include "backend/cpu/frame.hpp"

#include <llvm/IR/Intrinsics.h>
#include <llvm/IR/IntrinsicsX86.h>
#include <llvm/IR/MDBuilder.h>

#include <algorithm>

#include "backend/cpu/cut.hpp"

namespace tutti::cpu {

using Value = Frame::Value;

namespace {
constexpr std::int64_t kFew = 8, kFewInsts = 256;  // times of a loop that are written out, and their instructions

// Those of run::KernelFn.
std::vector<llvm::Type*> kernel_arguments(llvm::LLVMContext& context) {
  llvm::Type *p = llvm::PointerType::get(context, 0), *i = llvm::Type::getInt64Ty(context);
  return {p, p, p, i, i};
}
}  // namespace

Frame::Frame(llvm::Module& m, const std::string& name, const KernelSpec& spec, bool wide)
    : Writer(m, name, kernel_arguments(m.getContext())), s_(spec), lanes_(m, b_, wide, spec.lanes) {
  for (const compile::Inst& i : s_.body.insts) lanes_.types.push_back(i.dtype);
  b_.SetInsertPoint(block("entry"));
  rows_ = fn_->getArg(3);
  columns_ = fn_->getArg(4);
  for (std::size_t k = 0; k < s_.accesses.size(); ++k) {
    at_.push_back(load64(0, k, s_.accesses[k].kind != Kind::index));
    row_step_.push_back(load64(1, k));
    column_step_.push_back(s_.accesses[k].step == Step::any ? load64(2, k) : nullptr);
  }
  find_lane_steps();
  find_uniform();
}

Frame::Frame(llvm::IRBuilder<>& builder, const KernelSpec& spec, bool wide, const Inlined& inlined)
    : Writer(builder), s_(spec), lanes_(m_, b_, wide, std::min(spec.lanes, kLanes)), inlined_(&inlined) {
  for (const compile::Inst& i : s_.body.insts) lanes_.types.push_back(i.dtype);
  rows_ = inlined.rows;
  columns_ = inlined.columns;
  at_ = inlined.at;
  for (std::int64_t step : inlined.row_steps) row_step_.push_back(number(step));
  for (std::int64_t step : inlined.column_steps) column_step_.push_back(number(step));
  find_lane_steps();
  find_uniform();
}

void Frame::find_lane_steps() {
  for (std::size_t k = 0; k < s_.accesses.size(); ++k) {
    const bool counts = s_.accesses[k].kind == Kind::index && s_.accesses[k].step != Step::none;
    lane_steps_.push_back(counts ? b_.CreateMul(lane_numbers(), b_.CreateVectorSplat(lanes_.count, column_step_[k]))
                                 : nullptr);
  }
}

void Frame::find_uniform() {
  for (const compile::Inst& inst : s_.body.insts) {
    bool u = inst.kind != compile::Inst::Kind::load || s_.accesses[inst.bits].step == Step::none;
    for (int operand : {inst.a, inst.b, inst.c}) u &= operand < 0 || uniform_[operand];
    uniform_.push_back(u);
  }
}

std::optional<std::int64_t> Frame::few(Value from, Value to, std::int64_t step) const {
  auto *begin = llvm::dyn_cast<llvm::ConstantInt>(from), *end = llvm::dyn_cast<llvm::ConstantInt>(to);
  if (!inlined_ || !begin || !end) return std::nullopt;
  const std::int64_t times = std::max<std::int64_t>(0, (end->getSExtValue() - begin->getSExtValue()) / step);
  const auto insts = static_cast<std::int64_t>(s_.body.insts.size());
  return times <= 1 || (times <= kFew && times * insts <= kFewInsts) ? std::optional(times) : std::nullopt;
}

llvm::AllocaInst* Frame::local(llvm::Type* type, std::uint64_t align) {
  llvm::IRBuilder<> start(&fn_->getEntryBlock(), fn_->getEntryBlock().begin());
  llvm::AllocaInst* a = start.CreateAlloca(type);
  a->setAlignment(llvm::Align(std::max<std::uint64_t>(align, a->getAlign().value())));
  return a;
}

Value Frame::load64(unsigned argument, std::size_t k, bool is_address) {
  llvm::Type* t = is_address ? static_cast<llvm::Type*>(b_.getPtrTy()) : b_.getInt64Ty();
  return b_.CreateLoad(t, b_.CreateConstGEP1_64(b_.getInt64Ty(), fn_->getArg(argument), k));
}

Value Frame::lane_numbers() {
  std::vector<std::uint64_t> n;
  for (unsigned i = 0; i < lanes_.count; ++i) n.push_back(i);
  return llvm::ConstantDataVector::get(m_.getContext(), llvm::ArrayRef(n));
}

Value Frame::mask_of(Value left) {
  if (lanes_.count <= kLanes) return b_.CreateICmpULT(lane_numbers(), b_.CreateVectorSplat(lanes_.count, left));
  std::vector<std::uint8_t> n;  // numbers as narrow as the lanes
  for (unsigned i = 0; i < lanes_.count; ++i) n.push_back(static_cast<std::uint8_t>(i));
  Value some = b_.CreateTrunc(smaller(left, number(lanes_.count)), b_.getInt8Ty());
  return b_.CreateICmpULT(llvm::ConstantDataVector::get(m_.getContext(), llvm::ArrayRef(n)),
                          b_.CreateVectorSplat(lanes_.count, some));
}

void Frame::begin_row(Value row) {
  row_ = row;
  current_.clear();
  for (std::size_t k = 0; k < at_.size(); ++k) {
    Value along = b_.CreateMul(row_step_[k], row_);
    current_.push_back(s_.accesses[k].kind == Kind::index ? b_.CreateAdd(at_[k], along)
                                                          : b_.CreateGEP(b_.getInt8Ty(), at_[k], along));
  }
  row_values_.assign(s_.body.insts.size(), nullptr);
  for (std::size_t r = 0; r < s_.body.insts.size(); ++r)
    if (uniform_[r]) row_values_[r] = value(r, row_values_, nullptr, nullptr);
}

Value Frame::pointer(std::size_t k, Value column) {
  return b_.CreateGEP(lanes_.memory_type(s_.accesses[k].dtype), current_[k], column);
}

Value Frame::value(std::size_t r, const std::vector<Value>& values, Value column, Value mask) {
  const compile::Inst& i = s_.body.insts[r];
  if (i.kind == compile::Inst::Kind::load) return load(static_cast<std::size_t>(i.bits), column, mask);
  auto get = [&](int k) { return k < 0 ? nullptr : values[k]; };
  return lanes_.inst(i, get(i.a), get(i.b), get(i.c));
}

Value Frame::index_at(std::size_t k, Value first, Value steps) {
  const KernelSpec::Access& a = s_.accesses[k];
  const bool narrow = a.dtype.is_integer() && a.dtype.size() <= 4;  // modulo 2^n from the beginning
  llvm::Type* number_type = narrow ? lanes_.scalar_type(a.dtype) : b_.getInt64Ty();
  Value n = b_.CreateVectorSplat(lanes_.count, b_.CreateTrunc(first, number_type));
  if (steps) n = b_.CreateAdd(n, b_.CreateTrunc(steps, lanes_.vector_type(number_type)));
  if (narrow) return n;
  llvm::Type* t = lanes_.vector_type(lanes_.scalar_type(a.dtype));
  if (a.dtype.is_bool()) return b_.CreateICmpNE(n, llvm::Constant::getNullValue(n->getType()));
  if (!a.dtype.is_floating()) return b_.CreateIntCast(n, t, true);
  Value x = b_.CreateSIToFP(n, t);
  return compile::register_type(a.dtype) != a.dtype ? lanes_.narrow(x, a.dtype) : x;
}

Value Frame::load(std::size_t k, Value column, Value mask) {
  const KernelSpec::Access& a = s_.accesses[k];
  if (a.kind == Kind::index) {
    Value first = current_[k];
    if (a.step != Step::none) first = b_.CreateAdd(first, b_.CreateMul(column, column_step_[k]));
    return index_at(k, first, lane_steps_[k]);
  }
  llvm::Type* memory = lanes_.memory_type(a.dtype);
  const llvm::Align align(static_cast<std::uint64_t>(a.dtype.size()));
  if (a.step == Step::none) {
    Value one = b_.CreateAlignedLoad(memory, current_[k], align);
    return b_.CreateVectorSplat(lanes_.count, lanes_.from_memory(one, a.dtype));
  }
  llvm::Type* v = lanes_.vector_type(memory);
  Value zero = llvm::Constant::getNullValue(v);
  if (a.step == Step::one) {
    Value p = pointer(k, column);
    mask = masked(k, mask);
    // Rows beside each other are asked for; along a row the processor does it by itself, and asking costs twice the
    // time.
    if (a.far && !mask && rows_ahead_) {  // for reading, to all caches, data
      Value ahead = b_.CreateGEP(b_.getInt8Ty(), p, b_.CreateMul(row_step_[k], number(rows_ahead_)));
      b_.CreateIntrinsic(llvm::Intrinsic::prefetch, {b_.getPtrTy()},
                         {ahead, b_.getInt32(0), b_.getInt32(3), b_.getInt32(1)});
    }
    Value x =
        mask ? static_cast<Value>(b_.CreateMaskedLoad(v, p, align, mask, zero)) : b_.CreateAlignedLoad(v, p, align);
    return lanes_.from_memory(x, a.dtype);
  }
  if (a.apart < 0) return lanes_.from_memory(load_backwards(k, column, mask), a.dtype);
  if (a.apart) return lanes_.from_memory(load_apart(k, column, mask), a.dtype);
  return lanes_.from_memory(b_.CreateMaskedGather(v, pointers(k, column), align, some(mask), zero), a.dtype);
}

Value Frame::last_lane(std::size_t k, Value column) {
  Value back = b_.CreateSub(number(1 - static_cast<std::int64_t>(lanes_.count)), column);
  return b_.CreateGEP(lanes_.memory_type(s_.accesses[k].dtype), current_[k], back);
}

Value Frame::turned(Value vector) {
  std::vector<int> from;
  for (int i = static_cast<int>(lanes_.count); i-- > 0;) from.push_back(i);
  return b_.CreateShuffleVector(vector, from);
}

Value Frame::load_backwards(std::size_t k, Value column, Value mask) {
  const llvm::Align align(static_cast<std::uint64_t>(s_.accesses[k].dtype.size()));
  llvm::Type* v = lanes_.vector_type(lanes_.memory_type(s_.accesses[k].dtype));
  Value p = last_lane(k, column);
  Value x = mask ? static_cast<Value>(b_.CreateMaskedLoad(v, p, align, turned(mask), llvm::Constant::getNullValue(v)))
                 : b_.CreateAlignedLoad(v, p, align);
  return turned(x);
}

void Frame::store_backwards(std::size_t k, Value x, Value column, Value mask) {
  const llvm::Align align(static_cast<std::uint64_t>(s_.accesses[k].dtype.size()));
  if (mask)
    b_.CreateMaskedStore(turned(x), last_lane(k, column), align, turned(mask));
  else
    b_.CreateAlignedStore(turned(x), last_lane(k, column), align);
}

Value Frame::vector_of(std::size_t k, Value column, int number_of_vector) {
  llvm::Type* memory = lanes_.memory_type(s_.accesses[k].dtype);
  Value first = b_.CreateMul(column, number(s_.accesses[k].apart));
  return b_.CreateGEP(memory, current_[k],
                      b_.CreateAdd(first, number(number_of_vector * static_cast<std::int64_t>(lanes_.count))));
}

// Of vector `number`: the lanes in which elements of the columns of `mask` (all, where there is none) lie, the first of
// them at `first`.
Value Frame::mask_apart(Value mask, int apart, int number, int first) {
  const int lanes = static_cast<int>(lanes_.count);
  std::vector<int> from;
  for (int i = 0; i < lanes; ++i) {
    const int e = number * lanes + i - first;
    from.push_back(e >= 0 && e % apart == 0 ? e / apart : lanes);
  }
  Value all = some(mask);
  return b_.CreateShuffleVector(all, llvm::Constant::getNullValue(all->getType()), from);
}

Value Frame::load_apart(std::size_t k, Value column, Value mask) {
  const KernelSpec::Access& a = s_.accesses[k];
  const llvm::Align align(static_cast<std::uint64_t>(a.dtype.size()));
  llvm::Type* v = lanes_.vector_type(lanes_.memory_type(a.dtype));
  const int lanes = static_cast<int>(lanes_.count), second = a.before >= 0;  // of a pair: the same vectors as the first
  Value out = nullptr;
  for (int j = 0; j < a.apart; ++j) {
    Value p = vector_of(second ? static_cast<std::size_t>(a.before) : k, column, j);
    // Only behind the last element may there be nothing.
    const bool all = !mask && (own(k) || second || a.behind >= 0 || j + 1 < a.apart);
    Value x =
        all ? static_cast<Value>(b_.CreateAlignedLoad(v, p, align))
            : b_.CreateMaskedLoad(v, p, align, mask_apart(mask, a.apart, j, second), llvm::Constant::getNullValue(v));
    std::vector<int> from;
    for (int i = 0; i < lanes; ++i) {
      const int e = i * a.apart + second;
      from.push_back(e / lanes == j ? (j ? lanes : 0) + e % lanes : i);
    }
    out = j ? b_.CreateShuffleVector(out, x, from) : b_.CreateShuffleVector(x, from);
  }
  return out;
}

void Frame::store_apart(std::size_t k, Value x, Value column, Value mask) {
  const KernelSpec::Access& a = s_.accesses[k];
  const llvm::Align align(static_cast<std::uint64_t>(a.dtype.size()));
  const int lanes = static_cast<int>(lanes_.count);
  for (int j = 0; j < a.apart; ++j) {
    Value p = vector_of(k, column, j);
    const bool all = !mask && own(k);
    Value old = all ? static_cast<Value>(b_.CreateAlignedLoad(x->getType(), p, align)) : x;
    std::vector<int> from;
    for (int i = 0; i < lanes; ++i) {
      const int e = j * lanes + i;
      from.push_back(e % a.apart == 0 ? e / a.apart : lanes + i);
    }
    Value here = b_.CreateShuffleVector(x, old, from);
    if (all)
      b_.CreateAlignedStore(here, p, align);
    else
      b_.CreateMaskedStore(here, p, align, mask_apart(mask, a.apart, j));
  }
}

void Frame::store_pair(std::size_t k, Value x, Value y, Value column, Value mask) {
  const DType d = s_.accesses[k].dtype;
  const int lanes = static_cast<int>(lanes_.count);
  x = lanes_.to_memory(x, d);
  y = lanes_.to_memory(y, d);
  for (int j = 0; j < 2; ++j) {
    std::vector<int> from, half;
    for (int e = j * lanes; e < (j + 1) * lanes; ++e) {
      half.push_back(e / 2);
      from.push_back(e / 2 + (e % 2) * lanes);
    }
    Value both = b_.CreateShuffleVector(x, y, from), p = vector_of(k, column, j);
    const llvm::Align align(static_cast<std::uint64_t>(d.size()));
    if (mask)
      b_.CreateMaskedStore(both, p, align, b_.CreateShuffleVector(mask, half));
    else
      store_vector(k, both, p);
  }
}

Value Frame::pointers(std::size_t k, Value column) {
  Value along = b_.CreateAdd(b_.CreateVectorSplat(lanes_.count, column), lane_numbers());
  return b_.CreateGEP(b_.getInt8Ty(), current_[k],
                      b_.CreateMul(along, b_.CreateVectorSplat(lanes_.count, column_step_[k])));
}

Value Frame::some(Value mask) {
  return mask ? mask : llvm::Constant::getAllOnesValue(lanes_.vector_type(b_.getInt1Ty()));
}

std::vector<Value> Frame::body_at(Value column, Value mask) {
  std::vector<Value> values = row_values_;
  for (std::size_t r = 0; r < values.size();) {
    if (!uniform_[r] && s_.body.insts[r].when >= 0) {
      r = unlikely(r, {&values, 1}, mask);
      continue;
    }
    if (!uniform_[r]) values[r] = value(r, values, column, mask);
    ++r;
  }
  return values;
}

std::size_t Frame::unlikely(std::size_t begin, std::span<std::vector<Value>> values, Value mask) {
  const std::vector<compile::Inst>& insts = s_.body.insts;
  const std::size_t end = unlikely_end(s_, uniform_, begin);
  const auto condition = static_cast<std::size_t>(insts[begin].when);
  Value some_lane = nullptr;
  for (const std::vector<Value>& of : values)
    some_lane = some_lane ? lanes_.either(some_lane, of[condition]) : of[condition];
  if (mask) some_lane = b_.CreateAnd(some_lane, mask);
  llvm::BasicBlock *before = b_.GetInsertBlock(), *in = block("unlikely"), *out = block("likely");
  b_.CreateCondBr(lanes_.any(some_lane), in, out, llvm::MDBuilder(m_.getContext()).createBranchWeights(1, 1000));
  b_.SetInsertPoint(in);
  for (std::size_t r = begin; r < end; ++r)
    for (std::vector<Value>& of : values)
      if (!uniform_[r]) of[r] = value(r, of, nullptr, nullptr);
  in = b_.GetInsertBlock();
  b_.CreateBr(out);
  b_.SetInsertPoint(out);
  const std::vector<std::size_t> last = last_readers(s_);
  for (std::size_t r = begin; r < end; ++r)
    for (std::vector<Value>& of : values) {
      if (uniform_[r] || last[r] < end) continue;
      llvm::PHINode* result = b_.CreatePHI(of[r]->getType(), 2);
      result->addIncoming(of[r], in);
      result->addIncoming(llvm::PoisonValue::get(of[r]->getType()), before);
      of[r] = result;
    }
  return end;
}

void Frame::store(std::size_t k, Value x, Value column, Value mask) {
  const DType d = s_.accesses[k].dtype;
  const llvm::Align align(static_cast<std::uint64_t>(d.size()));
  x = lanes_.to_memory(x, d);
  if (s_.accesses[k].apart < 0) return store_backwards(k, x, column, mask);
  // Stores of some lanes of an AVX2 vector took longer than of these elements one by one (an AMD EPYC; four such stores
  // in 126 rows of 8 columns: 22 and 10 us).
  const bool by_vectors = s_.accesses[k].apart != 0 && (lanes_.wide() || (!mask && own(k)));
  if (by_vectors) return store_apart(k, x, column, mask);
  if (s_.accesses[k].step == Step::any) {
    b_.CreateMaskedScatter(x, pointers(k, column), align, some(mask));
    return;
  }
  mask = masked(k, mask);
  if (mask)
    b_.CreateMaskedStore(x, pointer(k, column), align, mask);
  else
    store_vector(k, x, pointer(k, column));
}

void Frame::store_vector(std::size_t k, Value x, Value p) {
  const auto size = static_cast<std::uint64_t>(s_.accesses[k].dtype.size());
  if (!s_.accesses[k].far) {
    b_.CreateAlignedStore(x, p, llvm::Align(size));
    return;
  }
  llvm::StoreInst* store = b_.CreateAlignedStore(x, p, llvm::Align(std::min<std::uint64_t>(64, lanes_.count * size)));
  store->setMetadata(llvm::LLVMContext::MD_nontemporal,
                     llvm::MDNode::get(m_.getContext(), llvm::ConstantAsMetadata::get(b_.getInt32(1))));
}

void Frame::leave() {
  // What went past the cache must be seen by whoever is told that this kernel is done.
  if (std::any_of(s_.accesses.begin(), s_.accesses.end(),
                  [](const KernelSpec::Access& a) { return a.far && a.kind == Kind::store; }))
#if TUTTI_X86
    b_.CreateIntrinsic(llvm::Intrinsic::x86_sse_sfence, llvm::ArrayRef<llvm::Type*>(), llvm::ArrayRef<Value>());
#else
    b_.CreateFence(llvm::AtomicOrdering::Release);
#endif
  b_.CreateRetVoid();
}

void Frame::stores(const std::vector<Value>& values, Value column, Value mask) {
  for (std::size_t k = 0; k < s_.accesses.size(); ++k) {
    const KernelSpec::Access& a = s_.accesses[k];
    if (a.kind != Kind::store || a.before >= 0) continue;
    if (a.behind >= 0)
      store_pair(k, values[a.value], values[s_.accesses[static_cast<std::size_t>(a.behind)].value], column, mask);
    else
      store(k, values[a.value], column, mask);
  }
}

}  // namespace tutti::cpu

// SPDX-License-Identifier: Apache-2.0
