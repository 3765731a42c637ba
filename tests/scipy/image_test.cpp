// Images and arrays between their elements beside JAX (users-3, 9): values recorded by tools/record_scipy.py.
#include "tutti/image/image.hpp"
#include "scipy/check.hpp"
#include "tutti/scipy/ndimage.hpp"

namespace tutti {
namespace {

TEST(Image, Resized) {  // users-3, 9
  const Array im = recorded("im");
  for (const std::string method : {"nearest", "linear", "lanczos3", "lanczos5", "cubic", "cubic-pytorch", "area"})
    for (const bool antialias : {false, true}) {
      const std::string name = "resize " + method + (antialias ? " 1 " : " 0 ");
      expect_recorded(name + "0", image::resize(im, {3, 4}, method, antialias));
      expect_recorded(name + "1", image::resize(im(slice(0, 2)), {2, 9}, method, antialias));
      expect_recorded(name + "2", image::resize(im, {7, 2}, method, antialias));
    }
  const Array whole = image::resize(arange(6).reshape(2, 3), {4, 6}, "nearest");
  EXPECT_EQ(whole.dtype(), int32);
  EXPECT_EQ(int(whole(3, 5)), 5);
  EXPECT_EQ(image::resize(arange(6).reshape(2, 3), {4, 3}, "bilinear").dtype(), float32);
  auto shrink = [](const Array& x) { return image::resize(x, {3, 4}, "linear"); };
  const Array many = vmap(jit(shrink))(stack({im, 2 * im}));
  expect_recorded("resize linear 1 0", many[1] / 2);
  const Array g = grad([&](const Array& x) { return sum(shrink(x)); })(im);
  EXPECT_NEAR(float(sum(g)), 12, 1e-5);
}

// A batch that is split over devices stays so.
TEST(Image, OfSplitBatches) {  // users-3, 9
  const Mesh mesh = make_mesh({4}, {"x"});
  const Array x = device_put(ones({8, 6, 6, 3}), NamedSharding(mesh, P("x")));
  const Array y = jit([](const Array& x) { return image::resize(x, {8, 3, 4, 3}, "cubic"); })(x);
  EXPECT_TRUE(y.sharding().is_equivalent_to(NamedSharding(mesh, P("x")), 4));
  EXPECT_LT(float(max(abs(y - 1))), 1e-5f);
}

TEST(Image, ScaledAndMoved) {  // users-3, 9
  const Array im = recorded("im");
  expect_recorded("scale 0", image::scale_and_translate(im, {3, 6}, {0}, array({.7f}), array({.3f}), "linear"));
  expect_recorded("scale 1", image::scale_and_translate(im, {4, 6}, {1}, array({1.5f}), array({-1.f}), "cubic", false));
  expect_recorded("scale 2",
                  image::scale_and_translate(im, {5, 6}, {0, 1}, array({.7f, 1.2f}), array({.3f, .1f}), "lanczos3"));
  auto moved = [&](const Array& s, const Array& t) {
    return sum(image::scale_and_translate(im, {3, 6}, {0, 1}, s, t, "linear") * arange(18.f).reshape(3, 6));
  };
  const auto [s, t] = grad<0, 1>(moved)(array({.7f, 1.2f}), array({.3f, .1f}));
  expect_recorded("scale grad 0", s, 1e-5);
  expect_recorded("scale grad 1", t, 1e-5);
}

TEST(Ndimage, AtCoordinates) {  // users-3, 9
  const Array im = recorded("im"), places = recorded("places");
  for (const std::string mode : {"constant", "nearest", "mirror", "reflect", "wrap"}) {
    const ndimage::MapOptions o{.mode = mode, .cval = .25};
    expect_recorded("map " + mode + " 0", ndimage::map_coordinates(im, {places[0], places[1]}, 1, o));
    expect_recorded("map " + mode + " 1", ndimage::map_coordinates(im, {places[0], places[1]}, 0, o));
    const Array whole =
        ndimage::map_coordinates((im * 10).astype(int32), {places[0], places[1]}, 1, {.mode = mode, .cval = 3});
    EXPECT_EQ(whole.dtype(), int32);
    expect_recorded("map " + mode + " 2", whole);
  }
  auto line = [](const Array& c) { return ndimage::map_coordinates(arange(5.f) * 2, {c}, 1); };
  EXPECT_EQ(float(grad(line)(1.25f)), 2.f);
}

TEST(Interpolate, OnARegularGrid) {  // users-3, 9
  const Array values = recorded("im")(slice(0, 3), slice(0, 4)), q = recorded("queries");
  const Array x = array({1.f, 2.f, 4.f}), y = array({0.f, 1.f, 3.f, 4.f});
  using interpolate::RegularGridInterpolator;
  const RegularGridInterpolator f({x, y}, values);
  expect_recorded("grid 0", f(q));
  expect_recorded("grid 1", f(q, "nearest"));
  expect_recorded("grid 2", RegularGridInterpolator({x, y}, values, {.fill_value = {}})(q));
  expect_recorded("grid 3", RegularGridInterpolator({x}, values)(array({1.2f, 3.f})));
  auto at = jit([](const RegularGridInterpolator& f, const Array& q) { return f(q); });  // a tree
  expect_recorded("grid 0", at(f, q));
  expect_recorded("grid 1", at(RegularGridInterpolator({x, y}, values, {.method = "nearest"}), q));
  const auto slope = grad([&](const RegularGridInterpolator& f) { return f(array({1.5f, .5f}))[0]; })(f);
  expect_close(slope.values, {.25, .25, 0, 0, .25, .25, 0, 0, 0, 0, 0, 0});
}

TEST(Image, WrongArguments) {  // users-3, 9
  const Array im = recorded("im");
  expect_thrown<ShapeError>([&] { image::resize(im, {3}, "linear"); }, {"resize", "(3,)", "float32[4,6]"});
  expect_thrown<ShapeError>([&] { image::resize(zeros({0, 2}), {3, 2}, "linear"); }, {"float32[0,2]"});
  expect_thrown<ValueError>([&] { image::resize(im, {3, 4}, "sinc"); }, {"lanczos3"});
  const Array one = ones({1});
  expect_thrown<ValueError>([&] { image::scale_and_translate(im, {3, 6}, {0}, one, one, "nearest"); }, {"nearest"});
  expect_thrown<ShapeError>(
      [&] {
        image::scale_and_translate(im, {3, 6}, {0}, ones({2}), one, "linear");
      },
      {"float32[2]"});
  expect_thrown<ShapeError>([&] { image::scale_and_translate(im, {3, 5}, {0}, one, one, "linear"); }, {"(3, 5)"});
  expect_thrown<IndexError>([&] { image::scale_and_translate(im, {3, 6}, {2}, one, one, "linear"); }, {"dim 2"});
  expect_thrown<ShapeError>([&] { ndimage::map_coordinates(im, {one}, 1); }, {"map_coordinates", "float32[4,6]"});
  expect_thrown<ValueError>([&] { ndimage::map_coordinates(im, {one, one}, 3); }, {"order is 3"});
  using interpolate::RegularGridInterpolator;
  expect_thrown<ShapeError>([&] { RegularGridInterpolator({one}, im); }, {"float32[1]"});
  expect_thrown<ShapeError>([&] { RegularGridInterpolator({arange(4.f)}, im)(ones({2, 3})); }, {"float32[2,3]"});
}

}  // namespace
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
