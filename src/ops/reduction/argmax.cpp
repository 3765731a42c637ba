// argmax argmin along one dim, which disappears: the first index of the extremum; the first NaN, if there is one.
// Source: jax.lax.
#include "ops/reduction/argmax.hpp"
#include "ir/across.hpp"
#include "ops/elementwise/convert.hpp"
#include "ops/elementwise/pointwise.hpp"
#include "tutti/lax/lax.hpp"

namespace tutti::ops {
namespace {

constexpr unsigned mask = takes_real | takes_bool;

template <class T> bool is_nan(T x) {
  if constexpr (std::floating_point<T>)
    return std::isnan(x);
  else
    return false;
}

std::vector<Type> infer_argmax(const Call& c) {
  const auto& p = c.get<ArgReduction>();
  Shape shape = c.operands[0].shape;
  pointwise_shape(c, mask);
  if (p.axis < 0 || p.axis >= shape.ndim())
    raise<IndexError>(c.op.name, "axis " + std::to_string(p.axis) + " is out of range for " + c.operands[0].str(),
                      "Axes count from 0 here, up to ndim - 1.");
  if (shape[p.axis] == 0)
    raise<ValueError>(c.op.name,
                      "no index to give: dim " + std::to_string(p.axis) + " of " + c.operands[0].str() + " is empty",
                      "Give an array with elements there.");
  if (!p.index.is_integer())
    raise<TypeError>(c.op.name, "indices cannot be " + std::string(p.index.name()),
                     "Ask for an integer dtype, such as int32.");
  if (Scalar last(shape[p.axis] - 1); last.to(p.index).integer != last.integer)
    raise<ValueError>(c.op.name,
                      "positions in dim " + std::to_string(p.axis) + " of " + c.operands[0].str() + " do not fit " +
                          std::string(p.index.name()),
                      p.index.size() == 4 ? "Call enable_x64(true) for 64-bit integers." : "Ask for a wider dtype.");
  shape.erase(p.axis);
  return {Type{p.index, shape, false, {}}};
}

template <class Better> decltype(Op::eval) eval(Better better) {
  return [better](const Call& c, std::span<const HostView> in, std::span<const HostView> out) {
    const auto& p = c.get<ArgReduction>();
    const Shape& shape = c.operands[0].shape;
    std::int64_t n = shape[p.axis], inner = 1;
    for (int d = p.axis + 1; d < shape.ndim(); ++d) inner *= shape[d];
    std::vector<std::int64_t> found(static_cast<std::size_t>(out[0].size()));
    with_storage<mask>(c.operands[0].dtype, [&]<class T>() {
      for (std::size_t k = 0; k < found.size(); ++k) {
        const auto at = static_cast<std::int64_t>(k);
        const T* x = in[0].as<const T>() + at / inner * n * inner + at % inner;
        std::int64_t& best = found[k];
        for (std::int64_t i = 1; i < n; ++i) {
          auto value = Element<T>::load(x[i * inner]), so_far = Element<T>::load(x[best * inner]);
          if (is_nan(so_far)) break;
          if (is_nan(value) || better(value, so_far)) best = i;
        }
      }
    });
    with_storage<takes_integer>(p.index, [&]<class I>() {
      for (std::size_t k = 0; k < found.size(); ++k) out[0].as<I>()[k] = static_cast<I>(found[k]);
    });
  };
}

// The best of each block and where it is; then the best of these, of equal ones the first block's.
Across across_blocks_of_argmax(bool max) {
  auto as_numbers = [](const Array& x) {
    return x.dtype().is_bool() ? bind1(convert_element_type, ConvertElementType{int32, false}, {x}) : x;
  };
  Across out;
  out.run = [=](const Call& c, const std::vector<Array>& blocks, const Line& line) {
    const auto& p = c.get<ArgReduction>();
    const Array x = as_numbers(blocks[0]);
    const Array here = bind1(c.op, p, {x});
    auto index = [&](const Array& v) {
      return v.dtype() == p.index ? v : bind1(convert_element_type, ConvertElementType{p.index, false}, {v});
    };
    const Array first =
        lax::mul(index(line.position()), array_from_scalar(Scalar(x.shape()[p.axis]).to(p.index), false));
    const Array best = line.gathered(max ? lax::reduce_max(x, {p.axis}) : lax::reduce_min(x, {p.axis}));
    const Array at = line.gathered(lax::add(here, lax::broadcast_in_dim(first, here.shape(), {})));
    lax::Dims others;
    for (int d = 1; d < best.ndim(); ++d) others.push_back(d);
    const Array winner = bind1(c.op, ArgReduction{0, int32}, {best});
    const Array chosen =
        lax::eq(lax::iota(int32, best.shape(), 0), lax::broadcast_in_dim(winner, best.shape(), others));
    return std::vector{lax::reduce_sum(lax::select(chosen, at, lax::sub(at, at)), {0})};
  };
  out.received = [](const Call& c, int, std::int64_t blocks) -> std::optional<double> {
    const auto& p = c.get<ArgReduction>();
    const Type& x = c.operands[0];
    const auto rows = static_cast<double>(x.shape.num_elements() / x.shape[p.axis]);
    const double item = static_cast<double>((x.dtype.is_bool() ? 4 : x.dtype.size()) + p.index.size());
    return static_cast<double>(blocks - 1) * rows * item;
  };
  return out;
}

template <class Better> Op arg_reduction(std::string name, Better better) {
  Op op;
  op.name = std::move(name);
  op.infer = infer_argmax;
  op.eval = eval(better);
  op.own_weak = true;
  op.factors = [](const Call& c, const std::vector<Type>&) {
    Factors f;
    f.operands.resize(1);
    f.results.resize(1);
    for (int d = 0; d < c.operands[0].ndim(); ++d) {
      bool gone = d == c.get<ArgReduction>().axis;
      f.factors.push_back({c.operands[0].shape[d], gone ? Factors::Kind::replicated : Factors::Kind::parallel});
      f.operands[0].push_back({d});
      if (!gone) f.results[0].push_back({d});
    }
    return f;
  };
  op.across = std::make_shared<Across>(across_blocks_of_argmax(better(1, 0)));
  op.jvp = [](const Call&, const auto&, const auto&, const auto&) { return std::vector<Array>(1); };
  op.batch = [](const Call& c, const std::vector<Array>& x, const std::vector<bool>&, const BatchAxis&) -> Batched {
    ArgReduction p = c.get<ArgReduction>();
    ++p.axis;
    return {{bind1(c.op, p, x)}, {true}};
  };
  for (DType d : {float32, bfloat16, int32, uint8, bool_})
    for (int axis : {0, 1}) {
      Sample s;
      s.params = ArgReduction{axis};
      s.operands = {Type{d, Shape{4, 5}, false, {}}};
      s.differentiable = false;
      op.samples.push_back(s);
    }
  return op;
}

}  // namespace

std::optional<PlaceOf> place_of(const Eqn& e) {
  if (e.op != &argmax && e.op != &argmin) return std::nullopt;
  const auto& p = e.params.get<ArgReduction>();
  return PlaceOf{e.op == &argmax ? Op::Reduce::max : Op::Reduce::min, p.axis, p.index};
}

constinit const Home argmax = [] { return arg_reduction("argmax", [](auto x, auto y) { return x > y; }); };
constinit const Home argmin = [] { return arg_reduction("argmin", [](auto x, auto y) { return x < y; }); };

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
