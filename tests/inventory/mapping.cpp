// Rows 32 and 33: vmap and pmap.
#include "inventory/check.hpp"

namespace tutti::inventory {
namespace {

std::vector<float> floats(const Array& x) { return x.reshape(-1).astype(float32).to_vector<float>(); }
const auto dot_of = [](const Array& x, const Array& w) { return dot(x, w); };

TEST(row_32_vmap, MapsAndBroadcasts) {
  Array xs = arange(6.f).reshape(3, 2), w = array({1.f, 10.f});
  expect_values(vmap(dot_of, {.in_axes = {0, none}})(xs, w), {10, 32, 54});
  expect_values(vmap(dot_of, {.in_axes = {1, none}})(xs.T(), w), {10, 32, 54});
  expect_values(vmap(dot_of)(xs, xs), {1, 13, 41});
  Array columns = vmap([](const Array& x) { return x * 2; }, {.out_axes = 1})(xs);
  EXPECT_EQ(columns.shape(), (Shape{2, 3}));
  expect_values(columns.reshape(-1), {0, 4, 8, 2, 6, 10});
  expect_error<ShapeError>([&] { vmap(dot_of)(xs, arange(8.f).reshape(4, 2)); }, {"3", "4"});
}

// Values: jax.vmap with the same axes.
TEST(row_32_vmap, CountsAxesFromTheEndToo) {
  Array x = arange(24.f).reshape(2, 3, 4);
  auto total = [](const Array& a) { return a.sum(0); };
  Array from_end = vmap(total, {.in_axes = -1})(x);
  EXPECT_EQ(from_end.shape(), (Shape{4, 3}));
  expect_values(from_end.reshape(-1), {12, 20, 28, 14, 22, 30, 16, 24, 32, 18, 26, 34});
  Array to_end = vmap(total, {.in_axes = 1, .out_axes = -1})(x);
  EXPECT_EQ(to_end.shape(), (Shape{4, 3}));
  expect_values(to_end.reshape(-1), {12, 20, 28, 14, 22, 30, 16, 24, 32, 18, 26, 34});
  for (int axis = -3; axis < 3; ++axis) {  // moved to the front, mapped there, moved back
    auto twice = [](const Array& a) { return a * 2 + 1; };
    Array got = vmap(twice, {.in_axes = axis, .out_axes = axis})(x);
    EXPECT_EQ(got.shape(), x.shape());
    expect_values(got.reshape(-1), floats(x * 2 + 1));
  }
  expect_error<ShapeError>(
      [] {
        vmap([](const Array& a) { return a; }, {.in_axes = 2})(ones({2, 3}));
      },
      {"2", "float32[2,3]"});
  expect_error<ShapeError>(
      [] {
        vmap([](const Array& a) { return a; }, {.in_axes = -3})(ones({2, 3}));
      },
      {"-3", "float32[2,3]"});
}

struct Affine {
  Array weight, bias;
};

TEST(row_32_vmap, TakesPrefixTrees) {
  const Affine p{arange(3.f), Array(10.f)};
  auto f = [](const Affine& p, const Array& c) { return p.weight * p.bias + c; };
  const Array c = arange(6.f).reshape(2, 3);
  const std::vector<float> want = {0, 3, 11, 14, 22, 25};
  expect_values(vmap(f, {.in_axes = {{0, none}, 1}})(p, c).reshape(-1), want);                         // by member
  expect_values(vmap(f, {.in_axes = {{{"weight", 0}, {"bias", none}}, -1}})(p, c).reshape(-1), want);  // by path
  expect_values(
      vmap([](const Affine& p) { return p.weight * p.bias; }, {.in_axes = {{"weight", 0}, {"bias", none}}})(p),
      {0, 10, 20});
  expect_values(vmap([](const Affine& p) { return p.weight * p.bias; },
                     {.in_axes = [](const tree::Path& path, const Array&) { return path.matches("weight") ? 0 : -1; }})(
                    Affine{arange(3.f), arange(3.f)}),
                {0, 1, 4});
  Dict d{{"w", arange(3.f)}, {"b", Array(2.f)}};
  expect_values(vmap([](const Dict& d) { return d["w"] * d["b"]; }, {.in_axes = {{"w", 0}, {"b", none}}})(d),
                {0, 2, 4});
  // Results by position and by path; `none` for one that is the same for all.
  auto [mapped, same] = vmap(
      [](const Array& a, const Array& b) {
        return std::pair{a, b};
      },
      {.in_axes = {0, none}, .out_axes = {0, none}})(arange(3), Array(2.f));
  expect_values<int>(mapped, {0, 1, 2});
  EXPECT_EQ(same.shape(), Shape{});
  Affine turned = vmap(
      [](const Array& a) {
        return Affine{a, a + 1};
      },
      {.out_axes = {{"weight", 1}, {"bias", 0}}})(arange(6.f).reshape(3, 2));
  EXPECT_EQ(turned.weight.shape(), (Shape{2, 3}));
  EXPECT_EQ(turned.bias.shape(), (Shape{3, 2}));
  EXPECT_EQ((vmap(
                 [](const Array& a) {
                   return Affine{a, a + 1};
                 },
                 {.out_axes = {1, 0}})(arange(6.f).reshape(3, 2))
                 .weight.shape()),
            (Shape{2, 3}));
  expect_error<ValueError>([] { vmap([](const Array& a) { return a; }, {.out_axes = none})(arange(3)); }, {"out_axes"});
  expect_error<ValueError>([&] { vmap(f, {.in_axes = {{0}, 1}})(p, c); }, {"1 entries", "bias"});
  expect_error<ValueError>([&] { vmap(dot_of, {.in_axes = none})(c, c); }, {"in_axes"});
  expect_values(vmap([] { return Array(2.f); }, {.axis_size = 3})(), {2, 2, 2});
}

TEST(row_32_vmap, NamesItsAxis) {
  Array x = arange(6.f).reshape(3, 2) + 1;
  expect_values(vmap([](const Array& r) { return r / lax::psum(r, "i"); }, {.axis_name = "i"})(x).reshape(-1),
                {0.111111112f, 0.166666672f, 0.333333343f, 0.333333343f, 0.555555582f, 0.5f}, 1e-7);
  expect_values<int>(vmap([](const Array& a) { return lax::axis_index("i") * 10 + a; }, {.axis_name = "i"})(arange(4)),
                     {0, 11, 22, 33});
  expect_values<int>(
      vmap([](const Array& a) { return lax::all_gather(a, "i"); }, {.axis_name = "i"})(arange(2)).reshape(-1),
      {0, 1, 0, 1});
  expect_values<int>(vmap(
                         [](const Array& a) {
                           return lax::ppermute(a, "i", {{0, 1}, {1, 2}, {2, 0}});
                         },
                         {.axis_name = "i"})(array({3, 1, 2})),
                     {2, 3, 1});
  auto both = vmap(vmap(
                       [](const Array& a) {
                         return lax::psum(a, {"i", "j"});
                       },
                       {.axis_name = "j"}),
                   {.axis_name = "i"});
  expect_values(both(arange(6.f).reshape(2, 3)).reshape(-1), std::vector<float>(6, 15));
  expect_error<NameError>([&] { vmap([](const Array& a) { return lax::psum(a, "j"); }, {.axis_name = "i"})(x); },
                          {"axis name: j"});
}

TEST(row_32_vmap, IsALoop) {
  Array keys = random::split_array(random::PRNGKey(3), {4});
  auto draw = [](const Array& key) { return random::normal(key, {5}); };
  Array all_rows = vmap(draw)(keys);
  for (int i = 0; i < 4; ++i) expect_values(all_rows[i], floats(draw(keys[i])));
  // In a gradient, and of one.
  auto f = [](const Array& w, const Array& x) { return sum(sin(w * x)); };
  Array w = arange(3.f), xs = arange(12.f).reshape(4, 3) / 7;
  Array each = vmap(grad(f), {.in_axes = {none, 0}})(w, xs);
  for (int i = 0; i < 4; ++i) expect_values(each[i], floats(grad(f)(w, xs[i])), 1e-6);
  auto together = [&](const Array& w) { return sum(vmap(f, {.in_axes = {none, 0}})(w, xs)); };
  expect_values(grad(together)(w), floats(each.sum(0)), 2e-6);
}

const auto twice = [](const Array& x) { return x * 2; };
std::vector<int> device_ids(const Array& x) {
  std::vector<int> out;
  for (const Shard& s : x.addressable_shards()) out.push_back(s.device.id());
  return out;
}

TEST(row_33_pmap, OneElementPerDevice) {
  set_cpu_devices(8);
  auto linear = [](const Array& x, const Array& w) { return matmul(x, w); };
  Array xs = arange(48.f).reshape(8, 2, 3), ws = ones({8, 3});
  Array out = pmap(linear)(xs, ws);
  EXPECT_EQ(out.shape(), (Shape{8, 2}));
  EXPECT_TRUE(out.committed());
  EXPECT_EQ(device_ids(out), (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7}));
  for (int i = 0; i < 8; ++i) {
    const Shard s = out.addressable_shards()[static_cast<std::size_t>(i)];
    EXPECT_EQ(s.index[0], (std::pair<std::int64_t, std::int64_t>{i, i + 1}));
    expect_values(s.data().reshape(-1), {18.f * static_cast<float>(i) + 3, 18.f * static_cast<float>(i) + 12});
  }
  expect_values(pmap(linear, {.in_axes = {0, none}})(xs, ones({3})).reshape(-1), floats(out));
  EXPECT_EQ(device_ids(pmap(twice)(arange(3))), (std::vector<int>{0, 1, 2}));  // the first ones
  expect_error<ValueError>([&] { pmap([](const Array& x) { return x; })(zeros({9, 2})); }, {"9", "8"});
  expect_error<ShapeError>([] { pmap([](const Array& a, const Array& b) { return a + b; })(arange(3), arange(4)); },
                           {"3", "4"});
  expect_error<ShapeError>([] { pmap(twice)(Array(3.f)); }, {"float32[]"});
}

TEST(row_33_pmap, AxesOfArgumentsAndResults) {
  set_cpu_devices(8);
  Array m = arange(6).reshape(3, 2);
  Array columns = pmap(twice, {.out_axes = 1})(m);  // jax.pmap(lambda a: a * 2, out_axes=1)(arange(6).reshape(3, 2))
  EXPECT_EQ(columns.shape(), (Shape{2, 3}));
  expect_values<int>(columns.reshape(-1), {0, 4, 8, 2, 6, 10});
  EXPECT_EQ(columns.addressable_shards()[2].index[1], (std::pair<std::int64_t, std::int64_t>{2, 3}));
  EXPECT_EQ(pmap(twice, {.out_axes = -1})(m).shape(), (Shape{2, 3}));
  expect_values<int>(pmap([](const Array& a) { return a.sum(); }, {.in_axes = 1})(m), {6, 9});
  auto f = [](const Affine& p, const Array& c) { return p.weight * p.bias + c; };
  const Affine p{arange(3.f), Array(10.f)};
  const Array c = arange(6.f).reshape(2, 3);
  const std::vector<float> want = {0, 3, 11, 14, 22, 25};
  expect_values(pmap(f, {.in_axes = {{0, none}, -1}})(p, c).reshape(-1), want);
  expect_values(pmap(f, {.in_axes = {{{"weight", 0}, {"**", none}}, 1}})(p, c).reshape(-1), want);
  // `none`: one result for all, when it is the same on all devices; otherwise an error.
  Array total = pmap([](const Array& a) { return lax::psum(a, "i"); }, {.axis_name = "i", .out_axes = none})(arange(3));
  EXPECT_EQ(total.shape(), Shape{});
  expect_values<int>(total, {3});
  expect_error<ValueError>([] { pmap(twice, {.out_axes = none})(arange(3)); }, {"out_axes"});
  auto [sums, rows] = pmap([](const Array& a) { return std::pair{a.sum(), a}; }, {.out_axes = {0, 1}})(m);
  expect_values<int>(sums, {1, 5, 9});
  EXPECT_EQ(rows.shape(), (Shape{2, 3}));
}

TEST(row_33_pmap, DevicesDonationStatics) {
  set_cpu_devices(8);
  std::vector<Device> all_devices = devices();
  // jax.pmap(f, devices=jax.devices()[:3][::-1])(arange(3)): element i on devices[i].
  Array back = pmap(twice, {.devices = {all_devices[2], all_devices[1], all_devices[0]}})(arange(3));
  EXPECT_EQ(device_ids(back), (std::vector<int>{2, 1, 0}));
  expect_values<int>(back, {0, 2, 4});
  expect_values<int>(back.addressable_shards()[0].data(), {0});
  expect_error<ValueError>([&] { pmap(twice, {.devices = {all_devices[0], all_devices[1]}})(arange(3)); }, {"3", "2"});
  Array x = arange(8.f) + 0, y = arange(8.f) + 0;
  auto f = pmap([](const Array& a, const Array& b) { return a + b; }, {.donate_argnums = {0}});
  expect_values(f(x, y), {0, 2, 4, 6, 8, 10, 12, 14});
  EXPECT_TRUE(x.is_deleted());
  EXPECT_FALSE(y.is_deleted());
  expect_error<DeletedError>([&] { f(x, y); }, {"float32[8]"});
  // What is no array is static: a number of steps, a mode.
  int traces = 0;
  auto powers = pmap([&](const Array& a, int n) {
    ++traces;
    Array out = a;
    for (int i = 1; i < n; ++i) out = out * a;
    return out;
  });
  expect_values<int>(powers(arange(3), 3), {0, 1, 8});
  expect_values<int>(powers(arange(3), 2), {0, 1, 4});
  expect_values<int>(powers(arange(3) + 1, 3), {1, 8, 27});
  EXPECT_EQ(traces, 2);
}

TEST(row_33_pmap, NamesItsAxis) {
  set_cpu_devices(8);
  auto normalised = pmap([](const Array& x) { return x / lax::psum(x, "i"); }, {.axis_name = "i"});
  expect_values(normalised(arange(4.f)), {0, 1.f / 6, 2.f / 6, 3.f / 6}, 1e-7);
  expect_values<int>(pmap([](const Array& x) { return lax::axis_index("i") * 10 + x; }, {.axis_name = "i"})(arange(4)),
                     {0, 11, 22, 33});
  expect_error<NameError>([] { pmap([](const Array& x) { return lax::psum(x, "i"); })(arange(4)); }, {"axis name: i"});
  expect_error<NameError>(
      [] { pmap([](const Array& x) { return lax::psum(x, "rows"); }, {.axis_name = "i"})(arange(4)); },
      {"axis name: rows", "bound here: i"});
}

}  // namespace
}  // namespace tutti::inventory

// SPDX-License-Identifier: Apache-2.0
