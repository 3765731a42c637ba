// Homes of the collectives: types, what each means among the devices of one group, transposes. How they are batched:
// collective_batch.cpp.
#include "ops/collective/collective.hpp"

#include <algorithm>

#include "ops/collective/collective_batch.hpp"
#include "ops/elementwise/pointwise.hpp"
#include "ops/movement/movement.hpp"

namespace tutti::ops {
namespace {

using Arrays = std::vector<Array>;

std::int64_t product(const std::vector<std::int64_t>& sizes) {
  std::int64_t n = 1;
  for (std::int64_t s : sizes) n *= s;
  return n;
}
std::string names_text(const std::vector<std::string>& axes) {
  std::string out;
  for (const std::string& a : axes) out += (out.empty() ? "" : ", ") + a;
  return "(" + out + ")";
}
std::vector<std::string> without(const std::vector<std::string>& names, const std::vector<std::string>& gone) {
  std::vector<std::string> out;
  for (const std::string& n : names)
    if (std::find(gone.begin(), gone.end(), n) == gone.end()) out.push_back(n);
  return out;
}
std::vector<std::string> with(const std::vector<std::string>& names, std::vector<std::string> more) {
  std::sort(more.begin(), more.end());
  return merge_names(names, more);
}
std::int64_t group_size(const Call& c) {
  if (&c.op == &all_gather || &c.op == &reduce_scatter) return product(c.get<GatherOver>().sizes);
  if (&c.op == &ppermute) return product(c.get<Permute>().sizes);
  if (&c.op == &all_to_all) return product(c.get<Exchange>().sizes);
  return product(c.get<ReduceOver>().sizes);
}

void check_dim(const Call& c, int dim, int ndim, const char* what) {
  if (dim < 0 || dim >= ndim)
    raise<IndexError>(c.op.name,
                      std::string(what) + " " + std::to_string(dim) + " does not exist in " + c.operands[0].str(),
                      "Dims are 0 to " + std::to_string(ndim - 1) + " here.");
}
// The dim that is dealt out to `n` devices must have a block for each.
void check_blocks(const Call& c, const std::vector<std::string>& axes, int dim, std::int64_t n, bool tiled) {
  std::int64_t extent = c.operands[0].shape[dim];
  std::string what = "dim " + std::to_string(dim) + " of " + c.operands[0].str() + " has size " +
                     std::to_string(extent) + ", and the axes " + names_text(axes) + " have " + std::to_string(n) +
                     " devices";
  if (!tiled && extent != n)
    raise<ShapeError>(c.op.name, what + ": without `tiled` the two must be equal",
                      "Use tiled = true to deal out blocks of several elements.");
  if (tiled && extent % n != 0)
    raise<ShapeError>(c.op.name, what + ": they do not divide it",
                      "Pad the dim to a multiple of " + std::to_string(n) + ".");
}

std::vector<Type> infer_reduce(const Call& c) {
  Type t = c.operands[0];
  t.varying = without(t.varying, c.get<ReduceOver>().axes);
  return {t};
}
std::vector<Type> infer_pvary(const Call& c) {
  Type t = c.operands[0];
  t.varying = with(t.varying, c.get<ReduceOver>().axes);
  return {t};
}
std::vector<Type> infer_gather(const Call& c) {
  const auto& p = c.get<GatherOver>();
  Type t = c.operands[0];
  check_dim(c, p.dim, t.ndim() + !p.tiled, "dim");
  if (p.tiled)
    t.shape[p.dim] *= product(p.sizes);
  else
    t.shape.insert(p.dim, product(p.sizes));
  return {t};
}
std::vector<Type> infer_scatter(const Call& c) {
  const auto& p = c.get<GatherOver>();
  Type t = c.operands[0];
  check_dim(c, p.dim, t.ndim(), "dim");
  check_blocks(c, p.axes, p.dim, product(p.sizes), p.tiled);
  if (p.tiled)
    t.shape[p.dim] /= product(p.sizes);
  else
    t.shape.erase(p.dim);
  return {t};
}
std::vector<Type> infer_permute(const Call& c) {
  const auto& p = c.get<Permute>();
  std::int64_t n = product(p.sizes);
  std::vector<char> source(static_cast<std::size_t>(n), 0), destination(static_cast<std::size_t>(n), 0);
  auto text = [](std::pair<int, int> pair) {
    return "(" + std::to_string(pair.first) + ", " + std::to_string(pair.second) + ")";
  };
  std::string all;
  for (const auto& pair : p.pairs) all += (all.empty() ? " of " : ", ") + text(pair);
  for (auto [from, to] : p.pairs) {
    std::string pair = "the pair " + text({from, to}) + all;
    if (from < 0 || to < 0 || from >= n || to >= n)
      raise<IndexError>(
          "ppermute",
          pair + " is out of range: the axes " + names_text(p.axes) + " have " + std::to_string(n) + " devices",
          "Positions are 0 to " + std::to_string(n - 1) + ".");
    if (source[from]++)
      raise<ValueError>("ppermute", pair + " sends from " + std::to_string(from) + " a second time",
                        "Each device sends to at most one other.");
    if (destination[to]++)
      raise<ValueError>("ppermute", pair + " sends to " + std::to_string(to) + " a second time",
                        "Each device receives from at most one other.");
  }
  return {c.operands[0]};
}
std::vector<Type> infer_exchange(const Call& c) {
  const auto& p = c.get<Exchange>();
  Type t = c.operands[0];
  std::int64_t n = product(p.sizes);
  check_dim(c, p.split, t.ndim(), "split dim");
  check_dim(c, p.concat, t.ndim(), "concat dim");
  check_blocks(c, p.axes, p.split, n, p.tiled);
  if (p.tiled) {
    t.shape[p.split] /= n;
    t.shape[p.concat] *= n;
  } else {
    t.shape.erase(p.split);
    t.shape.insert(p.concat, n);
  }
  return {t};
}

Op collective(std::string name, decltype(Op::infer) infer) {
  Op op;
  op.name = std::move(name);
  op.collective = true;
  op.own_weak = true;
  op.infer = std::move(infer);
  return op;
}
Op linear(Op op, std::function<Array(const Call&, const Array& cotangent)> transpose, decltype(Op::batch) batch) {
  op.linear = {{0}};
  op.transpose = [transpose = std::move(transpose)](const Call& c, const Arrays& ct, const Arrays&,
                                                    const std::vector<bool>&) -> Arrays {
    return {ct[0].has_value() ? transpose(c, ct[0]) : Array()};
  };
  op.batch = std::move(batch);
  return op;
}
Op extremum(std::string name) {
  Op op = collective(std::move(name), infer_reduce);
  op.not_differentiable = "it has no derivative, as in JAX; take the maximum with all_gather and max instead";
  op.batch = batch_reduce;
  return op;
}

// A sum over an axis over which its operand was typed as varying gives every device the whole cotangent. Where variance
// is not typed (check_vma false, pmap, vmap), each device holds the cotangent of its own copy of the result, and they
// add up.
Array transpose_psum(const Call& c, const Array& ct) {
  const auto& p = c.get<ReduceOver>();
  ReduceOver typed, untyped;
  for (std::size_t i = 0; i < p.axes.size(); ++i) {
    const std::vector<std::string>& varying = c.operands[0].varying;
    ReduceOver& side = std::find(varying.begin(), varying.end(), p.axes[i]) != varying.end() ? typed : untyped;
    side.axes.push_back(p.axes[i]);
    side.sizes.push_back(p.sizes[i]);
  }
  Array out = ct;
  if (!untyped.axes.empty()) out = bind1(psum, untyped, {out});
  if (!typed.axes.empty()) out = bind1(pvary, typed, {out});
  return out;
}
Array transpose_pvary(const Call& c, const Array& ct) { return bind1(psum, c.params, {ct}); }
Array transpose_gather(const Call& c, const Array& ct) { return bind1(reduce_scatter, c.params, {ct}); }
Array transpose_scatter(const Call& c, const Array& ct) { return bind1(all_gather, c.params, {ct}); }
Array transpose_permute(const Call& c, const Array& ct) {
  Permute p = c.get<Permute>();
  for (auto& [from, to] : p.pairs) std::swap(from, to);
  return bind1(ppermute, p, {ct});
}
Array transpose_exchange(const Call& c, const Array& ct) {
  Exchange p = c.get<Exchange>();
  std::swap(p.split, p.concat);
  return bind1(all_to_all, p, {ct});
}

}  // namespace

constinit const Home psum = [] { return linear(collective("psum", infer_reduce), transpose_psum, batch_reduce); };
constinit const Home pmax = [] { return extremum("pmax"); };
constinit const Home pmin = [] { return extremum("pmin"); };
constinit const Home pvary = [] { return linear(collective("pvary", infer_pvary), transpose_pvary, batch_pvary); };
constinit const Home all_gather = [] {
  return linear(collective("all_gather", infer_gather), transpose_gather, batch_gather);
};
constinit const Home reduce_scatter = [] {
  return linear(collective("reduce_scatter", infer_scatter), transpose_scatter, batch_scatter);
};
constinit const Home ppermute = [] {
  return linear(collective("ppermute", infer_permute), transpose_permute, batch_permute);
};
constinit const Home all_to_all = [] {
  return linear(collective("all_to_all", infer_exchange), transpose_exchange, batch_exchange);
};
// Typed as invariant: where variance is typed, lax::axis_index follows it with a pvary.
constinit const Home axis_index = [] {
  Op op = collective("axis_index", [](const Call&) { return std::vector<Type>{Type{int32, {}, false, {}}}; });
  op.batch = batch_index;
  return op;
};

double collective_bytes(const Call& call, const Type& operand) {
  if (&call.op == &axis_index || &call.op == &pvary) return 0;
  auto bytes = static_cast<double>(operand.nbytes()), n = static_cast<double>(group_size(call));
  if (&call.op == &all_gather) return (n - 1) * bytes;
  if (&call.op == &reduce_scatter || &call.op == &all_to_all) return (n - 1) / n * bytes;
  if (&call.op == &ppermute) return bytes;
  return 2 * (n - 1) / n * bytes;
}

namespace {

// One element type's arithmetic among the devices: result[i] of `out` is the combination of all inputs at `from`.
template <unsigned mask, class Combine>
void combine(std::span<const HostView> in, const HostView& out, Combine fn,
             const std::function<std::int64_t(std::int64_t)>& from) {
  with_storage<mask>(out.type.dtype, [&]<class T>() {
    using C = typename Element<T>::Compute;
    T* y = out.as<T>();
    for (std::int64_t i = 0; i < out.size(); ++i) {
      std::int64_t at = from(i);
      C sum = Element<T>::load(in[0].as<const T>()[at]);
      for (std::size_t d = 1; d < in.size(); ++d)
        sum = static_cast<C>(fn(lane::Host<C>{sum}, lane::Host<C>{Element<T>::load(in[d].as<const T>()[at])}).v);
      y[i] = Element<T>::store(sum);
    }
  });
}

constexpr auto plus = [](auto x, auto y) { return x + y; };

std::int64_t offset(const Dims& index, const Dims& strides) {
  std::int64_t at = 0;
  for (std::size_t d = 0; d < index.size(); ++d) at += index[d] * strides[d];
  return at;
}
void copy_element(const HostView& in, std::int64_t from, const HostView& out, std::int64_t to) {
  std::int64_t size = out.type.dtype.size();
  std::memcpy(out.as<char>() + to * size, in.as<const char>() + from * size, static_cast<std::size_t>(size));
}

void eval_exchange(const Exchange& p, std::span<const HostView> in, std::span<const HostView> out) {
  const Shape& shape = in[0].type.shape;
  Dims strides = row_major_strides(shape);
  auto n = static_cast<std::int64_t>(in.size());
  for (std::size_t d = 0; d < out.size(); ++d)
    for_each_index(out[d].type.shape, [&](const Dims& index, std::int64_t flat) {
      Dims from = index;
      std::int64_t sender, me = static_cast<std::int64_t>(d);
      if (p.tiled) {
        std::int64_t block = p.split == p.concat ? shape[p.concat] / n : shape[p.concat];
        sender = from[p.concat] / block;
        from[p.concat] %= block;
        from[p.split] += me * (shape[p.split] / n);
      } else {
        sender = from[p.concat];
        from.erase(from.begin() + p.concat);
        from.insert(from.begin() + p.split, me);
      }
      copy_element(in[sender], offset(from, strides), out[d], flat);
    });
}

}  // namespace

void eval_collective(const Call& c, std::span<const HostView> in, std::span<const HostView> out) {
  auto n = static_cast<std::int64_t>(out.size());
  auto same = [](std::int64_t i) { return i; };
  // An operand or result as rows of blocks: [rows, n devices, block].
  auto rows_before = [&](const Shape& shape, int dim) {
    std::int64_t rows = 1;
    for (int d = 0; d < dim; ++d) rows *= shape[d];
    return rows;
  };
  for (std::size_t d = 0; d < out.size(); ++d) {
    const HostView& y = out[d];
    if (&c.op == &axis_index) {
      *y.as<std::int32_t>() = static_cast<std::int32_t>(d);
    } else if (&c.op == &pvary) {
      std::memcpy(y.data, in[d].data, static_cast<std::size_t>(y.type.nbytes()));
    } else if (&c.op == &psum) {
      combine<takes_number>(in, y, plus, same);
    } else if (&c.op == &pmax) {
      combine<takes_real | takes_bool>(
          in, y, [](auto a, auto b) { return lane::max(a, b); }, same);
    } else if (&c.op == &pmin) {
      combine<takes_real | takes_bool>(
          in, y, [](auto a, auto b) { return lane::min(a, b); }, same);
    } else if (&c.op == &all_gather) {
      std::int64_t rows = rows_before(in[0].type.shape, c.get<GatherOver>().dim);
      if (in[0].size() == 0) continue;
      std::int64_t block = in[0].size() / rows;
      for (std::int64_t r = 0; r < rows; ++r)
        for (std::int64_t k = 0; k < n; ++k)
          for (std::int64_t i = 0; i < block; ++i) copy_element(in[k], r * block + i, y, (r * n + k) * block + i);
    } else if (&c.op == &reduce_scatter) {
      std::int64_t rows = rows_before(in[0].type.shape, c.get<GatherOver>().dim);
      if (in[0].size() == 0) continue;
      std::int64_t block = y.size() / rows;
      combine<takes_number>(in, y, plus, [&](std::int64_t i) {
        return (i / block * n + static_cast<std::int64_t>(d)) * block + i % block;
      });
    } else if (&c.op == &ppermute) {
      std::memset(y.data, 0, static_cast<std::size_t>(y.type.nbytes()));
      for (auto [from, to] : c.get<Permute>().pairs)
        if (to == static_cast<int>(d)) std::memcpy(y.data, in[from].data, static_cast<std::size_t>(y.type.nbytes()));
    }
  }
  if (&c.op == &all_to_all) eval_exchange(c.get<Exchange>(), in, out);
}

}  // namespace tutti::ops
