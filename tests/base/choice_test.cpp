// JAX's strings where an option is an enum (users-3, 10).
#include "tutti/base/choice.hpp"

#include <gtest/gtest.h>

#include "effects/heard.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

using testing::error_of;

// Each of the names is taken, and all of them together are all values.
template <class E> void expect_names(std::initializer_list<std::pair<const char*, E>> names) {
  for (const auto& [name, value] : names) {
    const OneOf<E> choice = name;
    EXPECT_EQ(static_cast<E>(choice), value) << name;
    EXPECT_EQ(static_cast<E>(OneOf<E>(std::string(name))), value) << name;
  }
  const std::string text = error_of<ValueError>([] { OneOf<E>("nonsense"); });
  for (const auto& [name, value] : names)
    EXPECT_NE(text.find(std::string("'") + name + "'"), text.npos) << name << "\n" << text;
}

TEST(Choice, EveryOptionTakesTheStringsOfJax) {
  using enum PadMode;
  expect_names<PadMode>({{"constant", constant},
                         {"edge", edge},
                         {"reflect", reflect},
                         {"wrap", PadMode::wrap},
                         {"symmetric", symmetric},
                         {"linear_ramp", linear_ramp},
                         {"maximum", PadMode::maximum},
                         {"mean", PadMode::mean},
                         {"median", PadMode::median},
                         {"minimum", PadMode::minimum},
                         {"empty", PadMode::empty}});
  expect_names<AtMode>({{"fill", AtMode::fill},
                        {"drop", AtMode::drop},
                        {"clip", AtMode::clip},
                        {"promise_in_bounds", AtMode::promise_in_bounds}});
  expect_names<TakeMode>({{"fill", TakeMode::fill}, {"clip", TakeMode::clip}, {"wrap", TakeMode::wrap}});
  expect_names<ChooseMode>({{"raise", ChooseMode::raise}, {"wrap", ChooseMode::wrap}, {"clip", ChooseMode::clip}});
  expect_names<RavelMode>({{"raise", RavelMode::raise}, {"wrap", RavelMode::wrap}, {"clip", RavelMode::clip}});
  expect_names<Indexing>({{"xy", Indexing::xy}, {"ij", Indexing::ij}});
  expect_names<QuantileMethod>({{"linear", QuantileMethod::linear},
                                {"lower", QuantileMethod::lower},
                                {"higher", QuantileMethod::higher},
                                {"midpoint", QuantileMethod::midpoint},
                                {"nearest", QuantileMethod::nearest},
                                {"inverted_cdf", QuantileMethod::inverted_cdf}});
  expect_names<BitOrder>({{"big", BitOrder::big}, {"little", BitOrder::little}});
  expect_names<ConvolveMode>(
      {{"full", ConvolveMode::full}, {"same", ConvolveMode::same}, {"valid", ConvolveMode::valid}});
  expect_names<Casting>({{"no", Casting::no},
                         {"equiv", Casting::equiv},
                         {"safe", Casting::safe},
                         {"same_kind", Casting::same_kind},
                         {"unsafe", Casting::unsafe}});
  expect_names<Side>({{"left", Side::left}, {"right", Side::right}});
  expect_names<fft::Norm>(
      {{"backward", fft::Norm::backward}, {"ortho", fft::Norm::ortho}, {"forward", fft::Norm::forward}});
  expect_names<lax::FftType>({{"fft", lax::FftType::fft},
                              {"IFFT", lax::FftType::ifft},
                              {"RFFT", lax::FftType::rfft},
                              {"irfft", lax::FftType::irfft}});
  expect_names<lax::GatherMode>({{"clip", lax::GatherMode::clip},
                                 {"fill", lax::GatherMode::fill},
                                 {"drop", lax::GatherMode::fill},
                                 {"promise_in_bounds", lax::GatherMode::promise_in_bounds}});
  expect_names<lax::ScatterKind>({{"set", lax::ScatterKind::set},
                                  {"add", lax::ScatterKind::add},
                                  {"multiply", lax::ScatterKind::mul},
                                  {"min", lax::ScatterKind::min},
                                  {"max", lax::ScatterKind::max}});
  expect_names<lax::RoundingMethod>({{"AWAY_FROM_ZERO", lax::RoundingMethod::away_from_zero},
                                     {"TO_NEAREST_EVEN", lax::RoundingMethod::to_nearest_even}});
  expect_names<lax::WindowReduction>(
      {{"sum", lax::WindowReduction::sum}, {"max", lax::WindowReduction::max}, {"min", lax::WindowReduction::min}});
  expect_names<linalg::Trans>(
      {{"N", linalg::Trans::none}, {"T", linalg::Trans::transpose}, {"C", linalg::Trans::adjoint}});
  expect_names<random::Resolution>({{"low", random::Resolution::low}, {"high", random::Resolution::high}});
  expect_names<random::CovarianceRoot>({{"cholesky", random::CovarianceRoot::cholesky},
                                        {"eigh", random::CovarianceRoot::eigh},
                                        {"svd", random::CovarianceRoot::svd}});
  using linen::initializers::Distribution, linen::initializers::Fan;
  expect_names<Fan>({{"fan_in", Fan::in}, {"fan_out", Fan::out}, {"fan_avg", Fan::average}});
  expect_names<Distribution>({{"truncated_normal", Distribution::truncated_normal},
                              {"normal", Distribution::normal},
                              {"uniform", Distribution::uniform}});
  expect_names<VmapMethod>({{"sequential", VmapMethod::sequential},
                            {"expand_dims", VmapMethod::expand_dims},
                            {"broadcast_all", VmapMethod::broadcast_all}});
  expect_names<Donate>({{"none", Donate::none}, {"all", Donate::all}, {"all-except-first", Donate::all_except_first}});
  expect_names<data::Targets>({{"every", data::Targets::every}, {"last", data::Targets::last}});
  expect_names<Isolation>({{"shared", Isolation::shared}, {"per_device", Isolation::per_device}});
}

TEST(Choice, StandsInEveryCall) {
  const Array x = arange(5.f), k = array({1.f, 2.f}), m = array({{4.f, 1.f}, {1.f, 3.f}});
  auto same = [](const Array& a, const Array& b) { EXPECT_TRUE(array_equal(a, b)) << a << b; };
  same(convolve(x, k, "same"), convolve(x, k, ConvolveMode::same));
  same(correlate(x, k, "full"), correlate(x, k, ConvolveMode::full));
  same(meshgrid({x, k}, {.indexing = "ij"})[0], meshgrid({x, k}, {.indexing = Indexing::ij})[0]);
  same(pad(x, {{1, 2}}, "edge"), pad(x, {{1, 2}}, PadMode::edge));
  same(pad(x, {{1, 2}}, {.mode = "reflect", .odd = true}), pad(x, {{1, 2}}, {.mode = PadMode::reflect, .odd = true}));
  same(x.at(array({1, 9})).set(7, "drop"), array({0.f, 7.f, 2.f, 3.f, 4.f}));
  same(x.at(array({1, 9})).add(7, "clip"), array({0.f, 8.f, 2.f, 3.f, 11.f}));
  same(x.at(array({1, 9})).get("fill", -1.f), array({1.f, -1.f}));
  same(take(x, array({1, 6}), "wrap"), array({1.f, 1.f}));
  same(take(x, array({1, 6}), 0, "clip"), array({1.f, 4.f}));
  same(take_along_axis(x, array({9}), 0, "clip"), array({4.f}));
  same(put(x, array({6}), -1, "wrap"), array({0.f, -1.f, 2.f, 3.f, 4.f}));
  same(choose(array({5}), {k(slice(1)), x(slice(1))}, "clip"), array({0.f}));
  same(ravel_multi_index({array({7}), array({1})}, {3, 4}, "clip"), array({9}));
  same(quantile(x, 0.3f, {.method = "lower"}), array(1.f));
  same(searchsorted(x, 2.f, "right"), array(3));
  same(searchsorted(x, 2.f, {.side = "right"}), array(3));
  same(packbits(array({1, 0, 0}, uint8), {}, "little"), array({1}, uint8));
  EXPECT_FALSE(can_cast(float32, int32, "safe"));
  same(diff(x * x, 1, 0), diff(x * x, 1, {.axis = 0}));
  EXPECT_TRUE(allclose(fft::ifft(fft::fft(x, {}, -1, "ortho"), {}, -1, "ortho"), x, 1e-5, 1e-5));
  EXPECT_TRUE(allclose(fft::ifftn(fft::fftn(x, {.norm = "forward"}), {.norm = "forward"}), x, 1e-5, 1e-5));
  same(linalg::solve_triangular(m, k, {.lower = true, .trans = "T"}),
       linalg::solve_triangular(m, k, {.lower = true, .trans = linalg::Trans::transpose}));
  same(linalg::lu_solve(linalg::lu_factor(m), k, "T"),
       linalg::lu_solve(linalg::lu_factor(m), k, linalg::Trans::transpose));
  same(linalg::eigh(m, "U").eigenvalues(), linalg::eigh(m, 'U').w);
  same(linalg::eigh(m).eigenvectors(), linalg::eigh(m).v);
  same(lax::reduce_window(x, "max", {.window_dimensions = {2}}), array({1.f, 2.f, 3.f, 4.f}));
  same(lax::round(array({0.5f, 1.5f}), "to_nearest_even"), array({0.f, 2.f}));
  const Array key = random::key(0);
  same(random::bernoulli(key, 0.5f, {4}, "high"), random::bernoulli(key, 0.5f, {4}, random::Resolution::high));
  same(random::multivariate_normal(key, k, m, Shape{}, float32, "svd"),
       random::multivariate_normal(key, k, m, Shape{}, float32, random::CovarianceRoot::svd));
  same(linen::initializers::variance_scaling(2, "fan_avg", "uniform")(key, {3, 4}, float32),
       linen::initializers::variance_scaling(2, linen::initializers::Fan::average,
                                             linen::initializers::Distribution::uniform)(key, {3, 4}, float32));
  const auto conv = nn::Conv1d::init(1, 1, 3, key, {.padding = 1, .padding_mode = "reflect"});
  EXPECT_EQ(conv.padding_mode, PadMode::reflect);
  PadOptions options;
  options.mode = "wrap";
  EXPECT_TRUE(options.mode == PadMode::wrap);
  switch (options.mode) {
    case PadMode::wrap: break;
    default: ADD_FAILURE();
  }
}

TEST(Choice, AnotherStringNamesTheNearestAndAll) {
  const std::string text = error_of<ValueError>([] { convolve(arange(3.f), arange(2.f), "smae"); });
  EXPECT_NE(text.find("convolve: there is no mode 'smae'"), text.npos) << text;
  EXPECT_NE(text.find("choice_test.cpp:"), text.npos) << text;
  EXPECT_NE(text.find("There are 'full', 'same', 'valid'."), text.npos) << text;
  const std::string near = error_of<ValueError>([] { pad(arange(3.f), {{1, 1}}, {.mode = "symetric"}); });
  EXPECT_NE(near.find("Did you mean 'symmetric'?"), near.npos) << near;
  const std::string far = error_of<ValueError>([] { fft::fft(arange(3.f), {}, -1, "unitary"); });
  EXPECT_EQ(far.find("Did you mean"), far.npos) << far;
}

TEST(Choice, OptionsInBracesAreUnambiguous) {  // issue 28: apply_mutable under GCC 12
  const linen::BatchNorm net;
  const Array x = arange(6.f).reshape(3, 2);
  const Dict v = linen::init(net, random::key(0), x);
  EXPECT_TRUE(linen::apply_mutable(net, v, {.mutable_collections = {"batch_stats"}}, x).second.contains("batch_stats"));
  EXPECT_TRUE(linen::apply_mutable(net, v, {"batch_stats"}, x).second.contains("batch_stats"));
  EXPECT_TRUE(linen::apply_mutable(net, v, {"cache", "batch_stats"}, x).second.contains("batch_stats"));
  EXPECT_TRUE(linen::apply_mutable(net, v, {.rngs = {{"dropout", random::key(1)}}}, x).second.empty());
}

}  // namespace
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
