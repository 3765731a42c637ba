// Elements that are moved, taken and packed, images, and small numbers: functions of NumPy that users call at size.
#include "case.hpp"
#include "tutti/tutti.hpp"

namespace bench {
namespace {

// Whole numbers from 0 to below `below`.
auto integers(Shape shape, int below, DType dtype = int32) {
  return [=](const Setup& s) {
    return device_put(random::randint(random::key(1), shape, 0, below).astype(dtype), s.at(P()));
  };
}

Array normalized(const Array& images) {
  return (images.astype(float32) / 255 - array({0.485f, 0.456f, 0.406f})) / array({0.229f, 0.224f, 0.225f});
}

}  // namespace

std::vector<Case> movement_cases() {
  return {
      compiled(
          "pad_reflect_images_16x256",
          [](const Array& x) {
            return pad(x, {{0, 0}, {4, 4}, {4, 4}, {0, 0}}, PadMode::reflect);
          },
          whole({16, 256, 256, 3})),
      compiled(
          "pad_edge_2048",
          [](const Array& x) {
            return pad(x, {{8, 8}, {8, 8}}, PadMode::edge);
          },
          whole({2048, 2048})),
      compiled(
          "flip_rows_2048", [](const Array& x) { return flip(x, 1); }, whole({2048, 2048})),
      compiled(
          "flip_images_uint8_64x224", [](const Array& x) { return flip(x, 2); },
          integers({64, 224, 224, 3}, 256, uint8)),
      compiled("normalize_images_64x224", normalized, integers({64, 224, 224, 3}, 256, uint8)),
      compiled(
          "channels_first_64x224",
          [](const Array& x) {
            return transpose(x, {0, 3, 1, 2});
          },
          whole({64, 224, 224, 3})),
      compiled(
          "channels_last_64x224",
          [](const Array& x) {
            return transpose(x, {0, 2, 3, 1});
          },
          whole({64, 3, 224, 224})),
      compiled(
          "take_columns_2048x1000", [](const Array& x, const Array& i) { return take(x, i, 1); }, whole({2048, 2048}),
          integers({1000}, 2048)),
      compiled(
          "take_along_axis_2048", [](const Array& x, const Array& i) { return take_along_axis(x, i, 1); },
          whole({2048, 2048}), integers({2048, 2048}, 2048)),
      compiled(
          "packbits_4M", [](const Array& x) { return packbits(x > 0); }, whole({1 << 22})),
      compiled(
          "unpackbits_1M", [](const Array& x) { return unpackbits(x); }, integers({1 << 20}, 256, uint8)),
      compiled(
          "cross_1M", [](const Array& x, const Array& y) { return cross(x, y); }, whole({1 << 20, 3}),
          whole({1 << 20, 3})),
      compiled(
          "product_batch_10000x3", [](const Array& x) { return matmul(x, x); }, whole({10000, 3, 3})),
      compiled(
          "product_int32_512", [](const Array& x) { return matmul(x, x); }, integers({512, 512}, 1000)),
      compiled(
          "outer_int32_2048", [](const Array& x) { return outer(x, x); }, integers({2048}, 1000)),
      compiled(
          "sum_complex_rows_2048", [](const Array& x) { return sum(lax::complex(x, x * 2) * 3, 1); },
          whole({2048, 2048})),
  };
}

}  // namespace bench

// SPDX-License-Identifier: Apache-2.0
