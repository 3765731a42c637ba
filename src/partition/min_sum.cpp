#include "partition/min_sum.hpp"

#include <algorithm>
#include <limits>
#include <queue>
#include <tuple>

namespace tutti {
namespace {

using Term = MinSum::Term;

constexpr std::size_t most_entries =
    std::size_t{1} << 22;  // of all tables that are kept: new pages cost more than to compute them again

// A term's table with the variable that is minimised over last, and where it is read as the others are counted up.
struct Cursor {
  std::vector<double> arranged;  // where it does not lie so already
  const double* costs;
  std::vector<std::int64_t> strides;  // by place in the scope
};

std::vector<int> joined(const std::vector<int>& a, const std::vector<int>& b) {  // b in any order
  std::vector<int> out = a;
  out.insert(out.end(), b.begin(), b.end());
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}
std::int64_t address(const Table& t) { return static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(t.get())); }

double least_of(const double* costs, int n) {
  double out = costs[0];
  for (int k = 1; k < n; ++k) out = costs[k] < out ? costs[k] : out;
  return out;
}

class Elimination {
 public:
  Elimination(const MinSum& problem, std::int64_t limit, const std::vector<int>* incumbent, MadeTables& made)
      : problem_(problem),
        limit_(limit),
        incumbent_(incumbent),
        made_(made),
        sizes_(problem.sizes),
        terms_(problem.terms) {
    of_variable_.resize(sizes_.size());
    fixed_.assign(sizes_.size(), -1);
    for (std::size_t t = 0; t < terms_.size(); ++t) note(static_cast<int>(t));
  }

  MinSumResult run() {
    std::priority_queue<std::pair<std::int64_t, int>, std::vector<std::pair<std::int64_t, int>>, std::greater<>> queue;
    for (int x = 0; x < static_cast<int>(sizes_.size()); ++x) queue.push({table_size(x), x});
    std::vector<char> done(sizes_.size(), 0);
    while (!queue.empty()) {
      const auto [size, x] = queue.top();
      queue.pop();
      if (done[x] || fixed_[x] >= 0) continue;
      const std::int64_t now = table_size(x);
      if (now > size) {
        queue.push({now, x});
        continue;
      }
      if (incumbent_ && now > limit_) {
        hold(most_connected(x));
        if (fixed_[x] < 0) queue.push({table_size(x), x});
        continue;
      }
      done[x] = 1;
      for (int n : eliminate(x)) queue.push({table_size(n), n});
    }
    return decode();
  }

 private:
  void note(int t) {
    if (terms_[t].variables.empty()) {
      constant_ += terms_[t].costs->at(0);
      return;
    }
    for (int x : terms_[t].variables) of_variable_[x].push_back(t);
  }

  std::vector<int> neighbours(int x) const {
    std::vector<int> out;
    for (int t : of_variable_[x]) out.insert(out.end(), terms_[t].variables.begin(), terms_[t].variables.end());
    out = joined({}, out);
    std::erase(out, x);
    return out;
  }

  std::int64_t entries(const std::vector<int>& variables) const {
    std::int64_t out = 1;
    for (int v : variables) {
      out *= sizes_[v];
      if (out > std::int64_t{1} << 40) return out;
    }
    return out;
  }

  // Of all tables around x together, x included.
  std::int64_t table_size(int x) const { return entries(neighbours(x)) * sizes_[x]; }

  int most_connected(int x) const {
    std::vector<int> around = neighbours(x);
    around.push_back(x);
    return *std::max_element(around.begin(), around.end(), [&](int a, int b) {
      const std::size_t na = sizes_[a] > 1 ? of_variable_[a].size() : 0;
      const std::size_t nb = sizes_[b] > 1 ? of_variable_[b].size() : 0;
      return std::tie(na, b) < std::tie(nb, a);
    });
  }

  // The variable stays what it is in the incumbent.
  void hold(int x) {
    fixed_[x] = (*incumbent_)[x];
    const std::vector<int> around = std::move(of_variable_[x]);
    of_variable_[x].clear();
    for (int t : around) {
      Term cut;
      const Term& whole = terms_[t];
      std::int64_t stride = 1, along = 0;
      for (std::size_t i = whole.variables.size(); i-- > 0;) {
        if (whole.variables[i] == x)
          along = stride;
        else
          cut.variables.insert(cut.variables.begin(), whole.variables[i]);
        stride *= sizes_[whole.variables[i]];
      }
      const int n = sizes_[x], at = fixed_[x];
      cut.costs = made_.get({address(whole.costs), along, n, at}, {whole.costs}, [&] {
        std::vector<double> out;
        for (std::int64_t i = 0; i < stride; ++i)
          if (i / along % n == at) out.push_back((*whole.costs)[static_cast<std::size_t>(i)]);
        return out;
      });
      for (int v : whole.variables)
        if (v != x) std::erase(of_variable_[v], t);
      terms_.push_back(std::move(cut));
      note(static_cast<int>(terms_.size()) - 1);
    }
  }

  // Sums the terms of x and takes the least over it. Returns the variables whose tables changed.
  std::vector<int> eliminate(int x) {
    const std::vector<int> around = neighbours(x);
    const std::vector<int> bucket = std::move(of_variable_[x]);
    of_variable_[x].clear();
    for (int t : bucket)
      for (int v : terms_[t].variables)
        if (v != x) std::erase(of_variable_[v], t);
    for (const std::vector<int>& part : parts(x, bucket)) {
      terms_.push_back(least(x, part));
      note(static_cast<int>(terms_.size()) - 1);
    }
    buckets_.push_back({x, bucket});
    return around;
  }

  // The terms in groups whose tables are not too large: one group where that fits.
  std::vector<std::vector<int>> parts(int x, std::vector<int> bucket) const {
    std::stable_sort(bucket.begin(), bucket.end(),
                     [&](int a, int b) { return terms_[a].costs->size() > terms_[b].costs->size(); });
    std::vector<std::vector<int>> out;
    std::vector<std::vector<int>> scopes;
    for (int t : bucket) {
      std::size_t at = 0;
      for (; at < out.size(); ++at) {
        std::vector<int> both = joined(scopes[at], terms_[t].variables);
        if (entries(both) > limit_) continue;
        scopes[at] = std::move(both);
        break;
      }
      if (at == out.size()) {
        out.emplace_back();
        scopes.push_back(joined({x}, terms_[t].variables));
      }
      out[at].push_back(t);
    }
    return out;
  }

  Term least(int x, const std::vector<int>& part) {
    Term out;
    for (int t : part) out.variables = joined(out.variables, terms_[t].variables);
    std::erase(out.variables, x);
    Recipe recipe{sizes_[x]};
    std::vector<Table> sources;
    for (int v : out.variables) recipe.push_back(sizes_[v]);
    for (int t : part) {
      recipe.push_back(address(terms_[t].costs));
      for (int v : terms_[t].variables) recipe.push_back(v == x ? -1 : -2 - place(out.variables, v));
      sources.push_back(terms_[t].costs);
    }
    out.costs = made_.get(std::move(recipe), std::move(sources), [&] { return least(x, part, out.variables); });
    return out;
  }

  static std::int64_t place(const std::vector<int>& scope, int v) {
    return std::lower_bound(scope.begin(), scope.end(), v) - scope.begin();
  }

  std::vector<double> least(int x, const std::vector<int>& part, const std::vector<int>& scope) const {
    std::vector<double> out(static_cast<std::size_t>(entries(scope)));
    std::vector<Cursor> cursors;
    for (int t : part) cursors.push_back(cursor(terms_[t], scope, x));
    std::vector<int> digit(scope.size(), 0);
    const int n = sizes_[x];
    std::vector<double> sum(static_cast<std::size_t>(n));
    for (double& entry : out) {
      std::copy_n(cursors[0].costs, n, sum.data());
      for (std::size_t c = 1; c < cursors.size(); ++c)
        for (int k = 0; k < n; ++k) sum[k] += cursors[c].costs[k];
      entry = least_of(sum.data(), n);
      for (std::size_t i = digit.size(); i-- > 0;) {
        const bool carry = ++digit[i] == sizes_[scope[i]];
        for (Cursor& c : cursors) c.costs += carry ? -c.strides[i] * (digit[i] - 1) : c.strides[i];
        if (!carry) break;
        digit[i] = 0;
      }
    }
    return out;
  }

  Cursor cursor(const Term& t, const std::vector<int>& scope, int x) const {
    const std::vector<double>& costs = *t.costs;
    Cursor out{{}, costs.data(), std::vector<std::int64_t>(scope.size(), 0)};
    std::int64_t inner = 1, outer = 1;  // entries behind x, and before it
    bool behind = true;
    for (std::size_t i = t.variables.size(); i-- > 0;) {
      if (t.variables[i] == x)
        behind = false;
      else
        (behind ? inner : outer) *= sizes_[t.variables[i]];
    }
    const std::int64_t n = sizes_[x];
    if (inner > 1) {
      out.arranged.resize(costs.size());
      for (std::int64_t o = 0; o < outer; ++o)
        for (std::int64_t k = 0; k < n; ++k)
          for (std::int64_t i = 0; i < inner; ++i)
            out.arranged[(o * inner + i) * n + k] = costs[(o * n + k) * inner + i];
      out.costs = out.arranged.data();
    }
    std::int64_t stride = n;
    for (std::size_t i = t.variables.size(); i-- > 0;) {
      const int v = t.variables[i];
      if (v == x) continue;
      out.strides[place(scope, v)] = stride;
      stride *= sizes_[v];
    }
    return out;
  }

  // Backwards, each variable as is best for those that are known.
  MinSumResult decode() const {
    MinSumResult out;
    out.values = fixed_;
    for (std::size_t b = buckets_.size(); b-- > 0;) {
      const auto& [x, bucket] = buckets_[b];
      std::vector<double> sum(static_cast<std::size_t>(sizes_[x]), 0.0);
      for (int t : bucket) {
        std::int64_t at = 0, stride = 1, along = 0;
        for (std::size_t i = terms_[t].variables.size(); i-- > 0;) {
          const int v = terms_[t].variables[i];
          if (v == x)
            along = stride;
          else
            at += out.values[v] * stride;
          stride *= sizes_[v];
        }
        for (std::size_t k = 0; k < sum.size(); ++k)
          sum[k] += (*terms_[t].costs)[at + static_cast<std::int64_t>(k) * along];
      }
      out.values[x] = static_cast<int>(std::min_element(sum.begin(), sum.end()) - sum.begin());
    }
    out.bound = constant_;
    out.cost = problem_.cost(out.values);
    return out;
  }

  const MinSum& problem_;
  const std::int64_t limit_;
  const std::vector<int>* incumbent_;
  MadeTables& made_;
  const std::vector<int>& sizes_;
  std::vector<Term> terms_;  // those of the problem, then what elimination makes
  std::vector<std::vector<int>> of_variable_;
  std::vector<int> fixed_;
  std::vector<std::pair<int, std::vector<int>>> buckets_;
  double constant_ = 0;
};

}  // namespace

double MinSum::cost(const std::vector<int>& values) const {
  double out = 0;
  for (const Term& t : terms) {
    std::int64_t at = 0;
    for (int v : t.variables) at = at * sizes[v] + values[v];
    out += (*t.costs)[at];
  }
  return out;
}

std::size_t RecipeHash::operator()(const Recipe& recipe) const {
  std::uint64_t out = recipe.size();
  for (std::int64_t v : recipe) {
    out = (out ^ static_cast<std::uint64_t>(v)) * 0x9e3779b97f4a7c15u;
    out ^= out >> 29;
  }
  return out;
}

Table MadeTables::get(Recipe recipe, std::vector<Table> sources, const std::function<std::vector<double>()>& make) {
  if (entries_ > most_entries) {
    made_.clear();
    entries_ = 0;
  }
  auto [at, fresh] = made_.try_emplace(std::move(recipe));
  if (fresh) {
    at->second = {table(make()), std::move(sources)};
    entries_ += at->second.table->size();
  }
  return at->second.table;
}

MinSumResult minimise(const MinSum& problem, std::int64_t limit, const std::vector<int>* incumbent, MadeTables* made) {
  MadeTables own;
  return Elimination(problem, limit, incumbent, made ? *made : own).run();
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
