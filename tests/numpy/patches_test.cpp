// Patches are what a convolution gives whose kernel is the identity, for each spelling of it.
#include <gtest/gtest.h>

#include <limits>
#include <random>

#include "tutti/tutti.hpp"

namespace tutti {
namespace {

using Numbers = std::vector<float>;
Numbers numbers_in(const Array& x) { return x.to_vector<float>(); }

struct PatchCase {
  Shape shape;
  lax::Dims extents, strides;
  lax::PatchOptions options;
};

// Random ones: spatial dims, extents, strides, dilations, padding, orders of dims.
PatchCase some_patches(std::mt19937& any) {
  auto number = [&](int low, int high) { return std::uniform_int_distribution<std::int64_t>(low, high)(any); };
  const std::int64_t spatial = number(1, 3);
  PatchCase out;
  lax::Dims shape{number(1, 3), number(1, 3)};
  std::vector<std::pair<std::int64_t, std::int64_t>> around;
  for (std::int64_t d = 0; d < spatial; ++d) {
    shape.push_back(number(1, 7));
    out.extents.push_back(number(1, 3));
    out.strides.push_back(number(1, 3));
    out.options.lhs_dilation.push_back(number(1, 2));
    out.options.rhs_dilation.push_back(number(1, 3));
    around.emplace_back(number(-1, 3), number(0, 3));
  }
  switch (number(0, 2)) {
    case 0: out.options.padding = around; break;
    case 1: out.options.padding = "SAME"; break;
    default: out.options.padding = "VALID";
  }
  const std::string letters = std::string("HWD").substr(0, static_cast<std::size_t>(spatial));
  if (number(0, 1)) {
    out.options.dimension_numbers = {"N" + letters + "C", "OI" + letters, letters + "NC"};
    shape.push_back(shape[1]);
    shape.erase(shape.begin() + 1);
  }
  out.shape = Shape(shape);
  return out;
}

Array by_convolution(const Array& x, const PatchCase& c, std::int64_t features) {
  const std::int64_t places = Shape(c.extents).num_elements();
  lax::Dims kernel{features * places, 1};
  kernel.insert(kernel.end(), c.extents.begin(), c.extents.end());
  return lax::conv_general_dilated(x, reshape(tile(eye(places), {features, 1}), Shape(kernel)),
                                   {.window_strides = c.strides,
                                    .padding = c.options.padding,
                                    .lhs_dilation = c.options.lhs_dilation,
                                    .rhs_dilation = c.options.rhs_dilation,
                                    .dimension_numbers = c.options.dimension_numbers,
                                    .feature_group_count = features});
}

TEST(Patches, AreConvolutionsWithTheIdentity) {
  std::mt19937 any(7);
  for (int k = 0; k < 60; ++k) {
    const PatchCase c = some_patches(any);
    const std::int64_t features = c.options.dimension_numbers.lhs.empty() ? c.shape[1] : c.shape[c.shape.ndim() - 1];
    const Array x = random::normal(random::key(k), c.shape);
    auto taken = [&](const Array& x) { return lax::conv_general_dilated_patches(x, c.extents, c.strides, c.options); };
    auto convolved = [&](const Array& x) { return by_convolution(x, c, features); };
    const Array wanted = convolved(x);
    for (const Array& got : {taken(x), jit(taken)(x)}) {
      EXPECT_EQ(got.shape(), wanted.shape());
      EXPECT_EQ(numbers_in(got), numbers_in(wanted)) << k << ": " << c.shape.str();
    }
    auto weighed = [](const auto& f) {
      return jit(grad([=](const Array& x) {
        const Array y = f(x);
        return sum(y * y * arange(static_cast<float>(y.size())).reshape(y.shape()));
      }));
    };
    if (wanted.size() == 0) continue;
    EXPECT_TRUE(allclose(weighed(taken)(x), weighed(convolved)(x), 1e-4, 1e-3)) << k;
  }
}

// A convolution multiplies each of them by zero.
TEST(Patches, KeepWhatIsNotFiniteApart) {
  const Array x = reshape(array({1.f, std::numeric_limits<float>::infinity(), 3.f, 4.f}), {1, 1, 4});
  EXPECT_EQ(numbers_in(lax::conv_general_dilated_patches(x, {2}, {2})),
            (Numbers{1, 3, std::numeric_limits<float>::infinity(), 4}));
}

TEST(Patches, OfIntegersAndOtherTypes) {
  const Array x = reshape(arange(6), {1, 1, 6});
  const Array y = lax::conv_general_dilated_patches(x, {3}, {3}, {.preferred_element_type = float32});
  EXPECT_EQ(y.dtype(), float32);
  EXPECT_EQ(numbers_in(y), (Numbers{0, 3, 1, 4, 2, 5}));
}

}  // namespace
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
