// The programs of the table, by family: global code on arrays, as a user would write it.
#pragma once

#include "row.hpp"
#include "tutti/array/placement.hpp"
#include "tutti/lax/control_flow.hpp"
#include "tutti/lax/lax.hpp"
#include "tutti/lax/windows.hpp"
#include "tutti/nn/activations.hpp"
#include "tutti/numpy/numpy.hpp"
#include "tutti/transform/transforms.hpp"

namespace bench {

/// A program of one result.
using Single = Array (*)(const Arrays&);
Function only(Single f);
/// The last input is the cotangent of the result: the result, then the gradients by all other inputs.
Function with_gradients(Single f);
/// `x` cut as said, on the mesh x:8.
Array constrained(const Array& x, const PartitionSpec& spec);

// --- programs_products.cpp
Array same(const Arrays& in);
Array chain(const Arrays& in);
Array product(const Arrays& in);
Array product_by_einsum(const Arrays& in);
Array product_transposed(const Arrays& in);
Array product_by_blocks(const Arrays& in);
Array two_products(const Arrays& in);
Array two_products_joined(const Arrays& in);
Array two_products_bias_first(const Arrays& in);
Array product_summed(const Arrays& in);
Array product_times_ones(const Arrays& in);
Array sum_before_product(const Arrays& in);
Array power_iteration(const Arrays& in);
Array power_iteration_by_norm(const Arrays& in);
Arrays three_products(const Arrays& in);
Arrays three_products_joined(const Arrays& in);
Arrays three_products_stacked(const Arrays& in);
Array there_and_back(const Arrays& in);

// --- programs_mlp.cpp
Array mlp(const Arrays& in);
Array mlp_by_einsum(const Arrays& in);
Array mean_squared_error(const Arrays& weights, const Array& x, const Array& t);
Arrays mlp_value_and_gradients(const Arrays& in);
Arrays mlp_value_and_gradients_by_tensordot(const Arrays& in);
Arrays mlp_gradients(const Arrays& in);
Arrays mlp_gradients_by_hand(const Arrays& in);
Arrays mlp_gradients_with_remat(const Arrays& in);
Arrays adam_step(const Arrays& in);
Arrays adam_step_library(const Arrays& in);
Arrays microbatches(const Arrays& in);
Arrays microbatches_inside(const Arrays& in);
Arrays microbatches_counted(const Arrays& in);
Arrays batch_scan(const Arrays& in);
Arrays batch_scan_constrained(const Arrays& in);
Arrays clip_by_norm(const Arrays& in);
Arrays clip_by_vdot(const Arrays& in);
Arrays clip_flat(const Arrays& in);

// --- programs_attention.cpp
Array attention_block(const Arrays& in);
Array attention_block_stacked(const Arrays& in);
Array attention_block_flat(const Arrays& in);
Array attention_block_joined(const Arrays& in);
Array attention(const Arrays& in);
Array attention_by_hand(const Arrays& in);
Array attention_by_heads(const Arrays& in);
Array attention_head_by_head(const Arrays& in);
Array grouped_attention(const Arrays& in);
Array repeated_attention(const Arrays& in);
Array decode(const Arrays& in);
Array decode_without_max(const Arrays& in);
Array experts(const Arrays& in);
Array experts_constrained(const Arrays& in);
Array experts_constrained_both(const Arrays& in);

// --- programs_rows.cpp: lookups, norms, sums, sorts along a dimension
Array lookup(const Arrays& in);
Array lookup_by_product(const Arrays& in);
Array lookup_along(const Arrays& in);
Array cross_entropy(const Arrays& in);
Array cross_entropy_one_hot(const Arrays& in);
Array cross_entropy_library(const Arrays& in);
Array rms_norm(const Arrays& in);
Array rms_norm_by_einsum(const Arrays& in);
Array rms_norm_by_variance(const Arrays& in);
Array batch_norm(const Arrays& in);
Array batch_norm_by_var(const Arrays& in);
Array batch_norm_flat(const Arrays& in);
Array sum_all(const Arrays& in);
Array sum_twice(const Arrays& in);
Array mean_rows(const Arrays& in);
Array mean_rows_padded(const Arrays& in);
Array mean_rows_cut(const Arrays& in);
Array mean_rows_scaled_first(const Arrays& in);
Array cumsum_rows(const Arrays& in);
Array cumsum_associative(const Arrays& in);
Array cumsum_by_scan(const Arrays& in);
Array cumsum_by_product(const Arrays& in);
Array sort_rows(const Arrays& in);
Array sort_by_argsort(const Arrays& in);
Arrays largest(const Arrays& in);
Array largest_by_sort(const Arrays& in);
Arrays largest_by_argsort(const Arrays& in);

// --- programs_steps.cpp: neighbours and loops
Array convolution(const Arrays& in);
Array convolution_by_slices(const Arrays& in);
Array roll_rows(const Arrays& in);
Array roll_by_concatenate(const Arrays& in);
Array roll_by_take(const Arrays& in);
Array pipeline(const Arrays& in);
Array pipeline_roll(const Arrays& in);
Array pipeline_pad(const Arrays& in);
Array pipeline_constrained(const Arrays& in);
Array repeated_product(const Arrays& in);
Array repeated_product_fori(const Arrays& in);
Array repeated_product_unrolled(const Arrays& in);

}  // namespace bench

// SPDX-License-Identifier: Apache-2.0
