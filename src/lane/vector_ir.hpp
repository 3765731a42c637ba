// What the body of an elementwise kernel may say. The CPU engine turns it into vector instructions; the op's home uses
// it.
#pragma once

#include <cstdint>

#include "tutti/base/dtype.hpp"

namespace tutti {

/// A virtual register: one value per lane. `id` belongs to the VectorIR that made it.
struct Reg {
  int id = -1;
  DType dtype = float32;
};

/// Builder of straight-line lane code. Operands of one instruction have equal dtypes; comparisons give bool_. 16-bit
/// floats are computed in float32 by the engine, so homes see float32 or float64 there. Sums are IEEE: never
/// contracted; `fma` is explicit.
class VectorIR {
 public:
  enum class Un { neg, abs, sqrt, floor, ceil, round_even, trunc, not_, popcount, clz };
  enum class Bin {
    add,
    sub,
    mul,
    div,
    rem,
    min,
    max,
    and_,
    or_,
    xor_,
    shl,
    shr_logical,
    shr_arithmetic,
    scale
  };  // min, max: NaN wins; integer div truncates; x/0 = -1 (unsigned: all ones), x%0 = x; scale: x 2^y, y whole from
      // -252 to 254 (float64: -2044 to 2046), rounded once
  enum class Cmp { eq, ne, lt, le, gt, ge };
  virtual ~VectorIR() = default;

  virtual Reg constant(DType dtype, double value) = 0;
  virtual Reg constant_int(DType dtype, std::int64_t value) = 0;
  virtual Reg unary(Un op, Reg x) = 0;
  virtual Reg binary(Bin op, Reg x, Reg y) = 0;
  virtual Reg compare(Cmp op, Reg x, Reg y) = 0;
  virtual Reg select(Reg condition, Reg if_true, Reg if_false) = 0;
  virtual Reg fma(Reg a, Reg b, Reg c) = 0;
  virtual Reg convert(Reg x, DType dtype) = 0;  // numeric, as astype does
  virtual Reg bitcast(Reg x, DType dtype) = 0;  // same size
  // A function found by name: of the C library, lane by lane (lane/library.cpp), or of all lanes at once
  // (lane/lane_functions.hpp). Same function as the op's eval.
  virtual Reg library(const char* name, Reg x) = 0;
  virtual Reg library(const char* name, Reg x, Reg y) = 0;
  virtual Reg library(const char* name, Reg x, Reg y, Reg z) = 0;
  // library(name, x) in lanes where `condition` holds, `otherwise` in the others; of a function of two numbers,
  // library(name, x, otherwise). An engine may branch around the call when no lane needs it.
  virtual Reg rare(Reg condition, const char* name, Reg x, Reg otherwise) = 0;
  // What is recorded between these is read only by what stands there too, and by a select of `condition`: an engine may
  // branch around it when no lane needs it.
  virtual void begin_unlikely(Reg condition) = 0;
  virtual void end_unlikely() = 0;

  Reg add(Reg x, Reg y) { return binary(Bin::add, x, y); }
  Reg sub(Reg x, Reg y) { return binary(Bin::sub, x, y); }
  Reg mul(Reg x, Reg y) { return binary(Bin::mul, x, y); }
  Reg div(Reg x, Reg y) { return binary(Bin::div, x, y); }
  Reg min(Reg x, Reg y) { return binary(Bin::min, x, y); }
  Reg max(Reg x, Reg y) { return binary(Bin::max, x, y); }
};

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
