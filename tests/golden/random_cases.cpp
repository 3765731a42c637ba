// random.json: lists blocks, cases (x64 off), x64_cases (x64 on). An op and its parameters by name.
#include <functional>
#include <map>

#include "golden/golden.hpp"
#include "random/threefry.hpp"
#include "tutti/ops.hpp"
#include "tutti/random.hpp"

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
  Array number(const char* name) const { return c.at(name).is_array() ? floats(c[name]) : Array(static_cast<float>(number_of(c[name]))); }
  double real(const char* name) const { return number_of(c.at(name)); }
  random::Resolution mode() const { return c.value("mode", "low") == "high" ? random::Resolution::high : random::Resolution::low; }
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
  if (t.has("note")) return random::split_array(random::split<2>(t.key)[1], Shape{3});   // split(split(key)[1], 3)
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
  DType d = t.dtype(float32);
  return random::uniform(t.key, t.shape(), scalar(t.real("minval"), d), scalar(t.real("maxval"), d), d);
}
Array truncated_op(const Case& t) {
  DType d = t.dtype(float32);
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
  return t.has("shape") ? random::categorical(t.key, logits, axis, t.shape(), t.c.value("replace", true)) : random::categorical(t.key, logits, axis);
}
// vmap over split(key, n): one draw per key, stacked.
template <class Draw>
Array mapped(const Case& t, Draw draw) {
  std::vector<Array> rows;
  for (const Array& k : random::split(t.key, t.c.at("num").get<int>())) rows.push_back(draw(k, t.shape()));
  return stack(rows);
}

using Run = std::function<Array(const Case&)>;

Run draw(Array (*f)(const In&, const Shape&, DType)) {
  return [f](const Case& t) { return f(t.key, t.shape(), t.dtype(float32)); };
}

const std::map<std::string, Run>& table() {
  static const std::map<std::string, Run> all = {
      {"key", key_op},
      {"PRNGKey", [](const Case& t) { return random::PRNGKey(t.c.at("arg").get<std::int64_t>()); }},
      {"split", split_op},
      {"fold_in", fold_in_op},
      {"bits", [](const Case& t) { return random::bits(t.key, t.shape(), t.dtype(uint32)); }},
      {"uniform", uniform_op},
      {"normal", draw(random::normal)},
      {"truncated_normal", truncated_op},
      {"randint", [](const Case& t) { return random::randint(t.key, t.shape(), limit(t.c.at("minval")), limit(t.c.at("maxval")), t.dtype(int32)); }},
      {"bernoulli", bernoulli_op},
      {"permutation", permutation_op},
      {"choice", choice_op},
      {"categorical", categorical_op},
      {"gumbel", [](const Case& t) { return random::gumbel(t.key, t.shape(), t.dtype(float32), t.mode()); }},
      {"exponential", draw(random::exponential)},
      {"laplace", draw(random::laplace)},
      {"logistic", draw(random::logistic)},
      {"cauchy", draw(random::cauchy)},
      {"rademacher", [](const Case& t) { return random::rademacher(t.key, t.shape(), t.dtype(int32)); }},
      {"lognormal", [](const Case& t) { return random::lognormal(t.key, array(static_cast<float>(t.real("sigma"))), t.shape(), t.dtype(float32)); }},
      {"vmap_normal", [](const Case& t) { return mapped(t, [](const Array& k, const Shape& s) { return random::normal(k, s); }); }},
      {"vmap_uniform", [](const Case& t) { return mapped(t, [](const Array& k, const Shape& s) { return random::uniform(k, s); }); }},
      {"vmap_bits", [](const Case& t) { return mapped(t, [](const Array& k, const Shape& s) { return random::bits(k, s); }); }},
  };
  return all;
}

// Integers, bits, keys and uniform numbers are exact; the rest is as near as the libraries behind log, tan and erf_inv are.
Tolerance tolerance(const std::string& op, const std::string& dtype) {
  if (op == "uniform") return {};
  if (dtype == "bfloat16") return {0x1p-7, 0x1p-7};
  if (dtype == "float16") return {0x1p-10, 0x1p-10};
  return {2e-5, 1e-6};
}

void run(const json& test, bool x64) {
  X64 setting(x64);
  config::threefry_partitionable(test.at("layout") == "partitionable");
  std::string op = test.at("op");
  auto at = table().find(op);
  if (at == table().end()) throw Unknown("op " + op);
  Case c{test, {}};
  if (test.contains("seed")) {
    c.key = random::key(test["seed"].get<std::int64_t>());
    if (random::key_data(c.key).to_vector<std::uint32_t>() != test.at("key").get<std::vector<std::uint32_t>>()) throw Mismatch("the key of the seed differs");
  }
  if (test.contains("error")) return expect_error(test["error"], [&] { at->second(c); });
  Array out = at->second(c);
  if (out.dtype().is_key()) out = random::key_data(out);
  expect_equal(out, test.at("out"), tolerance(op, test["out"].at("dtype")));
}

void block(const json& test) {
  auto word = [&](const char* list, int i) { return array(test.at(list).at(i).get<std::uint32_t>()); };
  auto [a, b] = random::threefry2x32({word("key", 0), word("key", 1)}, word("counter", 0), word("counter", 1));
  if (a.item<std::uint32_t>() != test.at("out").at(0).get<std::uint32_t>() || b.item<std::uint32_t>() != test.at("out").at(1).get<std::uint32_t>()) throw Mismatch("the block differs");
}

const std::vector<std::string> lists = {"blocks", "cases", "x64_cases"};
const Registration blocks(lists, "blocks", block);
const Registration cases(lists, "cases", [](const json& t) { run(t, false); });
const Registration x64_cases(lists, "x64_cases", [](const json& t) { run(t, true); });

}  // namespace
}  // namespace golden
