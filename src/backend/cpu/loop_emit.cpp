// Every step of a loop stands in one function, one nest after the other. What is small is memory of the function: LLVM
// makes registers of it. Larger carries that have two places change them by changing pointers.
#include "backend/cpu/loop_emit.hpp"

#include <algorithm>

#include "backend/cpu/loop_frame.hpp"
#include "backend/cpu/loop_products.hpp"
#include "backend/cpu/loop_windows.hpp"

namespace tutti::cpu {
namespace {

using compile::Branch;
using compile::Plan;
using compile::Repeat;
using compile::Storage;

class LoopEmitter : LoopFrame {
 public:
  using LoopFrame::LoopFrame;

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
  // `dims`: by step, where the function makes some rows of the plan.
  void plan(const Plan& p, const Places& at, const std::vector<int>* dims = nullptr) {
    for (const compile::Stage& stage : p.stages)
      for (int i : stage.steps) {
        const auto& what = p.steps[i].what;
        if (const std::optional<compile::Loop> l = nest_of(p.steps[i]))
          nest(p, stage, *l, dims ? (*dims)[static_cast<std::size_t>(i)] : -1, at);
        else if (const auto* r = std::get_if<Repeat>(&what))
          repeat(*r, at);
        else if (const auto* c = std::get_if<compile::CallEqn>(&what))
          emit_windows(b_, *c, [&](int storage) { return at[static_cast<std::size_t>(storage)].at; });
        else
          branch(std::get<Branch>(what), at);
      }
  }

  // A carry in the loop. With two places: which is read now changes with every step.
  struct Carried {
    Place now, next;
    llvm::PHINode *now_phi = nullptr, *next_phi = nullptr;
  };

  // Bytes of a storage of the body that this function holds.
  std::int64_t held(const Plan& p, int storage) const {
    if (!rows_) return p.storages[storage].bytes;
    const LoopRows::Layout& x = rows_->layouts[static_cast<std::size_t>(storage)];
    return x.row ? x.planes * x.row * count_ : p.storages[storage].bytes;
  }
  const LoopRows::Layout* layout(const Repeat& r, std::size_t carry) const {
    if (!rows_) return nullptr;
    const LoopRows::Layout& x = rows_->layouts[static_cast<std::size_t>(r.body->outputs[carry])];
    return x.row ? &x : nullptr;
  }
  // The rows of this function between a carry's storage and memory of its own.
  void copy_rows(const LoopRows::Layout& x, Value all, Value mine, bool back) {
    const std::int64_t bytes = x.row * count_;
    for (std::int64_t plane = 0; plane < x.planes; ++plane) {
      Value there = moved(moved(all, plane * rows_->rows * x.row), b_.CreateMul(row_, number(x.row)));
      Value here = moved(mine, plane * bytes);
      copy(back ? there : here, back ? here : there, bytes);
    }
  }

  Carried carried(const Repeat& r, std::size_t c, const Places& around) {
    const Repeat::Carry& carry = r.carries[c];
    const Value start = around[carry.start].at, result = around[carry.result].at;
    const LoopRows::Layout* rows = layout(r, c);
    Carried out;
    if (rows || carry.bytes <= kLocal) {
      const std::int64_t bytes = rows ? rows->planes * rows->row * count_ : carry.bytes;
      out.now = own(bytes);
      if (rows)
        copy_rows(*rows, start, out.now.at, false);
      else
        copy(out.now.at, start, bytes);
      out.next = carry.in_place ? out.now : own(bytes);
      return out;
    }
    copy(result, start, carry.bytes);
    out.now = out.next = {result};
    return out;
  }

  void repeat(const Repeat& r, const Places& around) {
    const std::size_t carries = r.carries.size();
    Value scratch = r.scratch < 0 ? nullptr : around[r.scratch].at;
    auto slab = [&](std::int64_t offset) { return scratch ? moved(scratch, offset) : nullptr; };
    Places body = places(*r.body, slab(r.body_slab), [&](int s) { return held(*r.body, s); }), test;
    for (int k = 0; k < r.consts; ++k) {
      const int input = r.body->inputs[k];
      const Place& from = around[r.operands[r.condition_consts + k]];
      const bool all = !rows_ || !rows_->read_by_rows[static_cast<std::size_t>(input)];
      body[input] = all ? brought(from, r.body->storages[input].bytes) : from;
    }
    Place tested;
    if (r.condition) {
      const Plan& c = *r.condition;
      test = places(c, slab(r.condition_slab), [&](int s) { return c.storages[s].bytes; });
      for (int k = 0; k < r.condition_consts; ++k)
        test[c.inputs[k]] = brought(around[r.operands[k]], c.storages[c.inputs[k]].bytes);
      tested = test[c.outputs[0]] = own(1);
      place_in_outputs(c, test);
    }
    std::vector<Carried> values;
    for (std::size_t c = 0; c < carries; ++c) values.push_back(carried(r, c, around));

    llvm::BasicBlock *before = b_.GetInsertBlock(), *head = block("step"), *in = block("body"), *out = block("done");
    b_.CreateBr(head);
    b_.SetInsertPoint(head);
    llvm::PHINode* k = b_.CreatePHI(b_.getInt64Ty(), 2);
    k->addIncoming(number(0), before);
    for (std::size_t c = 0; c < carries; ++c)
      if (!values[c].now.own && !r.carries[c].in_place) take_turns(values[c], scratch, r.carries[c].slot, before);
    Value more = nullptr;
    if (r.condition) {
      for (std::size_t c = 0; c < carries; ++c)
        test[r.condition->inputs[static_cast<std::size_t>(r.condition_consts) + c]] = values[c].now;
      plan(*r.condition, test);
      more = b_.CreateICmpNE(b_.CreateLoad(b_.getInt8Ty(), tested.at), b_.getInt8(0));
    } else {
      more = b_.CreateICmpSLT(k, number(r.length));
    }
    b_.CreateCondBr(more, in, out);
    b_.SetInsertPoint(in);
    step(r, around, body, values, k);
    for (Carried& v : values) {
      if (v.now_phi) {
        v.now_phi->addIncoming(v.next_phi, b_.GetInsertBlock());
        v.next_phi->addIncoming(v.now_phi, b_.GetInsertBlock());
      } else if (v.now.own) {
        copy(v.now.at, v.next.at, whole_vectors(v.now.bytes));  // lanes past the end go on with their own numbers
      }
    }
    k->addIncoming(b_.CreateAdd(k, number(1)), b_.GetInsertBlock());
    b_.CreateBr(head);
    b_.SetInsertPoint(out);
    leave(r, around, values);
  }

  // A carry with two places in memory.
  void take_turns(Carried& v, Value scratch, std::int64_t slot, llvm::BasicBlock* before) {
    v.now_phi = b_.CreatePHI(b_.getPtrTy(), 2);
    v.next_phi = b_.CreatePHI(b_.getPtrTy(), 2);
    v.now_phi->addIncoming(v.now.at, before);
    llvm::IRBuilder<> early(before->getTerminator());
    v.next_phi->addIncoming(early.CreateGEP(b_.getInt8Ty(), scratch, number(slot)), before);
    v.now.at = v.now_phi;
    v.next.at = v.next_phi;
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
      return Place{moved(around[storage].at, b_.CreateMul(slice, number(inside.bytes)))};
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
    plan(p, body, rows_ ? &rows_->dims : nullptr);
  }

  // Last values to where they are wanted; what is the same for all rows is said by the first of them.
  void leave(const Repeat& r, const Places& around, const std::vector<Carried>& values) {
    auto same = [&] {
      for (std::size_t c = 0; c < values.size(); ++c)
        if (!layout(r, c)) copy(around[r.carries[c].result].at, values[c].now.at, r.carries[c].bytes);
      for (std::size_t i = 0; i < r.passed.size(); ++i)
        copy(around[r.passed[i].second].at, around[r.passed[i].first].at, r.passed_bytes[i]);
    };
    for (std::size_t c = 0; c < values.size(); ++c)
      if (const LoopRows::Layout* rows = layout(r, c))
        copy_rows(*rows, around[r.carries[c].result].at, values[c].now.at, true);
    if (rows_)
      when(b_.CreateICmpEQ(row_, number(0)), same);
    else
      same();
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
      Places at = places(p, br.scratch < 0 ? nullptr : around[br.scratch].at,
                         [&](int storage) { return p.storages[storage].bytes; });
      for (std::size_t k = 0; k < br.operands.size(); ++k) at[p.inputs[k]] = around[br.operands[k]];
      for (std::size_t k = 0; k < br.results.size(); ++k) at[p.outputs[k]] = around[br.results[k]];
      place_in_outputs(p, at);
      plan(p, at);
      b_.CreateBr(out);
    }
    b_.SetInsertPoint(out);
  }
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
  LoopEmitter(module, name, wide, nullptr, 0).run(loop);
}

void emit_loop_of_rows(llvm::Module& module, const std::string& name, const Repeat& loop, bool wide,
                       const LoopRows& rows, std::int64_t count) {
  LoopEmitter(module, name, wide, &rows, count).run(loop);
}

}  // namespace tutti::cpu

// SPDX-License-Identifier: Apache-2.0
