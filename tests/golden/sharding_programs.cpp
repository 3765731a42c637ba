// shardings.json, list programs: small programs whose inputs are sharded, and how their results are. A program is
// looked up by its text; shapes, specs and meshes come from the case. A result's sharding is right when it is placed as
// JAX's, or when every device's block is no larger than JAX's and the program sends no more bytes (planned by explain)
// than it would if JAX's sharding were asked for by out_shardings.
#include <fmt/format.h>

#include <functional>
#include <map>

#include "golden/golden.hpp"
#include "golden/sharding_cases.hpp"

namespace golden {
namespace {

using Arrays = std::vector<Array>;

// What a program sees: its inputs, and the mesh of the first one that has one.
struct Inputs {
  const Arrays& list;
  const Mesh& mesh;
  const Array& operator[](std::size_t i) const { return list.at(i); }
  /// Extent of dim d of the first input: A and B in the texts.
  std::int64_t extent(int d) const { return list.at(0).shape(d); }
};
using Run = std::function<Arrays(const Inputs&)>;
using Table = std::map<std::string, Run>;

// A function of one array, of two.
Run of_array(Array (*f)(const Array&)) {
  return [f](const Inputs& in) { return Arrays{f(in[0])}; };
}
Run two(Array (*f)(const Array&, const Array&)) {
  return [f](const Inputs& in) { return Arrays{f(in[0], in[1])}; };
}

Table elementwise() {
  Run add = two([](const Array& a, const Array& b) { return a + b; });
  return {
      {"sin(a)", of_array([](const Array& a) { return sin(a); })},
      {"a + b", add},
      {"a + b (row vector)", add},
      {"a + b (row vector sharded over x)", add},
      {"a + b (row vector sharded)", add},
      {"2 * sin(a) + 1", of_array([](const Array& a) { return 2 * sin(a) + 1; })},
      {"a[:,None] * b[None,:]", two([](const Array& a, const Array& b) { return a(all, newaxis) * b(newaxis, all); })},
      {"broadcast_to(a, (4,A,B))",
       [](const Inputs& in) {
         return Arrays{broadcast_to(in[0], {4, in.extent(0), in.extent(1)})};
       }},
      {"a.astype(int32)", of_array([](const Array& a) { return a.astype(int32); })},
      {"where(a>0, a, b)", two([](const Array& a, const Array& b) { return where(a > 0, a, b); })},
      {"a * eye", [](const Inputs& in) { return Arrays{in[0] * eye(in.extent(0))}; }},
      {"a + arange(B)", [](const Inputs& in) { return Arrays{in[0] + arange(in.extent(1))}; }},
      {"zeros((A,B)) with an unused sharded input", [](const Inputs& in) { return Arrays{zeros(in[0].shape())}; }},
      {"a", of_array([](const Array& a) { return a; })},
      {"(sin(a), sum(a))",
       [](const Inputs& in) {
         return Arrays{sin(in[0]), in[0].sum()};
       }},
      {"one_hot(a % 5, 5)", of_array([](const Array& a) { return nn::one_hot(a % 5, 5); })},
      {"a + transpose(a)", of_array([](const Array& a) {
         return a + transpose(a, {1, 0, 2});
       })},
  };
}

Table contractions() {
  Run dots = two([](const Array& a, const Array& b) { return dot(a, b); });
  Run product = two([](const Array& a, const Array& b) { return matmul(a, b); });
  return {
      {"dot(a, b)", dots},
      {"a @ b", product},
      {"a @ b, batch", product},
      {"a @ b, batch + free", product},
      {"einsum('bqhd,bkhd->bhqk', a, b)", two([](const Array& a, const Array& b) {
         return einsum("bqhd,bkhd->bhqk", {a, b});
       })},
      {"a.T @ a", of_array([](const Array& a) { return matmul(transpose(a), a); })},
      {"a @ a.T", of_array([](const Array& a) { return matmul(a, transpose(a)); })},
      {"vmap(dot)(a, b)", two([](const Array& a, const Array& b) {
         return vmap([](const Array& x, const Array& y) { return dot(x, y); })(a, b);
       })},
      {"vmap(dot, (0,None))(a, b)", two([](const Array& a, const Array& b) {
         return vmap([](const Array& x, const Array& y) { return dot(x, y); }, {.in_axes = {0, none}})(a, b);
       })},
  };
}

Table reductions() {
  return {
      {"sum(a, axis=None)", of_array([](const Array& a) { return sum(a); })},
      {"sum(a, axis=0)", of_array([](const Array& a) { return sum(a, 0); })},
      {"sum(a, axis=1)", of_array([](const Array& a) { return sum(a, 1); })},
      {"sum(a, axis=1, keepdims)", of_array([](const Array& a) { return sum(a, 1, true); })},
      {"a.sum(axis=0) on the (2,4) mesh", of_array([](const Array& a) { return a.sum(0); })},
      {"mean(a)", of_array([](const Array& a) { return mean(a); })},
      {"max(a, axis=0)", of_array([](const Array& a) { return a.max(0); })},
      {"argmax(a, axis=1)", of_array([](const Array& a) { return argmax(a, 1); })},
      {"softmax(a, axis=-1)", of_array([](const Array& a) { return nn::softmax(a, -1); })},
      {"cumsum(a, axis=0)", of_array([](const Array& a) { return cumsum(a, 0); })},
      {"scan of a row sum over axis 0", of_array([](const Array& a) {
         return lax::scan(
                    [](const Array& c, const Array& row) {
                      return std::pair{c + row, c};
                    },
                    zeros({a.shape(1)}), a)
             .first;
       })},
      {"cumsum(a, axis=1)", of_array([](const Array& a) { return cumsum(a, 1); })},
      {"sort(a, axis=1)", of_array([](const Array& a) { return sort(a, 1); })},
      {"sort(a, axis=0)", of_array([](const Array& a) { return sort(a, 0); })},
  };
}

Table shapes() {
  return {
      {"a.T", of_array([](const Array& a) { return transpose(a); })},
      {"transpose(a, (2,0,1))", of_array([](const Array& a) {
         return transpose(a, {2, 0, 1});
       })},
      {"reshape(a, (-1,))", of_array([](const Array& a) { return a.reshape(-1); })},
      {"reshape(a, (8,-1))", of_array([](const Array& a) { return a.reshape(8, -1); })},
      {"reshape(a, (2,-1))", of_array([](const Array& a) { return a.reshape(2, -1); })},
      {"reshape(a, (4,-1)) of 8-way", of_array([](const Array& a) { return a.reshape(4, -1); })},
      {"reshape(a, (A,1,B))", of_array([](const Array& a) { return a.reshape(a.shape(0), 1, a.shape(1)); })},
      {"reshape(a, (A,2,B//2))", of_array([](const Array& a) { return a.reshape(a.shape(0), 2, a.shape(1) / 2); })},
      {"reshape(a, (B,A))", of_array([](const Array& a) { return a.reshape(a.shape(1), a.shape(0)); })},
      {"expand_dims(a, 1)", of_array([](const Array& a) { return expand_dims(a, 1); })},
      {"squeeze(a, 1)", of_array([](const Array& a) { return squeeze(a, 1); })},
      {"concatenate([a,b])", two([](const Array& a, const Array& b) {
         return concatenate({a, b});
       })},
      {"concatenate([a,b]); a P('x','y'), b P()", two([](const Array& a, const Array& b) {
         return concatenate({a, b});
       })},
      {"concatenate([a,b], axis=1)", two([](const Array& a, const Array& b) {
         return concatenate({a, b}, 1);
       })},
      {"stack([a,b])", two([](const Array& a, const Array& b) {
         return stack({a, b});
       })},
      {"split(a, 2, axis=1)", [](const Inputs& in) { return split(in[0], 2, 1); }},
      {"split(a, 2)", [](const Inputs& in) { return split(in[0], 2); }},
      {"pad(a, 1)", of_array([](const Array& a) {
         return pad(a, {{1, 1}});
       })},
      {"tile(a, (2,1))", of_array([](const Array& a) {
         return tile(a, {2, 1});
       })},
      {"repeat(a, 2, axis=0)", of_array([](const Array& a) { return repeat(a, 2, 0); })},
      {"roll(a, 1, axis=0)", of_array([](const Array& a) { return roll(a, 1, 0); })},
      {"diag(a)", of_array([](const Array& a) { return diag(a); })},
  };
}

Array indices(std::vector<int> list) { return array(list, Shape{list.size()}); }

Table indexing() {
  return {
      {"a[:A//2]", of_array([](const Array& a) { return a[slice(a.shape(0) / 2)]; })},
      {"a[1:4]", of_array([](const Array& a) { return a[slice(1, 4)]; })},
      {"a[:, 1:3]", of_array([](const Array& a) { return a(all, slice(1, 3)); })},
      {"a[::2]", of_array([](const Array& a) { return a[slice(none, none, 2)]; })},
      {"a[::-1]", of_array([](const Array& a) { return a[slice(none, none, -1)]; })},
      {"a[2]", of_array([](const Array& a) { return a[2]; })},
      {"a[:, -1]", of_array([](const Array& a) { return a(all, -1); })},
      {"a[1,2]", of_array([](const Array& a) { return a(1, 2); })},
      {"a[[0,2,1]]", of_array([](const Array& a) {
         return a[indices({0, 2, 1})];
       })},
      {"a[:, [0,2,1]]", of_array([](const Array& a) {
         return a(all, indices({0, 2, 1}));
       })},
      {"a[b] (table replicated, indices sharded)",
       two([](const Array& a, const Array& b) { return a[b % a.shape(0)]; })},
      {"dynamic_slice(a, (1,0), (2,B))", of_array([](const Array& a) {
         return lax::dynamic_slice(a, {1, 0}, {2, a.shape(1)});
       })},
      {"a.at[0].set(1)", of_array([](const Array& a) { return a.at(0).set(1.f); })},
      {"a.at[:,1].add(1)", of_array([](const Array& a) { return a.at(all, 1).add(1.f); })},
      {"a[:, -1, :] on (2,2,2)", of_array([](const Array& a) { return a(all, -1, all); })},
      {"a[:, 1::2] on (2,2,2)", of_array([](const Array& a) { return a(all, slice(1, none, 2)); })},
      {"a[:-1] of 8-way", of_array([](const Array& a) { return a[slice(-1)]; })},
  };
}

Run constrained(PartitionSpec spec) {
  return [spec](const Inputs& in) {
    return Arrays{lax::with_sharding_constraint(in[0] + 1, NamedSharding(in.mesh, spec))};
  };
}
Table constraints() {
  return {
      {"with_sharding_constraint(a+1, P('y','x'))", constrained(P("y", "x"))},
      {"with_sharding_constraint(a+1, P())", constrained(P())},
      {"sin(with_sharding_constraint(a, P('y')))",
       [](const Inputs& in) {
         return Arrays{sin(lax::with_sharding_constraint(in[0], NamedSharding(in.mesh, P("y"))))};
       }},
      {"with_sharding_constraint(a, P('y', UNCONSTRAINED))",
       [](const Inputs& in) {
         return Arrays{lax::with_sharding_constraint(in[0], NamedSharding(in.mesh, P("y", P::unconstrained)))};
       }},
  };
}

Array mlp_loss(const Array& w1, const Array& b1, const Array& w2, const Array& b2, const Array& x, const Array& t) {
  Array h = maximum(matmul(x, w1) + b1, 0);
  Array o = matmul(h, w2) + b2;
  return mean(sum(square(o - t), -1));
}
Arrays mlp_gradients(const Inputs& in) {
  auto [w1, b1, w2, b2] = grad<0, 1, 2, 3>(mlp_loss)(in[0], in[1], in[2], in[3], in[4], in[5]);
  return {w1, b1, w2, b2};
}
Table training() {
  return {
      {"mean(sum((max(x@w1+b1,0)@w2+b2 - t)**2, -1))",
       [](const Inputs& in) { return Arrays{mlp_loss(in[0], in[1], in[2], in[3], in[4], in[5])}; }},
      {"grad of that loss in w1,b1,w2,b2", mlp_gradients},
      {"grad of that loss, eager", mlp_gradients},
      {"p - 0.1*grad for w1,b1,w2,b2",
       [](const Inputs& in) {
         Arrays out = mlp_gradients(in);
         for (std::size_t i = 0; i < out.size(); ++i) out[i] = in[i] - 0.1 * out[i];
         return out;
       }},
      {"grad(sum(sin(a)))",
       of_array([](const Array& a) { return grad([](const Array& v) { return sin(v).sum(); })(a); })},
      {"grad of sum(a@b) in both",
       [](const Inputs& in) {
         auto [a, b] = grad<0, 1>([](const Array& x, const Array& y) { return matmul(x, y).sum(); })(in[0], in[1]);
         return Arrays{a, b};
       }},
      {"value_and_grad(sum(a**2))",
       [](const Inputs& in) {
         auto [value, gradient] = value_and_grad([](const Array& v) { return square(v).sum(); })(in[0]);
         return Arrays{value, gradient};
       }},
  };
}

const Table& programs() {
  static const Table all = [] {
    Table out;
    for (Table t : {elementwise(), contractions(), reductions(), shapes(), indexing(), constraints(), training()})
      out.merge(t);
    return out;
  }();
  return all;
}

// The bytes that each device receives when `f` runs with every mesh axis a boundary: those that explain() plans,
// unrounded.
double sent(const std::function<void()>& f) {
  struct Isolated {
    Isolation before = config::isolation();
    Isolated() { config::isolation(Isolation::per_device); }
    ~Isolated() { config::isolation(before); }
  } isolated;
  debug::reset_traffic();
  f();
  return debug::traffic().bytes();
}
void finish(const Arrays& list) {
  for (const Array& x : list) x.block_until_ready();
}
// Compiled, with these shardings asked for where they are any.
double sent_compiled(const std::function<Arrays(const Arrays&)>& f, const Arrays& inputs,
                     const std::vector<Sharding>& wanted) {
  JitOptions options;
  if (!wanted.empty())
    options.out_shardings = [&](const tree::Path& path, const Array&) {
      return wanted.at(static_cast<std::size_t>(path.keys().at(0).index));
    };
  return sent([&] { finish(jit(f, options)(inputs)); });
}

Array input_of(const json& in) {
  Array x = program_values(shape_of(in.at("shape")), dtype_of(in.at("dtype")));
  return in.at("mesh").is_null() ? x : device_put(x, place::sharding(in));
}

// JAX cannot place what the program makes on the way; here it runs, and gives what it gives on one device.
void jax_refuses(const json& test, const Arrays& out, const Run& run) {
  expect_jax_refuses(test, "IndivisibleError");
  Arrays plain;
  for (const json& in : test.at("inputs"))
    plain.push_back(program_values(shape_of(in.at("shape")), dtype_of(in.at("dtype"))));
  Arrays want = run(Inputs{plain, {}});
  if (out.size() != want.size()) throw Mismatch(fmt::format("{} results, on one device {}", out.size(), want.size()));
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (out[i].shape() != want[i].shape() || out[i].dtype() != want[i].dtype())
      throw Mismatch(fmt::format("result {} has another type than on one device", i));
    if (!out[i].committed()) throw Mismatch(fmt::format("result {} is uncommitted", i));
    const Array whole = multihost::process_allgather(out[i]);
    if (whole.astype(float32).to_vector<float>() != want[i].astype(float32).to_vector<float>())
      throw Mismatch(fmt::format("result {} has other values than on one device", i));
  }
  throw Different("JAX refuses");
}

// Indexing without jit that leaves nothing: JAX's result is new and uncommitted, ours stays on the devices of the
// operand.
bool slice_of_nothing(const Array& out, const json& want, const Arrays& inputs) {
  bool theirs = out.size() == 0 && !want.at("committed").get<bool>() && want.at("sharding").contains("device_id");
  return theirs && inputs.size() == 1 && inputs[0].committed() && out.committed() &&
         out.sharding().device_set() == inputs[0].sharding().device_set();
}

void program_case(const json& test) {
  set_cpu_devices(8);
  auto program = programs().find(test.at("program"));
  if (program == programs().end()) throw Unknown("program " + test.at("program").get<std::string>());
  Arrays inputs;
  Mesh mesh;
  for (const json& in : test.at("inputs")) {
    inputs.push_back(input_of(in));
    if (!mesh.has_value() && !in.at("mesh").is_null()) mesh = place::mesh(in["mesh"]);
  }
  std::function<Arrays(const Arrays&)> f = [&](const Arrays& in) { return program->second(Inputs{in, mesh}); };
  bool compiled = test.at("mode") == "jit";
  if (!compiled && test["mode"] != "eager") throw Unknown("mode " + test["mode"].dump());
  Arrays out = compiled ? jit(f)(inputs) : f(inputs);
  if (test.contains("error")) return jax_refuses(test, out, program->second);

  const json& want = test.at("outputs");
  if (out.size() != want.size()) throw Mismatch(fmt::format("{} results, expected {}", out.size(), want.size()));
  std::vector<Sharding> theirs;
  std::string difference;
  bool nothing = false;
  for (std::size_t i = 0; i < out.size(); ++i) {
    expect_type(out[i], want[i]);
    Sharding ours = out[i].sharding();
    theirs.push_back(result_sharding(want[i].at("sharding")));
    check_recorded(want[i]["sharding"], theirs[i]);
    if (!compiled && slice_of_nothing(out[i], want[i], inputs)) {
      nothing = true;
      continue;
    }
    if (out[i].committed() != want[i].at("committed").get<bool>())
      throw Mismatch(fmt::format("result {} is {}committed", i, out[i].committed() ? "" : "un"));
    if (ours.is_equivalent_to(theirs[i], out[i].ndim())) {
      check_recorded(want[i]["sharding"], ours);
      continue;
    }
    difference += fmt::format("{}result {} is {}, JAX's {}", difference.empty() ? "" : "; ", i, ours, theirs[i]);
    std::int64_t mine = ours.shard_shape(out[i].shape()).num_elements(),
                 other = theirs[i].shard_shape(out[i].shape()).num_elements();
    if (mine > other) throw Mismatch(fmt::format("{}: a block has {} elements, JAX's {}", difference, mine, other));
    if (ours.device_set() != theirs[i].device_set()) throw Mismatch(difference + ": other devices");
  }
  if (nothing) throw Different("a slice of nothing");
  if (difference.empty()) return;
  // What JAX leaves uncommitted it says nothing about.
  for (std::size_t i = 0; i < theirs.size(); ++i)
    if (!want[i].at("committed").get<bool>()) theirs[i] = {};
  double mine = compiled ? sent_compiled(f, inputs, {}) : sent([&] { finish(f(inputs)); }),
         other = sent_compiled(f, inputs, theirs);
  if (mine > other) throw Mismatch(fmt::format("{}: {} bytes are sent, {} for JAX's", difference, mine, other));
}

const Registration registered(shardings_lists, "programs", program_case);

}  // namespace
}  // namespace golden

// SPDX-License-Identifier: Apache-2.0
