#include "tutti/data/source.hpp"

#include <algorithm>
#include <cstring>

#include "data/mapped_file.hpp"
#include "data/npy.hpp"
#include "tutti/array/host.hpp"
#include "tutti/base/call_scope.hpp"

namespace tutti::data {
namespace {

using detail::Column, detail::Rows, detail::RowsPtr;

const std::byte* bytes_at(const void* data) { return static_cast<const std::byte*>(data); }

class ArrayRows : public Rows {
 public:
  ArrayRows(std::span<const Array> leaves, Loc loc) : size_(leaves[0].shape(0)) {
    for (const Array& x : leaves) {
      Shape row = x.shape();
      row.erase(0);
      memories_.push_back(tutti::detail::host_memory(x, x.dtype(), x.ndim(), "rows", loc));
      columns_.push_back({x.dtype(), std::move(row)});
    }
  }
  std::int64_t size() const override { return size_; }
  const std::vector<Column>& columns() const override { return columns_; }
  void read(std::size_t column, std::span<const std::int64_t> rows, std::byte* out) const override {
    const auto bytes = static_cast<std::size_t>(columns_[column].shape.num_elements() * columns_[column].dtype.size());
    const std::byte* all = bytes_at(memories_[column].data);
    if (bytes == 0) return;
    check_mapped_size(all);
    for (std::size_t i = 0; i < rows.size(); ++i)
      std::memcpy(out + i * bytes, all + static_cast<std::size_t>(rows[i]) * bytes, bytes);
  }

 private:
  std::int64_t size_;
  std::vector<tutti::detail::HostMemory> memories_;
  std::vector<Column> columns_;
};

class WindowRows : public Rows {
 public:
  WindowRows(const Array& tokens, std::int64_t context, const WindowOptions& o, Loc loc)
      : tokens_(tutti::detail::host_memory(tokens, tokens.dtype(), 1, "windows", loc)),
        token_(static_cast<std::size_t>(tokens.dtype().size())),
        stride_(o.stride),
        size_(tokens.size() > context ? (tokens.size() - context - 1) / o.stride + 1 : 0) {
    const std::int64_t targets = o.targets == Targets::every ? context : 1;
    columns_ = {{tokens.dtype(), {context}}, {tokens.dtype(), o.targets == Targets::every ? Shape{targets} : Shape{}}};
    begin_[1] = context + 1 - targets;
    count_[0] = static_cast<std::size_t>(context);
    count_[1] = static_cast<std::size_t>(targets);
  }
  std::int64_t size() const override { return size_; }
  const std::vector<Column>& columns() const override { return columns_; }
  void read(std::size_t column, std::span<const std::int64_t> rows, std::byte* out) const override {
    const std::size_t bytes = count_[column] * token_;
    check_mapped_size(tokens_.data);
    for (std::size_t i = 0; i < rows.size(); ++i)
      std::memcpy(out + i * bytes,
                  bytes_at(tokens_.data) + static_cast<std::size_t>(rows[i] * stride_ + begin_[column]) * token_,
                  bytes);
  }

 private:
  tutti::detail::HostMemory tokens_;
  std::size_t token_;
  std::int64_t stride_, size_, begin_[2] = {0, 0};
  std::size_t count_[2];
  std::vector<Column> columns_;
};

class ShardRows : public Rows {
 public:
  explicit ShardRows(const std::vector<std::string>& paths) {
    if (paths.empty()) raise<ValueError>("npy_shards", "there is no file", "Give one path or more.");
    for (const std::string& path : paths) add(path);
  }
  std::int64_t size() const override { return ends_.back(); }
  const std::vector<Column>& columns() const override { return columns_; }
  void read(std::size_t, std::span<const std::int64_t> rows, std::byte* out) const override {
    if (bytes_ == 0) return;
    std::vector<bool> checked(files_.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const auto k = static_cast<std::size_t>(std::upper_bound(ends_.begin(), ends_.end(), rows[i]) - ends_.begin());
      if (!checked[k]) files_[k]->check_size();
      checked[k] = true;
      const std::int64_t row = rows[i] - (k ? ends_[k - 1] : 0);
      std::memcpy(out + i * bytes_, firsts_[k] + static_cast<std::size_t>(row) * bytes_, bytes_);
    }
  }

 private:
  void add(const std::string& path) {
    auto file = std::make_unique<const MappedFile>(path, "npy_shards");
    NpyHead head = read_npy_head(file->bytes(), path);
    if (head.shape.ndim() == 0) raise<ValueError>("npy_shards", path + " holds a scalar", "Give arrays of rows.");
    const std::int64_t rows = head.shape[0];
    head.shape.erase(0);
    if (columns_.empty()) {
      columns_.push_back({head.dtype, head.shape});
      bytes_ = static_cast<std::size_t>(head.shape.num_elements() * head.dtype.size());
    } else if (head.dtype != columns_[0].dtype || head.shape != columns_[0].shape) {
      raise<ValueError>("npy_shards",
                        path + " has rows of " + std::string(head.dtype.name()) + head.shape.str() +
                            ", those of the first file are " + std::string(columns_[0].dtype.name()) +
                            columns_[0].shape.str(),
                        "All files need the same.");
    }
    firsts_.push_back(file->bytes().data() + head.offset);
    ends_.push_back(extent::add(ends_.empty() ? 0 : ends_.back(), rows));
    files_.push_back(std::move(file));
  }

  std::vector<std::unique_ptr<const MappedFile>> files_;
  std::vector<const std::byte*> firsts_;  // element of each file
  std::vector<std::int64_t> ends_;        // rows of each file and those before it
  std::vector<Column> columns_;
  std::size_t bytes_ = 0;
};

class BothRows : public Rows {
 public:
  BothRows(RowsPtr first, RowsPtr second) : first_(std::move(first)), second_(std::move(second)) {
    columns_ = first_->columns();
    columns_.insert(columns_.end(), second_->columns().begin(), second_->columns().end());
  }
  std::int64_t size() const override { return first_->size(); }
  const std::vector<Column>& columns() const override { return columns_; }
  void read(std::size_t column, std::span<const std::int64_t> rows, std::byte* out) const override {
    const std::size_t n = first_->columns().size();
    column < n ? first_->read(column, rows, out) : second_->read(column - n, rows, out);
  }

 private:
  RowsPtr first_, second_;
  std::vector<Column> columns_;
};

}  // namespace

namespace detail {

RowsPtr rows_of(std::span<const Array> leaves, Loc loc) {
  CallScope scope(loc, {"", "rows", 0});
  if (leaves.empty()) raise<ValueError>("rows", "there is no array in the tree", "Give one array or more.");
  for (const Array& x : leaves)
    if (x.ndim() == 0 || x.shape()[0] != leaves[0].shape()[0])
      raise<ShapeError>(
          "rows",
          "arrays of shapes " + leaves[0].shape().str() + " and " + x.shape().str() + " do not have equally many rows",
          "All arrays need the same leading extent.");
  return std::make_shared<const ArrayRows>(leaves, loc);
}

RowsPtr both(RowsPtr first, RowsPtr second, Loc loc) {
  CallScope scope(loc, {"", "zip", 0});
  if (first->size() != second->size())
    raise<ShapeError>("zip",
                      "sources of " + std::to_string(first->size()) + " and " + std::to_string(second->size()) +
                          " rows do not go together",
                      "Both need equally many.");
  return std::make_shared<const BothRows>(std::move(first), std::move(second));
}

}  // namespace detail

Source<std::pair<Array, Array>> windows(const Array& tokens, std::int64_t context, WindowOptions options, Loc loc) {
  CallScope scope(loc, {"", "windows", 0});
  if (context < 1 || options.stride < 1)
    raise<ValueError>("windows",
                      "a context of " + std::to_string(context) + " and a stride of " + std::to_string(options.stride),
                      "Both are 1 or more.");
  return {{tokens, tokens}, std::make_shared<const WindowRows>(tokens, context, options, loc)};
}

Source<Array> npy_shards(const std::vector<std::string>& paths, Loc loc) {
  CallScope scope(loc, {"", "npy_shards", 0});
  return {Array(0), std::make_shared<const ShardRows>(paths)};
}

}  // namespace tutti::data

// SPDX-License-Identifier: Apache-2.0
