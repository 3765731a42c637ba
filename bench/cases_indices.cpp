// Reads and writes at places that index arrays name: several arrays, rows, frames in all spellings, patches, strides,
// segments, stencils written with slices.
#include <tutti/tutti.hpp>

#include "case.hpp"

namespace bench {
namespace {

constexpr std::int64_t n = 1 << 20;

// Whole numbers from 0 to below `below`.
auto places(Shape shape, int below, int seed = 1) {
  return [=](const Setup& s) { return device_put(random::randint(random::key(seed), shape, 0, below), s.at(P())); };
}
auto float64_of(Shape shape) {
  return [=](const Setup& s) { return s.normal(shape, P()).astype(float64); };
}

// The gradient of the sum of squares of f(x, ...).
template <class F> auto squares_grad(F f) {
  return [f](const Array& x, const auto&... more) {
    return grad([&](const Array& x) { return sum(square(f(x, more...))); })(x);
  };
}

// --- one index array and several

Array pairs(const Array& x, const Array& i, const Array& j) { return x(i, j); }
Array pairs_added(const Array& x, const Array& i, const Array& j, const Array& u) { return x.at(i, j).add(u); }
Array pairs_put(const Array& x, const Array& i, const Array& j, const Array& u) { return x.at(i, j).set(u); }
Array taken(const Array& x, const Array& i) { return take(x, i, 0); }
Array along(const Array& x, const Array& i) { return take_along_axis(x, i, 1); }
Array in_order(const Array& x) { return take_along_axis(x, argsort(x, 1), 1); }

// --- frames of a signal: starts that are values, and places that are counted; patches of images

constexpr std::int64_t kApart = 128, kLong = 512, kFrames = 128, kSamples = (kFrames - 1) * kApart + kLong;

Array sliced(const Array& x, const Array& starts) {
  return vmap([&](const Array& start) { return lax::dynamic_slice(x, {start}, {kLong}); })(starts);
}
Array frame_places(int hop) { return expand_dims(arange(kFrames) * hop, 1) + arange(kLong); }
Array dilated(const Array& x) { return lax::conv_general_dilated_patches(x.reshape(1, 1, -1), {kLong}, {kApart}); }

constexpr std::int64_t kPatch = 16, kStep = 8, kAlong = 31, kImage = (kAlong - 1) * kStep + kPatch;

// Places of patches [kAlong, kAlong, kPatch, kPatch] in an image.
Array patch_places() { return expand_dims(arange(kAlong) * static_cast<int>(kStep), 1) + arange(kPatch); }
Array patches_of(const Array& image) {
  const Array at = patch_places();
  return image(at.reshape(kAlong, 1, kPatch, 1), at.reshape(1, kAlong, 1, kPatch));
}
Array patches_added(const Array& patches) {
  const Array at = patch_places();
  return zeros({kImage, kImage}, patches.dtype())
      .at(at.reshape(kAlong, 1, kPatch, 1), at.reshape(1, kAlong, 1, kPatch))
      .add(patches);
}
Array complex_patches_added(const Array& p) { return patches_added(lax::complex(p, p)); }
Batch double_patches_added(const Setup& s) {
  enable_x64(true);
  auto run = compiled("", patches_added, float64_of({kAlong, kAlong, kPatch, kPatch})).make(s);
  enable_x64(false);
  return [=](std::int64_t times) {
    enable_x64(true);
    run(times);
    enable_x64(false);
  };
}

// --- every other element; stencils

Array strided_added(const Array& x, const Array& u) { return x.at(slice(none, none, 2)).add(u); }
Array strided_rows_put(const Array& x, const Array& u) { return x.at(slice(1, none, 2)).set(u); }
Array strided_columns_scaled(const Array& x, const Array& u) { return x.at(all, slice(none, none, 2)).multiply(u); }

Array heat_100(const Array& u) {
  const Index in = slice(1, -1), low = slice(none, -2), high = slice(2, none);
  auto step = [&](const Array&, const Array& u) {
    return u.at(in, in).add(0.1f * (u(low, in) + u(high, in) + u(in, low) + u(in, high) - 4 * u(in, in)));
  };
  return lax::fori_loop(0, 100, step, u);
}
Array wave_100(const Array& u) {
  const Index in = slice(1, -1);
  auto step = [&](const Array&, const Array& u) {
    return u.at(in).set(0.25f * (u(slice(none, -2)) + 2 * u(in) + u(slice(2, none))));
  };
  return lax::fori_loop(0, 100, step, u);
}

auto segments(std::int64_t count) {
  return [=](const Array& x, const Array& ids) { return segment_sum(x, ids, {.num_segments = count}); };
}

// Rows of nodes that come along edges, added up where they arrive.
Array messages(const Array& nodes, const Array& from, const Array& to) {
  return segment_sum(nodes(from), to, {.num_segments = nodes.shape()[0]});
}

}  // namespace

std::vector<Case> index_cases() {
  const auto table = whole({4096, 256}), image = whole({512, 512}), numbers = whole({n});
  const auto at_i = places({n}, 4096, 2), at_j = places({n}, 256, 3), rows_at = places({8192}, 4096);
  const auto patches = whole({kAlong, kAlong, kPatch, kPatch});
  return {
      compiled("index_pairs_1M", pairs, table, at_i, at_j),
      compiled("index_pairs_grad_1M", squares_grad(pairs), table, at_i, at_j),
      compiled("index_pairs_add_1M", pairs_added, table, at_i, at_j, numbers),
      compiled("index_pairs_set_1M", pairs_put, table, at_i, at_j, numbers),
      compiled("index_take_grad_1M", squares_grad(taken), numbers, places({n}, n)),
      compiled("index_rows_grad_8192", squares_grad(taken), table, rows_at),
      compiled(
          "index_rows_add_8192", [](const Array& x, const Array& i, const Array& u) { return x.at(i).add(u); }, table,
          rows_at, whole({8192, 256})),
      compiled(
          "index_rows_set_8192", [](const Array& x, const Array& i, const Array& u) { return x.at(i).set(u); }, table,
          rows_at, whole({8192, 256})),
      compiled(
          "index_rows_max_8192", [](const Array& x, const Array& i, const Array& u) { return x.at(i).max(u); }, table,
          rows_at, whole({8192, 256})),
      compiled("index_along_grad_1M", squares_grad(along), table, places({4096, 256}, 256)),
      compiled("index_argsort_grad_1M", squares_grad(in_order), table),
      compiled("index_segment_sum_1M_16", segments(16), numbers, places({n}, 16)),
      compiled("index_segment_sum_1M_4096", segments(4096), numbers, places({n}, 4096)),
      compiled("index_segment_sum_1M_512k", segments(n / 2), numbers, places({n}, n / 2)),
      compiled("index_segment_grad_1M",
               grad([](const Array& x) { return sum(square(segments(4096)(x, mod(arange(n) * 7919, 4096)))); }),
               numbers),
      compiled(
          "index_bincount_1M", [](const Array& i) { return bincount(i, {.length = 4096}); }, at_i),
      compiled(
          "index_one_hot_16k", [](const Array& i, const Array& w) { return matmul(nn::one_hot(i, 256), w); },
          places({1 << 14}, 256), whole({256, 64})),
      compiled("index_messages_64k", messages, whole({4096, 64}), places({1 << 16}, 4096, 2),
               places({1 << 16}, 4096, 3)),
      compiled("index_messages_grad_64k", squares_grad(messages), whole({4096, 64}), places({1 << 16}, 4096, 2),
               places({1 << 16}, 4096, 3)),
      compiled("frames_slices_128x512", sliced, whole({kSamples}), places({kFrames}, kSamples - kLong)),
      compiled("frames_slices_grad_128x512", squares_grad(sliced), whole({kSamples}),
               places({kFrames}, kSamples - kLong)),
      compiled(
          "frames_sliding_128x512", [](const Array& x) { return x(frame_places(1)); }, whole({kSamples})),
      compiled("frames_sliding_grad_128x512", squares_grad([](const Array& x) { return x(frame_places(1)); }),
               whole({kSamples})),
      compiled("frames_dilated_128x512", dilated, whole({kSamples})),
      compiled("frames_dilated_grad_128x512", squares_grad(dilated), whole({kSamples})),
      compiled("frames_patches_31x31", patches_of, whole({kImage, kImage})),
      compiled("frames_patches_grad_31x31", squares_grad(patches_of), whole({kImage, kImage})),
      compiled("frames_patches_add_31x31", patches_added, patches),
      compiled("frames_patches_add_batch_8", vmap(patches_added), whole({8, kAlong, kAlong, kPatch, kPatch})),
      compiled("frames_patches_add_complex", complex_patches_added, patches),
      {"frames_patches_add_float64", double_patches_added},
      compiled("strided_add_1M", strided_added, numbers, whole({n / 2})),
      compiled("strided_rows_set_4096x256", strided_rows_put, table, whole({2048, 256})),
      compiled("strided_columns_multiply_1M", strided_columns_scaled, table, whole({4096, 128})),
      compiled("stencil_heat_512_100", heat_100, image),
      compiled("stencil_wave_1M_100", wave_100, numbers),
  };
}

}  // namespace bench

// SPDX-License-Identifier: Apache-2.0
