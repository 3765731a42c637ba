// The routines of LAPACK and BLAS that lapack.cpp calls, by element type. Fortran passes everything by address, and
// behind the last argument the lengths of the texts. Declared here because lapacke.h and cblas.h are packages of their
// own; no other file includes this one.
#pragma once

#include <complex>
#include <cstddef>

extern "C" {
using C64 = std::complex<float>;
using C128 = std::complex<double>;
using Len = std::size_t;
void openblas_set_num_threads(int);

void spotrf_(const char*, const int*, float*, const int*, int*, Len);
void dpotrf_(const char*, const int*, double*, const int*, int*, Len);
void cpotrf_(const char*, const int*, C64*, const int*, int*, Len);
void zpotrf_(const char*, const int*, C128*, const int*, int*, Len);

void strsm_(const char*, const char*, const char*, const char*, const int*, const int*, const float*, const float*,
            const int*, float*, const int*, Len, Len, Len, Len);
void dtrsm_(const char*, const char*, const char*, const char*, const int*, const int*, const double*, const double*,
            const int*, double*, const int*, Len, Len, Len, Len);
void ctrsm_(const char*, const char*, const char*, const char*, const int*, const int*, const C64*, const C64*,
            const int*, C64*, const int*, Len, Len, Len, Len);
void ztrsm_(const char*, const char*, const char*, const char*, const int*, const int*, const C128*, const C128*,
            const int*, C128*, const int*, Len, Len, Len, Len);

void sgetrf_(const int*, const int*, float*, const int*, int*, int*);
void dgetrf_(const int*, const int*, double*, const int*, int*, int*);
void cgetrf_(const int*, const int*, C64*, const int*, int*, int*);
void zgetrf_(const int*, const int*, C128*, const int*, int*, int*);

void sgeqrf_(const int*, const int*, float*, const int*, float*, float*, const int*, int*);
void dgeqrf_(const int*, const int*, double*, const int*, double*, double*, const int*, int*);
void cgeqrf_(const int*, const int*, C64*, const int*, C64*, C64*, const int*, int*);
void zgeqrf_(const int*, const int*, C128*, const int*, C128*, C128*, const int*, int*);

void sorgqr_(const int*, const int*, const int*, float*, const int*, const float*, float*, const int*, int*);
void dorgqr_(const int*, const int*, const int*, double*, const int*, const double*, double*, const int*, int*);
void cungqr_(const int*, const int*, const int*, C64*, const int*, const C64*, C64*, const int*, int*);
void zungqr_(const int*, const int*, const int*, C128*, const int*, const C128*, C128*, const int*, int*);

void sgesdd_(const char*, const int*, const int*, float*, const int*, float*, float*, const int*, float*, const int*,
             float*, const int*, int*, int*, Len);
void dgesdd_(const char*, const int*, const int*, double*, const int*, double*, double*, const int*, double*,
             const int*, double*, const int*, int*, int*, Len);
void cgesdd_(const char*, const int*, const int*, C64*, const int*, float*, C64*, const int*, C64*, const int*, C64*,
             const int*, float*, int*, int*, Len);
void zgesdd_(const char*, const int*, const int*, C128*, const int*, double*, C128*, const int*, C128*, const int*,
             C128*, const int*, double*, int*, int*, Len);

void ssyevd_(const char*, const char*, const int*, float*, const int*, float*, float*, const int*, int*, const int*,
             int*, Len, Len);
void dsyevd_(const char*, const char*, const int*, double*, const int*, double*, double*, const int*, int*, const int*,
             int*, Len, Len);
void cheevd_(const char*, const char*, const int*, C64*, const int*, float*, C64*, const int*, float*, const int*, int*,
             const int*, int*, Len, Len);
void zheevd_(const char*, const char*, const int*, C128*, const int*, double*, C128*, const int*, double*, const int*,
             int*, const int*, int*, Len, Len);

void sgeev_(const char*, const char*, const int*, float*, const int*, float*, float*, float*, const int*, float*,
            const int*, float*, const int*, int*, Len, Len);
void dgeev_(const char*, const char*, const int*, double*, const int*, double*, double*, double*, const int*, double*,
            const int*, double*, const int*, int*, Len, Len);
void cgeev_(const char*, const char*, const int*, C64*, const int*, C64*, C64*, const int*, C64*, const int*, C64*,
            const int*, float*, int*, Len, Len);
void zgeev_(const char*, const char*, const int*, C128*, const int*, C128*, C128*, const int*, C128*, const int*, C128*,
            const int*, double*, int*, Len, Len);
}

namespace tutti::ops::lapack {

template <class T> struct Routines;
template <> struct Routines<float> {
  static constexpr auto* potrf = spotrf_;
  static constexpr auto* trsm = strsm_;
  static constexpr auto* getrf = sgetrf_;
  static constexpr auto* geqrf = sgeqrf_;
  static constexpr auto* orgqr = sorgqr_;
  static constexpr auto* gesdd = sgesdd_;
  static constexpr auto* syevd = ssyevd_;
  static constexpr auto* geev = sgeev_;
};
template <> struct Routines<double> {
  static constexpr auto* potrf = dpotrf_;
  static constexpr auto* trsm = dtrsm_;
  static constexpr auto* getrf = dgetrf_;
  static constexpr auto* geqrf = dgeqrf_;
  static constexpr auto* orgqr = dorgqr_;
  static constexpr auto* gesdd = dgesdd_;
  static constexpr auto* syevd = dsyevd_;
  static constexpr auto* geev = dgeev_;
};
template <> struct Routines<C64> {
  static constexpr auto* potrf = cpotrf_;
  static constexpr auto* trsm = ctrsm_;
  static constexpr auto* getrf = cgetrf_;
  static constexpr auto* geqrf = cgeqrf_;
  static constexpr auto* orgqr = cungqr_;
  static constexpr auto* gesdd = cgesdd_;
  static constexpr auto* syevd = cheevd_;
  static constexpr auto* geev = cgeev_;
};
template <> struct Routines<C128> {
  static constexpr auto* potrf = zpotrf_;
  static constexpr auto* trsm = ztrsm_;
  static constexpr auto* getrf = zgetrf_;
  static constexpr auto* geqrf = zgeqrf_;
  static constexpr auto* orgqr = zungqr_;
  static constexpr auto* gesdd = zgesdd_;
  static constexpr auto* syevd = zheevd_;
  static constexpr auto* geev = zgeev_;
};

}  // namespace tutti::ops::lapack
