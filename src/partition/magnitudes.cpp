#include "partition/magnitudes.hpp"

#include <algorithm>
#include <cmath>

namespace tutti {
namespace {

// What lies outside may be rounded to zero or to infinity in some dtype.
constexpr double smallest = 1e-4, largest = 65504;

Magnitude of_scalar(const Scalar& s) {
  if (s.dtype.is_complex()) return {};
  double x = std::abs(s.as<double>());
  return {x, x};
}

// Movement: the elements are those of the operands of the same dtype.
Magnitude of_moved(const Call& call, DType dtype, const std::vector<Magnitude>& operands) {
  Magnitude out{std::numeric_limits<double>::infinity(), -1};
  for (std::size_t o = 0; o < operands.size(); ++o) {
    if (call.operands[o].dtype != dtype) continue;
    out = {std::min(out.least, operands[o].least), std::max(out.most, operands[o].most)};
  }
  return out.most < 0 ? Magnitude{} : out;
}

}  // namespace

Magnitude magnitude_of(const Atom& a, const std::vector<Magnitude>& values) {
  if (a.is_literal()) return of_scalar(a.literal);
  return values.empty() ? Magnitude{} : values[a.id];
}

std::vector<Magnitude> magnitudes(const Program& program) {
  std::vector<Magnitude> out(program.types.size());
  for (std::size_t v = 0; v < out.size(); ++v)
    if (program.types[v].dtype.is_bool()) out[v].most = 1;
  for (const Eqn& e : program.eqns) {
    if (e.results.empty() || !(e.op->magnitude || e.op->movement)) continue;
    std::vector<Magnitude> operands;
    std::vector<Type> types;
    for (const Atom& a : e.operands) {
      operands.push_back(magnitude_of(a, out));
      types.push_back(program.type(a));
    }
    const Call call{*e.op, e.params, types, e.subs};
    const DType dtype = program.types[e.results[0]].dtype;
    Magnitude m = e.op->magnitude ? e.op->magnitude(call, operands) : of_moved(call, dtype, operands);
    if (!(m.least >= smallest)) m.least = 0;
    if (!(m.most <= largest)) m.most = std::numeric_limits<double>::infinity();
    out[e.results[0]] = m;
  }
  return out;
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
