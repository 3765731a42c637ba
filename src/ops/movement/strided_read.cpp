// Overlapping frames and the like: an array read, or added to, with strides that its shape knows nothing of. The
// compiler makes these of gathers and scatters whose indices it knows.
#include "ops/movement/strided_read.hpp"

#include <algorithm>

#include "base/half.hpp"
#include "ops/movement/gather.hpp"
#include "ops/movement/scatter.hpp"
#include "ops/wide.hpp"

namespace tutti::ops {
namespace {

View view_of_read(const Call& c) {
  const auto& p = c.get<StridedRead>();
  return {p.offset, p.strides};
}

void check_strides(const Call& c, const Shape& shape, std::int64_t offset, const Dims& strides) {
  std::int64_t least = offset, most = offset;
  for (std::size_t d = 0; d < strides.size(); ++d) {
    const std::int64_t last = strides[d] * (shape[static_cast<int>(d)] - 1);
    (last < 0 ? least : most) += last;
  }
  if (shape.size() != strides.size() || least < 0 || most >= c.operands[0].num_elements())
    throw InternalError(c.op.name + ": " + c.operands[0].str() + " with strides " + text(strides));
}

std::vector<Type> infer_strided_read(const Call& c) {
  const auto& p = c.get<StridedRead>();
  check_strides(c, p.shape, p.offset, p.strides);
  return {type(c.operands[0].dtype, p.shape, c.operands[0].weak)};
}

void eval_strided_add(const Call& c, std::span<const HostView> in, std::span<const HostView> out) {
  const auto& p = c.get<StridedAdd>();
  if (in[0].data != out[0].data) std::memcpy(out[0].data, in[0].data, static_cast<std::size_t>(in[0].type.nbytes()));
  auto each = [&](auto f) {
    for_each_index(in[1].type.shape, [&](const Dims& index, std::int64_t flat) {
      std::int64_t place = p.offset;
      for (std::size_t d = 0; d < index.size(); ++d) place += index[d] * p.strides[d];
      f(place, flat);
    });
  };
  visit_arithmetic_dtype(in[0].type.dtype, [&]<class T>(Stored<T>) {
    T* to = out[0].as<T>();
    const T* updates = in[1].as<T>();
    if constexpr (std::same_as<T, bool>) {
      each([&](std::int64_t place, std::int64_t flat) { to[place] = to[place] || updates[flat]; });
    } else if constexpr (std::integral<T>) {
      each([&](std::int64_t place, std::int64_t flat) { to[place] = T(Wide<T>(to[place]) + Wide<T>(updates[flat])); });
    } else {
      PlaceSums<T> sums(out[0].size(), in[1].size(), 1);
      each([&](std::int64_t place, std::int64_t flat) { sums.add(place, updates + flat); });
      sums.add_to(to);
    }
  });
}

// Numbers of a row-major array that count evenly: the first, and what a step along each dim adds.
struct Even {
  std::int64_t first = 0;
  Dims steps;
};
std::optional<Even> even_numbers(const std::vector<std::int64_t>& all, std::int64_t begin, std::int64_t apart,
                                 const Shape& shape) {
  auto at = [&](std::int64_t flat) { return all[static_cast<std::size_t>(begin + flat * apart)]; };
  const Dims dense = row_major_strides(shape);
  Even out{at(0), Dims(shape.size(), 0)};
  for (int d = 0; d < shape.ndim(); ++d)
    if (shape[d] > 1) out.steps[static_cast<std::size_t>(d)] = at(dense[static_cast<std::size_t>(d)]) - out.first;
  bool even = true;
  for_each_index(shape, [&](const Dims& index, std::int64_t flat) {
    std::int64_t wanted = out.first;
    for (std::size_t d = 0; d < index.size(); ++d) wanted += index[d] * out.steps[d];
    even = even && wanted == at(flat);
  });
  return even ? std::optional(out) : std::nullopt;
}

// Whether all of them are in 0..last.
bool are_within(const Even& numbers, const Shape& shape, std::int64_t last) {
  std::int64_t least = numbers.first, most = numbers.first;
  for (int d = 0; d < shape.ndim(); ++d) {
    const std::int64_t far = numbers.steps[static_cast<std::size_t>(d)] * (shape[d] - 1);
    (far < 0 ? least : most) += far;
  }
  return least >= 0 && most <= last;
}

}  // namespace

std::optional<StridedRead> strided_gather(const Call& c, const std::vector<std::int64_t>& indices) {
  const auto& p = c.get<Gather>();
  const Type& x = c.operands[0];
  const Shape result = c.op.infer(c)[0].shape;
  if (result.num_elements() == 0 || x.num_elements() == 0) return std::nullopt;
  Shape batch(Dims(c.operands[1].shape.begin(), c.operands[1].shape.end() - 1));
  const auto entries = static_cast<std::int64_t>(p.dims.start_index_map.size());
  const Dims from = row_major_strides(x.shape);
  const WindowDims w(p.dims, x.ndim(), result.ndim());
  StridedRead out{result, 0, Dims(result.size(), 0)};
  for (std::int64_t k = 0; k < entries; ++k) {
    const auto d = static_cast<std::size_t>(p.dims.start_index_map[static_cast<std::size_t>(k)]);
    const std::optional<Even> starts = even_numbers(indices, k, entries, batch);
    if (!starts || !are_within(*starts, batch, x.shape[static_cast<int>(d)] - p.sizes[static_cast<int>(d)]))
      return std::nullopt;
    out.offset += starts->first * from[d];
    for (std::size_t i = 0; i < w.batch.size(); ++i)
      out.strides[static_cast<std::size_t>(w.batch[i])] += starts->steps[i] * from[d];
  }
  for (std::size_t i = 0; i < p.dims.operand_batching_dims.size(); ++i)
    out.strides[static_cast<std::size_t>(w.batch[static_cast<std::size_t>(p.dims.start_indices_batching_dims[i])])] +=
        from[static_cast<std::size_t>(p.dims.operand_batching_dims[i])];
  for (std::size_t i = 0; i < w.window.size(); ++i)
    out.strides[static_cast<std::size_t>(w.window[i])] += from[static_cast<std::size_t>(w.operand[i])];
  return out;
}

std::optional<StridedAdd> strided_scatter(const Call& c, const std::vector<std::int64_t>& indices) {
  const Params mirror = mirror_of(c);
  const std::optional<StridedRead> read =
      strided_gather(Call{gather, mirror, {c.operands[0], c.operands[1]}, c.subs}, indices);
  return read ? std::optional(StridedAdd{read->offset, read->strides}) : std::nullopt;
}

constinit const Home strided_read = [] {
  Op op;
  op.name = "strided_read";
  op.infer = infer_strided_read;
  op.eval = [](const Call& c, std::span<const HostView> in, std::span<const HostView> out) {
    read_view(view_of_read(c), in[0], out[0]);
  };
  op.view = [](const Call& c, const Type&) { return std::optional(view_of_read(c)); };
  op.movement = true;
  op.own_weak = true;
  op.without = {{"factors", "the compiler makes it when nothing is partitioned any more"},
                {"batch", "the compiler makes it when nothing is batched any more"}};
  op.not_differentiable = "The compiler makes it behind all derivatives.";
  op.samples = {{.params = StridedRead{{3, 4}, 0, {2, 1}}, .operands = {type(float32, {8})}, .differentiable = false},
                {.params = StridedRead{{2, 3}, 5, {1, -2}}, .operands = {type(int32, {3, 4})}, .differentiable = false},
                {.params = StridedRead{{2}, 1, {4}}, .operands = {type(bfloat16, {2, 3})}, .differentiable = false}};
  return op;
};

constinit const Home strided_add = [] {
  Op op;
  op.name = "strided_add";
  op.infer = [](const Call& c) {
    const auto& p = c.get<StridedAdd>();
    check_strides(c, c.operands[1].shape, p.offset, p.strides);
    return std::vector{type(c.operands[0].dtype, c.operands[0].shape, c.operands[0].weak)};
  };
  op.eval = eval_strided_add;
  op.overwrites = 0;
  op.own_weak = true;
  op.without = {{"factors", "the compiler makes it when nothing is partitioned any more"},
                {"batch", "the compiler makes it when nothing is batched any more"}};
  op.not_differentiable = "The compiler makes it behind all derivatives.";
  op.flops = [](const Call& c, const std::vector<Type>&) { return static_cast<double>(c.operands[1].num_elements()); };
  auto sample = [&](DType d, Shape x, Shape updates, StridedAdd p) {
    op.samples.push_back({.params = p, .operands = {type(d, x), type(d, updates)}, .differentiable = false, .ulp = 1});
  };
  sample(float32, {70}, {3, 32}, {2, {16, 1}});
  sample(float32, {8}, {3, 4}, {0, {2, 1}});
  sample(int32, {3, 40}, {2, 2, 20}, {1, {40, 7, 1}});
  sample(bfloat16, {100}, {5, 20}, {0, {20, 1}});
  return op;
};

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
