// Arrays sorted together along a dim, by the first of them, then the second, ...: stable, ascending, NaN last. Source:
// jax.lax.sort.
#include <algorithm>
#include <cstring>
#include <numeric>

#include "ir/across.hpp"
#include "ops/movement/iota.hpp"
#include "ops/movement/movement.hpp"
#include "ops/reduction/ordered.hpp"
#include "ops/reduction/sort.hpp"
#include "tutti/lax/complex.hpp"
#include "tutti/numpy/movement.hpp"

namespace tutti::ops {
namespace {

bool has_order(DType dtype) {
  return !dtype.is_key() &&
         visit_arithmetic_dtype(arithmetic_dtype(dtype), []<class T>(Stored<T>) { return Orderable<T>; });
}

std::vector<Type> infer_sort(const Call& c) {
  const auto& p = c.get<Sort>();
  if (c.operands.empty()) raise<ShapeError>(c.op.name, "no arrays", "Give at least one.");
  const Type& x = c.operands[0];
  check_dims(c.op.name, "dim", {p.dim}, x.ndim());
  if (p.num_keys < 1 || p.num_keys > static_cast<int>(c.operands.size()))
    raise<ShapeError>(c.op.name,
                      std::to_string(p.num_keys) + " keys of " + std::to_string(c.operands.size()) + " arrays",
                      "Sort by one array or more.");
  std::vector<Type> out;
  for (std::size_t i = 0; i < c.operands.size(); ++i) {
    const Type& t = c.operands[i];
    if (t.shape != x.shape)
      raise<ShapeError>(c.op.name, "the arrays are " + x.str() + " and " + t.str(),
                        "Arrays sorted together have one shape.");
    if (static_cast<int>(i) < p.num_keys && !has_order(t.dtype))
      raise<TypeError>(c.op.name, t.str() + " has no order", "Sort by integers, floats or bools.");
    if (p.elements) out.push_back(type(t.dtype, t.shape));
  }
  if (p.positions) out.push_back(type(*p.positions, x.shape));
  for (Type& t : out)
    if (p.keep != 0) t.shape[p.dim] = std::min(std::abs(p.keep), t.shape[p.dim]);
  return out;
}

// The elements of a row in their order, which are the numbers from 0 on that `ordered` makes of them.
std::vector<std::uint64_t> order_of_row(const HostView& key, std::int64_t first, std::int64_t step, std::int64_t n) {
  std::vector<std::uint64_t> out;
  visit_arithmetic_dtype(key.type.dtype, [&]<class T>(Stored<T>) {
    if constexpr (Orderable<T>)
      for (std::int64_t i = 0; i < n; ++i) out.push_back(ordered(key.as<const T>()[first + i * step]));
  });
  return out;
}

void eval_sort(const Call& c, std::span<const HostView> in, std::span<const HostView> out) {
  const auto& p = c.get<Sort>();
  const std::int64_t n = in[0].type.shape[p.dim], kept = out[0].type.shape[p.dim];
  std::int64_t step = 1;
  for (int d = p.dim + 1; d < in[0].type.ndim(); ++d) step *= in[0].type.shape[d];
  const std::int64_t rows = n ? in[0].size() / n : 0;
  for (std::int64_t r = 0; r < rows; ++r) {
    const std::int64_t from = r / step * n * step + r % step, to = r / step * kept * step + r % step;
    std::vector<std::vector<std::uint64_t>> keys;
    for (int k = 0; k < p.num_keys; ++k) keys.push_back(order_of_row(in[k], from, step, n));
    std::vector<std::int64_t> positions(static_cast<std::size_t>(n));
    std::iota(positions.begin(), positions.end(), 0);
    std::stable_sort(positions.begin(), positions.end(), [&](std::int64_t i, std::int64_t j) {
      for (const std::vector<std::uint64_t>& key : keys)
        if (key[i] != key[j]) return (key[i] < key[j]) != p.descending;
      return false;
    });
    for (std::int64_t i = 0; i < kept; ++i) {
      const std::int64_t at = positions[p.keep < 0 ? n - kept + i : i];
      for (std::size_t k = 0; p.elements && k < in.size(); ++k) {
        const std::int64_t size = in[k].type.dtype.size();
        std::memcpy(out[k].as<char>() + (to + i * step) * size, in[k].as<char>() + (from + at * step) * size, size);
      }
      if (p.positions)
        visit_dtype(*p.positions, [&]<class T>(Stored<T>) {
          if constexpr (std::integral<T>) out.back().as<T>()[to + i * step] = static_cast<T>(at);
        });
    }
  }
}

// The elements of a block that may be among those kept, then those kept of all blocks'. Blocks come in the order of
// their places, so that equal elements stay in theirs.
Across across_blocks_of_sort() {
  auto of_block = [](const Call& c) {
    return std::min(std::abs(c.get<Sort>().keep), c.operands[0].shape[c.get<Sort>().dim]);
  };
  Across out;
  out.run = [](const Call& c, const std::vector<Array>& blocks, const Line& line) {
    std::vector<Array> best = tutti::bind(c.op, c.params, blocks);
    for (Array& x : best) {
      Array all = line.gathered(x);  // [blocks, ...]
      Dims order = range(1, all.ndim());
      order.insert(order.begin() + line.dim, 0);
      Shape joined = x.shape();
      joined[line.dim] *= line.blocks;
      x = lax::reshape(lax::transpose(all, order), joined);
    }
    return tutti::bind(c.op, c.params, best);
  };
  out.received = [=](const Call& c, int dim, std::int64_t blocks) -> std::optional<double> {
    const std::int64_t keep = std::abs(c.get<Sort>().keep);
    if (keep == 0 || c.get<Sort>().positions || keep >= blocks * c.operands[0].shape[dim] || dim != c.get<Sort>().dim)
      return std::nullopt;
    double bytes = 0;
    for (const Type& t : c.operands)
      bytes += static_cast<double>(t.nbytes()) / static_cast<double>(t.shape[dim]) * static_cast<double>(of_block(c));
    return static_cast<double>(blocks - 1) * bytes;
  };
  return out;
}

Factors factors(const Call& c, const std::vector<Type>& results) {
  FactorBuilder b(c, results);
  for (int d = 0; d < c.operands[0].ndim(); ++d) {
    int factor =
        b.add(c.operands[0].shape[d], d == c.get<Sort>().dim ? Factors::Kind::replicated : Factors::Kind::parallel);
    for (auto& dims : b.f.operands) dims[d] = {factor};
    for (auto& dims : b.f.results) dims[d] = {factor};
  }
  return b.f;
}

// Tangents move as their values do: sort positions along, then pick.
std::vector<Array> jvp(const Call& c, const std::vector<Array>& primals, const std::vector<Array>&,
                       const std::vector<Array>& tangents) {
  const auto& p = c.get<Sort>();
  const Shape& shape = primals[0].shape();
  if (shape.num_elements() == 0) {
    std::vector<Array> none = p.elements ? tangents : std::vector<Array>();
    if (p.positions) none.emplace_back();
    return none;
  }
  // By the last key first: sorting is stable, so the first key decides at the end.
  Array at = bind1(iota, Iota{shape[p.dim] > INT32_MAX ? int64 : int32, shape, p.dim}, {});
  for (int k = p.num_keys; k-- > 0;)
    at = tutti::bind(c.op, Sort{p.dim, 1, 0, p.descending}, {take_along_axis(primals[k], at, p.dim), at}).back();
  if (p.keep != 0) {
    const std::int64_t n = shape[p.dim], kept = std::min(std::abs(p.keep), n);
    Dims start(shape.size(), 0), limit = shape.dims();
    start[p.dim] = p.keep < 0 ? n - kept : 0;
    limit[p.dim] = start[p.dim] + kept;
    at = lax::slice(at, start, limit);
  }
  std::vector<Array> out;
  if (p.elements)
    for (const Array& t : tangents) out.push_back(t.has_value() ? take_along_axis(t, at, p.dim) : Array());
  if (p.positions) out.emplace_back();
  return out;
}

Batched batch(const Call& c, const std::vector<Array>& xs, const std::vector<bool>& mapped, const BatchAxis& axis) {
  Sort p = c.get<Sort>();
  ++p.dim;
  std::vector<Array> all;
  for (std::size_t i = 0; i < xs.size(); ++i) all.push_back(batched(xs[i], mapped[i], axis.size));
  std::vector<Array> out = tutti::bind(c.op, p, all);
  const std::size_t results = out.size();
  return {std::move(out), std::vector<bool>(results, true)};
}

std::vector<Sample> samples() {
  std::vector<Sample> out;
  for (int operands : {1, 2, 3, 5}) {
    auto same = [&](DType key, Shape shape) {
      std::vector<Type> types(operands, type(float32, shape));
      types[0].dtype = key;
      return types;
    };
    out.push_back({.params = Sort{0, 1}, .operands = same(float32, {5})});
    out.push_back({.params = Sort{1, operands}, .operands = same(float32, {3, 4})});
    out.push_back({.params = Sort{0, 1}, .operands = same(int32, {4, 2})});
    out.push_back({.params = Sort{0, 1}, .operands = same(bfloat16, {1})});
    out.push_back({.params = Sort{1, 1}, .operands = same(float32, {2, 0})});
    out.push_back({.params = Sort{1, 1, 2}, .operands = same(float32, {3, 6})});
    out.push_back({.params = Sort{0, 1, -3}, .operands = same(int32, {6, 2})});
    out.push_back({.params = Sort{0, operands, 9}, .operands = same(float32, {4})});
    out.push_back({.params = Sort{1, operands, 0, true}, .operands = same(float32, {2, 5})});
    out.push_back({.params = Sort{0, 1, 2, true}, .operands = same(int32, {6, 2})});
    out.push_back({.params = Sort{.dim = 1, .positions = int32}, .operands = same(float32, {3, 4})});
    out.push_back({.params = Sort{.keep = -3, .positions = int32, .elements = false}, .operands = same(int32, {6, 2})});
  }
  return out;
}

}  // namespace

constinit const Home sort = [] {
  Op op;
  op.name = "sort";
  op.infer = infer_sort;
  op.eval = eval_sort;
  op.factors = factors;
  op.across = std::make_shared<Across>(across_blocks_of_sort());
  op.part = [](const Call& c, int dim, std::int64_t from, std::int64_t to) -> std::optional<Params> {
    Sort p = c.get<Sort>();
    const std::int64_t n = c.operands[0].shape[dim];
    if (p.keep != 0 || dim != p.dim || (from > 0 && to < n)) return std::nullopt;
    p.keep = from > 0 ? from - to : to;
    return p;
  };
  op.jvp = jvp;
  op.batch = batch;
  op.samples = samples();
  return op;
};

}  // namespace tutti::ops

namespace tutti::lax {

std::vector<Array> sort(const std::vector<Array>& xs, int dim, int num_keys) {
  // A complex key is two: its real part, then its imaginary part.
  std::vector<Array> parts;
  int keys = num_keys;
  for (std::size_t i = 0; i < xs.size(); ++i) {
    if (static_cast<int>(i) < num_keys && xs[i].dtype().is_complex()) {
      parts.push_back(lax::real(xs[i]));
      parts.push_back(lax::imag(xs[i]));
      ++keys;
    } else {
      parts.push_back(xs[i]);
    }
  }
  parts = tutti::bind(ops::sort, ops::Sort{dim, keys}, parts);
  if (keys == num_keys) return parts;
  std::vector<Array> out;
  for (std::size_t i = 0, from = 0; i < xs.size(); ++i, ++from) {
    const bool joined = static_cast<int>(i) < num_keys && xs[i].dtype().is_complex();
    out.push_back(joined ? lax::complex(parts[from], parts[from + 1]) : parts[from]);
    from += joined ? 1 : 0;
  }
  return out;
}
Array sort(const In& x, int dim) {
  CallScope scope(x.loc);
  return sort(std::vector<Array>{x.array}, dim, 1)[0];
}

}  // namespace tutti::lax

// SPDX-License-Identifier: Apache-2.0
