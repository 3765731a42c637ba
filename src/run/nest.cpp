#include "run/nest.hpp"

#include <algorithm>

namespace tutti::run {
namespace {

constexpr std::int64_t kCall = 1 << 16;        // elements of one kernel call, about: 256 KiB of float32 stay in L2
constexpr std::int64_t kColumnCall = 1 << 12;  // columns of a column reduction: its accumulators stay in L1
constexpr std::int64_t kTask = 1 << 16;        // elements of one task, at least

}  // namespace

Nest make_nest(const compile::Loop& l) {
  Nest n;
  n.accesses = static_cast<int>(l.accesses.size());
  const int dims = static_cast<int>(l.extents.size());
  n.row_steps.assign(n.accesses, 0);
  n.column_steps.assign(n.accesses, 0);
  for (const compile::Access& a : l.accesses) {
    n.storages.push_back(a.kind == compile::Access::Kind::index ? -1 : a.storage);
    n.offsets.push_back(a.offset);
  }
  bool reduces = false;
  for (const compile::Access& a : l.accesses) reduces |= a.kind == compile::Access::Kind::reduce;
  int column = dims - 1, row = dims - 2;
  if (reduces) {
    // A reduction without a reduced dim (all its axes have one element) is a row of one element.
    if (l.reduced < 0) {
      n.walk = Walk::reduce_row;
      row = dims - 1;
      column = -1;
    } else if (l.reduced == dims - 1) {
      n.walk = Walk::reduce_row;
      row = l.block_total ? -1 : dims - 2;
    } else {
      n.walk = Walk::reduce_column;
      row = l.reduced;
    }
  }
  auto steps_of = [&](int dim) {
    std::vector<std::int64_t> s;
    for (const compile::Access& a : l.accesses) s.push_back(dim < 0 ? 0 : a.strides[dim]);
    return s;
  };
  n.columns = column >= 0 ? l.extents[column] : 1;
  n.rows = row >= 0 ? l.extents[row] : 1;
  n.column_steps = steps_of(column);
  n.row_steps = steps_of(row);
  auto add_outer = [&](std::int64_t extent, std::vector<std::int64_t> steps, std::int64_t times) {
    n.outer.push_back(extent);
    for (std::int64_t& s : steps) n.steps.push_back(s * times);
    return static_cast<int>(n.outer.size()) - 1;
  };
  for (int d = 0; d < dims; ++d) {
    if (d == row || d == column) continue;
    const int o = add_outer(l.extents[d], steps_of(d), 1);
    if (l.block_total && d == l.reduced - 1) {
      (n.walk == Walk::reduce_row ? n.column_dim : n.row_dim) = o;
      (n.walk == Walk::reduce_row ? n.column_total : n.row_total) = l.block_total;
    }
  }
  const std::int64_t most_columns = n.walk == Walk::reduce_row      ? n.columns
                                    : n.walk == Walk::reduce_column ? kColumnCall
                                                                    : kCall;
  if (n.columns > most_columns) {
    n.column_total = n.columns;
    n.columns = most_columns;
    n.column_dim = add_outer((n.column_total + most_columns - 1) / most_columns, n.column_steps, most_columns);
  }
  const std::int64_t most_rows = std::max<std::int64_t>(1, kCall / std::max<std::int64_t>(1, n.columns));
  if (n.walk != Walk::reduce_column && n.rows > most_rows) {
    n.row_total = n.rows;
    n.rows = most_rows;
    n.row_dim = add_outer((n.row_total + most_rows - 1) / most_rows, n.row_steps, most_rows);
  }
  for (std::int64_t o : n.outer) n.calls *= o;
  const std::int64_t elements = n.calls * n.rows * n.columns;
  n.tasks = static_cast<int>(std::clamp<std::int64_t>(elements / kTask, 1, n.calls));
  return n;
}

void run_nest(const Nest& n, char* const* base, std::int64_t begin, std::int64_t end) {
  if (n.calls == 1) return n.kernel(base, n.row_steps.data(), n.column_steps.data(), n.rows, n.columns);
  const int dims = static_cast<int>(n.outer.size());
  char* at[64];
  std::int64_t index[64];
  std::int64_t rest = begin;
  for (int d = dims; d-- > 0;) {
    index[d] = rest % n.outer[d];
    rest /= n.outer[d];
  }
  for (int k = 0; k < n.accesses; ++k) {
    at[k] = base[k];
    for (int d = 0; d < dims; ++d) at[k] += index[d] * n.steps[d * n.accesses + k];
  }
  for (std::int64_t i = begin; i < end; ++i) {
    const std::int64_t rows = n.row_dim >= 0 ? std::min(n.rows, n.row_total - index[n.row_dim] * n.rows) : n.rows;
    const std::int64_t columns =
        n.column_dim >= 0 ? std::min(n.columns, n.column_total - index[n.column_dim] * n.columns) : n.columns;
    n.kernel(at, n.row_steps.data(), n.column_steps.data(), rows, columns);
    for (int d = dims; d-- > 0;) {
      const std::int64_t* step = n.steps.data() + d * n.accesses;
      if (++index[d] < n.outer[d]) {
        for (int k = 0; k < n.accesses; ++k) at[k] += step[k];
        break;
      }
      index[d] = 0;
      for (int k = 0; k < n.accesses; ++k) at[k] -= (n.outer[d] - 1) * step[k];
    }
  }
}

}  // namespace tutti::run
