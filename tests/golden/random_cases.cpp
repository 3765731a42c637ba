// random.json: lists blocks, random_cases (x64 off), x64_cases (x64 on). An op and its parameters by name.
#include <functional>
#include <map>

#include "golden/golden.hpp"
#include "random/threefry.hpp"
#include "tutti/numpy/numpy.hpp"
#include "tutti/random/random.hpp"

namespace golden {
namespace {

using namespace tutti;

struct X64 {
  bool before = x64_enabled();
  explicit X64(bool on) { enable_x64(on); }
  ~X64() { enable_x64(before); }
};

struct Case {
  const json& c;
  Array key;
  bool has(const char* name) const { return c.contains(name); }
  Shape shape() const { return c.contains("shape") ? shape_of(c["shape"]) : Shape{}; }
  DType dtype(DType fallback) const { return c.contains("dtype") ? dtype_of(c["dtype"]) : fallback; }
  Array number(const char* name) const {
    return c.at(name).is_array() ? floats(c[name]) : Array(static_cast<float>(number_of(c[name])));
  }
  double real(const char* name) const { return number_of(c.at(name)); }
  random::Resolution mode() const {
    return c.value("mode", "low") == "high" ? random::Resolution::high : random::Resolution::low;
  }
  static Array floats(const json& list) {
    std::vector<float> v;
    for (const json& e : list) v.push_back(static_cast<float>(number_of(e)));
    return array(v, Shape{v.size()});
  }
};

Array scalar(double v, DType d) { return d == float64 ? array(v) : array(static_cast<float>(v)); }

random::Limit limit(const json& v) {
  if (!v.is_object()) return v.get<std::int64_t>();
  std::vector<std::int32_t> data;
  for (const json& e : v.at("data")) data.push_back(e.get<std::int32_t>());
  return array(data, shape_of(v.at("shape")));
}

Array split_op(const Case& t) {
  if (t.has("note")) return random::split_array(random::split<2>(t.key)[1], Shape{3});  // split(split(key)[1], 3)
  return random::split_array(t.key, t.has("num") ? Shape{t.c["num"].get<int>()} : t.shape());
}
Array fold_in_op(const Case& t) {
  if (t.has("note")) return random::fold_in(random::fold_in(t.key, 3), 11);
  return random::fold_in(t.key, array(static_cast<std::uint32_t>(t.c.at("value").get<std::int64_t>())));
}
Array key_op(const Case& t) {
  const json& arg = t.c.at("arg");
  if (t.c.value("arg_dtype", "") == "uint32") return random::key(array(arg.get<std::uint32_t>()));
  return random::key(arg.get<std::int64_t>());
}
Array uniform_op(const Case& t) {
  DType d = t.dtype(canonical(float64));
  return random::uniform(t.key, t.shape(), scalar(t.real("minval"), d), scalar(t.real("maxval"), d), d);
}
Array truncated_op(const Case& t) {
  DType d = t.dtype(canonical(float64));
  return random::truncated_normal(t.key, scalar(t.real("lower"), d), scalar(t.real("upper"), d), t.shape(), d);
}
Array bernoulli_op(const Case& t) {
  Array p = t.number("p");
  return t.has("shape") ? random::bernoulli(t.key, p, t.shape(), t.mode()) : random::bernoulli(t.key, p);
}
Array permutation_op(const Case& t) {
  if (t.has("n")) return random::permutation(t.key, t.c["n"].get<int>());
  return random::permutation(t.key, array_of(t.c.at("x")), t.c.value("axis", 0), t.c.value("independent", false));
}
Array choice_op(const Case& t) {
  random::ChoiceOptions o{.replace = t.c.value("replace", true)};
  if (t.has("p")) o.p = array_of(t.c["p"]);
  o.axis = t.c.value("axis", 0);
  if (t.has("x")) return random::choice(t.key, array_of(t.c["x"]), t.shape(), o);
  return random::choice(t.key, t.c.at("a").get<int>(), t.shape(), o);
}
Array categorical_op(const Case& t) {
  Array logits = array_of(t.c.at("logits"));
  int axis = t.c.value("axis", -1);
  return t.has("shape") ? random::categorical(t.key, logits, axis, t.shape(), t.c.value("replace", true))
                        : random::categorical(t.key, logits, axis);
}
// vmap over split(key, n): one draw per key, stacked.
template <class Draw> Array mapped(const Case& t, Draw draw) {
  std::vector<Array> rows;
  for (const Array& k : random::split(t.key, t.c.at("num").get<int>())) rows.push_back(draw(k, t.shape()));
  return stack(rows);
}

// A choice of no slices: JAX drops the array's other dims, here they stay.
bool drawn_nothing(const Case& t, const Array& out, const json& want) {
  if (t.c.at("op") != "choice" || !t.has("x") || t.shape().num_elements() != 0) return false;
  Shape theirs = shape_of(want.at("shape")), x = shape_of(t.c["x"].at("shape")), ours;
  auto axis = t.c.value("axis", 0);
  for (int d = 0; d < x.ndim(); ++d) {
    if (d != (axis < 0 ? axis + x.ndim() : axis))
      ours.push_back(x[d]);
    else
      for (std::int64_t n : t.shape()) ours.push_back(n);
  }
  return theirs == t.shape() && ours != theirs && out.shape() == ours &&
         out.dtype().name() == want.at("dtype").get<std::string>() && want.at("data").empty();
}

using Draw = std::function<Array(const Case&)>;

Draw draw(Array (*f)(const In&, const Shape&, DType)) {
  return [f](const Case& t) { return f(t.key, t.shape(), t.dtype(canonical(float64))); };
}

const std::map<std::string, Draw>& draws() {
  static const std::map<std::string, Draw> all = {
      {"key", key_op},
      {"PRNGKey", [](const Case& t) { return random::PRNGKey(t.c.at("arg").get<std::int64_t>()); }},
      {"split", split_op},
      {"fold_in", fold_in_op},
      {"bits", [](const Case& t) { return random::bits(t.key, t.shape(), t.dtype(canonical(uint64))); }},
      {"uniform", uniform_op},
      {"normal", draw(random::normal)},
      {"truncated_normal", truncated_op},
      {"randint",
       [](const Case& t) {
         return random::randint(t.key, t.shape(), limit(t.c.at("minval")), limit(t.c.at("maxval")),
                                t.dtype(canonical(int64)));
       }},
      {"bernoulli", bernoulli_op},
      {"permutation", permutation_op},
      {"choice", choice_op},
      {"categorical", categorical_op},
      {"gumbel", [](const Case& t) { return random::gumbel(t.key, t.shape(), t.dtype(canonical(float64)), t.mode()); }},
      {"exponential", draw(random::exponential)},
      {"laplace", draw(random::laplace)},
      {"logistic", draw(random::logistic)},
      {"cauchy", draw(random::cauchy)},
      {"rademacher", [](const Case& t) { return random::rademacher(t.key, t.shape(), t.dtype(canonical(int64))); }},
      {"lognormal",
       [](const Case& t) {
         return random::lognormal(t.key, array(static_cast<float>(t.real("sigma"))), t.shape(),
                                  t.dtype(canonical(float64)));
       }},
      {"vmap_normal",
       [](const Case& t) { return mapped(t, [](const Array& k, const Shape& s) { return random::normal(k, s); }); }},
      {"vmap_uniform",
       [](const Case& t) { return mapped(t, [](const Array& k, const Shape& s) { return random::uniform(k, s); }); }},
      {"vmap_bits",
       [](const Case& t) { return mapped(t, [](const Array& k, const Shape& s) { return random::bits(k, s); }); }},
  };
  return all;
}

// Integers, bits, keys, uniform numbers and what is chosen or permuted are exact. JAX's normal numbers are as near as
// its erf_inv is; the others have one or two elementary functions after an exact draw.
Tolerance tolerance(const std::string& op, const json& want) {
  if (op == "uniform" || op == "vmap_uniform" || op == "permutation" || op == "choice") return {};
  std::string dtype = want.at("dtype");
  if (dtype == "bfloat16" || dtype == "float16") return tolerance_of(want);
  if (dtype == "float64") return {1e-12, 1e-12};
  if (op == "normal" || op == "vmap_normal") return {2e-5, 1e-6};
  return {1e-5, 1e-6};
}

void run_draw(const json& test, bool x64) {
  X64 setting(x64);
  config::threefry_partitionable(test.at("layout") == "partitionable");
  if (!x64 && test["layout"] != "partitionable" && test["layout"] != "original")
    throw Unknown("layout " + test["layout"].dump());
  if (test.at("x64").get<bool>() != x64) throw Mismatch("x64 is not that of the list");
  std::string op = test.at("op");
  auto at = draws().find(op);
  if (at == draws().end()) throw Unknown("op " + op);
  Case c{test, {}};
  if (test.contains("seed")) {
    c.key = random::key(test["seed"].get<std::int64_t>());
    if (random::key_data(c.key).to_vector<std::uint32_t>() != test.at("key").get<std::vector<std::uint32_t>>())
      throw Mismatch("the key of the seed differs");
  }
  if (test.contains("error")) return expect_error_with_facts(test["error"], [&] { at->second(c); });
  Array out = at->second(c);
  if (out.dtype().is_key()) out = random::key_data(out);
  const json& want = test.at("out");
  if (drawn_nothing(c, out, want)) throw Different("a choice of nothing");
  expect_equal(out, want, tolerance(op, want));
}

void block(const json& test) {
  auto word = [&](const char* list, int i) { return array(test.at(list).at(i).get<std::uint32_t>()); };
  auto [a, b] = random::threefry2x32({word("key", 0), word("key", 1)}, word("counter", 0), word("counter", 1));
  if (a.item<std::uint32_t>() != test.at("out").at(0).get<std::uint32_t>() ||
      b.item<std::uint32_t>() != test.at("out").at(1).get<std::uint32_t>())
    throw Mismatch("the block differs");
}

const std::vector<std::string> random_lists = {"blocks", "cases", "x64_cases"};
const Registration blocks(random_lists, "blocks", block);
const Registration random_cases(random_lists, "cases", [](const json& t) { run_draw(t, false); });
const Deviations too_big(random_lists, "cases",
                         {{"key/too_big/*", not_in_cpp("no integer type has more than 64 bits")}});
const Registration x64_cases(random_lists, "x64_cases", [](const json& t) { run_draw(t, true); });

}  // namespace
}  // namespace golden

// SPDX-License-Identifier: Apache-2.0
