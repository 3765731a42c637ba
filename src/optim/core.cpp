#include "tutti/optim/core.hpp"

#include <limits>

#include "tutti/base/call_scope.hpp"
#include "tutti/numpy/numpy.hpp"
#include "tutti/transform/composite.hpp"

namespace tutti::optim {

const std::vector<Array>& Leaves::needed_params(const char* who) const {
  if (params.empty() && !updates.empty())
    raise<ValueError>(who, "update needs the parameters", "Call update(grads, state, params).");
  return params;
}

Array Leaves::rate(const Rate& rate) const {
  for (const auto& [known, value] : rates)
    if (known == &rate) return value;
  return rate(count);
}

Stage Stage::pure(std::function<void(Leaves&)> run, std::vector<std::shared_ptr<const Rate>> rates) {
  Stage out(std::move(run));
  out.rates_ = std::move(rates);
  out.pure_ = true;
  return out;
}

namespace detail {

Array step_zero() { return zeros({}, int32); }

Array next_step(const Array& count) {
  constexpr int last = std::numeric_limits<int>::max();
  return where(count < last, count + 1, last);
}

Array first_value(const Start& start, const Array& p) { return p.dtype().is_inexact() ? start(p) : Array(); }

std::shared_ptr<tutti::detail::JitCore> programs_of(const Stage& stage) {
  return stage.is_pure() ? std::make_shared<tutti::detail::JitCore>(JitOptions{}, Loc(), "optim update") : nullptr;
}

namespace {

using Column = std::vector<Array*>;
using Presence = std::vector<bool>;  // of results, column by column

// Runs the stage on copies of what the places hold; `give` gets each result, column by column.
template <class Give> void run(const Stage& stage, const tree::detail::Columns& c, Leaves l, bool params, Give give) {
  const std::size_t slots = c.column.size() - 1 - params;
  stage(l);
  for (const Array& x : l.updates) give(x);
  for (std::size_t k = 0; k < slots; ++k)
    for (const Array& x : l.state[k]) give(x);
}

// Leaves of one array a place; next() is asked where there is one.
template <class Next> Leaves leaves_of(const tree::detail::Columns& c, bool params, Next next) {
  auto column = [&](const Column& places) {
    std::vector<Array> out;
    for (const Array* a : places) out.push_back(a->has_value() ? next(*a) : Array());
    return out;
  };
  Leaves l;
  const std::size_t slots = c.column.size() - 1 - params;
  l.updates = column(c.column[0]);
  for (std::size_t k = 0; k < slots; ++k) l.state.push_back(column(c.column[1 + k]));
  if (params) l.params = column(c.column.back());
  return l;
}

}  // namespace

void run_stage(const Stage& stage, tutti::detail::JitCore* programs, std::span<const tree::detail::Ref> trees,
               bool params, Array* count) {
  const tree::detail::Columns c = tree::detail::align(trees);
  auto paths = [&] { return tree::detail::paths_of(trees[0]); };
  std::vector<std::pair<const Rate*, Array>> rates;
  for (const auto& r : stage.rates()) rates.emplace_back(r.get(), (*r)(count ? *count : Array()));
  const std::size_t changing = c.column.size() - params;
  std::vector<Array> results;  // of the places in the columns that change
  auto give = [&](const Array& x) { results.push_back(x); };
  if (!programs || tutti::detail::being_recorded()) {
    Leaves l = leaves_of(c, params, [](const Array& x) { return x; });
    if (count) l.count = *count;
    l.rates = std::move(rates);
    l.paths = paths;
    run(stage, c, std::move(l), params, give);
    if (count) *count = next_step(*count);
  } else {
    tutti::detail::JitArguments args;
    leaves_of(c, params, [&](const Array& x) { return args.flat.leaves.emplace_back(x); });
    if (count) args.flat.leaves.push_back(*count);
    for (const auto& r : rates) args.flat.leaves.push_back(r.second);
    args.flat.structure = tree::detail::structure_of(trees);
    args.counts = {static_cast<int>(args.flat.leaves.size())};
    args.paths = [&] { return std::vector<std::pair<int, tree::Path>>(args.flat.leaves.size()); };
    auto body = [&](const std::vector<Array>& in) {
      auto next = in.begin();
      Leaves l = leaves_of(c, params, [&](const Array&) { return *next++; });
      tutti::detail::JitResult out;
      if (count) out.flat.leaves.push_back(next_step(l.count = *next++));
      for (const auto& r : rates) l.rates.emplace_back(r.first, *next++);
      l.paths = paths;
      auto present = std::make_shared<Presence>();
      run(stage, c, std::move(l), params, [&](const Array& x) {
        present->push_back(x.has_value());
        if (x.has_value()) out.flat.leaves.push_back(x);
      });
      out.value = present;
      return out;
    };
    auto entry = programs->find(args, body);
    const std::vector<Array> out = programs->run(*entry, args.flat.leaves);
    auto next = out.begin();
    if (count) *count = *next++;
    for (bool there : *static_cast<const Presence*>(tutti::detail::jit_value(*entry))) give(there ? *next++ : Array());
  }
  auto result = results.begin();
  for (std::size_t k = 0; k < changing; ++k)
    for (Array* place : c.column[k]) *place = *result++;
}

namespace {

// The places where every tree has an array, tree by tree.
std::vector<std::vector<Array*>> full_rows(std::span<const tree::detail::Ref> trees) {
  const tree::detail::Columns c = tree::detail::align(trees);
  std::vector<std::vector<Array*>> out(c.column.size());
  for (std::size_t i = 0; i < c.rows(); ++i)
    if (c.all(i))
      for (std::size_t k = 0; k < out.size(); ++k) out[k].push_back(c.column[k][i]);
  return out;
}
std::vector<Array> values(const std::vector<Array*>& places) {
  std::vector<Array> out;
  for (const Array* a : places) out.push_back(*a);
  return out;
}
void replace(const std::vector<Array*>& places, const std::vector<Array>& by) {
  for (std::size_t i = 0; i < places.size(); ++i) *places[i] = by[i];
}

}  // namespace

void add_updates(std::span<const tree::detail::Ref> trees) {
  auto rows = full_rows(trees);
  replace(rows[0], composite(
                       "apply_updates",
                       [](const std::vector<Array>& params, const std::vector<Array>& updates) {
                         std::vector<Array> out;
                         for (std::size_t i = 0; i < params.size(); ++i)
                           out.push_back((params[i] + updates[i]).astype(params[i].dtype()));
                         return out;
                       },
                       values(rows[0]), values(rows[1])));
}

void mix(std::span<const tree::detail::Ref> trees, double part) {
  auto rows = full_rows(trees);
  replace(rows[0],
          composite(
              "incremental_update",
              [](const std::vector<Array>& a, const std::vector<Array>& b, const Array& part, const Array& rest) {
                std::vector<Array> out;
                for (std::size_t i = 0; i < a.size(); ++i) out.push_back(part * a[i] + rest * b[i]);
                return out;
              },
              values(rows[0]), values(rows[1]), part, 1 - part));
}

Array norm_of(const std::vector<Array>& leaves) {
  return composite(
      "global_norm",
      [](const std::vector<Array>& leaves) {
        // Squares of 16-bit floats overflow, and vanish, long before their root: that is taken in float32.
        Array total = 0.f;
        bool all_short = !leaves.empty();
        std::vector<Array> small;
        for (const Array& x : leaves) {
          const bool is_short = x.dtype().is_floating() && x.dtype().size() < 4;
          all_short = all_short && is_short;
          if (is_short) small.push_back(x);
          total = total + sum(square(is_short ? x.astype(float32) : x));
        }
        return all_short ? sqrt(total).astype(result_type(small)) : sqrt(total);
      },
      leaves);
}

}  // namespace detail
}  // namespace tutti::optim

// SPDX-License-Identifier: Apache-2.0
