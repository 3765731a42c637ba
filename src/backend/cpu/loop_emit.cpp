// Every step of a loop stands in one function, one nest after the other. What is small is memory of the function: LLVM
// makes registers of it. Larger carries that have two places change them by changing pointers.
#include "backend/cpu/loop_emit.hpp"

#include <llvm/IR/IRBuilder.h>

#include <algorithm>
#include <functional>

#include "backend/cpu/emit.hpp"
#include "backend/cpu/frame.hpp"

namespace tutti::cpu {
namespace {

using compile::Branch;
using compile::Plan;
using compile::Repeat;
using compile::Storage;
using Value = llvm::Value*;

constexpr std::int64_t kLocal = 512;   // bytes of a storage that is memory of the function
constexpr std::int64_t kVector = 128;  // bytes of 16 elements, of any type at most

// Where a storage lies; `own`: in memory of the function, in which whole vectors have room.
struct Place {
  Value at = nullptr;
  bool own = false;
};
using Places = std::vector<Place>;  // by storage of one Plan

class LoopEmitter {
 public:
  LoopEmitter(llvm::Module& m, const std::string& name, bool wide) : m_(m), b_(m.getContext()), wide_(wide) {
    fn_ = llvm::Function::Create(llvm::FunctionType::get(b_.getVoidTy(), {b_.getPtrTy()}, false),
                                 llvm::Function::ExternalLinkage, name, m);
    fn_->addFnAttr("prefer-vector-width", "512");
    fn_->addFnAttr("min-legal-vector-width", "512");
    fn_->addFnAttr(llvm::Attribute::NoUnwind);
    entry_ = block("entry");
    b_.SetInsertPoint(block("start"));
  }

  void run(const Repeat& loop) {
    const std::vector<int> storages = storages_of(loop);
    Places at(static_cast<std::size_t>(*std::max_element(storages.begin(), storages.end())) + 1);
    for (std::size_t k = 0; k < storages.size(); ++k) {
      Value slot = b_.CreateConstGEP1_64(b_.getPtrTy(), fn_->getArg(0), k);
      at[static_cast<std::size_t>(storages[k])].at = b_.CreateLoad(b_.getPtrTy(), slot);
    }
    repeat(loop, at);
    b_.CreateRetVoid();
    b_.SetInsertPoint(entry_);
    b_.CreateBr(entry_->getNextNode());
  }

 private:
  llvm::BasicBlock* block(const char* name) { return llvm::BasicBlock::Create(m_.getContext(), name, fn_); }
  Value number(std::int64_t n) { return b_.getInt64(static_cast<std::uint64_t>(n)); }
  Value moved(Value at, Value bytes) { return b_.CreateGEP(b_.getInt8Ty(), at, bytes); }
  Value moved(Value at, std::int64_t bytes) { return bytes ? moved(at, number(bytes)) : at; }
  void copy(Value to, Value from, std::int64_t bytes) {
    if (bytes > 0 && to != from)
      b_.CreateMemMove(to, llvm::MaybeAlign(1), from, llvm::MaybeAlign(1), static_cast<std::uint64_t>(bytes));
  }

  // Memory of the function, zero at first: lanes that nothing is stored in are numbers, too.
  Place own(std::int64_t bytes) {
    const std::int64_t room = (bytes + kVector - 1) / kVector * kVector + kVector;  // a vector may begin at any element
    llvm::IRBuilder<> start(entry_);
    llvm::AllocaInst* a = start.CreateAlloca(llvm::ArrayType::get(b_.getInt8Ty(), static_cast<std::uint64_t>(room)));
    a->setAlignment(llvm::Align(64));
    start.CreateMemSet(a, start.getInt8(0), static_cast<std::uint64_t>(room), llvm::MaybeAlign(64));
    return {a, true};
  }
  // A value that does not change, where it can be read in whole vectors.
  Place brought(const Place& from, std::int64_t bytes) {
    if (from.own || bytes > kLocal) return from;
    const Place p = own(bytes);
    copy(p.at, from.at, bytes);
    return p;
  }

  // Storages of a Plan that are neither inputs nor outputs. `slab`: where its larger temporaries lie.
  Places places(const Plan& p, Value slab) {
    Places at(p.storages.size());
    Value constants = nullptr;
    if (!p.constants.empty()) {
      auto bytes = llvm::ArrayRef(reinterpret_cast<const std::uint8_t*>(p.constants.data()), p.constants.size());
      llvm::Constant* init = llvm::ConstantDataArray::get(m_.getContext(), bytes);
      auto* global =
          new llvm::GlobalVariable(m_, init->getType(), true, llvm::GlobalValue::PrivateLinkage, init, "constants");
      global->setAlignment(llvm::Align(8));
      constants = global;
    }
    for (std::size_t s = 0; s < at.size(); ++s) {
      const Storage& x = p.storages[s];
      if (x.kind == Storage::Kind::constant) at[s].at = moved(constants, x.offset);
      if (x.kind == Storage::Kind::temporary && (x.bytes <= kLocal || x.takes < 0))
        at[s] = x.bytes <= kLocal ? own(x.bytes) : Place{moved(slab, x.offset), false};
    }
    return at;
  }
  // Temporaries in the memory of outputs.
  static void place_in_outputs(const Plan& p, Places& at) {
    for (std::size_t s = 0; s < at.size(); ++s)
      if (!at[s].at && p.storages[s].kind == Storage::Kind::temporary) at[s] = at[p.storages[s].takes];
  }

  void plan(const Plan& p, const Places& at) {
    for (const compile::Stage& stage : p.stages)
      for (int i : stage.steps) {
        const auto& what = p.steps[i].what;
        if (const auto* l = std::get_if<compile::Loop>(&what))
          nest(p, stage, *l, at);
        else if (const auto* r = std::get_if<Repeat>(&what))
          repeat(*r, at);
        else
          branch(std::get<Branch>(what), at);
      }
  }

  // One loop nest, all of it.
  void nest(const Plan& p, const compile::Stage& stage, const compile::Loop& l, const Places& at) {
    const run::Nest n = run::make_nest(l);
    const KernelSpec spec = kernel_spec({p, stage, l, l}, n);
    Inlined in;
    for (std::size_t k = 0; k < l.accesses.size(); ++k) {
      const compile::Access& a = l.accesses[k];
      const bool is_index = a.kind == compile::Access::Kind::index;
      in.at.push_back(is_index ? number(a.offset) : moved(at[a.storage].at, a.offset));
      bool padded = !is_index && at[a.storage].own;
      if (a.kind == compile::Access::Kind::store)  // nothing behind the row is to be kept
        padded &= n.outer.empty() && n.rows == 1 && a.offset == 0 &&
                  n.columns * a.dtype.size() == p.storages[a.storage].bytes;
      in.padded.push_back(padded);
    }
    in.row_steps = n.row_steps;
    in.column_steps = n.column_steps;
    outer(n, spec, in, 0, {});
  }

  // The dims that no kernel walks over, from number d on.
  void outer(const run::Nest& n, const KernelSpec& spec, Inlined in, std::size_t d, std::vector<Value> index) {
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

  void counted(Value end, const std::function<void(Value)>& body) {
    auto* known = llvm::dyn_cast<llvm::ConstantInt>(end);
    if (known && known->isOne()) return body(number(0));
    llvm::BasicBlock *before = b_.GetInsertBlock(), *head = block("outer"), *in = block("inside"), *out = block("past");
    b_.CreateBr(head);
    b_.SetInsertPoint(head);
    llvm::PHINode* i = b_.CreatePHI(b_.getInt64Ty(), 2);
    i->addIncoming(number(0), before);
    b_.CreateCondBr(b_.CreateICmpSLT(i, end), in, out);
    b_.SetInsertPoint(in);
    body(i);
    i->addIncoming(b_.CreateAdd(i, number(1)), b_.GetInsertBlock());
    b_.CreateBr(head);
    b_.SetInsertPoint(out);
  }

  // A carry in the loop. With two places: which is read now changes with every step.
  struct Carried {
    Place now, next;
    llvm::PHINode *now_phi = nullptr, *next_phi = nullptr;
  };

  Carried carried(const Repeat::Carry& c, const Places& around) {
    const Value start = around[c.start].at, result = around[c.result].at;
    Carried out;
    if (c.bytes <= kLocal) {
      out.now = own(c.bytes);
      copy(out.now.at, start, c.bytes);
      out.next = c.in_place ? out.now : own(c.bytes);
      return out;
    }
    copy(result, start, c.bytes);
    out.now = out.next = {result, false};
    return out;
  }

  void repeat(const Repeat& r, const Places& around) {
    const std::size_t carries = r.carries.size();
    Value scratch = r.scratch < 0 ? nullptr : around[r.scratch].at;
    auto slab = [&](std::int64_t offset) { return scratch ? moved(scratch, offset) : nullptr; };
    Places body = places(*r.body, slab(r.body_slab)), test;
    for (int k = 0; k < r.consts; ++k) {
      const int input = r.body->inputs[k];
      body[input] = brought(around[r.operands[r.condition_consts + k]], r.body->storages[input].bytes);
    }
    Place held;
    if (r.condition) {
      test = places(*r.condition, slab(r.condition_slab));
      for (int k = 0; k < r.condition_consts; ++k) {
        const int input = r.condition->inputs[k];
        test[input] = brought(around[r.operands[k]], r.condition->storages[input].bytes);
      }
      held = test[r.condition->outputs[0]] = own(1);
      place_in_outputs(*r.condition, test);
    }
    std::vector<Carried> values;
    for (const Repeat::Carry& c : r.carries) values.push_back(carried(c, around));

    llvm::BasicBlock *before = b_.GetInsertBlock(), *head = block("step"), *in = block("body"), *out = block("done");
    b_.CreateBr(head);
    b_.SetInsertPoint(head);
    llvm::PHINode* k = b_.CreatePHI(b_.getInt64Ty(), 2);
    k->addIncoming(number(0), before);
    for (std::size_t c = 0; c < carries; ++c) {
      const Repeat::Carry& carry = r.carries[c];
      if (carry.bytes <= kLocal || carry.in_place) continue;
      Carried& v = values[c];
      v.now_phi = b_.CreatePHI(b_.getPtrTy(), 2);
      v.next_phi = b_.CreatePHI(b_.getPtrTy(), 2);
      v.now_phi->addIncoming(v.now.at, before);
      // The other place; its address is made before the loop.
      llvm::IRBuilder<> early(before->getTerminator());
      v.next_phi->addIncoming(early.CreateGEP(b_.getInt8Ty(), scratch, number(carry.slot)), before);
      v.now.at = v.now_phi;
      v.next.at = v.next_phi;
    }
    Value more = nullptr;
    if (r.condition) {
      for (std::size_t c = 0; c < carries; ++c)
        test[r.condition->inputs[static_cast<std::size_t>(r.condition_consts) + c]] = values[c].now;
      plan(*r.condition, test);
      more = b_.CreateICmpNE(b_.CreateLoad(b_.getInt8Ty(), held.at), b_.getInt8(0));
    } else {
      more = b_.CreateICmpSLT(k, number(r.length));
    }
    b_.CreateCondBr(more, in, out);
    b_.SetInsertPoint(in);
    step(r, around, body, values, k);
    for (std::size_t c = 0; c < carries; ++c) {
      Carried& v = values[c];
      if (v.now_phi) {
        v.now_phi->addIncoming(v.next_phi, b_.GetInsertBlock());
        v.next_phi->addIncoming(v.now_phi, b_.GetInsertBlock());
      } else {
        // All of it: lanes past the end go on with their own numbers.
        copy(v.now.at, v.next.at, v.now.own ? (r.carries[c].bytes + kVector - 1) / kVector * kVector : 0);
      }
    }
    k->addIncoming(b_.CreateAdd(k, number(1)), b_.GetInsertBlock());
    b_.CreateBr(head);
    b_.SetInsertPoint(out);
    for (std::size_t c = 0; c < carries; ++c)
      copy(around[r.carries[c].result].at, values[c].now.at, r.carries[c].bytes);
    for (std::size_t i = 0; i < r.passed.size(); ++i)
      copy(around[r.passed[i].second].at, around[r.passed[i].first].at, r.passed_bytes[i]);
  }

  void step(const Repeat& r, const Places& around, Places body, const std::vector<Carried>& values, Value k) {
    const Plan& p = *r.body;
    const std::size_t carries = values.size(), consts = static_cast<std::size_t>(r.consts);
    for (std::size_t c = 0; c < carries; ++c) {
      body[p.inputs[consts + c]] = values[c].now;
      body[p.outputs[c]] = values[c].next;
    }
    Value slice = r.reverse ? b_.CreateSub(number(r.length - 1), k) : k;
    auto slice_of = [&](int storage, const Storage& inside) {
      return Place{moved(around[storage].at, b_.CreateMul(slice, number(inside.bytes))), false};
    };
    const std::size_t first_x = static_cast<std::size_t>(r.condition_consts) + consts + carries;
    for (std::size_t i = 0; i < static_cast<std::size_t>(r.xs()); ++i) {
      const int input = p.inputs[consts + carries + i];
      body[input] = slice_of(r.operands[first_x + i], p.storages[input]);
    }
    for (std::size_t i = 0; i < static_cast<std::size_t>(r.ys()); ++i) {
      const int output = p.outputs[carries + i];
      body[output] = slice_of(r.results[carries + i], p.storages[output]);
    }
    place_in_outputs(p, body);
    plan(p, body);
  }

  void branch(const Branch& br, const Places& around) {
    Value index = b_.CreateLoad(b_.getInt32Ty(), around[br.index].at);
    llvm::BasicBlock* out = block("joined");
    // What is out of range is the first or the last one.
    Value last = b_.getInt32(static_cast<std::uint32_t>(br.branches.size() - 1));
    Value low = b_.CreateSelect(b_.CreateICmpSLT(index, b_.getInt32(0)), b_.getInt32(0), index);
    Value taken = b_.CreateSelect(b_.CreateICmpSGT(low, last), last, low);
    std::vector<llvm::BasicBlock*> blocks;
    for (std::size_t i = 0; i < br.branches.size(); ++i) blocks.push_back(block("taken"));
    llvm::SwitchInst* s = b_.CreateSwitch(taken, blocks.back());
    for (std::size_t i = 0; i + 1 < blocks.size(); ++i)
      s->addCase(b_.getInt32(static_cast<std::uint32_t>(i)), blocks[i]);
    for (std::size_t i = 0; i < blocks.size(); ++i) {
      b_.SetInsertPoint(blocks[i]);
      const Plan& p = *br.branches[i];
      Places at = places(p, br.scratch < 0 ? nullptr : around[br.scratch].at);
      for (std::size_t k = 0; k < br.operands.size(); ++k) at[p.inputs[k]] = around[br.operands[k]];
      for (std::size_t k = 0; k < br.results.size(); ++k) at[p.outputs[k]] = around[br.results[k]];
      place_in_outputs(p, at);
      plan(p, at);
      b_.CreateBr(out);
    }
    b_.SetInsertPoint(out);
  }

  llvm::Module& m_;
  llvm::IRBuilder<> b_;
  bool wide_;
  llvm::Function* fn_ = nullptr;
  llvm::BasicBlock* entry_ = nullptr;
};

void library_of(const Plan& plan, std::vector<const char*>& names) {
  for (const compile::Step& step : plan.steps) {
    if (const auto* l = std::get_if<compile::Loop>(&step.what)) {
      for (const compile::Inst& i : l->body.insts)
        if (i.name) names.push_back(i.name);
    } else if (const auto* r = std::get_if<Repeat>(&step.what)) {
      cpu::library_of(*r, names);
    } else if (const auto* b = std::get_if<Branch>(&step.what)) {
      for (const compile::PlanPtr& p : b->branches) library_of(*p, names);
    }
  }
}

}  // namespace

std::vector<int> storages_of(const Repeat& r) {
  std::vector<int> out = r.operands;
  out.insert(out.end(), r.results.begin(), r.results.end());
  for (const auto& [from, to] : r.passed) {
    out.push_back(from);
    out.push_back(to);
  }
  if (r.scratch >= 0) out.push_back(r.scratch);
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

void library_of(const Repeat& r, std::vector<const char*>& names) {
  library_of(*r.body, names);
  if (r.condition) library_of(*r.condition, names);
}

void emit_loop(llvm::Module& module, const std::string& name, const Repeat& loop, bool wide) {
  LoopEmitter(module, name, wide).run(loop);
}

}  // namespace tutti::cpu
