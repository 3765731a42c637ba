// Losses where examples are sure, right or wrong: values and gradients beside the formulas in double and Optax 0.2.8.
#include <gtest/gtest.h>

#include <cmath>

#include "tutti/tutti.hpp"

namespace tutti {
namespace {

const std::vector<float> logits{-1e4f, -1e3f, -104, -89, -30, -1, -1e-3f, 0, 1e-3f, 1, 30, 89, 104, 1e3f, 1e4f};

double softplus(double x) { return std::max(x, 0.) + std::log1p(std::exp(-std::abs(x))); }
double sigmoid_of(double x) { return x > 0 ? 1 / (1 + std::exp(-x)) : std::exp(x) / (1 + std::exp(x)); }

struct Focal {
  double value, slope;
};
// With w = 1 - p_t, for a label of 0 or 1.
Focal focal(double x, bool label, double gamma) {
  const double z = label ? x : -x, w = sigmoid_of(-z), entropy = softplus(-z);
  const double power = gamma == 0 ? 1 : std::exp(-gamma * softplus(z));
  const double slope = -w * power - gamma * sigmoid_of(z) * power * entropy;
  return {power * entropy, label ? slope : -slope};
}

void expect_close(const Array& got, const std::vector<double>& expected, double relative, const std::string& what) {
  const std::vector<float> y = got.astype(float32).to_vector<float>();
  ASSERT_EQ(y.size(), expected.size());
  for (std::size_t i = 0; i < y.size(); ++i)
    EXPECT_NEAR(y[i], expected[i], relative * std::abs(expected[i]) + 1e-37) << what << ", element " << i;
}

// bugreports-3, 4
TEST(Losses, FocalOfSureExamplesIsAsTheFormula) {
  const Array x = array(logits);
  for (const double gamma : {0., 0.5, 1., 2., 5.})
    for (const int label : {0, 1}) {
      const Array y = full_like(x, label);
      std::vector<double> values, slopes;
      for (const float each : logits) {
        const Focal f = focal(each, label == 1, gamma);
        values.push_back(f.value);
        slopes.push_back(f.slope);
      }
      auto loss = [&](const Array& v) { return optim::sigmoid_focal_loss(v, y, {}, gamma); };
      auto total = [&](const Array& v) { return loss(v).sum(); };
      const std::string what = "gamma " + std::to_string(gamma) + ", label " + std::to_string(label);
      // exp(gamma log w) has the rounding of an exponent of some hundreds.
      expect_close(loss(x), values, 2e-5, what);
      expect_close(grad(total)(x), slopes, 2e-5, what + ", gradient");
      expect_close(jit(grad(total))(x), slopes, 2e-5, what + ", gradient in jit");
    }
}

// Every loss of logits: finite values and gradients, for labels in between too, in all floats.
TEST(Losses, OfFiniteLogitsAreFinite) {
  using Loss = std::function<Array(const Array& x, const Array& y)>;
  const std::vector<std::pair<const char*, Loss>> losses{
      {"sigmoid_binary_cross_entropy",
       [](const Array& x, const Array& y) { return optim::sigmoid_binary_cross_entropy(x, y); }},
      {"sigmoid_focal_loss", [](const Array& x, const Array& y) { return optim::sigmoid_focal_loss(x, y); }},
      {"softmax_cross_entropy", [](const Array& x, const Array& y) { return optim::softmax_cross_entropy(x, y / 15); }},
      {"poly_loss_cross_entropy",
       [](const Array& x, const Array& y) { return optim::poly_loss_cross_entropy(x, y / 15); }},
      {"huber_loss", [](const Array& x, const Array& y) { return optim::huber_loss(x, y); }},
      {"log_cosh", [](const Array& x, const Array& y) { return optim::log_cosh(x, y); }},
      {"hinge_loss", [](const Array& x, const Array& y) { return optim::hinge_loss(x, y); }},
      {"perceptron_loss", [](const Array& x, const Array& y) { return optim::perceptron_loss(x, y); }},
      {"kl_divergence",
       [](const Array& x, const Array& y) { return optim::kl_divergence(nn::log_softmax(x), y / 15); }},
      {"softmax_cross_entropy_with_integer_labels",
       [](const Array& x, const Array& y) {
         return optim::softmax_cross_entropy_with_integer_labels(x, (max(y) * 3).astype(int32));
       }},
  };
  for (const DType dtype : {DType(float32), DType(float16), DType(bfloat16)})
    for (const double label : {0., 0.3, 1.})
      for (const auto& [name, loss] : losses) {
        SCOPED_TRACE(name);
        const Array x = array(logits).astype(dtype), y = full_like(x, label);
        auto total = [&](const Array& a, const Array& b) { return loss(a, b).sum(); };
        EXPECT_TRUE(bool(all(isfinite(loss(x, y))))) << dtype.name() << " " << loss(x, y);
        const auto [dx, dy] = grad<0, 1>(total)(x, y);
        EXPECT_TRUE(bool(all(isfinite(dx)))) << dtype.name() << ", label " << label << ": " << dx;
        // t log t has the slope -inf at 0.
        const bool infinite = std::string_view(name) == "kl_divergence" && label == 0;
        if (std::string_view(name) != "sigmoid_focal_loss" && !infinite) {
          EXPECT_TRUE(bool(all(isfinite(dy)))) << dtype.name() << ", label " << label << ": " << dy;
        }
      }
}

// As jax.numpy.take_along_axis: a label of -1 is the last class, one that no class has gives NaN; the gradient is that
// of the normalizer.
TEST(Losses, LabelsThatNoClassHas) {
  const Array x = array({{1.f, 2.f, 3.f}});
  auto loss = [&](int label) { return float(optim::softmax_cross_entropy_with_integer_labels(x, array({label}))(0)); };
  EXPECT_FLOAT_EQ(loss(-1), loss(2));
  EXPECT_FLOAT_EQ(loss(-3), loss(0));
  EXPECT_TRUE(std::isnan(loss(3)) && std::isnan(loss(-4)));
  const Array g =
      grad([](const Array& v) { return optim::softmax_cross_entropy_with_integer_labels(v, array({7})).sum(); })(x);
  EXPECT_TRUE(bool(allclose(g, nn::softmax(x))));
}

Array waves(double scale, double shift) { return (sin(arange(48.f) * 1.7f + shift) * scale).reshape(2, 6, 4); }
// bugreports-3, 18. Values of Optax.
TEST(Losses, CtcIsOptaxs) {
  const Array labels = array({{1, 2, 2}, {3, 1, 0}}), whole = zeros({2, 6}), none_padded = zeros({2, 3});
  const Array short_frames = array({{0.f, 0, 0, 0, 0, 0}, {0, 0, 0, 0, 1, 1}});
  struct Case {
    double scale, shift;
    Array frames, paddings;
    std::vector<double> values, slopes;
  };
  const std::vector<int> at{0, 1, 5, 7, 11, 17};
  for (const Case& c : std::vector<Case>{{2,
                                          0,
                                          short_frames,
                                          array({{0.f, 0, 0}, {0, 0, 1}}),
                                          {6.900723, 4.409748},
                                          {0.0577077, -0.141579, 0.194436, 0.0355889, 0.0855705, 0.0280703}},
                                         {30,
                                          1,
                                          short_frames,
                                          array({{0.f, 0, 0}, {0, 0, 1}}),
                                          {79.16721, 57.65484},
                                          {0.999996, -0.999996, -2.54763e-09, 1.80615e-09, 0.0134328, 3.9452e-26}},
                                         {2,
                                          0.5,
                                          whole,
                                          array({{0.f, 0, 0}, {1, 1, 1}}),
                                          {6.946803, 20.54361},
                                          {0.20294, -0.268404, -0.030619, 0.0832575, 0.192166, 0.0152242}}}) {
    const Array x = waves(c.scale, c.shift);
    auto f = [&](const Array& v) { return optim::ctc_loss(v, c.frames, labels, c.paddings); };
    expect_close(f(x), c.values, 1e-5, "ctc_loss");
    const Array g = jit(grad([&](const Array& v) { return f(v).sum(); }))(x).reshape(48);
    for (std::size_t i = 0; i < at.size(); ++i)
      EXPECT_NEAR(float(g(at[i])), c.slopes[i], 1e-5 * std::abs(c.slopes[i]) + 2e-7) << i;
  }
}
TEST(Losses, CtcOfASureAlignmentIsNotBelowZero) {
  for (const float sure : {5.f, 12.f, 20.f, 100.f, 1e4f}) {
    const Array path = array({0, 1, 1, 0, 2, 0, 2}), labels = array({{1, 2, 2}});
    const Array x = expand_dims(nn::one_hot(path, 3) * sure, 0);
    auto f = [&](const Array& v) { return optim::ctc_loss(v, zeros({1, 7}), labels, zeros({1, 3})).sum(); };
    EXPECT_GE(float(f(x)), 0) << sure;
    EXPECT_FALSE(std::signbit(float(f(x)))) << sure;
    EXPECT_TRUE(bool(all(isfinite(grad(f)(x))))) << sure;
  }
  EXPECT_THROW(optim::ctc_loss(zeros({1, 7, 3}), zeros({1, 7}), zeros({1, 2}, int32), zeros({1, 3})), ShapeError);
  EXPECT_THROW(optim::ctc_loss(zeros({1, 7, 3}), zeros({1, 7}), zeros({1, 2}), zeros({1, 2})), TypeError);
  EXPECT_THROW(optim::ctc_loss(zeros({1, 7, 3}), zeros({1, 7}), zeros({1, 2}, int32), zeros({1, 2}), 3), IndexError);
}

}  // namespace
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
