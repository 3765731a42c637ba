#include "backend/cpu/short_rows.hpp"

#include <algorithm>
#include <vector>

#include "backend/cpu/frame.hpp"

namespace tutti::cpu {
namespace {

constexpr int kVectors = 8;  // of the longest row: as many as a row has accumulators

class ShortRows : Frame {
 public:
  using Frame::Frame;

  void run() {
    for (std::size_t k = 0; k < s_.accesses.size(); ++k)
      if (s_.accesses[k].kind == Kind::reduce) {
        reduces_.push_back(k);
        types_.push_back(lanes_.vector_type(lanes_.scalar_type(s_.accesses[k].accumulate)));
        rows_of_.push_back(local(llvm::ArrayType::get(types_.back(), kLanes), 64));
      }
    counted(number(0), b_.CreateAdd(rows_, number(kLanes - 1)), kLanes, [&](Value first) {
      Value here = smaller(number(kLanes), b_.CreateSub(rows_, first));
      counted(number(0), here, 1, [&](Value row) {
        begin_row(b_.CreateAdd(first, row));
        row_at(row);
      });
      begin_row(first);
      for (std::size_t j = 0; j < reduces_.size(); ++j) write(j, here);
    });
    leave();
  }

 private:
  Value combine(std::size_t j, Value x, Value y) {
    const KernelSpec::Access& a = s_.accesses[reduces_[j]];
    return lanes_.combine(a.combine, a.accumulate, x, y);
  }
  Value identity(std::size_t j) {
    const KernelSpec::Access& a = s_.accesses[reduces_[j]];
    return lanes_.identity(a.combine, a.accumulate, types_[j]);
  }

  // All columns of a row, in the tree of kVectors accumulators.
  void row_at(Value row) {
    const std::int64_t columns = s_.short_columns;
    std::vector<std::vector<Value>> vectors(reduces_.size());
    for (std::int64_t c = 0; c < columns; c += kLanes) {
      Value mask = columns - c < static_cast<std::int64_t>(kLanes) ? mask_of(number(columns - c)) : nullptr;
      const std::vector<Value> values = body_at(number(c), mask);
      stores(values, number(c), mask);
      for (std::size_t j = 0; j < reduces_.size(); ++j) {
        Value x = values[s_.accesses[reduces_[j]].value];
        vectors[j].push_back(mask ? b_.CreateSelect(mask, x, identity(j)) : x);
      }
    }
    for (std::size_t j = 0; j < reduces_.size(); ++j) {
      std::vector<Value>& v = vectors[j];
      for (std::size_t half = kVectors / 2; half > 0; half /= 2)
        for (std::size_t i = 0; i < half && i + half < v.size(); ++i) v[i] = combine(j, v[i], v[i + half]);
      b_.CreateStore(combine(j, identity(j), v[0]), b_.CreateGEP(types_[j], rows_of_[j], row));
    }
  }

  // The lanes of pairs of vectors, `half` of each row with the other half: rows stay in order.
  Value halved(std::size_t j, Value x, Value y, int half) {
    std::vector<int> low, high;
    for (int i = 0; i < 2 * static_cast<int>(kLanes); ++i) (i % (2 * half) < half ? low : high).push_back(i);
    return combine(j, b_.CreateShuffleVector(x, y, low), b_.CreateShuffleVector(x, y, high));
  }

  void write(std::size_t j, Value here) {
    std::vector<Value> v;
    for (unsigned r = 0; r < kLanes; ++r)
      v.push_back(b_.CreateLoad(types_[j], b_.CreateGEP(types_[j], rows_of_[j], number(r))));
    for (int half = kLanes / 2; half > 0; half /= 2) {
      std::vector<Value> next;
      for (std::size_t i = 0; i < v.size(); i += 2) next.push_back(halved(j, v[i], v[i + 1], half));
      v = std::move(next);
    }
    const std::size_t k = reduces_[j];
    const DType d = s_.accesses[k].dtype;
    b_.CreateMaskedStore(lanes_.to_memory(v[0], d), current_[k], llvm::Align(static_cast<std::uint64_t>(d.size())),
                         mask_of(here));
  }

  std::vector<std::size_t> reduces_;
  std::vector<llvm::Type*> types_;
  std::vector<Value> rows_of_;  // sixteen rows, a vector each
};

}  // namespace

void emit_short_rows(llvm::Module& module, const std::string& name, const KernelSpec& spec, bool wide) {
  ShortRows(module, name, spec, wide).run();
}

}  // namespace tutti::cpu

// SPDX-License-Identifier: Apache-2.0
