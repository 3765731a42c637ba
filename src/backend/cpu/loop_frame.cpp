#include "backend/cpu/loop_frame.hpp"

#include "backend/cpu/emit.hpp"

namespace tutti::cpu {

using compile::Plan;
using compile::Storage;

namespace {

// The addresses of storages, and the first row.
std::vector<llvm::Type*> loop_arguments(llvm::LLVMContext& context, bool rows) {
  std::vector<llvm::Type*> out{llvm::PointerType::get(context, 0)};
  if (rows) out.push_back(llvm::Type::getInt64Ty(context));
  return out;
}

}  // namespace

LoopFrame::LoopFrame(llvm::Module& m, const std::string& name, bool wide, const LoopRows* rows, std::int64_t count)
    : Writer(m, name, loop_arguments(m.getContext(), rows != nullptr)), wide_(wide), rows_(rows), count_(count) {
  if (rows_) row_ = fn_->getArg(1);
  entry_ = block("entry");
  b_.SetInsertPoint(block("start"));
}

void LoopFrame::copy(Value to, Value from, std::int64_t bytes) {
  if (bytes > 0 && to != from)
    b_.CreateMemMove(to, llvm::MaybeAlign(1), from, llvm::MaybeAlign(1), static_cast<std::uint64_t>(bytes));
}

LoopFrame::Place LoopFrame::own(std::int64_t bytes) {
  const std::int64_t room = whole_vectors(bytes) + kVector;  // a vector may begin at any element
  llvm::IRBuilder<> start(entry_);
  llvm::AllocaInst* a = start.CreateAlloca(llvm::ArrayType::get(b_.getInt8Ty(), static_cast<std::uint64_t>(room)));
  a->setAlignment(llvm::Align(64));
  start.CreateMemSet(a, start.getInt8(0), static_cast<std::uint64_t>(room), llvm::MaybeAlign(64));
  return {a, true, bytes};
}

LoopFrame::Place LoopFrame::brought(const Place& from, std::int64_t bytes) {
  if (from.own || bytes > kLocal) return from;
  const Place p = own(bytes);
  copy(p.at, from.at, bytes);
  return p;
}

LoopFrame::Places LoopFrame::places(const Plan& p, Value slab, const std::function<std::int64_t(int)>& bytes) {
  Places at(p.storages.size());
  Value constants = nullptr;
  if (!p.constants.empty()) {
    auto data = llvm::ArrayRef(reinterpret_cast<const std::uint8_t*>(p.constants.data()), p.constants.size());
    llvm::Constant* init = llvm::ConstantDataArray::get(m_.getContext(), data);
    auto* global =
        new llvm::GlobalVariable(m_, init->getType(), true, llvm::GlobalValue::PrivateLinkage, init, "constants");
    global->setAlignment(llvm::Align(8));
    constants = global;
  }
  for (std::size_t s = 0; s < at.size(); ++s) {
    const Storage& x = p.storages[s];
    if (x.kind == Storage::Kind::constant) at[s].at = moved(constants, x.offset);
    if (x.kind != Storage::Kind::temporary) continue;
    const std::int64_t here = bytes(static_cast<int>(s));
    if (rows_ || here <= kLocal)
      at[s] = own(here);
    else if (x.takes < 0)
      at[s] = {moved(slab, x.offset)};
  }
  return at;
}

void LoopFrame::place_in_outputs(const Plan& p, Places& at) {
  for (std::size_t s = 0; s < at.size(); ++s)
    if (!at[s].at && p.storages[s].kind == Storage::Kind::temporary) at[s] = at[p.storages[s].takes];
}

void LoopFrame::nest(const Plan& p, const compile::Stage& stage, const compile::Loop& whole, int dim,
                     const Places& at) {
  std::vector<char> owned;
  for (const Place& place : at) owned.push_back(place.own);
  const compile::Loop l = dim < 0 ? whole : rows_of_loop(whole, dim, *rows_, count_, owned);
  const run::Nest n = run::make_nest(l);
  KernelSpec spec = kernel_spec({p, stage, l, l}, n);
  spec.short_columns = 0;
  Inlined in;
  for (const compile::Access& a : l.accesses) {
    const bool is_index = a.kind == compile::Access::Kind::index, own = !is_index && at[a.storage].own;
    Value first = is_index ? number(a.offset) : moved(at[a.storage].at, a.offset);
    if (dim >= 0 && !own && a.strides[dim] != 0) {
      Value on = b_.CreateMul(row_, number(a.strides[dim] * (l.extents[dim] / count_)));
      first = is_index ? b_.CreateAdd(first, on) : moved(first, on);
    }
    in.at.push_back(first);
    bool padded = own;
    if (a.kind == compile::Access::Kind::store)  // nothing behind the row is to be kept
      padded &= n.outer.empty() && n.rows == 1 && a.offset == 0 && n.columns * a.dtype.size() == at[a.storage].bytes;
    in.padded.push_back(padded);
    in.own.push_back(own);
  }
  in.row_steps = n.row_steps;
  in.column_steps = n.column_steps;
  outer(n, spec, in, 0, {});
}

// The dims that no kernel walks over, from number d on.
void LoopFrame::outer(const run::Nest& n, const KernelSpec& spec, Inlined in, std::size_t d, std::vector<Value> index) {
  if (d == n.outer.size()) {
    auto left = [&](int dim, std::int64_t block, std::int64_t total) -> Value {
      if (dim < 0) return number(block);
      Value rest = b_.CreateSub(number(total), b_.CreateMul(index[static_cast<std::size_t>(dim)], number(block)));
      return b_.CreateSelect(b_.CreateICmpSLT(rest, number(block)), rest, number(block));
    };
    in.rows = left(n.row_dim, n.rows, n.row_total);
    in.columns = left(n.column_dim, n.columns, n.column_total);
    return emit_inlined(b_, spec, wide_, in);
  }
  counted(number(n.outer[d]), [&](Value i) {
    Inlined here = in;
    for (std::size_t k = 0; k < here.at.size(); ++k) {
      Value step = b_.CreateMul(i, number(n.steps[d * here.at.size() + k]));
      here.at[k] = spec.accesses[k].kind == compile::Access::Kind::index ? b_.CreateAdd(here.at[k], step)
                                                                         : moved(here.at[k], step);
    }
    std::vector<Value> with = index;
    with.push_back(i);
    outer(n, spec, std::move(here), d + 1, std::move(with));
  });
}

}  // namespace tutti::cpu

// SPDX-License-Identifier: Apache-2.0
