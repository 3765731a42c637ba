#include <iterator>
#include <unordered_map>

#include "case.hpp"

namespace bench {

std::vector<Case> all_cases() {
  std::vector<Case> all;
  for (auto list :
       {mlp_cases,     array_cases,       tiny_cases,    mapped_cases,      loop_cases,       solver_cases,
        linalg_cases,  wide_cases,        special_cases, convolution_cases, statistics_cases, movement_cases,
        signal_cases,  scipy_cases,       index_cases,   running_cases,     gpt_cases,        data_cases,
        compile_cases, compile_gpt_cases, file_cases}) {
    std::vector<Case> some = list();
    all.insert(all.end(), std::make_move_iterator(some.begin()), std::make_move_iterator(some.end()));
  }
  return all;
}

// Set from what hand-written C++ reached beside JAX 0.10.2 on two cores with AVX-512; see docs/bench.md.
double must_of(std::string_view name) {
  static const std::unordered_map<std::string_view, double> must = {
      {"sin_8192_xy", 20},
      {"chain10_4096_xy", 4.5},
      {"dot_2048_free", 1.05},
      {"dot_2048_contract", 1.3},
      {"dot_4096_free", 1.05},
      {"dot_256_free", 1.4},
      {"dot_bf16_2048", 1.9},
      {"mlp_grad_dp_w2048_b1024", 2.1},
      {"mlp_grad_tp_w2048_b1024", 1.35},
      {"mlp_grad_dp_w512_b256", 4},
      {"mlp_grad_tp_w512_b256", 2.5},
      {"mlp_grad_dp_w64_b64", 60},
      {"mlp_grad_tp_w64_b64", 30},
      {"mlp_fwd_tp_w512_b256", 1.5},
      {"pmap_linear_regression", 500},
      {"equinox_mlp_adam_step", 200},
      {"shard_map_matmul_psum_small", 35},
      {"jit_add_one_device", 10},
      {"eager_add_one_device", 15},
      {"eager_add_sharded", 80},
      {"jit_add_sharded", 100},
      {"softmax_4096_rows", 1.9},
      {"softmax_4096_cols_sharded", 2.6},
      {"layernorm_4096", 2},
      {"gelu_4096", 1.5},
      {"sum_4096_all", 1.3},
      {"sum_4096_axis0", 1.5},
      {"transpose_4096", 1.45},
      {"random_normal_4096", 7},
      {"compile_gpt_grad_24_scan", 10},
      {"plan_gpt_grad_12", 10},
      {"psum_4M", 2},
      {"reshard_2048_rows_to_cols", 500},
      {"adam_4M_params", 1.5},
      {"compile_mlp_grad_tp", 6},
      {"compile_tiny", 8},
      {"compile_layers_4", 8},
      {"compile_layers_16", 8},
      {"compile_layers_64", 8},
      {"compile_layers_256", 8},
      {"startup_first_sin", 10},
  };
  auto it = must.find(name);
  return it == must.end() ? 0 : it->second;
}

}  // namespace bench

// SPDX-License-Identifier: Apache-2.0
