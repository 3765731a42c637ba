#include "tutti/numpy/segments.hpp"

#include <algorithm>
#include <limits>

#include "array/node.hpp"
#include "numpy/dims.hpp"
#include "numpy/promotion.hpp"
#include "ops/movement/movement.hpp"
#include "tutti/lax/complex.hpp"
#include "tutti/lax/control_flow.hpp"
#include "tutti/lax/lax.hpp"
#include "tutti/numpy/numpy.hpp"
#include "tutti/transform/composite.hpp"

namespace tutti {

namespace {

Array segments(const char* name, const In& x, const In& ids, const SegmentOptions& o, lax::ScatterKind kind,
               const Array& start) {
  CallScope scope(x.loc, {"", name, 0});
  const Array& id = ids.array;
  if (!id.dtype().is_integer()) raise<TypeError>(name, "the ids are " + id.type().str(), "They are integers.");
  if (id.ndim() != 1 || x.array.ndim() == 0 || x.array.shape()[0] != id.size())
    raise<ShapeError>(name, "the ids are " + id.type().str() + " for " + x.array.type().str(),
                      "Give one id per slice along dim 0.");
  if (!o.num_segments && id.is_traced())
    raise<TracerError>(name, "the size of the result depends on the values of " + id.type().str(),
                       "Give .num_segments.");
  std::int64_t n = o.num_segments ? o.num_segments->value : 0;
  if (!o.num_segments && id.size()) n = max(id).item<std::int64_t>() + 1;
  if (n < 0) raise<ValueError>(name, std::to_string(n) + " segments", "Ask for 0 or more.");
  Shape shape = x.array.shape();
  shape[0] = n;
  if (n == 0) return lax::broadcast_in_dim(start, shape, {});
  lax::ScatterDims dims;
  for (int d = 1; d < x.array.ndim(); ++d) dims.update_window_dims.push_back(d);
  dims.inserted_window_dims = dims.scatter_dims_to_operand_dims = {0};
  return lax::scatter(lax::broadcast_in_dim(start, shape, {}), expand_dims(id, 1), x.array, dims,
                      kind);  // negative ids lie outside
}
// The least or the greatest number: what a maximum or minimum of nothing gives.
Array extreme(const Array& x, bool least) {
  if (x.dtype().is_complex())  // the imaginary part of neither counts
    return lax::convert_element_type(extreme(lax::real(x), least), x.dtype());
  const Array nothing = ops::zeros(x.dtype(), {0});
  return least ? lax::reduce_max(nothing, {0}) : lax::reduce_min(nothing, {0});
}

}  // namespace

Array segment_sum(const In& x, const In& ids, const SegmentOptions& o) {
  return segments("segment_sum", x, ids, o, lax::ScatterKind::add, ops::literal(x.array.dtype(), 0));
}
Array segment_prod(const In& x, const In& ids, const SegmentOptions& o) {
  return segments("segment_prod", x, ids, o, lax::ScatterKind::mul, ops::literal(x.array.dtype(), 1));
}
Array segment_max(const In& x, const In& ids, const SegmentOptions& o) {
  return segments("segment_max", x, ids, o, lax::ScatterKind::max, extreme(x.array, true));
}
Array segment_min(const In& x, const In& ids, const SegmentOptions& o) {
  return segments("segment_min", x, ids, o, lax::ScatterKind::min, extreme(x.array, false));
}

namespace {
std::vector<Array> integers(const char* name, const Array& x, const Array& y) {
  std::vector<Array> xs = {x, y};
  ops::bring_together(name, xs, ops::promote(xs));
  if (!xs[0].dtype().is_integer())
    raise<ValueError>(name, "the operands are " + x.type().str() + " and " + y.type().str(), "They are integers.");
  for (Array& a : xs) a = broadcast_to(abs(a), ops::common_shape(name, {x.shape(), y.shape()}));
  return xs;
}
DType unsigned_of(DType d) { return d.size() == 8 ? uint64 : d.size() == 4 ? uint32 : d.size() == 2 ? uint16 : uint8; }
// The number of zeros below the last one bit; of 0 -1, which as a count of bits is too large.
Array zeros_below(const Array& v) { return static_cast<int>(v.dtype().size()) * 8 - 1 - lax::clz(v & lax::neg(v)); }
Array odd_part(const Array& v) { return lax::shift_right_logical(v, zeros_below(v)); }
struct Pair {
  Array small{}, other{};
};
// Of two odd numbers the difference is even and has the same divisors: a step takes a bit of one of them at least,
// until one is 0. What both lack to be odd comes last.
Array divisor(const Array& x, const Array& y) {
  if (x.dtype() == int4 || x.dtype() == uint4)  // whose bits cannot be counted
    return divisor(x.astype(uint8), y.astype(uint8)).astype(x.dtype());
  const DType plain = unsigned_of(x.dtype());
  const Array a = lax::bitcast_convert_type(x, plain), b = lax::bitcast_convert_type(y, plain);
  auto step = [](const Array&, const Pair& p) {
    const Array small = lax::min(p.small, p.other);
    return Pair{small, odd_part(lax::sub(lax::max(p.small, p.other), small))};
  };
  const Pair last = lax::fori_loop(0, 16 * static_cast<int>(plain.size()), step, Pair{odd_part(a), odd_part(b)});
  return lax::bitcast_convert_type(lax::shift_left(last.small | last.other, zeros_below(a | b)), x.dtype());
}
}  // namespace
Array gcd(const Operand& x, const Operand& y) {
  CallScope scope(x.loc);
  const std::vector<Array> xs = integers("gcd", x.array, y.array);
  return composite(
      "gcd", [](const Array& a, const Array& b) { return divisor(a, b); }, xs[0], xs[1]);
}
Array lcm(const Operand& x, const Operand& y) {
  CallScope scope(x.loc);
  const std::vector<Array> xs = integers("lcm", x.array, y.array);
  return composite(
      "lcm",
      [](const Array& a, const Array& b) {
        const Array d = divisor(a, b), none = d == 0;
        return where(none, 0, a * lax::div(b, where(none, 1, d)));
      },
      xs[0], xs[1]);
}

namespace {
// 7, 6, ..., 0 or 0, 1, ..., 7.
Array bit_places(BitOrder order) {
  const Array places = lax::iota(uint8, {8}, 0);
  return order == BitOrder::big ? flip(places) : places;
}
// Of bits along the last dim, a multiple of eight: neighbours become pairs, these fours, and these bytes.
Array bytes_of(Array bits, BitOrder order) {
  for (int width : {1, 2, 4}) {
    const Array first = bits(ellipsis, slice(none, none, 2)), second = bits(ellipsis, slice(1, none, 2));
    const auto& [high, low] = order == BitOrder::big ? std::pair(first, second) : std::pair(second, first);
    bits = left_shift(high, static_cast<std::uint8_t>(width)) | low;
  }
  return bits;
}
}  // namespace
Array packbits(const In& x, std::optional<int> axis, OneOf<BitOrder> order) {
  CallScope scope(x.loc);
  if (x.array.dtype().is_inexact())
    raise<TypeError>("packbits", "the array is " + x.array.type().str(), "It takes integers and bools.");
  const Array from = axis ? x.array : ravel(x.array);
  const int d = axis ? ops::normal_axis("packbits", *axis, from) : 0;
  const Array bits = moveaxis((from != 0).astype(uint8), d, -1);
  PadWidths widths(bits.shape().size(), {0, 0});
  widths.back().second = (8 - bits.shape().back() % 8) % 8;
  const Array padded = pad(bits, widths);
  return moveaxis(bytes_of(padded, order), -1, d);
}
Array unpackbits(const In& x, std::optional<int> axis, std::optional<Dim> count, OneOf<BitOrder> order) {
  CallScope scope(x.loc);
  if (x.array.dtype() != uint8)
    raise<TypeError>("unpackbits", "the array is " + x.array.type().str(), "It takes uint8.");
  const Array from = axis ? x.array : ravel(x.array);
  const int d = axis ? ops::normal_axis("unpackbits", *axis, from) : 0;
  const Array bytes = expand_dims(moveaxis(from, d, -1), -1);
  Array bits = right_shift(bytes, bit_places(order)) & 1;
  Shape shape = moveaxis(from, d, -1).shape();
  shape[shape.ndim() - 1] *= 8;
  bits = reshape(bits, shape);
  if (count) {
    const std::int64_t n = shape.back();
    PadWidths widths(shape.size(), {0, 0});
    widths.back().second = std::max<std::int64_t>(0, *count - n);
    bits = pad(bits, widths)(ellipsis, slice(count->value));
  }
  return moveaxis(bits, -1, d);
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
