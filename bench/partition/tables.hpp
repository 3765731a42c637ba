// What many rows of the table share: meshes, placements, lists of inputs.
#pragma once

#include "programs.hpp"

namespace bench::tables {

constexpr std::int64_t D = 512, H = 2048;

inline const MeshAxes x8{{8}, {"x"}}, x4{{4}, {"x"}}, p8{{8}, {"p"}}, xy24{{2, 4}, {"x", "y"}},
    xy44{{4, 4}, {"x", "y"}}, rs24{{2, 4}, {"r", "s"}}, dm24{{2, 4}, {"d", "m"}}, xyz{{2, 2, 2}, {"x", "y", "z"}};
inline const PartitionSpec R = P(), row = P("x", none), col = P(none, "x"), xy = P("x", "y"),
                           tokens = P("x", none, none), rows_of_images = P(none, "x", none, none),
                           images = P("x", none, none, none), batches = P(none, "x", none), last = P(none, none, "x"),
                           stages = P("p", none, none);

using Inputs = std::vector<Input>;
using Specs = std::vector<PartitionSpec>;

inline Inputs joined(Inputs a, const Inputs& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

inline const Inputs contracted{{{1024, 4096}, col}, {{4096, 512}, row}};
inline const Inputs tensor_parallel{{{256, D}, R}, {{D, H}, col}, {{H, D}, row}};
inline const Inputs weights{{{D, H}, R}, {{H, D}, R}};
inline const Inputs cut_weights{{{D, H}, row}, {{H, D}, row}};
inline const Inputs batch{{{8192, D}, row}, {{8192, D}, row}};
inline const Inputs second_moments{{{D, H}, row, float32, true}, {{H, D}, row, float32, true}};
inline const Inputs adam_inputs = joined(joined(weights, joined(cut_weights, second_moments)), batch);
inline const Inputs micro_inputs = joined(weights, {{{8, 1024, D}, batches}, {{8, 1024, D}, batches}});
inline const Inputs batch_inputs = joined(weights, {{{8192, D}, row}});
inline const Inputs sequence_inputs{{{256, D}, row}, {{D, H}, col}, {{H, D}, row}, {{256, D}, row}};
inline const Inputs block_inputs{{{256, D}, R}, {{D, D}, col}, {{D, D}, col},
                                 {{D, D}, col}, {{D, D}, row}, {{256, D}, R}};
inline const Inputs token_inputs{{{1024, 8, 64}, tokens}, {{1024, 8, 64}, tokens}, {{1024, 8, 64}, tokens}};
inline const Inputs grouped_inputs{{{1024, 8, 64}, tokens}, {{1024, 1, 64}, tokens}, {{1024, 1, 64}, tokens}};
inline const Inputs expert_inputs{
    {{1024, D}, row}, {{1024, 8}, row}, {{8, D, H}, tokens}, {{8, H, D}, tokens}, {{1024, D}, row}};
inline const Specs expert_outputs{row, row, row, tokens, tokens};
inline const Inputs table_inputs{{{32768, D}, row}, {{1024}, R, int32}};
inline const Inputs table_cut_inputs{{{32768, D}, row}, {{1024}, P("x"), int32}};
inline const Inputs entropy_inputs{{{1024, 32768}, col}, {{1024}, R, int32}};
inline const Inputs norm_inputs{{{1024, D}, col}, {{D}, P("x")}};
inline const Inputs image_inputs{{{64, 16, 16, 256}, images}, {{256}, R}, {{256}, R}};
inline const Inputs long_rows{{{4096, 512}, row}};
inline const Inputs wide_rows{{{64, 1 << 20}, col}};
inline const Inputs projections{{{256, D}, row}, {{D, D}, col}, {{D, D}, col}, {{D, D}, col}};
inline const Inputs cache_inputs{
    {{8, 8, 64}, R}, {{8, 4096, 8, 64}, rows_of_images}, {{8, 4096, 8, 64}, rows_of_images}};
inline const Inputs pipeline_inputs{{{8, D, D}, stages}, {{32, 32, D}, R}};
inline const Inputs step_inputs{{{1024, D}, row}, {{D, D}, row}};
inline const Inputs power_inputs{{{4096, 4096}, xy}, {{4096}, P("y")}};
inline const Inputs convolution_inputs{{{8, 64, 64, 32}, rows_of_images}, {{3, 3, 32, 32}, R}};
inline const Inputs clip_inputs(24, Input{{D, D}, row});
inline const Specs clip_outputs(24, row);

}  // namespace bench::tables

// SPDX-License-Identifier: Apache-2.0
