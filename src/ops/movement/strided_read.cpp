// Overlapping frames and the like: an array read with strides that its shape knows nothing of. The compiler makes it of
// gathers whose indices it knows.
#include "ops/movement/strided_read.hpp"

#include <algorithm>

#include "ops/movement/gather.hpp"

namespace tutti::ops {
namespace {

View view_of_read(const Call& c) {
  const auto& p = c.get<StridedRead>();
  return {p.offset, p.strides};
}

std::vector<Type> infer_strided_read(const Call& c) {
  const auto& p = c.get<StridedRead>();
  std::int64_t least = p.offset, most = p.offset;
  for (std::size_t d = 0; d < p.strides.size(); ++d) {
    const std::int64_t last = p.strides[d] * (p.shape[static_cast<int>(d)] - 1);
    (last < 0 ? least : most) += last;
  }
  if (p.shape.size() != p.strides.size() || least < 0 || most >= c.operands[0].num_elements())
    throw InternalError("strided_read: from " + c.operands[0].str() + " with strides " + text(p.strides));
  return {type(c.operands[0].dtype, p.shape, c.operands[0].weak)};
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

}  // namespace tutti::ops
