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
  auto at = [&](Value column, Value mask) {
    std::vector<llvm::AllocaInst*> sums;  // by access; nullptr where it is no reduction
    for (const KernelSpec::Access& a : s_.accesses) {
      sums.push_back(nullptr);
      if (a.kind != Kind::reduce) continue;
      llvm::Type* type = lanes_.vector_type(lanes_.scalar_type(a.accumulate));
      sums.back() = local(type, 1);
      b_.CreateStore(lanes_.identity(a.combine, a.accumulate, type), sums.back());
    }
    auto each = [&](auto act) {
      for (std::size_t k = 0; k < sums.size(); ++k)
        if (sums[k]) act(k, b_.CreateLoad(sums[k]->getAllocatedType(), sums[k]));
    };
    counted(number(0), rows_, 1, [&](Value row) {
      begin_row(row);
      const std::vector<Value> values = body_at(column, mask);
      stores(values, column, mask);
      each([&](std::size_t k, Value sum) {
        const KernelSpec::Access& a = s_.accesses[k];
        b_.CreateStore(lanes_.combine(a.combine, a.accumulate, sum, values[static_cast<std::size_t>(a.value)]),
                       sums[k]);
      });
    });
    begin_row(number(0));
    each([&](std::size_t k, Value sum) { store(k, sum, column, mask); });
  };
  Value done = counted(number(0), columns_, kLanes, [&](Value column) { at(column, nullptr); });
  when(b_.CreateICmpSLT(done, columns_), [&] { at(done, mask_of(b_.CreateSub(columns_, done))); });
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
