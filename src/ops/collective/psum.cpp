// psum pmax pmin: what all devices of a group have, combined. Source: jax.lax.
#include <algorithm>

#include "ops/collective/family.hpp"
#include "ops/reduction/reduce.hpp"

namespace tutti::ops {
namespace {

using Arrays = std::vector<Array>;

std::vector<Type> infer(const Call& c) {
  const std::vector<std::string>& gone = c.get<Group>().axes;
  Type t = c.operands[0];
  std::erase_if(t.varying, [&](const std::string& n) { return std::find(gone.begin(), gone.end(), n) != gone.end(); });
  return {t};
}

// Device k combines the k-th part of all operands and hands it to the others.
template <unsigned mask, class Combine> decltype(Collective::eval) eval(Combine combine) {
  return [combine](const Call& c, Views in, Views out, Messages& messages) {
    DType dtype = c.operands[0].dtype;
    std::size_t n = in.size();
    auto first = [&](std::size_t k) {
      return static_cast<std::size_t>(in[0].size()) * k / n * static_cast<std::size_t>(dtype.size());
    };
    std::vector<Blocks> parts(n, Blocks(n));
    for (std::size_t d = 0; d < n; ++d)
      for (std::size_t k = 0; k < n; ++k)
        if (first(k) < first(k + 1)) parts[d][k].assign(in[d].as<char>() + first(k), in[d].as<char>() + first(k + 1));
    std::vector<Blocks> got = deliver(parts, messages);
    for (std::size_t k = 0; k < n; ++k) {
      char* combined = out[k].as<char>() + first(k);
      combine_blocks<mask>(dtype, got[k], combined, combine);
      for (std::size_t d = 0; d < n; ++d)
        messages.send(k, d, combined, out[d].as<char>() + first(k), static_cast<std::int64_t>(first(k + 1) - first(k)));
    }
  };
}

template <unsigned mask, class Combine> Op reduction(std::string name, Combine combine) {
  Collective says;
  says.kind = "all_reduce";
  says.eval = eval<mask>(combine);
  says.received = [](double bytes, double n) {
    Received half = received_in_blocks(bytes, n);  // a block of each to combine, then a combined block of each
    return Received{2 * half.bytes, 2 * half.messages};
  };
  says.variance = Collective::Variance::ends;
  Op op = collective_op<Group>(std::move(name), says);
  op.infer = infer;
  return op;
}

// `lanes` combines the lanes of a batch; `same` is what many times the same gives.
template <class Combine, class Same> decltype(Op::batch) batched_by(Combine lanes, Same same) {
  return [=](const Call& c, const Arrays& xs, const std::vector<bool>& mapped, const BatchAxis& axis) -> Batched {
    Steps steps{c.get<Group>(), axis};
    Lanes v{xs[0], mapped[0]};
    if (steps.any()) {
      v.x = v.mapped ? lanes(v.x) : same(v.x, axis.size);
      v.mapped = false;
    }
    Group rest = steps.others();
    if (!rest.axes.empty()) v.x = bind1(c.op, rest, {v.x});
    return result(v);
  };
}
Array unchanged(const Array& x, std::int64_t) { return x; }

// A sum over an axis over which its operand was typed as varying gives every device the whole cotangent. Where variance
// is not typed (check_vma false, pmap, vmap), each device holds the cotangent of its own copy of the result, and they
// add up.
Array transpose_psum(const Call& c, const Array& ct) {
  const auto& p = c.get<Group>();
  Group typed, untyped;
  for (std::size_t i = 0; i < p.axes.size(); ++i) {
    const std::vector<std::string>& varying = c.operands[0].varying;
    Group& side = std::find(varying.begin(), varying.end(), p.axes[i]) != varying.end() ? typed : untyped;
    side.axes.push_back(p.axes[i]);
    side.sizes.push_back(p.sizes[i]);
  }
  Array out = ct;
  if (!untyped.axes.empty()) out = bind1(psum, untyped, {out});
  if (!typed.axes.empty()) out = bind1(pvary, typed, {out});
  return out;
}

const char* const no_derivative = "it has no derivative, as in JAX; take the maximum with all_gather and max instead";

}  // namespace

constinit const Home psum = [] {
  Op op = reduction<takes_number>("psum", [](auto x, auto y) { return x + y; });
  op.batch = batched_by(
      // In any order: over several axes, one after the other is batched, and their sums may become one.
      [](const Array& x) {
        return bind1(reduce_sum, Reduction{{0}, true}, {x});
      },
      [](const Array& x, std::int64_t n) { return lax::mul(x, literal(x.dtype(), static_cast<double>(n))); });
  set_linear(op, transpose_psum);
  return op;
};
constinit const Home pmax = [] {
  Op op = reduction<takes_real | takes_bool>("pmax", [](auto x, auto y) { return lane::max(x, y); });
  op.batch = batched_by([](const Array& x) { return lax::reduce_max(x, {0}); }, unchanged);
  op.not_differentiable = no_derivative;
  return op;
};
constinit const Home pmin = [] {
  Op op = reduction<takes_real | takes_bool>("pmin", [](auto x, auto y) { return lane::min(x, y); });
  op.batch = batched_by([](const Array& x) { return lax::reduce_min(x, {0}); }, unchanged);
  op.not_differentiable = no_derivative;
  return op;
};

}  // namespace tutti::ops
