#include "transform/loop_bases.hpp"

#include "tutti/lax/control_flow.hpp"
#include "tutti/numpy/numpy.hpp"
#include "tutti/transform/custom_rules.hpp"
#include "tutti/transform/remat.hpp"
#include "tutti/transform/transforms.hpp"

namespace tutti::testing {
namespace {

using Two = std::pair<Array, Array>;
using Three = std::tuple<Array, Array, Array>;
const Array nothing;

Array rest(const Array& x, const Array& total) { return exp(x * -0.5f) * total; }
// A step over a row of the weights and an element of x: the sum of the elements, and the row's result.
auto row_step(const Array& x) {
  return [=](const Array& total, const Two& row) {
    return Two{total + row.second, sin(sum(row.first * x)) * row.second};
  };
}

Array by_scan(const Array& w, const Array& x) {
  auto [total, rows] = lax::scan(row_step(x), 0., Two{w, x});
  return rows + rest(x, total);
}
Array by_reverse_scan(const Array& w, const Array& x) {
  auto [total, rows] = lax::scan(row_step(x), 0., Two{w, x}, {.reverse = true, .unroll = 2});
  return rows + rest(x, total);
}
Array by_checkpointed_scan(const Array& w, const Array& x) {
  auto [total, rows] = lax::scan(row_step(x), 0., Two{w, x}, {.reverse = true, .checkpoint_every = 2});
  return rows + rest(x, total);
}
Array by_remat_in_scan(const Array& w, const Array& x) {
  auto step = remat([step = row_step(x)](const Array& total, const Two& row) { return step(total, row); });
  auto [total, rows] = lax::scan(step, 0., Two{w, x});
  return rows + rest(x, total);
}
Array by_scan_in_scan(const Array& w, const Array& x) {
  auto product = [](const Array& d, const Two& at) { return Two{d + at.first * at.second, d}; };
  auto step = [&](const Array& total, const Two& row) {
    const Array dot = lax::scan(product, 0., Two{row.first, x}).first;
    return Two{total + row.second, sin(dot) * row.second};
  };
  auto [total, rows] = lax::scan(step, 0., Two{w, x});
  return rows + rest(x, total);
}
Array by_fori_loop(const Array& w, const Array& x) {
  auto step = [&](const Array& i, const Two& c) {
    return Two{c.first.at(i).set(sin(matmul(w[i], x)) * x[i]), c.second + x[i]};
  };
  auto [rows, total] = lax::fori_loop(0, 3, step, Two{zeros({3}), Array(0.)});
  return rows + rest(x, total);
}
// The elements are added up until there are no more of them; the promise is larger than what it takes.
Array by_while_loop(const Array& w, const Array& x) {
  auto goes_on = [](const Three& c) { return std::get<0>(c) < 3; };
  auto step = [&](const Three& c) {
    const auto& [i, rows, total] = c;
    return Three{i + 1, rows.at(i).set(sin(matmul(w[i], x)) * x[i]), total + x[i]};
  };
  auto [i, rows, total] = lax::while_loop(goes_on, step, Three{Array(0), zeros({3}), Array(0.)}, {.max_steps = 5});
  return rows + rest(x, total);
}
Array by_cond_in_while_in_scan(const Array& w, const Array& x) {
  auto step = [&](const Array& total, const Two& row) {
    auto add = [&](const Two& c) {
      const auto& [j, dot] = c;
      auto even = [&](const Array& d) { return d + row.first[j] * x[j]; };
      auto odd = [&](const Array& d) { return x[j] * row.first[j] + d; };
      return Two{j + 1, lax::cond(j % 2 == 0, even, odd, dot)};
    };
    const Array dot =
        lax::while_loop([](const Two& c) { return c.first < 3; }, add, Two{Array(0), Array(0.)}, {.max_steps = 3})
            .second;
    return Two{total + row.second, sin(dot) * row.second};
  };
  auto [total, rows] = lax::scan(step, 0., Two{w, x});
  return rows + rest(x, total);
}
// Elements of the batch are done after one, two, and three steps.
Array by_mapped_while(const Array& w, const Array& x) {
  auto row = [&](const Array& i, const Array& weights) {
    auto add = [&](const Two& c) { return Two{c.first + 1, c.second + weights[c.first] * x[c.first]}; };
    const Array before = sum(where(arange(3) < i, weights * x, 0));
    const Array dot =
        lax::while_loop([](const Two& c) { return c.first < 3; }, add, Two{i, before}, {.max_steps = 3}).second;
    return sin(dot) * x[i];
  };
  return vmap(row)(arange(3), w) + rest(x, sum(x));
}
// The root of a negative number is no number: only in the branch that is not taken.
Array by_mapped_switch(const Array& w, const Array& x) {
  auto row = [](const Array& i, const Array& dot, const Array& at) {
    auto any = [](const Array& d, const Array& y) { return sin(d) * y; };
    auto bad = [](const Array& d, const Array& y) { return sqrt(d * 0 - 1) * y; };
    return lax::switch_(i, std::tuple{bad, any, bad, any}, dot, at);
  };
  return vmap(row)(array({1, 3, 1}), matmul(w, x), x) + rest(x, sum(x));
}
Array by_map(const Array& w, const Array& x) {
  auto row = [&](const Two& at) { return sin(matmul(at.first, x)) * at.second; };
  return lax::map(row, Two{w, x}) + rest(x, sum(x));
}
Array by_map_in_batches(const Array& w, const Array& x) {
  auto row = [&](const Two& at) { return sin(matmul(at.first, x)) * at.second; };
  return lax::map(row, Two{w, x}, {.batch_size = 2}) + rest(x, sum(x));
}
Array by_associative_scan(const Array& w, const Array& x) {
  auto add = [](const Array& a, const Array& b) { return a + b; };
  const Array dots = lax::associative_scan(add, w * x, {.reverse = true, .axis = 1});
  const Array total = lax::associative_scan(add, x)[2];
  return sin(dots.T()[0]) * x + rest(x, total);
}
// What is the same in all steps, carries that no step changes, ys that nobody reads.
Array by_scan_with_bystanders(const Array& w, const Array& x) {
  struct Carry {
    Array total, same, unread;
  };
  auto step = [&](const Carry& c, const Two& row) {
    const Array fixed = exp(c.same * -0.5f) * exp(x * 0.f);
    return std::pair{Carry{c.total + row.second, c.same, c.unread * 2 + sum(x)},
                     Three{sin(sum(row.first * x)) * row.second, fixed, cos(c.unread)}};
  };
  auto [last, ys] = lax::scan(step, Carry{Array(0.), x, x * 3}, Two{w, x});
  return std::get<0>(ys) + std::get<1>(ys)[1] * last.total;
}

}  // namespace

const std::vector<LoopBase>& loop_bases() {
  static const std::vector<LoopBase> all = {{"scan", by_scan},
                                            {"reverse scan", by_reverse_scan},
                                            {"checkpointed scan", by_checkpointed_scan},
                                            {"remat in scan", by_remat_in_scan},
                                            {"scan in scan", by_scan_in_scan},
                                            {"fori_loop", by_fori_loop},
                                            {"while_loop", by_while_loop},
                                            {"cond in while_loop in scan", by_cond_in_while_in_scan},
                                            {"mapped while_loop", by_mapped_while},
                                            {"mapped switch", by_mapped_switch},
                                            {"map", by_map},
                                            {"map in batches", by_map_in_batches},
                                            {"associative_scan", by_associative_scan},
                                            {"scan with bystanders", by_scan_with_bystanders}};
  return all;
}

}  // namespace tutti::testing

// SPDX-License-Identifier: Apache-2.0
