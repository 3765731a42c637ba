// What a random program is made from: numbers that always mean something, so that a recipe with a step less, or with
// other extents, is a recipe too.
#pragma once

#include <array>
#include <random>
#include <vector>

#include "fuzz/check.hpp"

namespace tutti::fuzz {

/// Operations by family; each adapts itself to the shapes of its operands.
enum class Kind {
  binary,
  unary,
  choose,
  convert,
  product,
  batched,
  reduce,
  arg,
  permute,
  reshape,
  slice,
  join,
  pad,
  shift,
  spread,
  cumulative,
  sort,
  take,
  take_along,
  scatter,
  dynamic,
  update,
  window,
  transform,
  constraint,
  scan,
  counted,
  until,
  branch
};
constexpr int num_kinds = static_cast<int>(Kind::branch) + 1;
constexpr int num_flat_kinds = static_cast<int>(Kind::scan);  // those without bodies

struct Step {
  Kind kind = Kind::binary;
  std::array<unsigned, 6> choice{};
  std::vector<Step> body{};
};

/// By mesh axis: the dim that it cuts (modulo how many there are), or -1.
using Cuts = std::vector<int>;

struct Recipe {
  unsigned seed = 0;
  Shape mesh;
  struct Input {
    Shape shape;
    bool integer = false;
    Cuts cuts;
  };
  std::vector<Input> inputs;
  std::vector<Step> steps;
  struct Output {
    unsigned which = 0;  // counted from the last value
    bool open = true;
    Cuts cuts;
  };
  std::vector<Output> outputs;
  bool gradient = false;
};

struct Limits {
  int ops = 30, axes = 3;
};
/// The same for the same seed.
Recipe make_recipe(unsigned seed, const Limits& limits);

/// As a spec for arrays of `ndim` dims.
PartitionSpec spec_of(const Cuts& cuts, int ndim);
Mesh mesh_of(const Recipe& r);

}  // namespace tutti::fuzz

// SPDX-License-Identifier: Apache-2.0
