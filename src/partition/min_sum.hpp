// The least sum of cost tables over discrete variables, by bucket elimination (Dechter 1999). Where a table would
// become too large its parts are minimised apart (mini-buckets), which still gives a lower bound; or variables are held
// fixed. What was made of the same tables before is found again: the layers of a model are eliminated once.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

namespace tutti {

/// Costs, row-major over some variables. Equal tables that are one object are known to be equal.
using Table = std::shared_ptr<const std::vector<double>>;
inline Table table(std::vector<double> costs) { return std::make_shared<const std::vector<double>>(std::move(costs)); }

struct MinSum {
  struct Term {
    std::vector<int> variables;  // distinct
    Table costs;
  };
  std::vector<int> sizes;  // values that each variable can take
  std::vector<Term> terms;

  double cost(const std::vector<int>& values) const;
};

struct MinSumResult {
  std::vector<int> values;
  double cost = 0;
  double bound = 0;  // no choice costs less; says nothing where variables were held
};

/// Numbers that say all that a thing is made from.
using Recipe = std::vector<std::int64_t>;
struct RecipeHash {
  std::size_t operator()(const Recipe& recipe) const;
};

/// Tables that were made before, of which tables and how.
class MadeTables {
 public:
  /// `recipe` names `sources` by their addresses.
  Table get(Recipe recipe, std::vector<Table> sources, const std::function<std::vector<double>()>& make);

 private:
  struct Made {
    Table table;
    std::vector<Table> sources;  // which keep their addresses
  };
  std::unordered_map<Recipe, Made, RecipeHash> made_;
  std::size_t entries_ = 0;
};

/// No table gets more than `limit` entries. With an `incumbent`, variables are held at what they are there where tables
/// would: the result costs at most as much. Deterministic.
MinSumResult minimise(const MinSum& problem, std::int64_t limit, const std::vector<int>* incumbent = nullptr,
                      MadeTables* made = nullptr);

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
