// Loops in LLVM IR. A kernel walks rows and columns; the columns go 16 at a time, the last ones under a mask. What is
// the same along a row is computed once a row.
#include "backend/cpu/emit.hpp"

#include <llvm/IR/Intrinsics.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "backend/cpu/column_sums.hpp"
#include "backend/cpu/cut.hpp"

namespace tutti::cpu {
namespace {

using run::Walk;

constexpr int kChains = 8;                // accumulators of a row, so that additions need not wait for each other
constexpr std::int64_t kBlock = 4096;     // columns added in one go; blocks are then added up: short sums stay accurate
constexpr int kColumnVectors = 8;         // vectors that are computed side by side, at most,
constexpr int kFewestVectors = 4;         // and where registers are too few
constexpr std::size_t kRegisters = 28;    // of 32 vectors; a few hold constants
constexpr std::size_t kTwiceAlive = 14;   // of one vector: two would not fit, and one after the other is faster
constexpr std::size_t kUnrollLimit = 24;  // instructions of a body that is written out once per accumulator
constexpr std::size_t kLongBody = 96;     // instructions beside which what is seldom read may well wait in memory:
constexpr std::size_t kSomeWait = 32;     // then so many vectors may be alive, and accumulators
constexpr std::size_t kAbreast = 6;       // instructions after which vectors are kept abreast
constexpr std::size_t kWrittenTwice = 64;  // of one that is written out once more, for rows of one vector

class Emitter : ColumnSums {
 public:
  using ColumnSums::ColumnSums;

  void run() {
    if (s_.walk == Walk::reduce_row)
      make_accumulators();
    else
      make_tiles();
    const bool few_sums = s_.walk == Walk::reduce_column && !s_.together && parts_.size() == 1 && adds_in_own_type();
    if (few_sums && is_inlined()) return reduce_columns();
    if (!few_sums || lanes_.count != kLanes || s_.body.insts.size() > kWrittenTwice) return all_rows();
    Value is_vector = b_.CreateICmpSLE(columns_, number(kLanes));
    when(is_vector, [&] { reduce_vector(mask_of(columns_)); });
    when(b_.CreateNot(is_vector), [&] { all_rows(); });
  }
  void end() { leave(); }

 private:
  void all_rows() {
    Value done = s_.walk == Walk::reduce_column && s_.together           ? reduce_groups()
                 : s_.shares_rows && !is_inlined() && parts_.size() == 1 ? map_groups()
                                                                         : number(0);
    counted(done, rows_, 1, [&](Value row) {
      begin_row(row);
      if (s_.walk == Walk::reduce_row)
        reduce_row();
      else
        map_row();
    });
  }

  // One tile per register that is alive over a cut; a tile is used again when its register has died.
  void make_tiles() {
    parts_ = cut(s_, uniform_);
    if (parts_.size() == 1) return;
    tile_of_.assign(s_.body.insts.size(), nullptr);
    std::vector<std::size_t> last(s_.body.insts.size(), 0);  // the last part that reads it
    for (std::size_t p = 0; p < parts_.size(); ++p)
      for (int r : parts_[p].in) last[r] = p;
    std::vector<std::pair<Value, int>> tiles;  // and who has it
    for (std::size_t p = 0; p < parts_.size(); ++p)
      for (int r : parts_[p].out) {
        llvm::Type* t = lanes_.vector_type(lanes_.scalar_type(s_.body.insts[r].dtype));
        auto free = std::find_if(tiles.begin(), tiles.end(), [&](auto& have) {
          return last[have.second] <= p && llvm::cast<llvm::AllocaInst>(have.first)->getAllocatedType() ==
                                               llvm::ArrayType::get(t, kTile / lanes_.count);
        });
        if (free == tiles.end()) {
          llvm::AllocaInst* a = local(llvm::ArrayType::get(t, kTile / lanes_.count), 64);
          free = tiles.insert(tiles.end(), {a, r});
        }
        free->second = r;
        tile_of_[r] = free->first;
      }
  }

  Value in_tile(int r, Value column) {
    llvm::Type* t = lanes_.vector_type(lanes_.scalar_type(s_.body.insts[r].dtype));
    return b_.CreateGEP(t, tile_of_[r], b_.CreateLShr(column, std::countr_zero(lanes_.count)));
  }

  // A part of the body at each of `columns`, instruction by instruction: neighbours do not depend on each other.
  // `begin`: of the tile.
  void part_at(const Part& part, const std::vector<Value>& columns, Value begin, Value mask) {
    std::vector<std::vector<Value>> values(columns.size(), row_values_);
    auto vector_of = [&](int r) { return lanes_.vector_type(lanes_.scalar_type(s_.body.insts[r].dtype)); };
    auto need = [&](int r) {  // loads of earlier parts are done again
      for (std::size_t u = 0; u < columns.size(); ++u)
        if (r >= 0 && !values[u][r]) values[u][r] = value(static_cast<std::size_t>(r), values[u], columns[u], mask);
    };
    for (int r : part.in)
      for (std::size_t u = 0; u < columns.size(); ++u)
        values[u][r] = b_.CreateLoad(vector_of(r), in_tile(r, b_.CreateSub(columns[u], begin)));
    for (std::size_t r = part.begin; r < part.end;) {
      const compile::Inst& i = s_.body.insts[r];
      const bool is_unlikely = !uniform_[r] && i.when >= 0;
      const std::size_t next = is_unlikely ? unlikely_end(s_, uniform_, r) : r + 1;
      for (std::size_t k = r; k < next; ++k)
        for (int o : {s_.body.insts[k].a, s_.body.insts[k].b, s_.body.insts[k].c, s_.body.insts[k].when})
          if (!uniform_[k] && o < static_cast<int>(r)) need(o);
      if (is_unlikely)
        unlikely(r, values, mask);
      else if (!uniform_[r])
        need(static_cast<int>(r));
      r = next;
    }
    const bool final = part.end == s_.body.insts.size();
    if (final)
      for (const KernelSpec::Access& a : s_.accesses) need(a.value);
    for (std::size_t u = 0; u < columns.size(); ++u) {
      for (int r : part.out) b_.CreateStore(values[u][r], in_tile(r, b_.CreateSub(columns[u], begin)));
      if (final) finish(values[u], columns[u], mask);
    }
  }

  // How many vectors are computed side by side: what lives at once, and `others`, has to fit in registers.
  int side_by_side(const Part& part, std::size_t others = 0) const {
    const bool is_long = part.end - part.begin >= kLongBody;
    const std::size_t of_one = most_alive(s_, uniform_, part), alive = of_one * kColumnVectors + (is_long ? 0 : others);
    return alive <= (is_long ? kSomeWait : kRegisters) ? kColumnVectors
           : of_one <= kTwiceAlive || others           ? kFewestVectors
                                                       : 1;
  }

  void part_over(const Part& part, Value begin, Value end) {
    if (!s_.together) {
      Value done = counted(begin, end, lanes_.count, [&](Value column) { part_at(part, {column}, begin, nullptr); });
      when(b_.CreateICmpSLT(done, end), [&] { part_at(part, {done}, begin, mask_of(b_.CreateSub(end, done))); });
      return;
    }
    const int vectors = side_by_side(part);
    Value done = counted(begin, end, vectors * kLanes, [&](Value column) {
      std::vector<Value> columns;
      for (int u = 0; u < vectors; ++u) columns.push_back(b_.CreateAdd(column, number(u * kLanes)));
      part_at(part, columns, begin, nullptr);
    });
    counted(done, b_.CreateAdd(end, number(kLanes - 1)), kLanes,
            [&](Value column) { part_at(part, {column}, begin, mask_of(b_.CreateSub(end, column))); });
  }

  void map_row() {
    if (parts_.size() == 1) return part_over(parts_[0], number(0), columns_);
    Value up = b_.CreateAnd(b_.CreateAdd(columns_, number(kTile - 1)), number(-kTile));
    counted(number(0), up, kTile, [&](Value begin) {
      Value end = smaller(b_.CreateAdd(begin, number(kTile)), columns_);
      for (const Part& part : parts_) part_over(part, begin, end);
    });
  }

  void make_accumulators() {
    for (std::size_t k = 0; k < s_.accesses.size(); ++k) {
      if (s_.accesses[k].kind != Kind::reduce) continue;
      reduces_.push_back(k);
      llvm::Type* t = lanes_.vector_type(lanes_.scalar_type(s_.accesses[k].accumulate));
      types_.push_back(t);
      chains_.push_back(local(llvm::ArrayType::get(t, kChains), 1));
      totals_.push_back(local(t, 1));
    }
  }
  Value chain(std::size_t j, Value c) { return b_.CreateGEP(types_[j], chains_[j], c); }
  Value identity(std::size_t j) {
    return lanes_.identity(s_.accesses[reduces_[j]].combine, s_.accesses[reduces_[j]].accumulate, types_[j]);
  }
  Value combine(std::size_t j, Value x, Value y) {
    return lanes_.combine(s_.accesses[reduces_[j]].combine, s_.accesses[reduces_[j]].accumulate, x, y);
  }

  // Element c of a row goes to lane c % 16 of chain c / 16 % 8 of block c / 4096: the tree depends on the number of
  // columns only.
  void reduce_row() {
    const std::size_t n = reduces_.size();
    for (std::size_t j = 0; j < n; ++j) b_.CreateStore(identity(j), totals_[j]);
    Value blocks =
        b_.CreateMul(b_.CreateUDiv(b_.CreateAdd(columns_, number(kBlock - 1)), number(kBlock)), number(kBlock));
    counted(number(0), blocks, kBlock, [&](Value begin) {
      Value end = smaller(b_.CreateAdd(begin, number(kBlock)), columns_);
      const bool in_registers = s_.together || s_.body.insts.size() * n <= kUnrollLimit;
      Value done = in_registers ? unrolled(begin, end) : reset_chains(begin);
      auto add_to_totals = [&](auto chain_of) {
        for (std::size_t j = 0; j < n; ++j) {
          Value c[kChains];
          for (int i = 0; i < kChains; ++i) c[i] = chain_of(j, i);
          for (int half = kChains / 2; half > 0; half /= 2)
            for (int i = 0; i < half; ++i) c[i] = combine(j, c[i], c[i + half]);
          b_.CreateStore(combine(j, b_.CreateLoad(types_[j], totals_[j]), c[0]), totals_[j]);
        }
      };
      auto rest = [&] {
        for (std::size_t k = 0; k < in_registers_.size(); ++k)
          b_.CreateStore(in_registers_[k], chain(k / kChains, number(static_cast<std::int64_t>(k % kChains))));
        done = counted(done, end, kLanes, [&](Value column) { accumulate(begin, column, nullptr); });
        when(b_.CreateICmpSLT(done, end), [&] { accumulate(begin, done, mask_of(b_.CreateSub(end, done))); });
        add_to_totals([&](std::size_t j, int i) { return b_.CreateLoad(types_[j], chain(j, number(i))); });
      };
      if (!in_registers) return rest();
      Value is_done = b_.CreateICmpEQ(done, end);
      when(is_done, [&] {
        add_to_totals([&](std::size_t j, int i) { return in_registers_[j * kChains + static_cast<std::size_t>(i)]; });
      });
      when(b_.CreateNot(is_done), rest);
    });
    for (std::size_t j = 0; j < n; ++j) {
      Value v = b_.CreateLoad(types_[j], totals_[j]);
      for (int half = kLanes / 2; half > 0; half /= 2) {
        std::vector<int> low, high;
        for (int i = 0; i < half; ++i) {
          low.push_back(i);
          high.push_back(i + half);
        }
        v = combine(j, b_.CreateShuffleVector(v, low), b_.CreateShuffleVector(v, high));
      }
      const std::size_t k = reduces_[j];
      Value one = lanes_.to_memory(b_.CreateExtractElement(v, std::uint64_t{0}), s_.accesses[k].dtype);
      b_.CreateStore(one, current_[k]);
    }
  }

  Value reset_chains(Value begin) {
    for (std::size_t j = 0; j < reduces_.size(); ++j)
      for (int i = 0; i < kChains; ++i) b_.CreateStore(identity(j), chain(j, number(i)));
    return begin;
  }

  // The body at each of `columns`, instruction by instruction.
  std::vector<std::vector<Value>> bodies_at(const std::vector<Value>& columns) {
    std::vector<std::vector<Value>> values(columns.size(), row_values_);
    const bool abreast = lanes_.wide() && columns.size() > 1 && s_.body.insts.size() >= kLongBody;
    const std::vector<std::size_t> last = abreast ? last_readers(s_) : std::vector<std::size_t>();
    for (std::size_t r = 0, since = 0; r < s_.body.insts.size(); ++r) {
      if (uniform_[r]) continue;
      if (s_.body.insts[r].when >= 0)
        r = unlikely(r, values, nullptr) - 1;
      else
        for (std::size_t u = 0; u < columns.size(); ++u) values[u][r] = value(r, values[u], columns[u], nullptr);
      if (abreast && ++since >= kAbreast && keep_abreast(values, r, last, kRegisters)) since = 0;
    }
    return values;
  }

  // All chains in registers while there are 8 full vectors; they go to memory where something is left of a row.
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
    const int vectors = side_by_side({0, s_.body.insts.size(), {}, {}}, sums.size());
    for (int first = 0; first < kChains; first += vectors) {
      std::vector<Value> columns;
      for (int c = first; c < first + vectors; ++c) columns.push_back(b_.CreateAdd(i, number(c * kLanes)));
      const std::vector<std::vector<Value>> values = bodies_at(columns);
      for (int u = 0; u < vectors; ++u) {
        stores(values[u], columns[u], nullptr);
        for (std::size_t j = 0; j < reduces_.size(); ++j) {
          const std::size_t chain = j * kChains + static_cast<std::size_t>(first + u);
          updated[chain] = combine(j, sums[chain], values[u][s_.accesses[reduces_[j]].value]);
        }
      }
    }
    for (std::size_t k = 0; k < sums.size(); ++k) sums[k]->addIncoming(updated[k], b_.GetInsertBlock());
    i->addIncoming(next, b_.GetInsertBlock());
    b_.CreateBr(head);
    b_.SetInsertPoint(out);
    in_registers_.assign(sums.begin(), sums.end());
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

  std::vector<Part> parts_;
  std::vector<Value> tile_of_;  // by register
  std::vector<std::size_t> reduces_;
  std::vector<llvm::Type*> types_;
  std::vector<Value> chains_, totals_, in_registers_;
};

}  // namespace

void emit_kernel(llvm::Module& module, const std::string& name, const KernelSpec& spec, bool wide) {
  Emitter emitter(module, name, spec, wide);
  emitter.run();
  emitter.end();
}

void emit_inlined(llvm::IRBuilder<>& builder, const KernelSpec& spec, bool wide, const Inlined& inlined) {
  Emitter(builder, spec, wide, inlined).run();
}

}  // namespace tutti::cpu

// SPDX-License-Identifier: Apache-2.0
