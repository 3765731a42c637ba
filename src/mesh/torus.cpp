#include "mesh/torus.hpp"

#include <numeric>
#include <tuple>

namespace tutti {
namespace {

std::int64_t product(const Extents& extents) {
  return std::accumulate(extents.begin(), extents.end(), std::int64_t{1}, std::multiplies<>());
}

AxisShares ones(const Extents& torus, const Extents& mesh) { return AxisShares(torus.size(), Extents(mesh.size(), 1)); }

// Visits all subsets of `size` of the first `n` numbers, in lexicographic order, until `visit` says true.
template <class Visit>
bool any_subset(std::size_t n, std::size_t size, std::vector<std::size_t>& chosen, const Visit& visit) {
  if (chosen.size() == size) return visit(chosen);
  for (std::size_t next = chosen.empty() ? 0 : chosen.back() + 1; next < n; ++next) {
    chosen.push_back(next);
    if (any_subset(n, size, chosen, visit)) return true;
    chosen.pop_back();
  }
  return false;
}

// Visits every way to write `size` as a product of one divisor of each extent.
template <class Visit>
void each_factorization(const Extents& extents, std::int64_t size, Extents& factors, const Visit& visit) {
  if (factors.size() == extents.size()) {
    if (size == 1) visit(factors);
    return;
  }
  const std::int64_t most = std::gcd(extents[factors.size()], size);
  for (std::int64_t factor = 1; factor <= most; ++factor) {
    if (most % factor != 0) continue;
    factors.push_back(factor);
    each_factorization(extents, size / factor, factors, visit);
    factors.pop_back();
  }
}

// How good it is to take these ways of the axes of the torus, `taken` of which are in use; larger is better. Whole axes
// come first, then more of them. Axes that are in use already come before fresh ones, which later axes of the mesh may
// want whole.
std::tuple<std::int64_t, int, std::int64_t, Extents> merit(const Extents& ways, const Extents& torus,
                                                           const Extents& taken) {
  std::int64_t whole = 1, shared = 1;
  int wholes = 0;
  for (std::size_t p = 0; p < torus.size(); ++p) {
    if (ways[p] == torus[p] && ways[p] > 1) {
      whole *= ways[p];
      ++wholes;
    }
    if (taken[p] > 1) shared *= ways[p];
  }
  return {whole, wholes, shared, ways};
}

}  // namespace

std::optional<AxisShares> whole_axis_shares(const Extents& torus, const Extents& mesh) {
  AxisShares shares = ones(torus, mesh);
  std::vector<std::size_t> left;  // axes of the torus
  for (std::size_t p = 0; p < torus.size(); ++p)
    if (torus[p] > 1) left.push_back(p);
  for (std::size_t l = mesh.size(); l-- > 0;) {
    if (mesh[l] == 1) continue;
    bool found = false;
    for (std::size_t size = left.size(); size > 0 && !found; --size) {
      std::vector<std::size_t> chosen;
      found = any_subset(left.size(), size, chosen, [&](const std::vector<std::size_t>& subset) {
        Extents extents;
        for (std::size_t i : subset) extents.push_back(torus[left[i]]);
        return product(extents) == mesh[l];
      });
      if (!found) continue;
      for (std::size_t i : chosen) shares[left[i]][l] = torus[left[i]];
      for (std::size_t i = chosen.size(); i-- > 0;) left.erase(left.begin() + static_cast<std::ptrdiff_t>(chosen[i]));
    }
    if (!found) return std::nullopt;
  }
  return shares;
}

AxisShares split_axis_shares(const Extents& torus, const Extents& mesh) {
  AxisShares shares = ones(torus, mesh);
  for (std::size_t l = mesh.size(); l-- > 0;) {
    Extents taken, free;
    for (std::size_t p = 0; p < torus.size(); ++p) {
      taken.push_back(product(shares[p]));
      free.push_back(torus[p] / taken[p]);
    }
    Extents best, factors;
    each_factorization(free, mesh[l], factors, [&](const Extents& ways) {
      if (best.empty() || merit(ways, torus, taken) > merit(best, torus, taken)) best = ways;
    });
    for (std::size_t p = 0; p < best.size(); ++p) shares[p][l] = best[p];
  }
  return shares;
}

std::vector<std::int64_t> places_on_torus(const Extents& torus, const Extents& mesh, const AxisShares& shares) {
  // Along an axis of the mesh the first axis of the torus is major; of an axis of the torus the last axis of the mesh
  // has the minor ways, so that its neighbours are neighbours.
  std::vector<std::int64_t> places;
  for (std::int64_t at = 0, size = product(mesh); at < size; ++at) {
    std::vector<Extents> digits(torus.size(), Extents(mesh.size()));
    std::int64_t rest = at;
    for (std::size_t l = mesh.size(); l-- > 0;)
      for (std::size_t p = torus.size(); p-- > 0; rest /= shares[p][l]) digits[p][l] = rest % shares[p][l];
    std::int64_t place = 0;
    for (std::size_t p = 0; p < torus.size(); ++p)
      for (std::size_t l = 0; l < mesh.size(); ++l) place = place * shares[p][l] + digits[p][l];
    places.push_back(place);
  }
  return places;
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
