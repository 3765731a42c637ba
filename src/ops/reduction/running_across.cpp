#include "ops/reduction/running_across.hpp"

#include "array/literal.hpp"
#include "ops/elementwise/convert.hpp"
#include "ops/movement/dynamic_slice.hpp"
#include "ops/movement/movement.hpp"
#include "ops/reduction/cumsum.hpp"

namespace tutti::ops {
namespace {

using Arrays = std::vector<Array>;

Array everywhere(const Array& scalar, const Shape& shape) { return lax::broadcast_in_dim(scalar, shape, {}); }

Shape row_of(const Array& x, int dim) {
  Shape out = x.shape();
  out[dim] = 1;
  return out;
}

// The block, with `neutral` where it is padding.
Array without_padding(const Array& x, const Line& line, const Scalar& neutral) {
  const std::int64_t block = x.shape()[line.dim];
  if (block * line.blocks == line.extent) return x;
  const Array left = lax::sub(literal(int32, static_cast<double>(line.extent)),
                              lax::mul(line.position(), literal(int32, static_cast<double>(block))));
  const Array counts = lax::lt(lax::iota(int32, x.shape(), line.dim), everywhere(left, x.shape()));
  return lax::select(counts, x, everywhere(array_from_scalar(neutral.to(x.dtype()), false), x.shape()));
}

}  // namespace

std::shared_ptr<const Across> running_across(std::function<Array(const Array&, const Array&)> join,
                                             std::function<Scalar(DType)> neutral) {
  Across out;
  out.padded = true;
  out.run = [=](const Call& c, const Arrays& blocks, const Line& line) -> Arrays {
    const auto& p = c.get<Cumulative>();
    const DType dtype = blocks[0].dtype();
    const Scalar none = neutral(dtype);
    // From the front padding comes last, and what it makes goes nowhere.
    const Array here = bind1(c.op, p, {p.reverse ? without_padding(blocks[0], line, none) : blocks[0]});
    Dims start(here.shape().size(), 0), limit = here.shape().dims();
    start[p.axis] = p.reverse ? 0 : here.shape()[p.axis] - 1;
    limit[p.axis] = start[p.axis] + 1;
    const Array all = bind1(c.op, Cumulative{0, p.reverse}, {line.gathered(lax::slice(here, start, limit))});
    const Array zero = literal(int32, 0), last = literal(int32, static_cast<double>(line.blocks - 1));
    const Array one = literal(int32, 1), position = line.position();
    const Array at = p.reverse ? lax::min(lax::add(position, one), last) : lax::max(lax::sub(position, one), zero);
    Arrays operands(all.shape().size() + 1, zero);
    operands[0] = all;
    operands[1] = at;
    Array before = lax::reshape(bind1(dynamic_slice, DynamicSlice{row_of(all, 0)}, operands), row_of(here, p.axis));
    const Array any = p.reverse ? lax::lt(position, last) : lax::gt(position, zero);
    const Dims dims = range(0, here.ndim());
    if (!dtype.is_complex()) {
      const Array fill = everywhere(array_from_scalar(none.to(dtype), false), before.shape());
      before = lax::select(everywhere(any, before.shape()), before, fill);
      return {join(lax::broadcast_in_dim(before, here.shape(), dims), here)};
    }
    // Of infinite parts products with 1 are no numbers.
    const Array joined = join(lax::broadcast_in_dim(before, here.shape(), dims), here);
    return {lax::select(everywhere(any, here.shape()), joined, here)};
  };
  out.received = [](const Call& c, int, std::int64_t blocks) {
    const double rows = static_cast<double>(c.operands[0].shape[c.get<Cumulative>().axis]);
    return static_cast<double>(blocks - 1) * static_cast<double>(c.operands[0].nbytes()) / rows;
  };
  return std::make_shared<const Across>(std::move(out));
}

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
