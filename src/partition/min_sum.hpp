// The least sum of cost tables over discrete variables, by bucket elimination (Dechter 1999). Where a table would
// become too large its parts are minimised apart (mini-buckets), which still gives a lower bound; or variables are held
// fixed.
#pragma once

#include <cstdint>
#include <vector>

namespace tutti {

struct MinSum {
  struct Term {
    std::vector<int> variables;  // distinct
    std::vector<double> costs;   // row-major over them
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

/// No table gets more than `limit` entries. With an `incumbent`, variables are held at what they are there where tables
/// would: the result costs at most as much. Deterministic.
MinSumResult minimise(const MinSum& problem, std::int64_t limit, const std::vector<int>* incumbent = nullptr);

}  // namespace tutti
