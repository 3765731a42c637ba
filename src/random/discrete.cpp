// Draws of integers, orders and choices.
#include <algorithm>
#include <cmath>
#include <limits>

#include "random/threefry.hpp"
#include "tutti/base/call_scope.hpp"
#include "tutti/numpy/numpy.hpp"
#include "tutti/random/random.hpp"
#include "tutti/transform/composite.hpp"

namespace tutti::random {
namespace {

struct Range {
  std::int64_t least, greatest;
};  // of an integer dtype, cut to int64
Range range_of(DType d) {
  int bits = static_cast<int>(d.size()) * 8;
  if (d.is_signed())
    return bits == 64 ? Range{INT64_MIN, INT64_MAX}
                      : Range{-(std::int64_t(1) << (bits - 1)), (std::int64_t(1) << (bits - 1)) - 1};
  return {0, bits == 64 ? INT64_MAX : (std::int64_t(1) << bits) - 1};
}
Array integer(DType d, std::int64_t v) { return array_from_scalar(Scalar(v).to(d), false); }

// A bound as arrays, so that one program serves all numbers: cut to what `dtype` can hold, and whether it lay above
// that. Of an array that is not known here: nothing.
struct Cut {
  Array value, above;
};
Cut cut(const Limit& limit, DType dtype) {
  if (!limit.number) return {limit.array, {}};
  Range r = range_of(dtype);
  std::int64_t v = *limit.number;
  return {integer(dtype, std::clamp(v, r.least, r.greatest)), array(v > r.greatest)};
}

// The same for every element of the shape.
std::pair<Array, Array> bound(const Cut& limit, DType dtype, const Shape& shape) {
  Array x = spread(limit.value, shape, "random::randint");
  if (limit.above.has_value()) return {x, spread(limit.above, shape, "random::randint")};
  if (!x.dtype().is_integer())
    raise<TypeError>("random::randint", "a bound is " + type_text(x), "Bounds are integers.");
  Range r = range_of(dtype);
  DType from = x.dtype();
  Range own = range_of(from);
  Array above = constant(bool_, 0, shape);
  if (own.greatest > r.greatest) {
    Array top = spread(integer(from, r.greatest), shape, "random::randint");
    above = lax::gt(x, top);
    x = lax::min(x, top);
  }
  if (own.least < r.least) x = lax::max(x, spread(integer(from, r.least), shape, "random::randint"));
  return {lax::convert_element_type(x, dtype), above};
}

// Sorts by random bits, often enough that equal bits do not matter.
Array shuffled(Words key, Array x, int axis) {
  int rounds = static_cast<int>(
      std::ceil(3 * std::log(std::max<double>(1, static_cast<double>(x.size()))) / std::log(4294967295.0)));
  for (int i = 0; i < rounds; ++i) {
    auto [next, sub] = split_words(key);
    key = next;
    x = lax::sort({random_bits(sub, x.shape(), uint32), x}, axis, 1)[1];
  }
  return x;
}

Array first(const Array& x, std::int64_t n, int axis) {
  lax::Dims limit = x.shape().dims();
  limit[axis] = n;
  return lax::slice(x, lax::Dims(limit.size(), 0), limit);
}

int axis_of(const char* function, int axis, const Array& x) {
  int ndim = x.ndim();
  if (axis < -ndim || axis >= ndim)
    raise<IndexError>(
        function, "axis " + std::to_string(axis) + " is out of range for " + type_text(x),
        ndim ? "Axes are " + std::to_string(-ndim) + " to " + std::to_string(ndim - 1) + "." : "A scalar has no axes.");
  return axis < 0 ? axis + ndim : axis;
}

// For each r the first position where the rising `sums` reach it, by halving: between `low` and `high`.
Array first_reaching(const Array& sums, const Array& r) {
  const std::int64_t n = sums.shape()[0];
  Array low = constant(int32, 0, r.shape()), high = constant(int32, static_cast<double>(n), r.shape());
  for (std::int64_t left = n; left > 0; left /= 2) {
    Array middle = low + ((high - low) >> 1), open = low < high;
    Array below = take(sums, middle, 0, TakeMode::clip) < r;
    low = where(open & below, middle + 1, low);
    high = where(open & ~below, middle, high);
  }
  return low;
}

// Which of `n` are drawn, of that shape.
Array drawn(const In& key, std::int64_t n, const Shape& shape, const ChoiceOptions& o) {
  check_shape("random::choice", shape);
  std::int64_t draws = shape.num_elements();
  if (n <= 0 && draws)
    raise<ValueError>(
        "random::choice",
        "there is nothing to choose from: " + std::to_string(draws) + " draws of " + std::to_string(n) + " things",
        "Give one thing or more.");
  if (!o.replace && draws > n)
    raise<ValueError>("random::choice",
                      "cannot take a larger sample (size " + std::to_string(draws) + ") than population (size " +
                          std::to_string(n) + ") without replacement",
                      "Draw fewer, or leave .replace true.");
  if (!o.p.has_value())
    return o.replace ? randint(key, shape, 0, n) : reshape(first(permutation(key, n), draws, 0), shape);
  if (o.p.shape() != Shape{n})
    raise<ShapeError>("random::choice",
                      "the probabilities p are " + type_text(o.p) + " for " + std::to_string(n) + " things",
                      "Give one probability for each.");
  if (!o.p.dtype().is_floating())
    raise<TypeError>("random::choice", "the probabilities p are " + type_text(o.p),
                     "They are floating: convert with astype(float32).");
  if (!o.replace) {
    Array g = gumbel(key, Shape{n}, o.p.dtype()) + log(o.p);
    return reshape(first(argsort(g, 0, true), draws, 0), shape);
  }
  Array sums = lax::cumsum(o.p, 0);
  Array total = lax::reshape(lax::slice(sums, {n - 1}, {n}), Shape{});
  Array r = total * (1 - uniform(key, shape, o.p.dtype()));
  return lax::convert_element_type(first_reaching(sums, r), canonical(int64));
}

}  // namespace

Array randint(const In& key, const Shape& shape, const Limit& lo, const Limit& hi, DType dtype) {
  CallScope scope(key.loc);
  check_shape("random::randint", shape);
  DType d = canonical(dtype);
  if (!d.is_integer())
    raise<TypeError>("random::randint", "it draws no " + std::string(d.name()), "Ask for an integer dtype.");
  return composite(
      "random::randint",
      [](const Array& key, const Shape& shape, const Cut& lo, const Cut& hi, DType d) {
        auto [least, ignored] = bound(lo, d, shape);
        auto [end, above] = bound(hi, d, shape);
        DType u = d.size() == 8 ? uint64 : uint32;  // narrow types draw 32 bits too
        auto [k1, k2] = split_words(words_of(key, "random::randint"));
        Array high = random_bits(k1, shape, u), low = random_bits(k2, shape, u);
        Array one = constant(u, 1, shape);
        // A remainder of twice as many bits as there are; span 0 stands for all of them, and x % 0 = x.
        auto widened = [&](const Array& x) { return d.size() < 4 ? lax::convert_element_type(x, int32) : x; };
        Array span = lax::convert_element_type(lax::sub(widened(end), widened(least)), u);
        span = lax::select(lax::le(end, least), one, span);
        span = lax::select(lax::bitwise_and(above, lax::gt(end, least)), lax::add(span, one), span);
        Array m = lax::rem(constant(u, std::ldexp(1.0, static_cast<int>(u.size()) * 4), shape), span);
        m = lax::rem(lax::mul(m, m), span);
        Array offset = lax::rem(lax::add(lax::mul(lax::rem(high, span), m), lax::rem(low, span)), span);
        return lax::add(least, lax::convert_element_type(offset, d));
      },
      key.array, shape, cut(lo, d), cut(hi, d), d);
}

Array detail::permutation_of(const In& key, std::int64_t n) {
  CallScope scope(key.loc, {"", "random::permutation", 0});
  return composite(
      "random::permutation",
      [](const Array& key, std::int64_t n) {
        if (n < 0)
          raise<ValueError>("random::permutation", std::to_string(n) + " numbers in random order", "Give 0 or more.");
        return shuffled(words_of(key, "random::permutation"), lax::iota(canonical(int64), Shape{n}, 0), 0);
      },
      key.array, n);
}

Array permutation(const In& key, const Array& x, int axis, bool independent) {
  CallScope scope(key.loc);
  return composite(
      "random::permutation",
      [](const Array& key, const Array& x, int axis, bool independent) {
        int d = axis_of("random::permutation", axis, x);
        Words w = words_of(key, "random::permutation");
        if (independent || x.ndim() == 1) return shuffled(w, x, d);
        return take(x, permutation(key, x.shape()[d]), d);
      },
      key.array, x, axis, independent);
}

Array detail::choice_of(const In& key, std::int64_t n, const Shape& shape, const ChoiceOptions& options) {
  CallScope scope(key.loc, {"", "random::choice", 0});
  return composite(
      "random::choice",
      [](const Array& key, std::int64_t n, const Shape& shape, const ChoiceOptions& options) {
        return drawn(key, n, shape, options);
      },
      key.array, n, shape, options);
}

Array choice(const In& key, const Array& x, const Shape& shape, const ChoiceOptions& options) {
  CallScope scope(key.loc);
  return composite(
      "random::choice",
      [](const Array& key, const Array& x, const Shape& shape, const ChoiceOptions& options) {
        int d = axis_of("random::choice", options.axis, x);
        if (!options.replace && !options.p.has_value()) {
          drawn(key, x.shape()[d], Shape{shape.num_elements()}, options);  // checks
          Shape out = x.shape();
          out.erase(d);
          for (int i = 0; i < shape.ndim(); ++i) out.insert(d + i, shape[i]);
          return reshape(first(permutation(key, x, d), shape.num_elements(), d), out);
        }
        return take(x, drawn(key, x.shape()[d], shape, options), d);
      },
      key.array, x, shape, options);
}

Array categorical(const In& key, const Array& logits, int axis) {
  CallScope scope(key.loc);
  Shape shape = logits.shape();
  shape.erase(axis_of("random::categorical", axis, logits));
  return categorical(key, logits, axis, shape);
}

Array categorical(const In& key, const Array& logits, int axis, const Shape& shape, bool replace) {
  CallScope scope(key.loc);
  return composite(
      "random::categorical",
      [](const Array& key, const Array& logits, int axis, const Shape& shape, bool replace) {
        check_shape("random::categorical", shape);
        int d = axis_of("random::categorical", axis, logits);
        int batch = logits.ndim() - 1, leading = shape.ndim() - batch;
        if (leading < 0)
          raise<ShapeError>("random::categorical",
                            "the shape " + shape.str() + " has fewer dims than the logits " + type_text(logits) +
                                " without axis " + std::to_string(axis),
                            "The last dims of the shape are those of the logits without the axis.");
        for (int i = 0; i < batch; ++i)
          if (std::int64_t n = logits.shape()[i < d ? i : i + 1]; n != 1 && n != shape[leading + i])
            raise<ShapeError>("random::categorical",
                              "the shape " + shape.str() + " does not end with the dims of the logits " +
                                  type_text(logits) + " without axis " + std::to_string(axis),
                              "The last dims of the shape are those of the logits without the axis.");
        if (!replace) {
          std::int64_t k = 1;
          for (int i = 0; i < leading; ++i) k *= shape[i];
          if (k > logits.shape()[d])
            raise<ValueError>(
                "random::categorical",
                std::to_string(k) + " draws of " + std::to_string(logits.shape()[d]) + " classes without replacement",
                "Draw fewer, or leave `replace` true.");
          Array order = argsort(gumbel(key, logits.shape(), logits.dtype()) + logits, d, true);
          return lax::convert_element_type(reshape(moveaxis(first(order, k, d), d, 0), shape), int32);
        }
        Shape table = shape;
        table.insert(leading + d, logits.shape()[d]);
        return lax::argmax(gumbel(key, table, logits.dtype()) + logits, leading + d, canonical(int64));
      },
      key.array, logits, axis, shape, replace);
}

}  // namespace tutti::random

// SPDX-License-Identifier: Apache-2.0
