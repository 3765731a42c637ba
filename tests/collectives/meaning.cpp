// Each collective, batched by shard_map, means what its eval says; over one axis and over several, in both
// orders.
#include <gtest/gtest.h>

#include <algorithm>

#include "ops/collective/collective.hpp"
#include "trace/trace.hpp"
#include "tutti/lax/lax.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

struct Case {
  const Op& op;
  Params params;
  Shape local;
};

std::vector<Case> cases(const std::vector<std::string>& axes, const std::vector<std::int64_t>& sizes) {
  std::int64_t n = 1;
  for (std::int64_t s : sizes) n *= s;
  int last = static_cast<int>(n) - 1;
  Group over{axes, sizes};
  std::vector<Case> out = {{ops::axis_index, over, {}},
                           {ops::psum, over, {2, 3}},
                           {ops::pmax, over, {4}},
                           {ops::pmin, over, {4}},
                           {ops::pvary, over, {3}},
                           {ops::ppermute, ops::Permute{over, {{0, last}, {last, n > 2 ? 1 : 0}}}, {2, 3}},
                           {ops::ppermute, ops::Permute{over, {}}, {2}}};
  for (int dim : {0, 1}) {
    Shape whole{4, 5}, dealt{4, 5};
    whole[dim] = n;
    dealt[dim] = 2 * n;
    for (bool tiled : {false, true}) {
      out.push_back({ops::all_gather, ops::GatherOver{over, dim, tiled}, {4, 5}});
      out.push_back({ops::reduce_scatter, ops::GatherOver{over, dim, tiled}, tiled ? dealt : whole});
      for (int concat : {0, 1})
        out.push_back({ops::all_to_all, ops::Exchange{over, dim, concat, tiled}, tiled ? dealt : whole});
    }
  }
  return out;
}

bool takes_operand(const Op& op) { return &op != &ops::axis_index; }

void check(const Case& c, const Names& axes) {
  SCOPED_TRACE(c.op.name + "[" + c.params.str() + "] " + c.local.str());
  Mesh mesh = make_mesh({2, 3}, {"x", "y"});
  std::int64_t n = 1;
  for (const std::string& a : axes) n *= mesh.size(a);
  Shape global = c.local;
  global.insert(0, n);
  std::vector<float> data(static_cast<std::size_t>(global.num_elements()));
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<float>((i * 7919) % 23) - 11;
  // One leading dim over the group, in the group's order.
  PartitionSpec spec = PartitionSpec::from({SpecEntry(axes)});
  auto run = shard_map(
      [&](const Array& x) {
        std::vector<Array> operands;
        if (takes_operand(c.op)) operands.push_back(lax::reshape(x, c.local));
        Array y = lax::convert_element_type(bind1(c.op, c.params, operands), float32);
        Shape stacked = y.shape();
        stacked.insert(0, 1);
        return lax::reshape(y, stacked);
      },
      {.mesh = mesh, .in_specs = spec, .out_specs = spec, .check_vma = false});
  Array got = run(array(data, global));
  config::isolation(Isolation::per_device);
  debug::reset_traffic();
  EXPECT_EQ(run(array(data, global)).to_vector<float>(), got.to_vector<float>()) << "on devices of their own";
  EXPECT_EQ(debug::traffic().rows.empty(), c.op.collective->kind.empty());
  for (const Traffic::Row& row : debug::traffic().rows)
    EXPECT_EQ(row.kind, c.op.collective->kind) << "other messages than the collective's";
  config::isolation(Isolation::shared);

  Type in{float32, c.local, false, {}};
  std::vector<Type> types(takes_operand(c.op) ? 1 : 0, in);
  static const std::vector<ProgramPtr> none_inside;
  Call call{c.op, c.params, types, none_inside};
  Type out = c.op.infer(call)[0];
  std::vector<std::vector<float>> results(static_cast<std::size_t>(n));
  std::vector<HostView> from, to;
  for (std::int64_t d = 0; d < n; ++d) {
    results[d].resize(static_cast<std::size_t>(out.num_elements()));
    if (!types.empty()) from.push_back({in, data.data() + d * in.num_elements()});
    to.push_back({out, results[d].data()});
  }
  const Received counted = exchange(call, from, to);
  std::vector<float> want;
  for (const HostView& y : to)
    for (std::int64_t i = 0; i < y.size(); ++i)
      want.push_back(out.dtype == int32 ? static_cast<float>(y.as<std::int32_t>()[i]) : y.as<float>()[i]);
  EXPECT_EQ(got.to_vector<float>(), want);

  // What was sent is what is planned (a permute without pairs sends nothing).
  EXPECT_TRUE(counted.messages > 0 || c.op.collective->kind.empty() || &c.op == &ops::ppermute);
  if (counted.messages == 0) return;
  Received planned = c.op.collective->received(static_cast<double>(in.nbytes()), static_cast<double>(n));
  EXPECT_DOUBLE_EQ(counted.bytes, planned.bytes);
  EXPECT_EQ(counted.messages, planned.messages);
}

TEST(Collectives, AllHaveCases) {
  for (const Op* op : all_ops()) {
    if (!op->collective) continue;
    std::vector<Case> all = cases({"x"}, {2});
    EXPECT_TRUE(std::any_of(all.begin(), all.end(), [&](const Case& c) { return &c.op == op; })) << op->name;
  }
}

TEST(Collectives, BatchedAsTheyMean) {
  for (const Case& c : cases({"x"}, {2})) check(c, "x");
  for (const Case& c : cases({"y"}, {3})) check(c, "y");
  for (const Case& c : cases({"x", "y"}, {2, 3})) check(c, {"x", "y"});
  for (const Case& c : cases({"y", "x"}, {3, 2})) check(c, {"y", "x"});
}

template <class E, class F> void expect_error(const F& f, std::initializer_list<std::string_view> words) {
  try {
    f();
    ADD_FAILURE() << "no error: " << *words.begin();
  } catch (const E& e) {
    for (std::string_view w : words)
      EXPECT_NE(std::string(e.what()).find(w), std::string::npos) << w << " is not in:\n" << e.what();
  }
}

TEST(Collectives, ErrorsSayWhatAndWhere) {
  Mesh line = make_mesh({8}, {"x"}), grid = make_mesh({4, 2}, {"x", "y"});
  auto id = [](const Array& x) { return x; };
  auto run = [&](auto fn, const Mesh& m, PartitionSpec in, PartitionSpec out, Shape shape) {
    return [=] { shard_map(fn, {.mesh = m, .in_specs = in, .out_specs = out})(zeros(shape)); };
  };
  expect_error<ShardingError>(run(id, line, P("x"), P("x"), {35}),
                              {"arg0", "float32[35]", "P('x',)", "35", "8", "meaning.cpp"});
  expect_error<ShardingError>(run(id, grid, P("x", "y"), P("x", "y"), {16, 9}), {"dim 1", "'y'", "9"});
  expect_error<ShardingError>(run(id, line, P("x", none), P("x"), {32}), {"in_specs", "length 2", "rank 1"});
  expect_error<ShardingError>(run(id, line, P("w"), P("x"), {32}), {"'w'", "'x'"});
  expect_error<ShardingError>(run(id, line, P("x"), P(), {32}), {"the result", "P()", "('x',)", "psum"});
  expect_error<ShardingError>(run([](const Array& x) { return lax::psum(x, "x"); }, grid, P("x", "y"), P(), {8, 8}),
                              {"('y',)"});
  expect_error<ShardingError>(run([](const Array& x) { return sum(x); }, line, P("x"), P("x"), {32}),
                              {"out_specs", "rank 0", "P()"});
  expect_error<NameError>(run([](const Array& x) { return lax::psum(x, "q"); }, line, P("x"), P(), {32}), {"q", "x"});
  expect_error<ShapeError>(run([](const Array& x) { return lax::psum_scatter(x, "x"); }, line, P("x"), P("x"), {32}),
                           {"reduce_scatter", "4", "8"});
  expect_error<ValueError>(run(
                               [](const Array& x) {
                                 return lax::ppermute(x, "x", {{0, 1}, {0, 2}});
                               },
                               line, P("x"), P("x"), {32}),
                           {"(0, 2)"});
  expect_error<IndexError>(run(
                               [](const Array& x) {
                                 return lax::ppermute(x, "x", {{0, 11}});
                               },
                               line, P("x"), P("x"), {32}),
                           {"(0, 11)"});
  expect_error<IndexError>(
      run([](const Array& x) { return lax::all_gather(x, "x", {.axis = 5}); }, line, P("x"), P("x"), {32}), {"5"});
  expect_error<UnsupportedError>(
      run([](const Array& x) { return grad([](const Array& v) { return sum(lax::pmax(v, "x")); })(x); }, line, P("x"),
          P("x"), {32}),
      {"pmax"});
  expect_error<ShapeError>([&] { pmap([](const Array& x, const Array& y) { return x + y; })(zeros({8}), zeros({7})); },
                           {"arg0", "arg1", "8", "7"});
  expect_error<ShapeError>([&] { pmap(id)(Array(1.f)); }, {"arg0", "none"});
  expect_error<ValueError>([&] { pmap(id, {.axis_name = "i", .out_axes = none})(arange(8)); }, {"out_axes", "('i',)"});
  expect_error<NameError>([] { lax::psum(arange(3), "x"); }, {"x", "meaning.cpp"});
}

TEST(ShardMap, ComposesInAnyOrder) {
  Mesh line = make_mesh({4}, {"x"});
  auto local = [](const Array& w, const Array& x) { return lax::pmean(mean(square(sin(matmul(x, w)))), "x"); };
  auto global = [](const Array& w, const Array& x) { return mean(square(sin(matmul(x, w)))); };
  Array w = array({0.3f, -0.7f}), ws = stack({w, 2.f * w, w - 1.f}), x = sin(arange(16.f)).reshape(8, 2);
  auto near = [](const Array& a, const Array& b) {
    ASSERT_EQ(a.shape().str(), b.shape().str());
    std::vector<float> p = a.to_vector<float>(), q = b.to_vector<float>();
    for (std::size_t i = 0; i < p.size(); ++i) EXPECT_NEAR(p[i], q[i], 2e-6);
  };
  for (bool check : {true, false}) {
    auto f = shard_map(local, {.mesh = line, .in_specs = {P(), P("x")}, .out_specs = P(), .check_vma = check});
    near(f(w, x), global(w, x));
    near(jit(f)(w, x), global(w, x));
    near(shard_map(jit(local), {.mesh = line, .in_specs = {P(), P("x")}, .out_specs = P(), .check_vma = check})(w, x),
         global(w, x));
    near(grad(f)(w, x), grad(global)(w, x));
    near(jit(grad(f))(w, x), grad(global)(w, x));
    near(grad<1>(f)(w, x), grad<1>(global)(w, x));
    near(vmap(f, {.in_axes = {0, none}})(ws, x), vmap(global, {.in_axes = {0, none}})(ws, x));
    near(vmap(grad(f), {.in_axes = {0, none}})(ws, x), vmap(grad(global), {.in_axes = {0, none}})(ws, x));
    near(hessian([&](const Array& v) { return f(v, x); })(w), hessian([&](const Array& v) { return global(v, x); })(w));
    near(jacfwd([&](const Array& v) { return f(v, x); })(w), grad(global)(w, x));
    auto mapped =
        shard_map([](const Array& v,
                     const Array& y) { return vmap([&](const Array& u) { return lax::psum(sum(u * y), "x"); })(v); },
                  {.mesh = line, .in_specs = {P(), P("x")}, .out_specs = P(), .check_vma = check});
    near(mapped(ws, x), sum(ws, 1).reshape(3) * 0.f + vmap([&](const Array& u) { return sum(u * x); })(ws));
  }
}

TEST(Pmap, CompilesOnce) {
  auto f = pmap([](const Array& x) { return x - lax::pmean(x, "i"); }, {.axis_name = "i"});
  Array x = arange(8.f), y = f(x);
  f(x);
  EXPECT_EQ(f.cache_size(), 1u);
  EXPECT_EQ(y.sharding(), NamedSharding(make_mesh({8}, {"i"}), P("i")));
  EXPECT_TRUE(y.committed());
}

}  // namespace
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
