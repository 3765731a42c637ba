// Elementwise chains, products and what surrounds them.
#include "programs.hpp"
#include "tutti/transform/linear_maps.hpp"

namespace bench {

Function only(Single f) {
  return [f](const Arrays& in) { return Arrays{f(in)}; };
}

Function with_gradients(Single f) {
  return [f](const Arrays& in) {
    auto [y, pullback] = vjp([f](const Arrays& x) { return f(x); }, Arrays(in.begin(), in.end() - 1));
    Arrays out = std::get<0>(pullback(in.back()));
    out.insert(out.begin(), y);
    return out;
  };
}

Array constrained(const Array& x, const PartitionSpec& spec) {
  return with_sharding_constraint(x, NamedSharding(make_mesh({8}, {"x"}), spec));
}

Array same(const Arrays& in) { return in[0]; }

Array chain(const Arrays& in) {
  Array v = in[0];
  for (int i = 0; i < 5; ++i) v = tanh(v * 1.01);
  return v;
}

Array product(const Arrays& in) { return matmul(in[0], in[1]); }
Array product_by_einsum(const Arrays& in) { return einsum("mk,kn->mn", {in[0], in[1]}); }
Array product_transposed(const Arrays& in) { return transpose(matmul(transpose(in[1]), transpose(in[0]))); }
// Both contracted dims written as 8 groups.
Array product_by_blocks(const Arrays& in) {
  const std::int64_t k = in[1].shape(0);
  return einsum("mgk,gkn->mn", {in[0].reshape({-1, 8, k / 8}), in[1].reshape({8, k / 8, -1})});
}

Array two_products(const Arrays& in) { return matmul(in[0], in[1]) + matmul(in[2], in[3]) + in[4]; }
Array two_products_joined(const Arrays& in) {
  return matmul(concatenate({in[0], in[2]}, 1), concatenate({in[1], in[3]}, 0)) + in[4];
}
Array two_products_bias_first(const Arrays& in) { return (in[4] + matmul(in[0], in[1])) + matmul(in[2], in[3]); }

Array product_summed(const Arrays& in) { return sum(matmul(in[0], in[1]), -1); }
Array product_times_ones(const Arrays& in) { return matmul(matmul(in[0], in[1]), ones({in[1].shape(1)})); }
Array sum_before_product(const Arrays& in) { return matmul(in[0], sum(in[1], -1)); }

Array power_iteration(const Arrays& in) {
  const Array u = matmul(in[0], in[1]);
  return u / sqrt(sum(u * u));
}
Array power_iteration_by_norm(const Arrays& in) {
  const Array u = einsum("ij,j->i", {in[0], in[1]});
  return u * lax::rsqrt(vdot(u, u));
}

Arrays three_products(const Arrays& in) { return {matmul(in[0], in[1]), matmul(in[0], in[2]), matmul(in[0], in[3])}; }
Arrays three_products_joined(const Arrays& in) {
  return split(matmul(in[0], concatenate({in[1], in[2], in[3]}, 1)), 3, 1);
}
Arrays three_products_stacked(const Arrays& in) {
  const Array all_three = einsum("td,cde->cte", {in[0], stack({in[1], in[2], in[3]})});
  return {all_three[0], all_three[1], all_three[2]};
}

Array there_and_back(const Arrays& in) { return transpose(transpose(in[0] * 1.0f)); }

}  // namespace bench

// SPDX-License-Identifier: Apache-2.0
