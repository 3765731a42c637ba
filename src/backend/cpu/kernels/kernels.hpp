// Kernels of ops: what the CPU runs in place of their plain eval, with the same meaning.
#pragma once

#include <span>
#include <vector>

#include "ir/op.hpp"

namespace tutti::ops {}
namespace tutti::kernels {

using namespace ops;  // a kernel is the other form of an op's eval: it speaks of the op's parameters

/// As Op::eval.
using Kernel = void(const Call& call, std::span<const HostView> operands, std::span<const HostView> results);

/// The kernel for such a call, or nullptr: then eval is all there is.
Kernel* kernel_of(const Call& call);
/// The ops with a kernel for every call; others have one for some (a dot_general of integers, functions of complex
/// numbers).
std::vector<const Op*> ops_with_kernels();
/// Runs one Eqn by its kernel, or by eval where it has none. UnsupportedError when there is neither.
void run(const Eqn& eqn, const std::vector<Type>& operand_types, std::span<const HostView> operands,
         std::span<const HostView> results);

// --- what they are kernels of, and where
Kernel sort;                                   // sorting/sort_rows.cpp
Kernel search;                                 // sorting/search.cpp
Kernel bincount;                               // bincount.cpp
Kernel true_positions;                         // true_positions.cpp
Kernel cumsum;                                 // cumsum.cpp
Kernel pad;                                    // pad.cpp
Kernel fft;                                    // fft/fft.cpp
Kernel cholesky, lu, qr, det, slogdet;         // linalg/factors.cpp
Kernel triangular_solve, solve, direct_solve;  // linalg/solves.cpp
Kernel svd, eigh, eig;                         // linalg/decompositions.cpp
Kernel hessenberg, tridiagonal, schur;         // linalg/forms.cpp
Kernel integer_product;                        // integer_product.cpp: dot_general of many integers
Kernel complex_function;                       // elementwise.cpp: functions of complex numbers
Kernel elementwise;                            // elementwise.cpp: eval, on all workers
bool is_integer_product(const Call& call);
bool has_complex_function(const Call& call);
bool is_shared_out(const Call& call);  // elementwise.cpp

}  // namespace tutti::kernels

// SPDX-License-Identifier: Apache-2.0
