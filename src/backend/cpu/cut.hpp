// Long bodies are cut in parts that run one after the other over a tile of columns in the first-level cache. A
// processor can hold only a few hundred instructions at a time: in a long chain of dependent operations it would see
// too few columns at once to keep its units busy.
#pragma once

#include <cstddef>
#include <vector>

#include "backend/cpu/kernel.hpp"

namespace tutti::cpu {

/// Columns of a tile: a multiple of the lanes.
inline constexpr int kTile = 1024;

struct Part {
  std::size_t begin = 0, end = 0;  // instructions of the body
  std::vector<int> in, out;        // registers that come from a tile, and those that go there for later parts
};

/// One part, when the body is short or nowhere narrow. `uniform`: registers with one value per row; they and loads need
/// no tile, since they can be had again. Stores belong to the last part.
std::vector<Part> cut(const KernelSpec& spec, const std::vector<char>& uniform);

/// By register: the last instruction that reads it, 0 where there is none, a number beyond all where it is stored.
std::vector<std::size_t> last_readers(const KernelSpec& spec);

/// Where what is skipped together with register r ends (Inst::when).
std::size_t unlikely_end(const KernelSpec& spec, const std::vector<char>& uniform, std::size_t r);

/// How many registers that differ from column to column live at once in a part.
std::size_t most_alive(const KernelSpec& spec, const std::vector<char>& uniform, const Part& part);

}  // namespace tutti::cpu

// SPDX-License-Identifier: Apache-2.0
