#include "backend/cpu/flat_rows.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <utility>
#include <vector>

#include "backend/cpu/frame.hpp"

namespace tutti::cpu {
namespace {

using Flat = KernelSpec::Flat;
using AccessKind = compile::Access::Kind;

constexpr int kVector = static_cast<int>(kLanes);

class FlatRows : Frame {
 public:
  FlatRows(llvm::Module& module, const std::string& name, const KernelSpec& spec, bool wide)
      : Frame(module, name, spec, wide),
        columns_of_row_(static_cast<int>(spec.flat_columns)),
        elements_(std::lcm(kVector, columns_of_row_)),
        vectors_(elements_ / kVector),
        rows_of_block_(elements_ / columns_of_row_) {}

  void run() {
    current_ = at_;
    find_fixed();
    Value done = counted(number(0), rows_, rows_of_block_, [&](Value first) { block_at(first, nullptr); });
    when(b_.CreateICmpSLT(done, rows_), [&] { block_at(done, b_.CreateSub(rows_, done)); });
    leave();
  }

 private:
  using Vectors = std::vector<Value>;

  // What is the same in every block: what is read again and again, and what is made of that.
  void find_fixed() {
    const std::vector<compile::Inst>& insts = s_.body.insts;
    for (const compile::Inst& i : insts) {
      bool is_fixed = true;
      if (i.kind == compile::Inst::Kind::load) {
        const Flat how = s_.accesses[static_cast<std::size_t>(i.bits)].flat;
        is_fixed = how == Flat::none || how == Flat::cycle;
      }
      for (int operand : {i.a, i.b, i.c}) is_fixed &= operand < 0 || fixed_[static_cast<std::size_t>(operand)];
      fixed_.push_back(is_fixed);
    }
    offsets_.assign(s_.accesses.size(), Vectors(static_cast<std::size_t>(vectors_)));
    for (std::size_t k = 0; k < s_.accesses.size(); ++k)
      if (s_.accesses[k].kind == Kind::index || s_.accesses[k].flat == Flat::any)
        for (int v = 0; v < vectors_; ++v) offsets_[k][static_cast<std::size_t>(v)] = offsets(k, v);
    for (int v = 0; v < vectors_; ++v) {
      Vectors values(insts.size(), nullptr);
      for (std::size_t r = 0; r < insts.size(); ++r)
        if (fixed_[r]) values[r] = instruction(r, values, v, nullptr);
      values_of_.push_back(std::move(values));
    }
  }

  Value instruction(std::size_t r, const Vectors& values, int v, Value rows_left) {
    const compile::Inst& i = s_.body.insts[r];
    if (i.kind == compile::Inst::Kind::load) return element(static_cast<std::size_t>(i.bits), v, rows_left);
    auto get = [&](int k) { return k < 0 ? nullptr : values[static_cast<std::size_t>(k)]; };
    return lanes_.inst(i, get(i.a), get(i.b), get(i.c));
  }

  // The rows from `first` on: rows_left of them, or as many as make whole vectors.
  void block_at(Value first, Value rows_left) {
    for (std::size_t k = 0; k < at_.size(); ++k) {
      Value along = b_.CreateMul(row_step_[k], first);
      current_[k] = s_.accesses[k].kind == Kind::index ? b_.CreateAdd(at_[k], along)
                                                       : b_.CreateGEP(b_.getInt8Ty(), at_[k], along);
    }
    read_.assign(s_.accesses.size(), {});
    for (int v = 0; v < vectors_; ++v) {
      Vectors values = values_of_[static_cast<std::size_t>(v)];
      for (std::size_t r = 0; r < values.size(); ++r)
        if (!fixed_[r]) values[r] = instruction(r, values, v, rows_left);
      stores(values, number(v * kVector), mask_at(v, rows_left));
    }
  }

  // Which lanes of vector v there are; nothing where all are.
  Value mask_at(int v, Value rows_left) {
    if (!rows_left) return nullptr;
    Value left = b_.CreateSub(b_.CreateMul(rows_left, number(columns_of_row_)), number(v * kVector));
    return mask_of(b_.CreateSelect(b_.CreateICmpSGT(left, number(0)), left, number(0)));
  }

  Value numbers(int n, int first = 0) {
    std::vector<std::uint64_t> list;
    for (int i = 0; i < n; ++i) list.push_back(static_cast<std::uint64_t>(first + i));
    return llvm::ConstantDataVector::get(m_.getContext(), llvm::ArrayRef(list));
  }

  // Of vector v: from the block's first element to each.
  Value offsets(std::size_t k, int v) {
    std::vector<std::uint64_t> row, column;
    for (int e = v * kVector; e < (v + 1) * kVector; ++e) {
      row.push_back(static_cast<std::uint64_t>(e / columns_of_row_));
      column.push_back(static_cast<std::uint64_t>(e % columns_of_row_));
    }
    auto along = [&](const std::vector<std::uint64_t>& n, Value step) {
      return b_.CreateMul(llvm::ConstantDataVector::get(m_.getContext(), llvm::ArrayRef(n)),
                          b_.CreateVectorSplat(kLanes, step ? step : number(0)));
    };
    return b_.CreateAdd(along(row, row_step_[k]), along(column, column_step(k)));
  }

  Value column_step(std::size_t k) {
    if (column_step_[k]) return column_step_[k];
    return number(s_.accesses[k].step == Step::one ? s_.accesses[k].dtype.size() : 0);
  }

  // n elements from `p` on, the lanes of `mask` where there is one.
  Value read(DType dtype, Value p, int n, Value mask) {
    llvm::Type* type = llvm::FixedVectorType::get(lanes_.memory_type(dtype), static_cast<unsigned>(n));
    const llvm::Align align(static_cast<std::uint64_t>(dtype.size()));
    if (!mask) return b_.CreateAlignedLoad(type, p, align);
    return b_.CreateMaskedLoad(type, p, align, mask, llvm::Constant::getNullValue(type));
  }
  Value element_at(DType dtype, Value p, std::int64_t n) {
    return b_.CreateGEP(lanes_.memory_type(dtype), p, number(n));
  }

  // One element of each row of the block, from `p` on, side by side.
  Value one_of_each(DType dtype, Value p, Value rows_left) {
    Value mask =
        rows_left
            ? static_cast<Value>(b_.CreateICmpULT(
                  numbers(rows_of_block_), b_.CreateVectorSplat(static_cast<unsigned>(rows_of_block_), rows_left)))
            : nullptr;
    Value x = read(dtype, p, rows_of_block_, mask);
    std::vector<int> all(kLanes, -1);
    std::iota(all.begin(), all.begin() + rows_of_block_, 0);
    return rows_of_block_ == kVector ? x : b_.CreateShuffleVector(x, all);
  }

  // What vectors of the block need of access k, all of it.
  Vectors sources(std::size_t k, Value rows_left) {
    const KernelSpec::Access& a = s_.accesses[k];
    Vectors out;
    if (a.flat == Flat::spread) return {one_of_each(a.dtype, current_[k], rows_left)};
    if (a.flat == Flat::planes) {
      for (int c = 0; c < columns_of_row_; ++c)
        out.push_back(one_of_each(
            a.dtype, b_.CreateGEP(b_.getInt8Ty(), current_[k], b_.CreateMul(column_step(k), number(c))), rows_left));
      return out;
    }
    if (a.flat == Flat::cycle) {
      Value x = llvm::Constant::getNullValue(lanes_.vector_type(lanes_.memory_type(a.dtype)));
      for (int c = 0; c < columns_of_row_; ++c) {
        Value p = b_.CreateGEP(b_.getInt8Ty(), current_[k], b_.CreateMul(column_step(k), number(c)));
        Value one = b_.CreateAlignedLoad(lanes_.memory_type(a.dtype), p,
                                         llvm::Align(static_cast<std::uint64_t>(a.dtype.size())));
        x = b_.CreateInsertElement(x, one, static_cast<std::uint64_t>(c));
      }
      return {x};
    }
    // All elements of the block, in the order of memory.
    const bool turned = a.flat == Flat::turned;
    Value first = element_at(a.dtype, current_[k],
                             turned ? 1 - columns_of_row_ : std::int64_t{1 - rows_of_block_} * columns_of_row_);
    for (int v = 0; v < vectors_; ++v) {
      Value mask = turned ? mask_at(v, rows_left) : nullptr;
      if (!turned && rows_left) {  // the last so many
        Value none = b_.CreateSub(number(elements_), b_.CreateMul(rows_left, number(columns_of_row_)));
        mask = b_.CreateICmpUGE(numbers(kVector, v * kVector), b_.CreateVectorSplat(kLanes, none));
      }
      out.push_back(read(a.dtype, element_at(a.dtype, first, v * kVector), kVector, mask));
    }
    return out;
  }

  // In which source, and where in it, element e of the block lies.
  std::pair<int, int> place(Flat how, int e) const {
    const int row = e / columns_of_row_, column = e % columns_of_row_;
    switch (how) {
      case Flat::spread: return {0, row};
      case Flat::cycle: return {0, column};
      case Flat::planes: return {column, row};
      default: break;
    }
    const int at = how == Flat::turned ? row * columns_of_row_ + columns_of_row_ - 1 - column
                                       : (rows_of_block_ - 1 - row) * columns_of_row_ + column;
    return {at / kVector, at % kVector};
  }

  Value element(std::size_t k, int v, Value rows_left) {
    const KernelSpec::Access& a = s_.accesses[k];
    if (a.kind == Kind::index) return index_at(k, current_[k], offsets_[k][static_cast<std::size_t>(v)]);
    if (a.flat == Flat::dense || a.flat == Flat::none) return load(k, number(v * kVector), mask_at(v, rows_left));
    if (a.flat == Flat::any) {
      llvm::Type* type = lanes_.vector_type(lanes_.memory_type(a.dtype));
      Value p = b_.CreateGEP(b_.getInt8Ty(), current_[k], offsets_[k][static_cast<std::size_t>(v)]);
      return lanes_.from_memory(b_.CreateMaskedGather(type, p, llvm::Align(static_cast<std::uint64_t>(a.dtype.size())),
                                                      some(mask_at(v, rows_left)), llvm::Constant::getNullValue(type)),
                                a.dtype);
    }
    Vectors from = a.flat == Flat::cycle || read_[k].empty() ? sources(k, rows_left) : read_[k];
    if (a.flat != Flat::cycle) read_[k] = from;
    Value out = from[0];
    bool begun = false;
    for (int s = 0; s < static_cast<int>(from.size()); ++s) {
      std::vector<int> lanes;
      bool any = false;
      for (int i = 0; i < kVector; ++i) {
        const auto [source, lane] = place(a.flat, v * kVector + i);
        lanes.push_back(source == s ? (begun ? kVector : 0) + lane : i);
        any |= source == s;
      }
      if (!any) continue;
      Value x = from[static_cast<std::size_t>(s)];
      out = begun ? b_.CreateShuffleVector(out, x, lanes) : b_.CreateShuffleVector(x, lanes);
      begun = true;
    }
    return lanes_.from_memory(out, a.dtype);
  }

  const int columns_of_row_, elements_, vectors_, rows_of_block_;
  std::vector<char> fixed_;         // by register
  std::vector<Vectors> values_of_;  // by vector of the block: of what is fixed
  std::vector<Vectors> offsets_;    // by access, by vector of the block
  std::vector<Vectors> read_;       // by access: its sources in this block
};

}  // namespace

void emit_flat_rows(llvm::Module& module, const std::string& name, const KernelSpec& spec, bool wide) {
  FlatRows(module, name, spec, wide).run();
}

void find_flat_rows(KernelSpec& s, const run::Nest& nest) {
  constexpr std::int64_t kMostColumns = 8, kFewestRows = 16, kNear = 4;
  constexpr std::int64_t kMostWork = 192;  // instructions of a block
  const std::int64_t columns = nest.columns;
  if (s.walk != run::Walk::map || columns < 2 || columns > kMostColumns || nest.column_dim >= 0 ||
      nest.rows < kFewestRows)
    return;
  const auto work = static_cast<std::int64_t>(s.body.insts.size()) * std::lcm<std::int64_t>(kLanes, columns) / kLanes;
  if (work > kMostWork) return;
  std::vector<Flat> found;
  for (std::size_t k = 0; k < s.accesses.size(); ++k) {
    const KernelSpec::Access& a = s.accesses[k];
    const std::int64_t size = a.dtype.size(), row = nest.row_steps[k], column = nest.column_steps[k];
    const bool dense = column == size && row == columns * size;
    if (a.kind == AccessKind::store && !dense) return;
    Flat how = Flat::any;
    if (a.kind == AccessKind::index)
      how = row == 0 ? (column == 0 ? Flat::none : Flat::cycle) : Flat::any;
    else if (dense)
      how = Flat::dense;
    else if (row == 0)
      how = column == 0 ? Flat::none : Flat::cycle;
    else if (row == size)
      how = column == 0 ? Flat::spread : Flat::planes;
    else if (column == -size && row == columns * size)
      how = Flat::turned;
    else if (column == size && row == -columns * size)
      how = Flat::back;
    else if (size < 4 || std::abs(column / size) <= kNear)
      return;  // rows apart are read faster one by one than element by element, and no processor gathers bytes
    found.push_back(how);
  }
  s.flat_columns = columns;
  s.together = false;
  for (std::size_t k = 0; k < found.size(); ++k) {
    s.accesses[k].flat = found[k];
    s.accesses[k].far = false;
  }
}

}  // namespace tutti::cpu

// SPDX-License-Identifier: Apache-2.0
