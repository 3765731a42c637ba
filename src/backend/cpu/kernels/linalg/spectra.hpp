// Singular values, eigenvalues and their vectors of one row-major matrix, by LAPACK. A NaN comes out where it does not
// converge; nothing throws.
#pragma once

#include "backend/cpu/kernels/linalg/lapack.hpp"

namespace tutti::kernels {

/// T: float, double, std::complex of either.
template <class T> struct Spectra {
  /// Singular values, descending, and where u is given the vectors: u (m x k), vh (k x n), k = min(m, n); where `full`
  /// both square.
  static void svd(int m, int n, bool full, const T* a, Real<T>* s, T* u, T* vh, Workspace<T>& w,
                  bool on_workers = false);

  /// Eigenvalues, ascending, and where v is given the eigenvectors as its columns, of a Hermitian matrix of which one
  /// triangle is read.
  static void eigh(int n, bool lower, const T* a, Real<T>* w, T* v, Workspace<T>& space, bool on_workers = false);

  /// Eigenvalues and, where they are given, left and right eigenvectors of length 1 as columns.
  static void eig(int n, const T* a, std::complex<Real<T>>* w, std::complex<Real<T>>* left,
                  std::complex<Real<T>>* right, Workspace<T>& space);
};

}  // namespace tutti::kernels

// SPDX-License-Identifier: Apache-2.0
