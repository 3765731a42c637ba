// Collectives in shard_map, pmap and vmap: values and gradients, outside and inside jit, with shared and with isolated
// devices; errors.
#include <regex>
#include <variant>

#include "golden/collective_functions.hpp"
#include "tutti/tutti.hpp"

namespace golden {
namespace {

using namespace tutti;

PartitionSpec spec_of(const json& j) {
  std::vector<SpecEntry> entries;
  for (const json& e : j)
    entries.push_back(e.is_null()     ? SpecEntry(none)
                      : e.is_string() ? SpecEntry(e.get<std::string>())
                                      : SpecEntry(Names(e.get<std::vector<std::string>>())));
  return PartitionSpec::from(entries);
}
template <class T> TreeOf<T> list_of(const std::vector<TreeOf<T>>& entries) {
  switch (entries.size()) {
    case 0: return TreeOf<T>(std::initializer_list<TreeOf<T>>{});
    case 1: {
      std::initializer_list<TreeOf<T>> l = {entries[0]};
      return TreeOf<T>(l);
    }
    case 2: {
      std::initializer_list<TreeOf<T>> l = {entries[0], entries[1]};
      return TreeOf<T>(l);
    }
    case 3: {
      std::initializer_list<TreeOf<T>> l = {entries[0], entries[1], entries[2]};
      return TreeOf<T>(l);
    }
    default: throw Unknown("more than three entries");
  }
}
TreeOf<PartitionSpec> specs_of(const json& list) {
  std::vector<TreeOf<PartitionSpec>> entries;
  for (const json& spec : list) entries.emplace_back(spec_of(spec));
  return list_of(entries);
}
TreeOf<int> axes_of(const json& j) {
  if (j.is_null()) return none;
  if (j.is_number()) return j.get<int>();
  std::vector<TreeOf<int>> entries;
  for (const json& e : j) entries.push_back(e.is_null() ? TreeOf<int>(none) : TreeOf<int>(e.get<int>()));
  return list_of(entries);
}

// `fn` with the number of arguments that the case has, and one Array or several as its result, mapped by `transform`.
// Which of the two is known when it runs: each function that is mapped costs the compiler a second.
using Result = std::variant<Array, Arrays>;
template <class Transform>
std::function<Arrays(const Arrays&)> mapped(const LocalFunction& fn, std::size_t count, const Transform& transform) {
  auto local = [fn](const Arrays& x) {
    Arrays out = fn.call(x);
    return fn.many ? Result(std::move(out)) : Result(out.at(0));
  };
  auto list = [](const Result& r) {
    const Array* one = std::get_if<Array>(&r);
    return one ? Arrays{*one} : std::get<Arrays>(r);
  };
  switch (count) {
    case 0: return [list, f = transform([=] { return local({}); })](const Arrays&) { return list(f()); };
    case 1:
      return
          [list, f = transform([=](const Array& a) { return local({a}); })](const Arrays& x) { return list(f(x[0])); };
    case 2:
      return [list, f = transform([=](const Array& a, const Array& b) {
                      return local({a, b});
                    })](const Arrays& x) { return list(f(x[0], x[1])); };
    case 3:
      return [list, f = transform([=](const Array& a, const Array& b, const Array& c) {
                      return local({a, b, c});
                    })](const Arrays& x) { return list(f(x[0], x[1], x[2])); };
    default: throw Unknown("more than three arguments");
  }
}

// The whole function, from global arrays to global arrays.
std::function<Arrays(const Arrays&)> whole(const json& test, const LocalFunction& local) {
  std::size_t count = test.at("inputs").size();
  if (test.at("kind") == "shard_map") {
    const json& out = test.at("out_specs");
    ShardMapOptions options{
        .mesh = make_mesh(shape_of(test.at("mesh").at("shape")),
                          Names(test["mesh"].at("axes").get<std::vector<std::string>>())),
        .in_specs = specs_of(test.at("in_specs")),
        .out_specs = out.is_object() ? specs_of(out.at("tree")) : TreeOf<PartitionSpec>(spec_of(out)),
        .check_vma = test.at("check_vma").get<bool>(),
        .axis_names = Names(test.value("axis_names", std::vector<std::string>()))};
    return mapped(local, count, [&](auto f) { return shard_map(f, options); });
  }
  TreeOf<int> in = axes_of(test.at("in_axes")), out = axes_of(test.at("out_axes"));
  std::string name = test.value("axis_name", "");
  if (test["kind"] == "pmap")
    return mapped(local, count, [&](auto f) { return pmap(f, {.axis_name = name, .in_axes = in, .out_axes = out}); });
  return mapped(local, count, [&](auto f) { return vmap(f, {.in_axes = in, .out_axes = out, .axis_name = name}); });
}

// `exact`: the function only moves elements.
void expect_all(const std::string& what, const Arrays& got, const json& want, bool exact) {
  if (got.size() != want.size())
    throw Mismatch(what + ": " + std::to_string(got.size()) + " results, expected " + std::to_string(want.size()));
  for (std::size_t i = 0; i < got.size(); ++i) {
    try {
      expect_equal(got[i], want[i], exact ? Tolerance{} : tolerance_of(want[i]));
    } catch (const Mismatch& m) {
      throw Mismatch(what + " " + std::to_string(i) + ": " + m.what());
    }
  }
}
Arrays arrays_of(const json& list) {
  Arrays out;
  for (const json& a : list) out.push_back(array_of(a));
  return out;
}

// JAX cannot form the gradient, which exists: <cotangent, f(x)> is linear in x and has it as its slope.
void check_gradient_of_linear(const std::function<Arrays(const Arrays&)>& f, const Arrays& inputs) {
  auto [y, pullback] = vjp(f, inputs);
  Array cotangent = sin(arange(static_cast<float>(y[0].size()))).reshape(y[0].shape());
  Arrays gradient = std::get<0>(pullback(Arrays{cotangent}));
  double by_value = float(sum(y[0] * cotangent)), by_gradient = float(sum(inputs[0] * gradient[0]));
  if (std::abs(by_value - by_gradient) > 1e-4 * (1 + std::abs(by_value)))
    throw Mismatch("gradient: <ct, f(x)> is " + std::to_string(by_value) + ", <gradient, x> " +
                   std::to_string(by_gradient));
}

void check_values(const json& test, const std::function<Arrays(const Arrays&)>& f, const Arrays& inputs) {
  const json& want = test.at("outputs");
  bool exact = only_moves(test.at("define"));
  Arrays out = f(inputs);
  expect_all("result", out, want, exact);
  expect_all("jit result", jit([&](const Arrays& a) { return f(a); })(inputs), want, exact);
  if (test.contains("output_shards")) {
    std::vector<Shard> shards = out[0].addressable_shards();
    Arrays data;
    for (const Shard& s : shards) data.push_back(s.data());
    expect_all("shard", data, of_this_process(test["output_shards"], out[0]), exact);
  }
  if (test.contains("output_shard_shape") &&
      out[0].addressable_shards()[0].data().shape() != shape_of(test["output_shard_shape"]))
    throw Mismatch("shape of a shard: " + out[0].addressable_shards()[0].data().shape().str());
  if (test.contains("vjp_error")) check_gradient_of_linear(f, inputs);
  if (!test.contains("vjp")) return;
  Arrays cotangents = arrays_of(test["vjp"].at("cotangents"));
  const json& gradients = test["vjp"].at("outputs");
  bool exact_gradient =
      exact && test["define"].get<std::string>().find("all_gather") == std::string::npos;  // its transpose is a sum
  expect_all("gradient", std::get<0>(vjp(f, inputs).second(cotangents)), gradients, exact_gradient);
  expect_all("jit gradient", jit([&](const Arrays& a, const Arrays& ct) {
               return std::get<0>(vjp(f, a).second(ct));
             })(inputs, cotangents),
             gradients, exact_gradient);
}

// Single lines of Python.
const std::map<std::string, std::function<Arrays()>>& collective_expressions() {
  auto same = [](const Array& x) { return x; };
  auto row = [] { return make_mesh({8}, "x"); };
  auto grid = [] { return make_mesh({4, 2}, {"x", "y"}); };
  static const std::map<std::string, std::function<Arrays()>> all = {
      {"jax.jit(lambda x: lax.psum(x, 'x'))(jnp.ones(8))",
       [] { return Arrays{jit([](const Array& x) { return lax::psum(x, "x"); })(ones({8}))}; }},
      {"lax.psum(jnp.ones(8), 'x')", [] { return Arrays{lax::psum(ones({8}), "x")}; }},
      {"lax.axis_index('x')", [] { return Arrays{lax::axis_index("x")}; }},
      {"lax.axis_size('x')",
       [] {
         lax::axis_size("x");
         return Arrays{};
       }},
      {"lax.all_gather(jnp.ones(8), 'x')", [] { return Arrays{lax::all_gather(ones({8}), "x")}; }},
      {"shard_map(lambda x: x, mesh=mesh42, in_specs=P('x', 'x'), out_specs=P('x'))(jnp.ones((8, 8)))",
       [=] {
         return Arrays{shard_map(same, {.mesh = grid(), .in_specs = P("x", "x"), .out_specs = P("x")})(ones({8, 8}))};
       }},
      {"shard_map(lambda x: x, in_specs=P('x'), out_specs=P('x'))(jnp.ones(8))",
       [=] { return Arrays{shard_map(same, {.in_specs = P("x"), .out_specs = P("x")})(ones({8}))}; }},
      {"jax.pmap(lambda: 1.0)()", [] { return Arrays{pmap([] { return Array(1.); })()}; }},
      {"jax.pmap(lambda x: jax.vmap(lambda y: lax.psum(y, 'i'), axis_name='i')(x), axis_name='i')(jnp.ones((8, 2)))",
       [] {
         auto inner = [](const Array& x) {
           return vmap([](const Array& y) { return lax::psum(y, "i"); }, {.axis_name = "i"})(x);
         };
         return Arrays{pmap(inner, {.axis_name = "i"})(ones({8, 2}))};
       }},
      {"shard_map(lambda x: lax.with_sharding_constraint(x, NamedSharding(mesh8, P('x'))), mesh=mesh8, "
       "in_specs=P('x'), out_specs=P('x'))(jnp.ones(64))",
       [=] {
         Mesh mesh = row();
         auto inner = [=](const Array& x) { return with_sharding_constraint(x, NamedSharding(mesh, P("x"))); };
         return Arrays{shard_map(inner, {.mesh = mesh, .in_specs = P("x"), .out_specs = P("x")})(ones({64}))};
       }},
  };
  return all;
}

void expect_refused(const json& error, const std::function<void()>& call) {
  std::string type = error.at("type");
  bool internal =
      type == "JaxRuntimeError" || error.at("message").get<std::string>().find("verifier") != std::string::npos;
  if (internal) return expect_error(error, call);  // not written for the user: it has no facts
  if (type == "AssertionError") {                  // `(6, 5)`: the numbers alone
    json numbers = error;
    numbers["message"] = std::regex_replace(error.at("message").get<std::string>(), std::regex("[(),]"), " ");
    return expect_error_with_facts(numbers, call);
  }
  expect_error_with_facts(error, call);
}

void run_collective(const json& test) {
  std::string kind = test.value("kind", "");
  if (kind == "expression") {
    auto at = collective_expressions().find(test.at("define"));
    if (at == collective_expressions().end())
      throw Unknown("no counterpart in C++ yet of: " + test["define"].get<std::string>());
    if (test.contains("error")) return expect_refused(test["error"], [&] { at->second(); });
    return expect_all("result", at->second(), test.at("outputs"), false);
  }
  if (kind != "shard_map" && kind != "pmap" && kind != "vmap") throw Unknown("kind " + kind);
  set_cpu_devices(8);
  (void)local_function(test.at("define"));  // Unknown is no error of the case's
  Arrays inputs = arrays_of(test.at("inputs"));
  if (test.contains("error"))
    return expect_refused(test["error"], [&] { collective_call(test)(inputs)[0].block_until_ready(); });
  with_both_isolations([&] { check_values(test, collective_call(test), inputs); });
}
const Registration collective_registration({"cases"}, "cases", run_collective);

}  // namespace

std::function<Arrays(const Arrays&)> collective_call(const json& test) {
  return whole(test, local_function(test.at("define")));
}

void with_both_isolations(const std::function<void()>& check) {
  for (Isolation mode : {Isolation::shared, Isolation::per_device}) {
    config::isolation(mode);
    try {
      check();
    } catch (const std::exception& e) {
      config::isolation(Isolation::shared);
      throw Mismatch(std::string(mode == Isolation::per_device ? "isolated devices: " : "") + e.what());
    }
  }
  config::isolation(Isolation::shared);
}

bool only_moves(const std::string& define) {
  static const std::regex moves(
      "def f\\(\\w*\\):\\s*return "
      "lax\\.(all_gather|ppermute|pshuffle|all_to_all|pswapaxes|axis_index|pmax|pmin)\\([^@+*/]*\\)(\\[None\\])?\\s*");
  static const std::regex shift("def f\\(x\\):\\s*return lax\\.ppermute\\(x, '\\w+', \\[\\(j, .*\\]\\)\\s*");
  static const std::regex halo(
      "def f\\(x\\):\\s*left = lax\\.ppermute[^=]*right = lax\\.ppermute[^=]*return jnp\\.concatenate[^=]*");
  static const std::regex itself("def f\\(x\\):\\s*return x\\s*");
  return std::regex_match(define, moves) || std::regex_match(define, shift) || std::regex_match(define, halo) ||
         std::regex_match(define, itself);
}

}  // namespace golden

// SPDX-License-Identifier: Apache-2.0
