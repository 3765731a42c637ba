// The families of operations. Where the operands are no good for one, the step does nothing.
#include <numeric>

#include "fuzz/builder.hpp"
#include "tutti/fft/fft.hpp"
#include "tutti/lax/cumulative.hpp"
#include "tutti/lax/windows.hpp"
#include "tutti/numpy/segments.hpp"
#include "tutti/numpy/sorting.hpp"

namespace tutti::fuzz {
namespace {

constexpr std::int64_t largest = 1500;  // elements

std::string text(std::int64_t n) { return std::to_string(n); }
int in_range(unsigned choice, std::int64_t n) { return static_cast<int>(choice % static_cast<unsigned>(n)); }

}  // namespace

void Builder::elementwise(const Step& s) {
  const Value a = any(s.choice[0]);
  const auto& n = a.name;
  if (s.kind == Kind::unary) {
    switch (s.choice[2] % 10) {
      case 0: return void(put(-a.array, "-" + n, a.bound));
      case 1: return void(put(abs(a.array), "abs(" + n + ")", a.bound));
      case 2: return void(put(square(a.array), "square(" + n + ")", a.bound * a.bound));
      case 3: return void(put(sign(a.array), "sign(" + n + ")", 1));
      case 4: return void(put(maximum(a.array, 0), "maximum(" + n + ", 0)", a.bound));
      case 5: return void(put(a.array * 3, n + " * 3", 3 * a.bound));
      case 6: return void(put(5 - a.array, "5 - " + n, 5 + a.bound));
      case 7: return void(put(clip(a.array, -3, 3), "clip(" + n + ", -3, 3)", 3));
      case 8: return void(put(fmod(a.array, 7), "fmod(" + n + ", 7)", 6));
      default:
        if (a.integer() || recipe_.gradient) return;
        return void(put(rint(tanh(a.array * 0.3f) * 8), "rint(tanh(" + n + " * 0.3f) * 8)", 8));
    }
  }
  if (s.kind == Kind::convert) return void(as(a, !a.integer()));
  Value b = fitting(any(s.choice[1]), a.shape(), a.integer());
  if (s.kind == Kind::choose)
    return void(put(where(a.array > 1, a.array, b.array), "where(" + n + " > 1, " + n + ", " + b.name + ")",
                    std::max(a.bound, b.bound)));
  switch (s.choice[2] % 6) {
    case 0: return void(put(a.array + b.array, n + " + " + b.name, a.bound + b.bound));
    case 1: return void(put(a.array - b.array, n + " - " + b.name, a.bound + b.bound));
    case 2: return void(put(a.array * b.array, n + " * " + b.name, a.bound * b.bound));
    case 3:
      return void(put(maximum(a.array, b.array), "maximum(" + n + ", " + b.name + ")", std::max(a.bound, b.bound)));
    case 4:
      return void(put(minimum(a.array, b.array), "minimum(" + n + ", " + b.name + ")", std::max(a.bound, b.bound)));
    default: return void(put((a.array > b.array).astype(int32), "(" + n + " > " + b.name + ").astype(int32)", 1));
  }
}

void Builder::contraction(const Step& s) {
  const Value a = small(any(s.choice[0]), 7);
  if (a.ndim() == 0) return;
  if (s.kind == Kind::batched) {
    const Value b = small(fitting(any(s.choice[1]), a.shape(), a.integer()), 7);
    const Value c = b.shape() == a.shape() ? b : a;
    const std::string pair = "{" + a.name + ", " + c.name + "}";
    static const std::vector<std::vector<std::string>> by_rank{{"i,i->", "i,j->ij"},
                                                               {"ij,ij->i", "ij,kj->ik", "ij,ij->", "ij,ik->jk"},
                                                               {"bij,bkj->bik", "bij,bij->bj", "bij,bij->ij"}};
    if (a.ndim() > 3) return;
    const auto& all_of = by_rank[static_cast<std::size_t>(a.ndim() - 1)];
    const std::string& how = all_of[s.choice[2] % all_of.size()];
    return void(put(einsum(how, {a.array, c.array}), "einsum(\"" + how + "\", " + pair + ")",
                    a.bound * c.bound * static_cast<double>(a.shape().num_elements())));
  }
  const int d = in_range(s.choice[1], a.ndim());
  for (std::size_t i = 0; i < pool_.size(); ++i) {
    const Value candidate = pool_[(i + s.choice[2]) % pool_.size()];
    for (int e = 0; e < candidate.ndim(); ++e) {
      if (candidate.shape()[e] != a.shape()[d]) continue;
      if (a.shape().num_elements() * candidate.shape().num_elements() > largest * a.shape()[d] * a.shape()[d]) continue;
      const Value b = small(as(candidate, a.integer()), 7);
      return void(put(tensordot(a.array, b.array, {d}, {e}),
                      "tensordot(" + a.name + ", " + b.name + ", {" + text(d) + "}, {" + text(e) + "})",
                      a.bound * b.bound * static_cast<double>(a.shape()[d])));
    }
  }
  return;
}

void Builder::reduction(const Step& s) {
  const Value a = any(s.choice[0]);
  if (a.ndim() == 0) return;
  const int d = in_range(s.choice[1], a.ndim());
  const std::string of = "(" + a.name + ", " + text(d);
  const double n = static_cast<double>(a.shape()[d]);
  if (s.kind == Kind::cumulative) {
    const bool back = s.choice[3] % 2;
    const std::string end = back ? ", true)" : ")";
    // Of equal extrema the gradient is shared.
    switch (recipe_.gradient ? 0 : s.choice[2] % 4) {
      case 1: return void(put(lax::cummax(a.array, d, back), "lax::cummax" + of + end, a.bound));
      case 2: return void(put(lax::cummin(a.array, d, back), "lax::cummin" + of + end, a.bound));
      default: return void(put(lax::cumsum(a.array, d, back), "lax::cumsum" + of + end, a.bound * n));
    }
  }
  if (s.kind == Kind::transform) {  // there and back: rounding is taken away
    if (recipe_.gradient) return;
    const Value x = as(small(a, 31), false);
    return void(put(rint(abs(fft::ifftn(fft::fftn(x.array)))), "rint(abs(fft::ifftn(fft::fftn(" + x.name + "))))", 31));
  }
  if (s.kind == Kind::arg)
    return void(s.choice[2] % 2 ? put(argmax(a.array, d), "argmax" + of + ")", n)
                                : put(argmin(a.array, d), "argmin" + of + ")", n));
  if (s.kind == Kind::sort && s.choice[2] % 4 == 3) {
    if (recipe_.gradient) return;
    const std::string flat = a.name + ".reshape(-1)";
    return void(put(searchsorted(sort(a.array.reshape(-1)), a.array),
                    "searchsorted(sort(" + flat + "), " + a.name + ")", static_cast<double>(a.shape().num_elements())));
  }
  if (s.kind == Kind::sort)
    return void(s.choice[2] % 3 ? put(sort(a.array, d), "sort" + of + ")", a.bound)
                                : put(argsort(a.array, d), "argsort" + of + ")", n));
  if (s.kind == Kind::window) {
    lax::WindowOptions o;
    o.window_dimensions.assign(static_cast<std::size_t>(a.ndim()), 1);
    const std::int64_t w = 2 + in_range(s.choice[2], 2);
    o.window_dimensions[static_cast<std::size_t>(d)] = w;
    o.padding = "SAME";
    const bool add = recipe_.gradient || s.choice[3] % 2;
    return void(put(lax::reduce_window(a.array, add ? lax::WindowReduction::sum : lax::WindowReduction::max, o),
                    "lax::reduce_window(" + a.name + ", lax::WindowReduction::" + (add ? "sum" : "max") +
                        ", {.window_dimensions = " + braces(o.window_dimensions) + ", .padding = \"SAME\"})",
                    a.bound * static_cast<double>(w)));
  }
  // The gradient of a maximum is shared among equal elements: thirds are not exact.
  switch (recipe_.gradient ? s.choice[2] % 3 : s.choice[2] % 6) {
    case 0: return void(put(sum(a.array, d), "sum" + of + ")", a.bound * n));
    case 1: return void(put(sum(a.array, d, true), "sum" + of + ", true)", a.bound * n));
    case 2:
      return void(put(sum(a.array), "sum(" + a.name + ")", a.bound * static_cast<double>(a.shape().num_elements())));
    case 3: return void(put(max(a.array, d), "max" + of + ")", a.bound));
    case 4: return void(put(min(a.array, d, true), "min" + of + ", true)", a.bound));
    default:
      return void(
          put(tutti::any(a.array > 2, d).astype(int32), "any(" + a.name + " > 2, " + text(d) + ").astype(int32)", 1));
  }
}

void Builder::movement(const Step& s) {
  const Value a = any(s.choice[0]);
  if (a.ndim() == 0) return;
  const int d = in_range(s.choice[1], a.ndim());
  const std::int64_t n = a.shape()[d];
  switch (s.kind) {
    case Kind::permute: {
      std::vector<int> order(static_cast<std::size_t>(a.ndim()));
      std::iota(order.begin(), order.end(), 0);
      for (std::size_t i = order.size(); i-- > 1;) std::swap(order[i], order[(s.choice[2] >> i) % (i + 1)]);
      return void(put(transpose(a.array, order), "transpose(" + a.name + ", " + braces(order) + ")", a.bound));
    }
    case Kind::reshape: {
      Shape to = a.shape();
      const int way = in_range(s.choice[2], 4);
      if (way == 0) {
        to = {a.shape().num_elements()};
      } else if (way == 1 && d + 1 < a.ndim()) {
        to[d + 1] *= to[d];
        to.erase(d);
      } else if (way == 2) {
        for (std::int64_t f = 2; f < n; ++f)
          if (n % f == 0) {
            to[d] = n / f;
            to.insert(d, f);
            break;
          }
      } else {
        to.insert(d, 1);
      }
      if (to.ndim() > 5) return;
      return void(put(a.array.reshape(to), a.name + ".reshape(" + braces(to) + ")", a.bound));
    }
    case Kind::slice: {
      std::vector<std::int64_t> start(static_cast<std::size_t>(a.ndim()), 0), stop(a.shape().begin(), a.shape().end()),
          stride(static_cast<std::size_t>(a.ndim()), 1);
      const auto at = static_cast<std::size_t>(d);
      start[at] = in_range(s.choice[2], n);
      stop[at] = start[at] + 1 + in_range(s.choice[3], n - start[at]);
      stride[at] = s.choice[4] % 4 == 0 ? 2 : 1;
      return void(put(lax::slice(a.array, start, stop, stride),
                      "lax::slice(" + a.name + ", " + braces(start) + ", " + braces(stop) + ", " + braces(stride) + ")",
                      a.bound));
    }
    case Kind::shift: {
      if (s.choice[2] % 3 == 0) return void(put(flip(a.array, d), "flip(" + a.name + ", " + text(d) + ")", a.bound));
      const int by = in_range(s.choice[3], 2 * n + 1) - static_cast<int>(n);
      return void(put(roll(a.array, by, d), "roll(" + a.name + ", " + text(by) + ", " + text(d) + ")", a.bound));
    }
    default: {
      Cuts cuts{in_range(s.choice[2], 5) - 1, in_range(s.choice[3], 5) - 1};
      cuts.resize(static_cast<std::size_t>(recipe_.mesh.ndim()), -1);
      const PartitionSpec cut = spec_of(cuts, a.ndim());
      return void(put(with_sharding_constraint(a.array, NamedSharding(mesh_, cut)),
                      "with_sharding_constraint(" + a.name + ", NamedSharding(mesh, " + text_of(cut) + "))", a.bound));
    }
  }
}

void Builder::joining(const Step& s) {
  const Value a = any(s.choice[0]);
  const int d = a.ndim() ? in_range(s.choice[1], a.ndim()) : 0;
  if (s.kind == Kind::pad) {
    if (a.ndim() == 0) return;
    PadWidths widths(static_cast<std::size_t>(a.ndim()), {0, 0});
    widths[static_cast<std::size_t>(d)] = {in_range(s.choice[2], 3), in_range(s.choice[3], 3)};
    std::string list;
    for (auto [low, high] : widths) list += (list.empty() ? "{" : ", {") + text(low) + ", " + text(high) + "}";
    return void(put(pad(a.array, widths, 2), "pad(" + a.name + ", {" + list + "}, 2)", std::max(a.bound, 2.0)));
  }
  if (2 * a.shape().num_elements() > largest) return;
  if (s.kind == Kind::spread) {
    const std::int64_t times = 2 + in_range(s.choice[2], 4);
    if (times * a.shape().num_elements() > largest || a.ndim() > 4) return;
    if (a.ndim() > 0 && s.choice[3] % 2)
      return void(
          put(repeat(a.array, times, d), "repeat(" + a.name + ", " + text(times) + ", " + text(d) + ")", a.bound));
    Shape to = a.shape();
    to.insert(0, times);
    return void(put(broadcast_to(a.array, to), "broadcast_to(" + a.name + ", " + braces(to) + ")", a.bound));
  }
  Value b = a;
  for (const Value& v : pool_)
    if (v.integer() == a.integer() && v.shape() == a.shape() && v.name != a.name) b = v;
  const std::string both = "({" + a.name + ", " + b.name + "}, " + text(d) + ")";
  const double bound = std::max(a.bound, b.bound);
  if (a.ndim() == 0 || s.choice[2] % 3 == 0)
    return a.ndim() < 5 ? void(put(stack({a.array, b.array}, d), "stack" + both, bound)) : void();
  return void(put(concatenate({a.array, b.array}, d), "concatenate" + both, bound));
}

// A place in each row, which the row says; some lie outside where they are not counted from the end.
Builder::Value Builder::column(const Step& s, const Value& a) {
  const std::int64_t k = a.shape()[1];
  const Value at = put(argmax(a.array, 1), "argmax(" + a.name + ", 1)", static_cast<double>(k));
  if (s.choice[5] % 2 == 0) return at;
  return put(at.array - static_cast<int>(k), at.name + " - " + text(k), static_cast<double>(k));
}

// Rows by number into a table that is as long as a row.
void Builder::segments(const Step& s, const Value& a) {
  const std::int64_t k = a.shape()[1];
  if (k * k > largest) return;
  const Value at = column(s, a);
  const double bound = a.bound * static_cast<double>(1 + a.shape()[0]);
  const std::string table = "zeros({" + text(k) + ", " + text(k) + "}" + (a.integer() ? ", int32" : "") + ")";
  const Array start = zeros({k, k}, a.array.dtype());
  const std::string to = table + ".at(" + at.name + ")", with = "(" + a.name + ")";
  switch (recipe_.gradient ? s.choice[2] % 2 : s.choice[2] % 4) {
    case 0:
      return void(put(segment_sum(a.array, at.array, k),
                      "segment_sum(" + a.name + ", " + at.name + ", " + text(k) + ")", bound));
    case 1: return void(put(start.at(at.array).add(a.array), to + ".add" + with, bound));
    case 2: return void(put(start.at(at.array).max(a.array), to + ".max" + with, a.bound));
    default: return void(put(start.at(at.array).min(a.array), to + ".min" + with, a.bound));
  }
}

void Builder::indexing(const Step& s) {
  const Value a = any(s.choice[0]);
  if (a.ndim() == 0) return;
  const int d = in_range(s.choice[1], a.ndim());
  const std::int64_t n = a.shape()[d];
  if (s.kind == Kind::take_along && s.choice[3] % 2 && a.ndim() == 2) {
    const std::string of = "(arange(" + text(a.shape()[0]) + "), ";
    const Value at = column(s, a);
    const Value taken = put(a.array(arange(a.shape()[0]), at.array), a.name + of + at.name + ")", a.bound);
    const std::string start = a.name + ".at" + of + at.name + ")";
    const Array times2 = taken.array * 2;
    if (s.choice[4] % 3 == 0)
      return void(put(a.array.at(arange(a.shape()[0]), at.array).set(times2), start + ".set(" + taken.name + " * 2)",
                      2 * a.bound));
    if (s.choice[4] % 3 == 1)
      return void(put(a.array.at(arange(a.shape()[0]), at.array).add(times2), start + ".add(" + taken.name + " * 2)",
                      3 * a.bound));
    return;
  }
  if (s.kind == Kind::scatter && s.choice[4] % 2 && a.ndim() == 2) return segments(s, a);
  if (s.kind == Kind::take_along) {
    const Array at = argsort(a.array, d);
    return void(put(take_along_axis(a.array, at, d),
                    "take_along_axis(" + a.name + ", argsort(" + a.name + ", " + text(d) + "), " + text(d) + ")",
                    a.bound));
  }
  if (s.kind == Kind::take) {
    const Value at = places(s.choice[2], n, s.choice[3] % 4 != 0);
    if (at.shape().num_elements() * a.shape().num_elements() > largest * n) return;
    return void(put(take(a.array, at.array, d), "take(" + a.name + ", " + at.name + ", " + text(d) + ")", a.bound));
  }
  if (s.kind == Kind::scatter) {
    const Value at = places(s.choice[2], a.shape()[0], true);
    const std::int64_t count = at.shape()[0];
    if (count * a.shape().num_elements() > largest * a.shape()[0]) return;
    const Value rows =
        put(take(a.array, fmod(arange(static_cast<int>(count)), a.shape()[0]), 0),
            "take(" + a.name + ", fmod(arange(" + text(count) + "), " + text(a.shape()[0]) + "), 0)", a.bound);
    const std::string start = a.name + ".at(" + at.name + ")";
    if (!recipe_.gradient && s.choice[3] % 3 == 0)
      return void(put(a.array.at(at.array).max(rows.array), start + ".max(" + rows.name + ")", a.bound));
    return void(put(a.array.at(at.array).add(rows.array), start + ".add(" + rows.name + ")",
                    a.bound * static_cast<double>(1 + count)));
  }
  // A block of half the extent, at a place that only values say.
  std::vector<Array> starts(static_cast<std::size_t>(a.ndim()), Array(0));
  Shape sizes = a.shape();
  sizes[d] = (n + 1) / 2;
  const Value at = places(s.choice[2], n, false);
  starts[static_cast<std::size_t>(d)] = at.array;
  std::string list;
  for (int i = 0; i < a.ndim(); ++i) list += (i ? ", " : "{") + (i == d ? at.name : std::string("Array(0)"));
  list += "}";
  const Array block = lax::dynamic_slice(a.array, starts, sizes);
  const std::string made = "lax::dynamic_slice(" + a.name + ", " + list + ", " + braces(sizes) + ")";
  if (s.kind == Kind::dynamic) return void(put(block, made, a.bound));
  const Value from = put(block * 2, made + " * 2", 2 * a.bound), to = places(s.choice[3], n, false);
  starts[static_cast<std::size_t>(d)] = to.array;
  list.replace(list.find(at.name), at.name.size(), to.name);
  return void(put(lax::dynamic_update_slice(a.array, from.array, starts),
                  "lax::dynamic_update_slice(" + a.name + ", " + from.name + ", " + list + ")",
                  std::max(a.bound, from.bound)));
}

}  // namespace tutti::fuzz

// SPDX-License-Identifier: Apache-2.0
