// What every kernel is made of: loops, and a body's registers at some columns of some row.
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "backend/cpu/lanes.hpp"
#include "backend/cpu/writer.hpp"

namespace tutti::cpu {

/// A kernel that is written into a function in which all but the addresses is known.
struct Inlined {
  std::vector<llvm::Value*> at;  // by access: the address of the first element (index: the number itself)
  std::vector<char> padded;      // by access: whole vectors may be read and written, whatever the number of columns
  std::vector<char> own;         // by access: of memory of the function, in which nobody else writes
  std::vector<std::int64_t> row_steps, column_steps;
  llvm::Value *rows = nullptr, *columns = nullptr;
};

class Frame : protected Writer {
 public:
  using Writer::Value;
  using Kind = compile::Access::Kind;
  using Step = KernelSpec::Step;

  /// A function of its own.
  Frame(llvm::Module& module, const std::string& name, const KernelSpec& spec, bool wide);
  /// At the end of what `builder` has written.
  Frame(llvm::IRBuilder<>& builder, const KernelSpec& spec, bool wide, const Inlined& inlined);

 protected:
  // for (i = from; i + step <= to; i += step) body(i); the value of i after the loop. Where all is known a few times
  // are written out one after the other.
  template <class F> Value counted(Value from, Value to, std::int64_t step, F body) {
    if (auto times = few(from, to, step)) {
      for (std::int64_t k = 0; k < *times; ++k) body(b_.CreateAdd(from, number(k * step)));
      return b_.CreateAdd(from, number(*times * step));
    }
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

  // How often, where that is known and few.
  std::optional<std::int64_t> few(Value from, Value to, std::int64_t step) const;

  Value lane_numbers();
  Value mask_of(Value left);  // of the first so many lanes
  Value smaller(Value x, Value y) { return b_.CreateSelect(b_.CreateICmpSLT(x, y), x, y); }

  /// Whether this stands in the function of a whole loop, where LLVM makes registers of memory.
  bool is_inlined() const { return inlined_ != nullptr; }

  /// Addresses in this row, and the registers that have one value per row.
  void begin_row(Value row);
  Value pointer(std::size_t access, Value column);
  Value pointers(std::size_t access, Value column);  // of each lane, where elements do not lie side by side
  Value some(Value mask);                            // all lanes where there is no mask
  Value load(std::size_t access, Value column, Value mask);
  void store(std::size_t access, Value x, Value column, Value mask);
  // The numbers from `first` on that an index has in its lanes, `steps` on from there; no steps: one in all lanes.
  Value index_at(std::size_t access, Value first, Value steps);
  /// The vector of register r at `column`; lanes outside of `mask` (if any) read nothing.
  Value value(std::size_t r, const std::vector<Value>& values, Value column, Value mask);
  std::vector<Value> body_at(Value column, Value mask);
  /// What is to be skipped where no lane needs it, from register r on, of vectors side by side; the register behind it.
  std::size_t unlikely(std::size_t r, std::span<std::vector<Value>> values, Value mask);
  void leave();
  void stores(const std::vector<Value>& values, Value column, Value mask);

  /// Memory of the function.
  llvm::AllocaInst* local(llvm::Type* type, std::uint64_t align);

  const KernelSpec& s_;
  Lanes lanes_;
  Value rows_ = nullptr, columns_ = nullptr, row_ = nullptr;
  std::vector<Value> current_, row_values_;         // by access: the address, or the number; by register
  std::vector<char> uniform_;                       // by register: one value per row
  std::vector<Value> at_, row_step_, column_step_;  // by access; column steps only where they are neither 0 nor 1
  int rows_ahead_ = 0;                              // not 0: far loads ask for what lies so many rows on

 private:
  Value load64(unsigned argument, std::size_t k, bool is_address = false);
  void find_uniform();
  void find_lane_steps();
  // Elements that are few apart: what lies between them is read, too, and put back or left alone.
  Value load_apart(std::size_t access, Value column, Value mask);
  void store_apart(std::size_t access, Value x, Value column, Value mask);
  // Elements in reverse order.
  Value load_backwards(std::size_t access, Value column, Value mask);
  void store_backwards(std::size_t access, Value x, Value column, Value mask);
  Value last_lane(std::size_t access, Value column);  // the address of what the last lane holds, the first in memory
  Value turned(Value vector);                         // its lanes in reverse order
  Value vector_of(std::size_t access, Value column, int number);  // the address of whole vector `number`
  Value mask_apart(Value mask, int apart, int number, int first = 0);
  // Two elements side by side for each column: what this store and the one behind it write.
  void store_pair(std::size_t access, Value x, Value y, Value column, Value mask);
  bool own(std::size_t access) const { return inlined_ && inlined_->own[access]; }
  // A whole vector, past the cache where the access is far.
  void store_vector(std::size_t access, Value x, Value address);
  // The mask of a load or store where one is needed.
  Value masked(std::size_t access, Value mask) const { return inlined_ && inlined_->padded[access] ? nullptr : mask; }

  std::vector<Value> lane_steps_;  // of an index: from the first lane to each
  const Inlined* inlined_ = nullptr;
};

}  // namespace tutti::cpu

// SPDX-License-Identifier: Apache-2.0
