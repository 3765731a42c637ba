// Functions of whole matrices, and matrices with a pattern.
#include <cmath>

#include "linalg/inexact.hpp"
#include "tutti/lax/control_flow.hpp"
#include "tutti/numpy/rearrange.hpp"
#include "tutti/transform/composite.hpp"

namespace tutti::linalg {
namespace {

// Pade's approximation of exp of order [p/p]: the coefficients of its numerator, lowest first (Higham, SIAM Journal on
// Matrix Analysis 26, 2005). Up to `norm` its error is below the dtype's precision.
struct Pade {
  std::vector<double> b;
  double norm;
};
Pade pade_of(const Array& a) {
  const int p = a.dtype() == float64 ? 13 : 7;
  Pade out{std::vector<double>(static_cast<std::size_t>(p + 1)), p == 13 ? 5.371920351148152 : 3.925724783138660};
  for (int k = 0; k <= p; ++k)  // (2p - k)! / (p - k)! / k!, over the last one
    out.b[static_cast<std::size_t>(k)] =
        std::round(std::exp(std::lgamma(2 * p - k + 1.) - std::lgamma(p - k + 1.) - std::lgamma(k + 1.)));
  return out;
}

// (p, q) with exp(a) = q^-1 p, about.
std::pair<Array, Array> quotient(const Array& a, const std::vector<double>& b) {
  const Array square = matmul(a, a);
  Array even = b[0] * eye(rows_of(a), a.dtype()), odd = b[1] * eye(rows_of(a), a.dtype()), powers = square;
  for (std::size_t k = 2; k + 1 < b.size(); k += 2) {
    even = even + b[k] * powers;
    odd = odd + b[k + 1] * powers;
    if (k + 3 < b.size()) powers = matmul(powers, square);
  }
  odd = matmul(a, odd);
  return {even + odd, even - odd};
}

// Matrices of a chain of extents n[0] x n[1], n[1] x n[2] ...: where to cut for the fewest multiplications.
Array chain(const std::vector<Array>& xs, std::size_t first, std::size_t last,
            const std::vector<std::vector<std::size_t>>& cut) {
  if (first == last) return xs[first];
  const std::size_t at = cut[first][last];
  return matmul(chain(xs, first, at, cut), chain(xs, at + 1, last, cut));
}

}  // namespace

Array expm(const In& in, bool upper_triangular, int max_squarings) {
  CallScope scope(in.loc);
  return composite(
      "expm",
      [](const Array& given, bool triangular, int most) {
        if (rows_of(given) == 0) return given;
        const Array a = triangular ? triu(given) : given;
        const Pade pade = pade_of(a);
        const Array size = lax::stop_gradient(max(sum(abs(a), -2, true), {-2, -1}, true));
        const Array times = maximum(ceil(log2(maximum(size, 1e-30) / pade.norm)), 0);
        const auto [p, q] = quotient(a / exp2(times).astype(a.dtype()), pade.b);
        Array r = triangular ? solve_triangular(q, p) : solve(q, p);
        r = lax::scan(
                [](const std::pair<Array, Array>& now, const Array& step) {
                  const auto& [x, squarings] = now;
                  return std::pair{std::pair{where(step < squarings, matmul(x, x), x), squarings}, step};
                },
                std::pair{r, times}, arange(most).astype(times.dtype()))
                .first.first;
        return where(times > most, std::numeric_limits<double>::quiet_NaN(), r).astype(a.dtype());
      },
      inexact(need_square("expm", in.array)), upper_triangular, max_squarings);
}

Array tridiagonal_solve(const In& dl, const In& d, const In& du, const In& b) {
  CallScope scope(dl.loc);
  const Array rhs = inexact(b.array);
  for (const Array* x : {&dl.array, &d.array, &du.array})
    if (rhs.ndim() < 2 || x->shape() != joined(batch_of(rhs), {rows_of(rhs)}) || x->dtype() != rhs.dtype())
      raise<ShapeError>("tridiagonal_solve", "a diagonal is " + type_text(*x) + ", b is " + type_text(rhs),
                        "Diagonals have b's dims and dtype without its columns.");
  return composite(
      "tridiagonal_solve",
      [](const Array& below, const Array& diagonal, const Array& above, const Array& y) {
        using Row = std::pair<Array, Array>;  // what stands above the diagonal, and b, once the row is eliminated
        auto rows = [](const Array& x) { return moveaxis(x, -1, 0); };
        const Array columns = moveaxis(y, -2, 0);
        const Row start{zeros_like(rows(diagonal)(0)), zeros_like(columns(0))};
        const Row made =
            lax::scan(
                [](const Row& before, const std::tuple<Array, Array, Array, Array>& row) {
                  const auto& [l, m, u, v] = row;
                  const Array pivot = m - l * before.first;
                  const Row now{u / pivot, (v - expand_dims(l, -1) * before.second) / expand_dims(pivot, -1)};
                  return std::pair{now, now};
                },
                start, std::tuple{rows(below), rows(diagonal), rows(above), columns})
                .second;
        const Array x = lax::scan(
                            [](const Array& next, const Row& row) {
                              const Array now = row.second - expand_dims(row.first, -1) * next;
                              return std::pair{now, now};
                            },
                            start.second, made, {.reverse = true})
                            .second;
        return moveaxis(x, 0, -2);
      },
      dl.array, d.array, du.array, rhs);
}

Array matrix_power(const In& in, Dim n) {
  CallScope scope(in.loc);
  Array a = need_square("matrix_power", in.array);
  if (n == 0) return broadcast_to(eye(rows_of(a), a.dtype()), a.shape());
  if (n < 0) a = inv(a);
  Array out;
  for (std::uint64_t left = extent::magnitude(n); left; left >>= 1) {
    if (left & 1) out = out.has_value() ? matmul(out, a) : a;
    if (left > 1) a = matmul(a, a);
  }
  return out;
}

Array multi_dot(const ArrayList& list) {
  CallScope scope(list.loc);
  std::vector<Array> xs = list.arrays;
  const std::size_t n = xs.size();
  if (n < 2) raise<ValueError>("multi_dot", std::to_string(n) + " arrays", "Give two or more.");
  const bool row = xs[0].ndim() == 1, column = xs[n - 1].ndim() == 1;
  if (row) xs[0] = expand_dims(xs[0], 0);
  if (column) xs[n - 1] = expand_dims(xs[n - 1], -1);
  std::vector<double> extents;
  for (std::size_t i = 0; i < n; ++i) {
    if (xs[i].ndim() != 2 || (i && xs[i].shape()[0] != xs[i - 1].shape()[1]))
      raise<ShapeError>("multi_dot", "array " + std::to_string(i) + " is " + type_text(list.arrays[i]),
                        "All are matrices (the first and last may be vectors) whose rows are the columns before them.");
    extents.push_back(static_cast<double>(xs[i].shape()[0]));
  }
  extents.push_back(static_cast<double>(xs[n - 1].shape()[1]));
  std::vector<std::vector<double>> cost(n, std::vector<double>(n, 0));
  std::vector<std::vector<std::size_t>> cut(n, std::vector<std::size_t>(n, 0));
  for (std::size_t length = 1; length < n; ++length)
    for (std::size_t i = 0; i + length < n; ++i) {
      const std::size_t j = i + length;
      cost[i][j] = std::numeric_limits<double>::infinity();
      for (std::size_t k = i; k < j; ++k) {
        const double c = cost[i][k] + cost[k + 1][j] + extents[i] * extents[k + 1] * extents[j + 1];
        if (!(c < cost[i][j])) continue;
        cost[i][j] = c;
        cut[i][j] = k;
      }
    }
  Array out = chain(xs, 0, n - 1, cut);
  if (column) out = squeeze(out, 1);
  return row ? squeeze(out, 0) : out;
}

Array block_diag(const ArrayList& list) {
  CallScope scope(list.loc);
  std::vector<Array> blocks;
  std::int64_t cols = 0, before = 0;
  for (const Array& x : list.arrays) {
    if (x.ndim() > 2)
      raise<ShapeError>("block_diag", "a block is " + type_text(x), "Blocks are matrices, vectors or scalars.");
    blocks.push_back(x.reshape(Shape{x.ndim() == 2 ? x.shape()[0] : 1, x.ndim() ? x.shape().back() : 1}));
    cols += cols_of(blocks.back());
  }
  if (blocks.empty()) return zeros({1, 0});
  for (Array& b : blocks) {
    const std::int64_t own = cols_of(b);
    b = pad(b, PadWidths{{0, 0}, {before, cols - before - own}});
    before += own;
  }
  return concatenate(blocks, 0);
}

Array toeplitz(const In& c) {
  CallScope scope(c.loc);
  return toeplitz(c.array, conj(c.array));
}
Array toeplitz(const In& c, const In& r) {
  CallScope scope(c.loc);
  if (c.array.ndim() < 1 || r.array.ndim() < 1)
    raise<ShapeError>("toeplitz", "c is " + type_text(c.array) + ", r is " + type_text(r.array), "They are vectors.");
  const std::int64_t m = cols_of(c.array), n = cols_of(r.array);
  const Shape batch = broadcast_shapes({batch_of(c.array, 1), batch_of(r.array, 1)});
  if (m == 0 || n == 0) return zeros(joined(batch, {m, n}), c.array.dtype());
  const Array column = broadcast_to(c.array, joined(batch, {m})), row = broadcast_to(r.array, joined(batch, {n}));
  // r backwards without its first element, then c: element (i, j) is number i - j + n - 1.
  const Array all_values = concatenate({flip(row(ellipsis, slice(1, none)), -1), column}, -1);
  const Array at = expand_dims(arange(m), 1) - arange(n) + static_cast<int>(n - 1);
  return take(all_values, at, -1);
}

}  // namespace tutti::linalg

// SPDX-License-Identifier: Apache-2.0
