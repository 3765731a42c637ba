// Loops in LLVM IR. A kernel walks rows and columns; the columns go 16 at a time, the last ones under a mask. What is the same along a row is computed once a row.
#include "backend/cpu/emit.hpp"

#include <llvm/IR/Intrinsics.h>

#include "backend/cpu/lanes.hpp"

namespace tutti::cpu {
namespace {

using Value = llvm::Value*;
using Kind = compile::Access::Kind;
using Step = KernelSpec::Step;
using run::Walk;

constexpr int kChains = 8;                 // accumulators of a row, so that additions need not wait for each other
constexpr std::int64_t kBlock = 4096;      // columns added in one go; blocks are then added up: short sums stay accurate
constexpr std::size_t kUnrollLimit = 24;   // instructions of a body that is written out once per accumulator

class Emitter {
 public:
  Emitter(llvm::Module& m, const std::string& name, const KernelSpec& spec) : m_(m), s_(spec), b_(m.getContext()), lanes_(m, b_) {
    for (const compile::Inst& i : s_.body.insts) lanes_.types.push_back(i.dtype);
    llvm::Type *p = b_.getPtrTy(), *i = b_.getInt64Ty();
    fn_ = llvm::Function::Create(llvm::FunctionType::get(b_.getVoidTy(), {p, p, p, i, i}, false), llvm::Function::ExternalLinkage, name, m);
    fn_->addFnAttr("prefer-vector-width", "512");
    fn_->addFnAttr("min-legal-vector-width", "512");
    fn_->addFnAttr(llvm::Attribute::NoUnwind);
    b_.SetInsertPoint(block("entry"));
  }

  void run() {
    rows_ = fn_->getArg(3);
    columns_ = fn_->getArg(4);
    const std::size_t n = s_.accesses.size();
    for (std::size_t k = 0; k < n; ++k) {
      at_.push_back(load64(0, k));
      row_step_.push_back(load64(1, k));
      column_step_.push_back(s_.accesses[k].step == Step::any ? load64(2, k) : nullptr);
    }
    find_uniform();
    if (s_.walk == Walk::reduce_row) make_accumulators();
    counted(number(0), rows_, 1, [&](Value row) {
      row_ = row;
      begin_row();
      if (s_.walk == Walk::reduce_row) reduce_row();
      else map_row();
    });
    b_.CreateRetVoid();
  }

 private:
  llvm::BasicBlock* block(const char* name) { return llvm::BasicBlock::Create(m_.getContext(), name, fn_); }
  Value number(std::int64_t n) { return b_.getInt64(static_cast<std::uint64_t>(n)); }
  Value load64(unsigned argument, std::size_t k) {
    return b_.CreateLoad(b_.getInt64Ty(), b_.CreateConstGEP1_64(b_.getInt64Ty(), fn_->getArg(argument), k));
  }

  // for (i = from; i + step <= to; i += step) body(i); the value of i after the loop.
  template <class F>
  Value counted(Value from, Value to, std::int64_t step, F body) {
    llvm::BasicBlock *before = b_.GetInsertBlock(), *head = block("head"), *in = block("body"), *out = block("end");
    b_.CreateBr(head);
    b_.SetInsertPoint(head);
    llvm::PHINode* i = b_.CreatePHI(b_.getInt64Ty(), 2);
    i->addIncoming(from, before);
    Value next = b_.CreateAdd(i, number(step));
    b_.CreateCondBr(b_.CreateICmpSLE(next, to), in, out);
    b_.SetInsertPoint(in);
    body(i);
    i->addIncoming(next, b_.GetInsertBlock());
    b_.CreateBr(head);
    b_.SetInsertPoint(out);
    return i;
  }

  template <class F>
  void when(Value condition, F body) {
    llvm::BasicBlock *in = block("then"), *out = block("join");
    b_.CreateCondBr(condition, in, out);
    b_.SetInsertPoint(in);
    body();
    b_.CreateBr(out);
    b_.SetInsertPoint(out);
  }

  Value lane_numbers() {
    std::vector<std::uint64_t> n;
    for (unsigned i = 0; i < kLanes; ++i) n.push_back(i);
    return llvm::ConstantDataVector::get(m_.getContext(), llvm::ArrayRef(n));
  }
  Value mask_of(Value left) { return b_.CreateICmpULT(lane_numbers(), b_.CreateVectorSplat(kLanes, left)); }

  // Registers that have one value per row.
  void find_uniform() {
    for (const compile::Inst& i : s_.body.insts) {
      bool u = i.kind != compile::Inst::Kind::load || s_.accesses[i.bits].step == Step::none;
      for (int operand : {i.a, i.b, i.c}) u &= operand < 0 || uniform_[operand];
      uniform_.push_back(u);
    }
  }

  void begin_row() {
    current_.clear();
    for (std::size_t k = 0; k < at_.size(); ++k) current_.push_back(b_.CreateAdd(at_[k], b_.CreateMul(row_step_[k], row_)));
    row_values_.assign(s_.body.insts.size(), nullptr);
    for (std::size_t r = 0; r < s_.body.insts.size(); ++r)
      if (uniform_[r]) row_values_[r] = value(r, row_values_, nullptr, nullptr);
  }

  Value pointer(std::size_t k, Value column) {
    Value p = b_.CreateIntToPtr(current_[k], b_.getPtrTy());
    return b_.CreateGEP(lanes_.memory_type(memory_dtype(k)), p, column);
  }
  DType memory_dtype(std::size_t k) const { return s_.accesses[k].dtype; }

  // The vector of register r at `column`; lanes outside of `mask` (if any) read nothing.
  Value value(std::size_t r, const std::vector<Value>& values, Value column, Value mask) {
    const compile::Inst& i = s_.body.insts[r];
    if (i.kind == compile::Inst::Kind::load) return load(static_cast<std::size_t>(i.bits), column, mask);
    auto get = [&](int k) { return k < 0 ? nullptr : values[k]; };
    return lanes_.inst(i, get(i.a), get(i.b), get(i.c));
  }

  Value load(std::size_t k, Value column, Value mask) {
    const KernelSpec::Access& a = s_.accesses[k];
    if (a.kind == Kind::index) {
      Value n = b_.CreateVectorSplat(kLanes, current_[k]);
      if (a.step != Step::none) {
        Value along = b_.CreateAdd(b_.CreateVectorSplat(kLanes, column), lane_numbers());
        n = b_.CreateAdd(n, b_.CreateMul(along, b_.CreateVectorSplat(kLanes, column_step_[k])));
      }
      llvm::Type* t = lanes_.vector_type(lanes_.scalar_type(a.dtype));
      if (a.dtype.is_bool()) return b_.CreateICmpNE(n, llvm::Constant::getNullValue(n->getType()));
      if (!a.dtype.is_floating()) return b_.CreateIntCast(n, t, true);
      Value x = b_.CreateSIToFP(n, t);
      return a.dtype.size() == 2 ? lanes_.narrow(x, a.dtype) : x;
    }
    llvm::Type* memory = lanes_.memory_type(a.dtype);
    const llvm::Align align(static_cast<std::uint64_t>(a.dtype.size()));
    if (a.step == Step::none) {
      Value one = b_.CreateAlignedLoad(memory, b_.CreateIntToPtr(current_[k], b_.getPtrTy()), align);
      return b_.CreateVectorSplat(kLanes, lanes_.from_memory(one, a.dtype));
    }
    llvm::Type* v = lanes_.vector_type(memory);
    Value zero = llvm::Constant::getNullValue(v);
    if (a.step == Step::one) {
      Value p = pointer(k, column);
      Value x = mask ? static_cast<Value>(b_.CreateMaskedLoad(v, p, align, mask, zero)) : b_.CreateAlignedLoad(v, p, align);
      return lanes_.from_memory(x, a.dtype);
    }
    Value along = b_.CreateAdd(b_.CreateVectorSplat(kLanes, column), lane_numbers());
    Value bytes = b_.CreateMul(along, b_.CreateVectorSplat(kLanes, column_step_[k]));
    Value p = b_.CreateGEP(b_.getInt8Ty(), b_.CreateIntToPtr(current_[k], b_.getPtrTy()), bytes);
    if (!mask) mask = llvm::Constant::getAllOnesValue(lanes_.vector_type(b_.getInt1Ty()));
    return lanes_.from_memory(b_.CreateMaskedGather(v, p, align, mask, zero), a.dtype);
  }

  std::vector<Value> body_at(Value column, Value mask) {
    std::vector<Value> values = row_values_;
    for (std::size_t r = 0; r < values.size(); ++r)
      if (!uniform_[r]) values[r] = value(r, values, column, mask);
    return values;
  }

  void store(std::size_t k, Value x, Value column, Value mask) {
    const DType d = memory_dtype(k);
    const llvm::Align align(static_cast<std::uint64_t>(d.size()));
    x = lanes_.to_memory(x, d);
    if (mask) b_.CreateMaskedStore(x, pointer(k, column), align, mask);
    else b_.CreateAlignedStore(x, pointer(k, column), align);
  }

  void stores(const std::vector<Value>& values, Value column, Value mask) {
    for (std::size_t k = 0; k < s_.accesses.size(); ++k)
      if (s_.accesses[k].kind == Kind::store) store(k, values[s_.accesses[k].value], column, mask);
  }

  void map_row() {
    auto point = [&](Value column, Value mask) {
      std::vector<Value> values = body_at(column, mask);
      std::vector<Value> sums;
      for (std::size_t k = 0; k < s_.accesses.size(); ++k) {
        const KernelSpec::Access& a = s_.accesses[k];
        sums.push_back(nullptr);
        if (a.kind != Kind::reduce) continue;
        llvm::Type* memory = lanes_.vector_type(lanes_.memory_type(a.dtype));
        const llvm::Align align(static_cast<std::uint64_t>(a.dtype.size()));
        Value old = mask ? static_cast<Value>(b_.CreateMaskedLoad(memory, pointer(k, column), align, mask, llvm::Constant::getNullValue(memory)))
                         : b_.CreateAlignedLoad(memory, pointer(k, column), align);
        old = lanes_.from_memory(old, a.dtype);
        Value first = b_.CreateVectorSplat(kLanes, b_.CreateICmpEQ(row_, number(0)));
        old = b_.CreateSelect(first, lanes_.identity(a.combine, a.accumulate, old->getType()), old);
        sums.back() = lanes_.combine(a.combine, a.accumulate, old, values[a.value]);
      }
      stores(values, column, mask);
      for (std::size_t k = 0; k < sums.size(); ++k)
        if (sums[k]) store(k, sums[k], column, mask);
    };
    Value done = counted(number(0), columns_, kLanes, [&](Value column) { point(column, nullptr); });
    when(b_.CreateICmpSLT(done, columns_), [&] { point(done, mask_of(b_.CreateSub(columns_, done))); });
  }

  void make_accumulators() {
    for (std::size_t k = 0; k < s_.accesses.size(); ++k) {
      if (s_.accesses[k].kind != Kind::reduce) continue;
      reduces_.push_back(k);
      llvm::Type* t = lanes_.vector_type(lanes_.scalar_type(s_.accesses[k].accumulate));
      types_.push_back(t);
      chains_.push_back(b_.CreateAlloca(llvm::ArrayType::get(t, kChains)));
      totals_.push_back(b_.CreateAlloca(t));
    }
  }
  Value chain(std::size_t j, Value c) { return b_.CreateGEP(types_[j], chains_[j], c); }
  Value identity(std::size_t j) { return lanes_.identity(s_.accesses[reduces_[j]].combine, s_.accesses[reduces_[j]].accumulate, types_[j]); }
  Value combine(std::size_t j, Value x, Value y) { return lanes_.combine(s_.accesses[reduces_[j]].combine, s_.accesses[reduces_[j]].accumulate, x, y); }

  // Element c of a row goes to lane c % 16 of chain c / 16 % 8 of block c / 4096: the tree depends on the number of columns only.
  void reduce_row() {
    const std::size_t n = reduces_.size();
    for (std::size_t j = 0; j < n; ++j) b_.CreateStore(identity(j), totals_[j]);
    Value blocks = b_.CreateMul(b_.CreateUDiv(b_.CreateAdd(columns_, number(kBlock - 1)), number(kBlock)), number(kBlock));
    counted(number(0), blocks, kBlock, [&](Value begin) {
      Value left = b_.CreateSub(columns_, begin);
      Value end = b_.CreateAdd(begin, b_.CreateSelect(b_.CreateICmpSLT(left, number(kBlock)), left, number(kBlock)));
      Value done = s_.body.insts.size() * n <= kUnrollLimit ? unrolled(begin, end) : reset_chains(begin);
      done = counted(done, end, kLanes, [&](Value column) { accumulate(begin, column, nullptr); });
      when(b_.CreateICmpSLT(done, end), [&] { accumulate(begin, done, mask_of(b_.CreateSub(end, done))); });
      for (std::size_t j = 0; j < n; ++j) {
        Value c[kChains];
        for (int i = 0; i < kChains; ++i) c[i] = b_.CreateLoad(types_[j], chain(j, number(i)));
        for (int half = kChains / 2; half > 0; half /= 2)
          for (int i = 0; i < half; ++i) c[i] = combine(j, c[i], c[i + half]);
        b_.CreateStore(combine(j, b_.CreateLoad(types_[j], totals_[j]), c[0]), totals_[j]);
      }
    });
    for (std::size_t j = 0; j < n; ++j) {
      Value v = b_.CreateLoad(types_[j], totals_[j]);
      for (int half = kLanes / 2; half > 0; half /= 2) {
        std::vector<int> low, high;
        for (int i = 0; i < half; ++i) low.push_back(i), high.push_back(i + half);
        v = combine(j, b_.CreateShuffleVector(v, low), b_.CreateShuffleVector(v, high));
      }
      const std::size_t k = reduces_[j];
      Value one = lanes_.to_memory(b_.CreateExtractElement(v, std::uint64_t{0}), s_.accesses[k].dtype);
      b_.CreateStore(one, b_.CreateIntToPtr(current_[k], b_.getPtrTy()));
    }
  }

  Value reset_chains(Value begin) {
    for (std::size_t j = 0; j < reduces_.size(); ++j)
      for (int i = 0; i < kChains; ++i) b_.CreateStore(identity(j), chain(j, number(i)));
    return begin;
  }

  // All chains in registers while there are 8 full vectors; then they go to memory.
  Value unrolled(Value begin, Value end) {
    llvm::BasicBlock *before = b_.GetInsertBlock(), *head = block("head"), *in = block("chains"), *out = block("end");
    b_.CreateBr(head);
    b_.SetInsertPoint(head);
    llvm::PHINode* i = b_.CreatePHI(b_.getInt64Ty(), 2);
    i->addIncoming(begin, before);
    std::vector<llvm::PHINode*> sums;
    for (std::size_t j = 0; j < reduces_.size(); ++j)
      for (int c = 0; c < kChains; ++c) {
        sums.push_back(b_.CreatePHI(types_[j], 2));
        sums.back()->addIncoming(identity(j), before);
      }
    Value next = b_.CreateAdd(i, number(kChains * kLanes));
    b_.CreateCondBr(b_.CreateICmpSLE(next, end), in, out);
    b_.SetInsertPoint(in);
    std::vector<Value> updated(sums.size());
    for (int c = 0; c < kChains; ++c) {
      Value column = b_.CreateAdd(i, number(c * kLanes));
      std::vector<Value> values = body_at(column, nullptr);
      stores(values, column, nullptr);
      for (std::size_t j = 0; j < reduces_.size(); ++j)
        updated[j * kChains + c] = combine(j, sums[j * kChains + c], values[s_.accesses[reduces_[j]].value]);
    }
    for (std::size_t k = 0; k < sums.size(); ++k) sums[k]->addIncoming(updated[k], b_.GetInsertBlock());
    i->addIncoming(next, b_.GetInsertBlock());
    b_.CreateBr(head);
    b_.SetInsertPoint(out);
    for (std::size_t j = 0; j < reduces_.size(); ++j)
      for (int c = 0; c < kChains; ++c) b_.CreateStore(sums[j * kChains + c], chain(j, number(c)));
    return i;
  }

  void accumulate(Value begin, Value column, Value mask) {
    std::vector<Value> values = body_at(column, mask);
    stores(values, column, mask);
    Value c = b_.CreateAnd(b_.CreateLShr(b_.CreateSub(column, begin), number(4)), number(kChains - 1));
    for (std::size_t j = 0; j < reduces_.size(); ++j) {
      Value old = b_.CreateLoad(types_[j], chain(j, c));
      Value sum = combine(j, old, values[s_.accesses[reduces_[j]].value]);
      b_.CreateStore(mask ? b_.CreateSelect(mask, sum, old) : sum, chain(j, c));
    }
  }

  llvm::Module& m_;
  const KernelSpec& s_;
  llvm::IRBuilder<> b_;
  Lanes lanes_;
  llvm::Function* fn_ = nullptr;
  Value rows_ = nullptr, columns_ = nullptr, row_ = nullptr;
  std::vector<Value> at_, row_step_, column_step_, current_, row_values_;
  std::vector<char> uniform_;
  std::vector<std::size_t> reduces_;
  std::vector<llvm::Type*> types_;
  std::vector<Value> chains_, totals_;
};

}  // namespace

void emit_kernel(llvm::Module& module, const std::string& name, const KernelSpec& spec) { Emitter(module, name, spec).run(); }

}  // namespace tutti::cpu
