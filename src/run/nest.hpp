// A loop as it runs: a kernel over rows and columns, called for every point of the outer dims.
#pragma once

#include <cstdint>
#include <vector>

#include "compile/plan.hpp"

namespace tutti::run {

/// at[k]: first element of access k (index accesses: the number itself); steps in bytes (units) per row and per column.
using KernelFn = void (*)(char* const* at, const std::int64_t* row_steps, const std::int64_t* column_steps,
                          std::int64_t rows, std::int64_t columns);

/// How a kernel walks; one machine code serves all loops with the same shape of walking and the same body.
enum class Walk { map, reduce_row, reduce_column };

/// As many accesses as a loop may have.
inline constexpr int kMaxAccesses = 64;

// An address so many bytes further on. What counts has its number in the place of an address, from 0 on.
inline char* moved(char* at, std::int64_t bytes) {
  return reinterpret_cast<char*>(reinterpret_cast<std::uintptr_t>(at) + static_cast<std::uintptr_t>(bytes));
}

struct Nest {
  KernelFn kernel = nullptr;
  Walk walk = Walk::map;
  int accesses = 0;
  std::vector<int> storages;          // per access; -1: index
  std::vector<std::int64_t> offsets;  // per access
  std::vector<std::int64_t> row_steps, column_steps;
  std::int64_t rows = 1, columns = 1;  // of one kernel call
  std::vector<std::int64_t> outer;     // extents
  std::vector<std::int64_t> steps;     // [outer dim][access]
  int row_dim = -1, column_dim = -1;   // outer dims that cut rows or columns in blocks, the last one shorter
  std::int64_t row_total = 0, column_total = 0;
  std::int64_t calls = 1;  // product of outer
  int tasks = 1;
};

/// Chooses rows, columns and blocks, by extents alone.
Nest make_nest(const compile::Loop& loop);
/// The same walk for many threads: in calls and tasks of some microseconds, where an element takes about so long.
Nest finer(const Nest& nest, double ns_per_element);
/// Calls number begin..end-1 of the nest. `at`: the base address per access, offsets added.
void run_nest(const Nest& nest, char* const* at, std::int64_t begin, std::int64_t end);

}  // namespace tutti::run

// SPDX-License-Identifier: Apache-2.0
