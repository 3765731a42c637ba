// Random meshes, placements and programs.
#pragma once

#include "partition/loop_programs.hpp"

namespace tutti::testing {

struct RandomPrograms {
  std::mt19937 rng;
  std::int64_t n = 2, m = 2;
  int pick(int n) { return static_cast<int>(rng() % static_cast<unsigned>(n)); }

  Mesh mesh() {
    static const std::vector<Shape> shapes{{2}, {3}, {4}, {2, 2}, {2, 3}, {3, 2}, {1, 4}, {2, 2, 2}};
    return mesh_of(shapes[pick(static_cast<int>(shapes.size()))]);
  }
  static Mesh mesh_of(const Shape& s) {
    std::vector<std::string> names;
    for (int i = 0; i < s.ndim(); ++i) names.push_back(std::string(1, "xyzuvw"[i]));
    return grid(s, Names(names));
  }
  Sharding placement(const Mesh& mesh, const Shape& shape) {
    std::vector<std::vector<std::string>> dims(static_cast<std::size_t>(shape.ndim()));
    std::vector<std::int64_t> ways(dims.size(), 1);
    for (int a = 0; a < mesh.ndim(); ++a) {
      int d = pick(shape.ndim() + 1);
      if (d == shape.ndim() || shape[d] < ways[d] * mesh.shape()[a]) continue;
      dims[d].push_back(mesh.axis_names()[a]);
      ways[d] *= mesh.shape()[a];
    }
    std::vector<SpecEntry> entries;
    for (auto& names : dims) entries.push_back(names.empty() ? SpecEntry(none) : SpecEntry(Names(names)));
    return named(mesh, PartitionSpec::from(entries));
  }
  // All values are [n, m] or reduced from it and spread again, so that every operation fits every value.
  Array operation(const Arrays& known) {
    auto any = [&] { return known[pick(static_cast<int>(known.size()))]; };
    Array a = any(), b = any();
    switch (pick(16)) {
      case 0: return a + b;
      case 1: return a * 0.5f;
      case 2: return sin(a) * b;
      case 3: return a - mean(a, 0, true);
      case 4: return a / (1 + sum(a * a, 1, true));
      case 5: return dot(dot(a, transpose(b)) * 0.1f, a) * 0.1f;
      case 6: return reshape(transpose(reshape(a, {m, n})), {n, m});
      case 7: return roll(a, 1, pick(2));
      case 8: return where(a > 0.1234567f, a, b);  // not 0: sums that vanish exactly would be decided by rounding
      case 9: return concatenate({lax::slice(a, {0, 0}, {n / 2, m}), lax::slice(b, {n / 2, 0}, {n, m})}, 0);
      case 10: return cumsum(a, pick(2)) * 0.1f;
      case 11: return a - max(b, pick(2), true);
      case 12: return flip(a, pick(2));
      case 13: return take(a, lax::iota(int32, {n}, 0), 0);
      case 14: return broadcast_to(sum(a, 0), {n, m}) * 0.1f;
      default: return maximum(a, b) + lax::iota(float32, {n, m}, pick(2)) * 0.1f;
    }
  }

  /// What stands in a program beside operations.
  enum With { scans = 3, branches_too = 4, while_loops_too = 5 };

  // An operation, a loop or a branch, whose bodies hold such statements down to `depth`. Values [n, m] are added to
  // `known`, stacks of three of them to `stacks`.
  void statement(Arrays& known, Arrays& stacks, int depth, With with) {
    const int kind = depth == 0 ? 0 : pick(with);
    auto any = [&] { return known[pick(static_cast<int>(known.size()))]; };
    auto made = [&](Arrays inside) {
      Arrays more;
      for (int i = 0, n = 1 + pick(2); i < n; ++i) statement(inside, more, depth - 1, with);
      return tanh(inside.back()) * 0.5f;
    };
    if (kind == 4) {
      Arrays out = while_loop(
          {any()}, {any(), Array(0)},
          [&](const Arrays& c, const Arrays& at) { return logical_and(at[1] < 3, sum(at[0] * c[0]) < 7.1234f); },
          [&](const Arrays& c, const Arrays& at) {
            return Arrays{pick(3) == 0 ? at[0] + made({c[0]}) : made({c[0], at[0]}), at[1] + 1};
          });
      known.push_back(out[0]);
    } else if (kind == 3) {
      auto one = [&](const Arrays& in) { return Arrays{made(in)}; };
      known.push_back(branch((sum(any()) > 0.1234567f).astype(int32), {any(), any()}, {one, one})[0]);
    } else if (kind == 0) {
      known.push_back(operation(known));
    } else {
      const bool adds = pick(2) == 0;
      Arrays out = scan(
          3, {any(), any()}, {any(), any() * 0.1f},
          {stacks.empty() ? stack({any(), any(), any()}) : stacks[pick(static_cast<int>(stacks.size()))]},
          [&](const Arrays& c, const Arrays& at, const Arrays& x) {
            const Array y = made({c[0], c[1], at[0], x[0]});
            return Arrays{tanh(at[0] + operation({c[0], x[0]}) * 0.1f), adds ? at[1] + y : tanh(at[1]) * y, y};
          },
          pick(2) == 0);
      known.insert(known.end(), out.begin(), out.begin() + 2);
      stacks.push_back(out[2]);
    }
  }
};

}  // namespace tutti::testing

// SPDX-License-Identifier: Apache-2.0
