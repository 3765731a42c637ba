// Reverse mode with fewer residuals: stretches of a scan, each behind a remat, so that only the carries between them
// are kept.
#include <cmath>

#include "regions/calls.hpp"
#include "regions/lists.hpp"
#include "regions/loops.hpp"
#include "tutti/lax/lax.hpp"

namespace tutti::ops {
namespace {

using Arrays = std::vector<Array>;

Array rows(const Array& x, std::int64_t first, std::int64_t last) {
  if (first == 0 && last == x.shape()[0]) return x;
  std::vector<std::int64_t> start(static_cast<std::size_t>(x.ndim()), 0), limit = x.shape().dims();
  start[0] = first;
  limit[0] = last;
  return lax::slice(x, start, limit);
}

}  // namespace

Arrays checkpointed_scan(const Scan& p, const Arrays& operands, const ProgramPtr& body, std::int64_t every) {
  if (p.length == 0) return bind(scan, p, operands, {body});
  const std::int64_t root = std::llround(std::ceil(std::sqrt(static_cast<double>(p.length))));
  const std::int64_t steps = std::min(every < 0 ? root : every, p.length);
  const std::int64_t stretches = p.length / steps, whole = stretches * steps, rest = p.length - whole;
  const auto consts = static_cast<std::size_t>(p.consts), carries = static_cast<std::size_t>(p.carries);
  const Arrays fixed = first_of(operands, consts + carries), xs = without_first(operands, consts + carries);

  // A scan of so many steps, computed again where its derivative is taken.
  auto stretch = [&](std::int64_t length, const Arrays& x) {
    Scan part = p;
    part.length = length;
    std::vector<Type> types;
    for (const Array& a : x) types.push_back(a.type());
    return bind(remat, Remat{}, x, {program_of(scan, part, types, {body})});
  };
  // The first steps are those at the end of the arrays when the scan is reversed.
  const std::int64_t first = p.reverse ? rest : 0;
  Arrays in = fixed;
  for (const Array& x : xs) {
    Shape shape = x.shape();
    shape[0] = steps;
    shape.insert(0, stretches);
    in.push_back(lax::reshape(rows(x, first, first + whole), shape));
  }
  std::vector<Type> types = first_of(body->input_types(), consts + carries);
  for (const Array& x : without_first(in, consts + carries)) types.push_back(element_of(x.type()));
  const ProgramPtr one = recorded("scan", types, [&](const Arrays& x) { return stretch(steps, x); });
  Scan outer = p;
  outer.length = stretches;
  outer.unroll = 1;
  Arrays out = bind(scan, outer, in, {one});
  for (std::size_t k = carries; k < out.size(); ++k) {
    Shape shape = out[k].shape();
    shape.erase(0);
    shape[0] = whole;
    out[k] = lax::reshape(out[k], shape);
  }
  if (rest == 0) return out;
  Arrays last = first_of(operands, consts);
  append(last, first_of(out, carries));
  for (const Array& x : xs) last.push_back(p.reverse ? rows(x, 0, rest) : rows(x, whole, p.length));
  const Arrays end = stretch(rest, last);
  for (std::size_t k = 0; k < out.size(); ++k) {
    if (k < carries)
      out[k] = end[k];
    else
      out[k] = p.reverse ? lax::concatenate({end[k], out[k]}, 0) : lax::concatenate({out[k], end[k]}, 0);
  }
  return out;
}

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
