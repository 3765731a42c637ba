#include "backend/cpu/column_sums.hpp"

#include <algorithm>
#include <utility>

namespace tutti::cpu {

namespace {
constexpr int kRowsTogether = 8;
}

std::vector<Frame::Value> ColumnSums::sums_so_far(Value column, Value mask) {
  std::vector<Value> sums;
  for (std::size_t k = 0; k < s_.accesses.size(); ++k) {
    const KernelSpec::Access& a = s_.accesses[k];
    sums.push_back(nullptr);
    if (a.kind != Kind::reduce) continue;
    llvm::Type* memory = lanes_.vector_type(lanes_.memory_type(a.dtype));
    const llvm::Align align(static_cast<std::uint64_t>(a.dtype.size()));
    Value old = mask ? static_cast<Value>(b_.CreateMaskedLoad(memory, pointer(k, column), align, mask,
                                                              llvm::Constant::getNullValue(memory)))
                     : b_.CreateAlignedLoad(memory, pointer(k, column), align);
    old = lanes_.from_memory(old, a.dtype);
    Value first = b_.CreateVectorSplat(kLanes, b_.CreateICmpEQ(row_, number(0)));
    sums.back() = b_.CreateSelect(first, lanes_.identity(a.combine, a.accumulate, old->getType()), old);
  }
  return sums;
}

void ColumnSums::add(std::vector<Value>& sums, const std::vector<Value>& values) {
  for (std::size_t k = 0; k < sums.size(); ++k) {
    const KernelSpec::Access& a = s_.accesses[k];
    if (sums[k]) sums[k] = lanes_.combine(a.combine, a.accumulate, sums[k], values[static_cast<std::size_t>(a.value)]);
  }
}

void ColumnSums::store_sums(const std::vector<Value>& sums, Value column, Value mask) {
  for (std::size_t k = 0; k < sums.size(); ++k)
    if (sums[k]) store(k, sums[k], column, mask);
}

void ColumnSums::finish(const std::vector<Value>& values, Value column, Value mask) {
  std::vector<Value> sums = sums_so_far(column, mask);
  add(sums, values);
  stores(values, column, mask);
  store_sums(sums, column, mask);
}

bool ColumnSums::adds_in_own_type() const {
  return std::all_of(s_.accesses.begin(), s_.accesses.end(),
                     [](const KernelSpec::Access& a) { return a.kind != Kind::reduce || a.accumulate == a.dtype; });
}

void ColumnSums::reduce_columns() {
  Value done = counted(number(0), columns_, kLanes, [&](Value column) { reduce_column(column, nullptr); });
  when(b_.CreateICmpSLT(done, columns_), [&] { reduce_column(done, mask_of(b_.CreateSub(columns_, done))); });
}

void ColumnSums::reduce_vector(Value mask) { reduce_column(number(0), mask); }

void ColumnSums::reduce_column(Value column, Value mask) {
  std::vector<Value> sums;
  for (const KernelSpec::Access& a : s_.accesses)
    sums.push_back(a.kind == Kind::reduce
                       ? lanes_.identity(a.combine, a.accumulate, lanes_.vector_type(lanes_.scalar_type(a.accumulate)))
                       : nullptr);
  auto with_row = [&](Value row, std::vector<Value> so_far) {
    begin_row(row);
    const std::vector<Value> values = body_at(column, mask);
    stores(values, column, mask);
    add(so_far, values);
    return so_far;
  };
  if (const std::optional<std::int64_t> times = few(number(0), rows_, 1)) {
    for (std::int64_t r = 0; r < *times; ++r) sums = with_row(number(r), std::move(sums));
  } else {
    llvm::BasicBlock *before = b_.GetInsertBlock(), *head = block("head"), *in = block("row"), *out = block("end");
    b_.CreateBr(head);
    b_.SetInsertPoint(head);
    llvm::PHINode* row = b_.CreatePHI(b_.getInt64Ty(), 2);
    row->addIncoming(number(0), before);
    std::vector<llvm::PHINode*> phis;
    for (Value& sum : sums) {
      phis.push_back(sum ? b_.CreatePHI(sum->getType(), 2) : nullptr);
      if (!sum) continue;
      phis.back()->addIncoming(sum, before);
      sum = phis.back();
    }
    b_.CreateCondBr(b_.CreateICmpSLT(row, rows_), in, out);
    b_.SetInsertPoint(in);
    const std::vector<Value> next = with_row(row, sums);
    for (std::size_t k = 0; k < phis.size(); ++k)
      if (phis[k]) phis[k]->addIncoming(next[k], b_.GetInsertBlock());
    row->addIncoming(b_.CreateAdd(row, number(1)), b_.GetInsertBlock());
    b_.CreateBr(head);
    b_.SetInsertPoint(out);
  }
  begin_row(number(0));
  store_sums(sums, column, mask);
}

Frame::Value ColumnSums::reduce_groups() {
  rows_ahead_ = kRowsTogether;
  Value done = counted(number(0), rows_, kRowsTogether, [&](Value first) { reduce_group(first); });
  rows_ahead_ = 0;
  return done;
}

void ColumnSums::reduce_group(Value first) {
  struct Row {
    std::vector<Value> current, values;
  };
  std::vector<Row> rows(kRowsTogether);
  for (int r = kRowsTogether; r-- > 0;) {  // the first one last: what is found at a column is the sum before it
    begin_row(b_.CreateAdd(first, number(r)));
    rows[static_cast<std::size_t>(r)] = {current_, row_values_};
  }
  auto at = [&](Value column, Value mask) {
    std::vector<Value> sums = sums_so_far(column, mask);
    for (const Row& row : rows) {
      current_ = row.current;
      row_values_ = row.values;
      const std::vector<Value> values = body_at(column, mask);
      stores(values, column, mask);
      add(sums, values);
    }
    store_sums(sums, column, mask);
  };
  Value done = counted(number(0), columns_, kLanes, [&](Value column) { at(column, nullptr); });
  when(b_.CreateICmpSLT(done, columns_), [&] { at(done, mask_of(b_.CreateSub(columns_, done))); });
}

}  // namespace tutti::cpu

// SPDX-License-Identifier: Apache-2.0
