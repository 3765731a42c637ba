#include "tutti/data/loader.hpp"

#include <unistd.h>

#include <algorithm>
#include <mutex>
#include <new>

#include "data/prefetch.hpp"
#include "tutti/array/host.hpp"
#include "tutti/base/call_scope.hpp"
#include "tutti/data/permutation.hpp"
#include "tutti/random/random.hpp"

namespace tutti::data::detail {
namespace {

/// Memory of batches, used again once their arrays are gone.
class Blocks : public std::enable_shared_from_this<Blocks> {
 public:
  ~Blocks() {
    for (const Block& b : free_) release(b.data);
  }
  std::byte* take(std::size_t bytes) {
    {
      std::lock_guard lock(mutex_);
      for (Block& b : free_)
        if (b.bytes == bytes) {
          std::byte* data = b.data;
          b = free_.back();
          free_.pop_back();
          return data;
        }
    }
    return static_cast<std::byte*>(::operator new(bytes, kLine));
  }
  void give(std::byte* data, std::size_t bytes) {
    {
      // In a child of fork() a thread that is not there may hold it for ever.
      std::unique_lock lock(mutex_, std::try_to_lock);
      if (lock && free_.size() < free_.capacity()) return free_.push_back({data, bytes});
    }
    release(data);
  }
  explicit Blocks(std::size_t most) { free_.reserve(most); }

 private:
  static constexpr std::align_val_t kLine{64};
  struct Block {
    std::byte* data;
    std::size_t bytes;
  };
  static void release(std::byte* data) { ::operator delete(data, kLine); }
  std::mutex mutex_;
  std::vector<Block> free_;
};

/// Rows of one column as an array. What arrays hold as it is stored goes where the array will read it.
Array read_column(const Rows& all, std::size_t k, std::span<const std::int64_t> rows, Blocks& blocks) {
  const Column& column = all.columns()[k];
  Shape shape = column.shape;
  shape.insert(0, static_cast<std::int64_t>(rows.size()));
  const auto n = static_cast<std::size_t>(shape.num_elements());
  const std::size_t bytes = std::max<std::size_t>(n * static_cast<std::size_t>(column.dtype.size()), 1);
  const std::shared_ptr<std::byte> block(
      blocks.take(bytes), [pool = blocks.shared_from_this(), bytes](std::byte* b) { pool->give(b, bytes); });
  all.read(k, rows, block.get());
  if (column.dtype.is_bool() || canonical(column.dtype) != column.dtype)  // a file's bools may be any bytes
    return array_from_host(block.get(), column.dtype, shape);
  return tutti::detail::adopt(block.get(), n, column.dtype, shape, [block] {}, {});
}

Permutation::Key words_of(const Array& key, const char* what) {
  const Array words = !key.has_value()       ? random::key_data(random::key(0))
                      : key.dtype().is_key() ? random::key_data(key)
                                             : key;
  if (words.shape() != Shape{2} || words.dtype() != uint32)
    raise<ValueError>(what, "the key is " + key.shape().str() + " of " + std::string(key.dtype().name()),
                      "Give one random key.");
  const auto w = words.to_vector<std::uint32_t>();
  return {w[0], w[1]};
}

void check_option(const char* name, std::int64_t value, std::int64_t least, std::int64_t most) {
  if (value >= least && value <= most) return;
  raise<ValueError>(
      "loader", std::string(name) + " is " + std::to_string(value),
      "Give " + std::to_string(least) + (most == INT64_MAX ? " or more." : " to " + std::to_string(most) + "."));
}

}  // namespace

struct LoaderCore::Self {
  RowsPtr rows;
  std::int64_t batch, steps;
  LoaderOptions options;
  Make make;
  Permutation::Key key;
  std::size_t kept;  // blocks, for the next batches
  std::shared_ptr<Blocks> blocks = std::make_shared<Blocks>(kept);
  std::int64_t at = 0;                 // epoch * steps + step of the next batch
  std::unique_ptr<Prefetch> prefetch;  // its threads use the rest
  pid_t process = -1;                  // whose threads they are

  ~Self() { stop(); }

  /// The rows of one batch that this process holds.
  std::vector<std::int64_t> rows_at(Position& p) const {
    const std::int64_t first = p.step * batch, n = std::min(batch, rows->size() - first);
    const std::int64_t part = extent::ceil_div(n, options.process_count);
    p.first_row = std::min(n, part * options.process_index);
    const std::int64_t end = std::min(n, p.first_row + part);
    std::vector<std::int64_t> out;
    out.reserve(static_cast<std::size_t>(end - p.first_row));
    const Permutation order(options.shuffle ? rows->size() : 0, key, p.epoch);
    for (std::int64_t i = first + p.first_row; i < first + end; ++i) out.push_back(options.shuffle ? order(i) : i);
    return out;
  }
  Made made(std::int64_t number) const {
    Position p{number / steps, number % steps};
    const std::vector<std::int64_t> wanted = rows_at(p);
    std::vector<Array> leaves;
    for (std::size_t k = 0; k < rows->columns().size(); ++k) leaves.push_back(read_column(*rows, k, wanted, *blocks));
    return make(leaves, p);
  }
  bool forked() const { return prefetch && process != getpid(); }
  /// A child of fork() has none of the threads: nobody could end them, or whatever they held.
  void stop() {
    if (forked()) {
      static_cast<void>(prefetch.release());
      blocks = std::make_shared<Blocks>(kept);
    }
    prefetch.reset();
  }
  void start() {
    stop();
    process = getpid();
    prefetch = std::make_unique<Prefetch>([this](std::int64_t n) { return made(n); },
                                          std::min(options.workers, options.prefetch), options.prefetch);
  }
};

LoaderCore::LoaderCore(RowsPtr rows, std::int64_t batch_size, const LoaderOptions& o, Make make, Loc loc) {
  CallScope scope(loc, {"", "loader", 0});
  check_option("the batch size", batch_size, 1, INT64_MAX);
  check_option("workers", o.workers, 1, 1024);
  check_option("prefetch", o.prefetch, 0, 1 << 20);
  check_option("process_count", o.process_count, 1, INT64_MAX);
  check_option("process_index", o.process_index, 0, o.process_count - 1);
  const std::int64_t n = rows->size(), steps = o.drop_last ? n / batch_size : extent::ceil_div(n, batch_size);
  const std::size_t live = (static_cast<std::size_t>(o.prefetch) + 2) * rows->columns().size();
  self_ = std::make_unique<Self>(std::move(rows), batch_size, steps, o, std::move(make), words_of(o.key, "loader"),
                                 std::min<std::size_t>(live, 1024));
}
LoaderCore::~LoaderCore() = default;

std::int64_t LoaderCore::size() const { return self_->steps; }
std::int64_t LoaderCore::epoch() const { return self_->steps ? self_->at / self_->steps : 0; }
std::int64_t LoaderCore::step() const { return self_->steps ? self_->at % self_->steps : 0; }

LoaderCore::Made LoaderCore::next() {
  Self& s = *self_;
  if (s.steps == 0)
    raise<ValueError>("Loader::next",
                      "there are no batches in " + std::to_string(s.rows->size()) + " rows of " +
                          std::to_string(s.batch) + " a batch",
                      "Give more data, or a smaller batch size.");
  if (s.options.prefetch > 0 && (!s.prefetch || s.forked())) s.start();
  Made out = s.prefetch ? s.prefetch->take(s.at) : s.made(s.at);
  ++s.at;
  return out;
}

LoaderState LoaderCore::state() const {
  const auto& key = self_->key;
  return {array(epoch()).astype(int32), array(step()).astype(int32),
          array(std::vector<std::uint32_t>{key[0], key[1]}, {2})};
}

void LoaderCore::resume(const LoaderState& state, Loc loc) {
  CallScope scope(loc, {"", "Loader::resume", 0});
  Self& s = *self_;
  const Permutation::Key key = words_of(state.key, "Loader::resume");
  const auto epoch = state.epoch.item<std::int64_t>(), step = state.step.item<std::int64_t>();
  if (epoch < 0 || step < 0 || step >= std::max<std::int64_t>(s.steps, 1) ||
      epoch > (INT64_MAX - step) / std::max<std::int64_t>(s.steps, 1))
    raise<ValueError>("Loader::resume",
                      "there is no step " + std::to_string(step) + " of epoch " + std::to_string(epoch) +
                          ": an epoch has " + std::to_string(s.steps),
                      "Resume with the data and the batch size of the run that was saved.");
  s.stop();  // its threads read what changes now
  s.key = key;
  s.at = epoch * s.steps + step;
}

}  // namespace tutti::data::detail

// SPDX-License-Identifier: Apache-2.0
