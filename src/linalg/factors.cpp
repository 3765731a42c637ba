// Factorizations and what is made of one of them.
#include "linalg/inexact.hpp"
#include "tutti/transform/composite.hpp"

namespace tutti::linalg {
namespace {

Array symmetrized(const Array& a) { return (a + adjoint(a)) / 2; }
bool lower_of(const char* function, char uplo) {
  if (uplo != 'L' && uplo != 'U')
    raise<ValueError>(function, std::string("uplo is '") + uplo + "'", "It is 'L' or 'U': the triangle that is read.");
  return uplo == 'L';
}

}  // namespace

Array cholesky(const In& in, bool upper, bool symmetrize_input) {
  CallScope scope(in.loc);
  return composite(
      "cholesky",
      [](const Array& x, bool up, bool symmetrize) {
        const Array l = lax::linalg::cholesky(symmetrize ? symmetrized(x) : x);
        return up ? adjoint(l) : l;
      },
      inexact(need_square("cholesky", in.array)), upper, symmetrize_input);
}

Qr qr(const In& in, const std::string& mode) {
  CallScope scope(in.loc);
  if (mode != "reduced" && mode != "complete" && mode != "r")
    raise<ValueError>("qr", "there is no mode '" + mode + "'", "Modes are reduced, complete and r.");
  Qr out = lax::linalg::qr(inexact(need_matrices("qr", in.array)), mode == "complete");
  if (mode == "r") out.q = Array();
  return out;
}

Svd svd(const In& in, bool full_matrices, bool hermitian) {
  CallScope scope(in.loc);
  const Array a = inexact(need_matrices("svd", in.array));
  if (!hermitian) return lax::linalg::svd(a, full_matrices);
  const auto [w, v] = eigh(a);
  const Array order = flip(argsort(abs(w)), -1), columns = expand_dims(order, -2);
  const Array signs = take_along_axis(sign(w), order, -1), u = take_along_axis(v, columns, -1);
  return {u, take_along_axis(abs(w), order, -1), adjoint(u * expand_dims(signs, -2).astype(u.dtype()))};
}
Array svdvals(const In& in, bool hermitian) {
  CallScope scope(in.loc);
  const Array a = inexact(need_matrices("svd", in.array));
  return hermitian ? flip(sort(abs(eigvalsh(a))), -1) : lax::linalg::svdvals(a);
}

Eigh eigh(const In& in, Uplo uplo, bool symmetrize_input) {
  CallScope scope(in.loc);
  const Array a = inexact(need_square("eigh", in.array));
  return lax::linalg::eigh(symmetrize_input ? symmetrized(a) : a, lower_of("eigh", uplo.letter));
}
Array eigvalsh(const In& in, Uplo uplo) {
  CallScope scope(in.loc);
  const Array a = inexact(need_square("eigvalsh", in.array));
  return lax::linalg::eigvalsh(symmetrized(a), lower_of("eigvalsh", uplo.letter));
}
Eigh eig(const In& in) {
  CallScope scope(in.loc);
  const auto out = lax::linalg::eig(inexact(need_square("eig", in.array)), false, true);
  return {out.w, out.right};
}
Array eigvals(const In& in) {
  CallScope scope(in.loc);
  return lax::linalg::eig(inexact(need_square("eigvals", in.array)), false, false).w;
}
Array eigvalsh_tridiagonal(const In& d, const In& e) {
  CallScope scope(d.loc);
  const auto [diagonal, beside] = inexact(d.array, e.array);
  if (diagonal.ndim() != 1 || beside.ndim() != 1 || beside.size() + 1 != diagonal.size())
    raise<ShapeError>("eigvalsh_tridiagonal", "d is " + type_text(diagonal) + ", e " + type_text(beside),
                      "Vectors of n and n - 1 elements.");
  return lax::linalg::eigvalsh(diag(diagonal) + diag(beside, -1));
}

PLU lu(const In& in) {
  CallScope scope(in.loc);
  const Array a = inexact(need_matrices("lu", in.array));
  const auto [both, pivots, permutation] = lax::linalg::lu(a);
  const std::int64_t m = rows_of(a), n = cols_of(a), k = std::min(m, n);
  const Array l = tril(both(ellipsis, slice(k)), -1) + eye(m, k, 0, a.dtype());
  const Array p = astype(expand_dims(permutation, -2) == expand_dims(arange(m), -1), real_dtype(a));
  return {p, l, triu(both(ellipsis, slice(k), all))};
}
LuFactor lu_factor(const In& in) {
  CallScope scope(in.loc);
  const auto out = lax::linalg::lu(inexact(need_square("lu_factor", in.array)));
  return {out.lu, out.pivots};
}

ChoFactor cho_factor(const In& a, bool lower) {
  CallScope scope(a.loc);
  if (lower) return {cholesky(a.array, false, false), true};
  need_square("cho_factor", a.array);
  return {adjoint(cholesky(adjoint(a.array), false, false)), false};
}

}  // namespace tutti::linalg

// SPDX-License-Identifier: Apache-2.0
