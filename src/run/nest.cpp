#include "run/nest.hpp"

#include <algorithm>

namespace tutti::run {
namespace {

constexpr std::int64_t kCall = 1 << 16;        // elements of one kernel call, about: 256 KiB of float32 stay in L2
constexpr std::int64_t kFewestColumns = 512;   // of a column reduction: some lines of the cache in each row
constexpr std::int64_t kColumnCall = 1 << 12;  // columns of a column reduction: its accumulators stay in L1
constexpr std::int64_t kFewestCalls = 64;      // of a large nest: keep as many cores busy
constexpr std::int64_t kLeastBytes = 1 << 16;  // of the widest access in a call: some microseconds; one begins in 0.2
constexpr std::int64_t kTaskBytes = 1 << 16;   // the same of a task, about
constexpr double kFineNs = 4e3;                // of a task for many threads, by the estimate, which is high
constexpr std::int64_t kMostTasks = 1 << 20;

// The dims of a loop that one kernel call walks over; -1: none.
struct Walked {
  Walk walk = Walk::map;
  int row = -1, column = -1;
};

constexpr std::int64_t kFewRows = 8, kManyMore = 8;

// Of a loop without reductions: the dim before the last one, or, where that has so few elements that calls would cost
// more than their work, the longest before it.
int row_dim(const compile::Loop& l) {
  const int beside = static_cast<int>(l.extents.size()) - 2;
  if (beside < 1 || l.extents[static_cast<std::size_t>(beside)] >= kFewRows ||
      l.extents[static_cast<std::size_t>(beside)] * l.extents.back() >= kCall / 1024)
    return beside;
  const auto longest = std::max_element(l.extents.begin(), l.extents.begin() + beside);
  return *longest >= kManyMore * l.extents[static_cast<std::size_t>(beside)]
             ? static_cast<int>(longest - l.extents.begin())
             : beside;
}

Walked choose_walk(const compile::Loop& l) {
  const int last = static_cast<int>(l.extents.size()) - 1;
  const bool reduces = std::any_of(l.accesses.begin(), l.accesses.end(),
                                   [](const compile::Access& a) { return a.kind == compile::Access::Kind::reduce; });
  if (!reduces) return {Walk::map, row_dim(l), last};
  // A reduction without a reduced dim (all its axes have one element) is a row of one element.
  if (l.reduced < 0) return {Walk::reduce_row, last, -1};
  if (l.reduced == last) return {Walk::reduce_row, l.block_total ? -1 : last - 1, last};
  return {Walk::reduce_column, l.reduced, last};
}

// Bytes from one element along `dim` to the next, per access.
std::vector<std::int64_t> steps_of(const compile::Loop& l, int dim) {
  std::vector<std::int64_t> out;
  for (const compile::Access& a : l.accesses) out.push_back(dim < 0 ? 0 : a.strides[dim]);
  return out;
}

// Adds an outer dim of `extent` times those steps, taken `times` at once: its number.
int add_outer(Nest& n, std::int64_t extent, const std::vector<std::int64_t>& steps, std::int64_t times) {
  n.outer.push_back(extent);
  for (std::int64_t s : steps) n.steps.push_back(s * times);
  return static_cast<int>(n.outer.size()) - 1;
}

// Dims that no kernel call walks over. Of a reduced dim in blocks the one before it counts the blocks.
void add_outer_dims(Nest& n, const compile::Loop& l, const Walked& w) {
  for (int d = 0; d < static_cast<int>(l.extents.size()); ++d) {
    if (d == w.row || d == w.column) continue;
    const int outer = add_outer(n, l.extents[d], steps_of(l, d), 1);
    if (!l.block_total || d != l.reduced - 1) continue;
    if (n.walk == Walk::reduce_row) {
      n.column_dim = outer;
      n.column_total = l.block_total;
    } else {
      n.row_dim = outer;
      n.row_total = l.block_total;
    }
  }
}

// Columns, then rows, in pieces that suit a cache and keep many cores busy. A row that is added up stays whole.
void cut(Nest& n, std::int64_t element_bytes) {
  std::int64_t elements = n.rows * n.columns;
  for (std::int64_t o : n.outer) elements *= o;
  const std::int64_t call = std::clamp(elements / kFewestCalls, kLeastBytes / element_bytes, kCall),
                     of_sums = std::clamp(call / std::max<std::int64_t>(1, n.rows), kFewestColumns, kColumnCall),
                     most_columns = n.walk == Walk::reduce_row      ? n.columns
                                    : n.walk == Walk::reduce_column ? of_sums
                                                                    : call;
  if (n.columns > most_columns) {
    n.column_total = n.columns;
    n.columns = most_columns;
    n.column_dim = add_outer(n, (n.column_total + most_columns - 1) / most_columns, n.column_steps, most_columns);
  }
  const std::int64_t most_rows = std::max<std::int64_t>(1, call / std::max<std::int64_t>(1, n.columns));
  if (n.walk != Walk::reduce_column && n.rows > most_rows) {
    n.row_total = n.rows;
    n.rows = most_rows;
    n.row_dim = add_outer(n, (n.row_total + most_rows - 1) / most_rows, n.row_steps, most_rows);
  }
}

}  // namespace

Nest make_nest(const compile::Loop& l) {
  if (l.accesses.size() > static_cast<std::size_t>(kMaxAccesses))
    throw InternalError("run: a loop has too many accesses");
  const Walked w = choose_walk(l);
  Nest n;
  n.walk = w.walk;
  n.accesses = static_cast<int>(l.accesses.size());
  for (const compile::Access& a : l.accesses) {
    n.storages.push_back(a.kind == compile::Access::Kind::index ? -1 : a.storage);
    n.offsets.push_back(a.offset);
  }
  n.columns = w.column >= 0 ? l.extents[w.column] : 1;
  n.rows = w.row >= 0 ? l.extents[w.row] : 1;
  n.column_steps = steps_of(l, w.column);
  n.row_steps = steps_of(l, w.row);
  add_outer_dims(n, l, w);
  std::int64_t bytes = 1;  // of an element of the widest access
  for (const compile::Access& a : l.accesses) bytes = std::max<std::int64_t>(bytes, a.dtype.size());
  cut(n, bytes);
  for (std::int64_t o : n.outer) n.calls *= o;
  const std::int64_t tasks = (n.calls * n.rows * n.columns * bytes + kTaskBytes - 1) / kTaskBytes;
  n.tasks = static_cast<int>(std::clamp<std::int64_t>(tasks, 1, std::min(n.calls, kMostTasks)));
  return n;
}

// Rows of a call without sums do not depend on each other.
Nest finer(const Nest& nest, double ns_per_element) {
  Nest n = nest;
  const double of_row = ns_per_element * static_cast<double>(n.columns);
  const std::int64_t rows = std::max<std::int64_t>(1, static_cast<std::int64_t>(kFineNs / of_row));
  if (n.walk == Walk::map && rows < n.rows) {
    if (n.row_dim < 0) {
      n.row_total = n.rows;
      n.row_dim = add_outer(n, (n.rows + rows - 1) / rows, n.row_steps, rows);
      n.rows = rows;
    } else {  // an outer dim already counts blocks
      const std::int64_t blocks = (n.row_total + rows - 1) / rows, at = std::int64_t{n.row_dim} * n.accesses;
      n.outer[static_cast<std::size_t>(n.row_dim)] = blocks;
      for (int k = 0; k < n.accesses; ++k) n.steps[static_cast<std::size_t>(at + k)] = n.row_steps[k] * rows;
      n.rows = rows;
    }
  }
  n.calls = 1;
  for (std::int64_t o : n.outer) n.calls *= o;
  const double all = of_row * static_cast<double>(n.calls * n.rows);
  n.tasks = static_cast<int>(
      std::clamp<std::int64_t>(static_cast<std::int64_t>(all / kFineNs), nest.tasks, std::min(n.calls, kMostTasks)));
  return n;
}

void run_nest(const Nest& n, char* const* base, std::int64_t begin, std::int64_t end) {
  if (n.calls == 1) return n.kernel(base, n.row_steps.data(), n.column_steps.data(), n.rows, n.columns);
  const int dims = static_cast<int>(n.outer.size());
  char* at[kMaxAccesses];
  std::int64_t index[kMaxAccesses];
  std::int64_t rest = begin;
  for (int d = dims; d-- > 0;) {
    index[d] = rest % n.outer[d];
    rest /= n.outer[d];
  }
  for (int k = 0; k < n.accesses; ++k) {
    at[k] = base[k];
    for (int d = 0; d < dims; ++d) at[k] = moved(at[k], index[d] * n.steps[d * n.accesses + k]);
  }
  for (std::int64_t i = begin; i < end; ++i) {
    const std::int64_t rows = n.row_dim >= 0 ? std::min(n.rows, n.row_total - index[n.row_dim] * n.rows) : n.rows;
    const std::int64_t columns =
        n.column_dim >= 0 ? std::min(n.columns, n.column_total - index[n.column_dim] * n.columns) : n.columns;
    n.kernel(at, n.row_steps.data(), n.column_steps.data(), rows, columns);
    for (int d = dims; d-- > 0;) {
      const std::int64_t* step = n.steps.data() + d * n.accesses;
      if (++index[d] < n.outer[d]) {
        for (int k = 0; k < n.accesses; ++k) at[k] = moved(at[k], step[k]);
        break;
      }
      index[d] = 0;
      for (int k = 0; k < n.accesses; ++k) at[k] = moved(at[k], (1 - n.outer[d]) * step[k]);
    }
  }
}

}  // namespace tutti::run

// SPDX-License-Identifier: Apache-2.0
