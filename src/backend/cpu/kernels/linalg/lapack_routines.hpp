// The routines of LAPACK and BLAS that lapack.cpp calls, by element type. Fortran passes everything by address, and
// behind the last argument the lengths of the texts. OpenBLAS is loaded when the first of them is called: its threads
// spin for a while when it comes, beside programs that never factor a matrix.
#pragma once

#include <atomic>
#include <complex>
#include <cstddef>
#include <string>
#include <type_traits>

#include "backend/cpu/kernels/linalg/lapack.hpp"

namespace tutti::kernels::lapack {

/// The address of a function of OpenBLAS. UnsupportedError where the library or the function is not there.
void* find(const std::string& name);

/// A routine by its name without the letter of its type. Found at its first call.
template <class Signature> class Routine;
template <class... A> class Routine<void(A...)> {
 public:
  constexpr Routine(char letter, const char* name) : letter_(letter), name_(name) {}
  void operator()(A... arguments) const {
    Address routine = address_.load(std::memory_order_acquire);
    if (!routine) {
      routine = reinterpret_cast<Address>(find(letter_ + std::string(name_) + "_"));
      address_.store(routine, std::memory_order_release);
    }
    routine(arguments...);
  }

 private:
  using Address = void (*)(A...);
  char letter_;
  const char* name_;
  mutable std::atomic<Address> address_ = nullptr;
};

template <class T> struct Routines {
  using Len = std::size_t;
  using In = const char*;
  using Int = const int*;
  using R = Real<T>;
  static constexpr bool complex = is_complex<T>;
  static constexpr char letter = std::is_same_v<R, float> ? (complex ? 'c' : 's') : (complex ? 'z' : 'd');
  template <class OfComplex, class OfReal> using Either = Routine<std::conditional_t<complex, OfComplex, OfReal>>;

  static constinit inline Routine<void(In, Int, T*, Int, int*, Len)> potrf{letter, "potrf"};
  static constinit inline Routine<void(In, In, In, In, Int, Int, const T*, const T*, Int, T*, Int, Len, Len, Len, Len)>
      trsm{letter, "trsm"};
  static constinit inline Routine<void(In, In, Int, Int, Int, const T*, const T*, Int, const T*, Int, const T*, T*, Int,
                                       Len, Len)>
      gemm{letter, "gemm"};
  static constinit inline Routine<void(Int, Int, T*, Int, int*, int*)> getrf{letter, "getrf"};
  static constinit inline Routine<void(Int, Int, T*, Int, T*, T*, Int, int*)> geqrf{letter, "geqrf"};
  static constinit inline Routine<void(Int, Int, Int, T*, Int, const T*, T*, Int, int*)> orgqr{
      letter, complex ? "ungqr" : "orgqr"};
  static constinit inline Either<void(In, Int, Int, T*, Int, R*, T*, Int, T*, Int, T*, Int, R*, int*, int*, Len),
                                 void(In, Int, Int, T*, Int, R*, T*, Int, T*, Int, T*, Int, int*, int*, Len)>
      gesdd{letter, "gesdd"};
  static constinit inline Either<void(In, In, Int, T*, Int, R*, T*, Int, R*, Int, int*, Int, int*, Len, Len),
                                 void(In, In, Int, T*, Int, R*, T*, Int, int*, Int, int*, Len, Len)>
      syevd{letter, complex ? "heevd" : "syevd"};
  static constinit inline Either<void(In, In, Int, T*, Int, T*, T*, Int, T*, Int, T*, Int, R*, int*, Len, Len),
                                 void(In, In, Int, T*, Int, R*, R*, T*, Int, T*, Int, T*, Int, int*, Len, Len)>
      geev{letter, "geev"};

  // Steps of syevd and gesdd, of real matrices.
  static constinit inline Routine<void(In, Int, T*, Int, T*, T*, T*, T*, Int, int*, Len)> sytrd{letter, "sytrd"};
  static constinit inline Routine<void(In, Int, T*, T*, T*, Int, T*, Int, int*, Int, int*, Len)> stedc{letter, "stedc"};
  static constinit inline Routine<void(Int, T*, T*, Int, int*, const T*, Int, T*, int*, int*)> laed1{letter, "laed1"};
  static constinit inline Routine<void(Int, Int, T*, Int, T*, T*, T*, T*, T*, Int, int*)> gebrd{letter, "gebrd"};
  static constinit inline Routine<void(In, In, Int, T*, T*, T*, Int, T*, Int, T*, int*, T*, int*, int*, Len, Len)>
      bdsdc{letter, "bdsdc"};
};

}  // namespace tutti::kernels::lapack

// SPDX-License-Identifier: Apache-2.0
