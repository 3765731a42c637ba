// Cases of ops.json and surface.json that are calls: the function of the op's name with the inputs by position and the
// parameters by name, or the expression they record; wrong calls too.
#include "golden/ops_cases.hpp"
#include "golden/python_values.hpp"
#include "tutti/nn/attention.hpp"
#include "tutti/numpy/numpy.hpp"

namespace golden {
namespace {

using namespace tutti;
using python::Value;
using python::Values;

// "input 1" stands for an input; {"slice": [..]} and {"array": ..} for entries of an index.
Value parameter(const json& p, const Arrays& inputs, std::vector<bool>& taken) {
  if (p.is_string()) {
    const std::string text = p;
    if (!text.starts_with("input ")) return text;
    const std::size_t i = std::stoul(text.substr(6));
    taken.at(i) = true;
    return inputs.at(i);
  }
  if (p.is_array()) {
    Values out;
    for (const json& e : p) out.push_back(parameter(e, inputs, taken));
    return out;
  }
  if (!p.is_object()) return python::value_of(p);
  if (p.contains("slice")) {
    auto bound = [&](int i) {
      const json& b = p["slice"].at(static_cast<std::size_t>(i));
      return b.is_null() ? std::nullopt : std::optional(b.get<std::int64_t>());
    };
    return python::SliceOf{bound(0), bound(1), bound(2)};
  }
  for (const char* kind : {"array", "mask"})
    if (p.contains(kind)) return parameter(p[kind], inputs, taken).array();
  throw Unknown("parameter " + p.dump());
}

const python::Function* function_named(const std::string& op, const json& test) {
  const bool strict = test.value("group", "") == "lax" || test.value("name", "").starts_with("lax_");
  std::vector<std::string> rooms = {
      "case.",     strict ? "lax." : "jnp.", strict ? "jnp." : "lax.", "nn.", "jnp.linalg.", "jax.ops.", "jsp.special.",
      "jsp.stats."};
  for (const std::string& room : rooms)
    if (const python::Function* f = python::find_function(room + op)) return f;
  return nullptr;
}

Arrays flat(const Value& v) {
  Arrays out;
  v.append_to(out);
  return out;
}

Value zeros_of(const python::Arguments& a, DType dtype) {
  Shape shape;
  for (const Value& d : a.positional) shape.push_back(d.integer());
  return zeros(shape, dtype);
}
const python::Functions wrong_arguments({
    {"zeros", [](const python::Arguments& a) { return zeros_of(a, float32); }},
    {"ints", [](const python::Arguments& a) { return zeros_of(a, int32); }},
    {"complexes", [](const python::Arguments& a) { return zeros_of(a, complex64); }},
});

void wrong_call(const json& test) {
  if (test.value("op", "") != "error") throw Unknown("no wrong call");
  const python::NodePtr expression = python::parse(test.at("params").at("expr"));
  if (test.contains("error")) return expect_error(test["error"], [&] { python::evaluate(*expression, {}); });
  const Arrays got = flat(python::evaluate(*expression, {}));
  const json& want = test.at("outputs");
  if (got.size() != want.size()) throw Mismatch("another number of results");
  for (std::size_t i = 0; i < got.size(); ++i) {
    json expected = want[i];
    if (expected.at("dtype") == "bool") expected.erase("weak_type");  // a bool of Python's
    expect_equal(got[i], expected, {});
  }
}
const Registration python_registration({"cases"}, "cases", wrong_call);
const Deviations python_deviations({"cases"}, "cases",
                                   {
                                       {"error_dtype_name", not_in_cpp("dtypes are values, not names")},
                                       {"error_dtype_string", not_in_cpp("dtypes are values, not names")},
                                       {"error_array_string", not_in_cpp("arrays are made of numbers")},
                                       {"error_add_string", not_in_cpp("operands are arrays and numbers")},
                                       {"error_add_list", not_in_cpp("operands are arrays and numbers")},
                                       {"error_sum_list", not_in_cpp("reductions take arrays")},
                                       {"error_index_float", not_in_cpp("indices are integers")},
                                       {"error_index_string", not_in_cpp("indices are integers")},
                                       {"error_index_list", not_in_cpp("indices are integers")},
                                       {"error_item_assignment", not_in_cpp("elements are values")},
                                       {"error_len_scalar", not_in_cpp("there is no len")},
                                       {"error_iter_scalar", not_in_cpp("arrays are no ranges")},
                                       {"error_hash_array", not_in_cpp("arrays have no hash")},
                                       {"error_where_two_args", not_in_cpp("where takes one or three arguments")},
                                       {"error_eye_float", not_in_cpp("extents are integers")},
                                       {"error_arange_string", not_in_cpp("arange takes numbers")},
                                       {"error_float_shape", not_in_cpp("extents are integers")},
                                       {"error_sqrt_no_argument", not_in_cpp("sqrt takes an argument")},
                                       {"error_lax_sin_int", not_in_cpp("there is no lax::sin")},
                                       {"error_meshgrid_indexing", not_in_cpp("indexing is an enum")},
                                       {"error_quantile_method", not_in_cpp("methods are an enum")},
                                       {"error_pad_mode", not_in_cpp("modes are an enum")},
                                       {"error_take_float_index",
                                        [](const json& test) {
                                          expect_jax_refuses(test, "ValueError");
                                          try {
                                            take(zeros({2}), zeros({2}));
                                          } catch (const TypeError& e) {
                                            return check_facts("float32[2]", e.what());
                                          }
                                          throw Mismatch("no error");
                                        }},
                                       {"error_attention_mask_dtype",
                                        [](const json& test) {
                                          expect_jax_refuses(test, "ValueError");
                                          const Array x = zeros({1, 2, 2, 4});
                                          try {
                                            nn::dot_product_attention(x, x, x, {.mask = zeros({1, 1, 2, 2})});
                                          } catch (const TypeError& e) {
                                            return check_facts("float32", e.what());
                                          }
                                          throw Mismatch("no error");
                                        }},
                                       {"error_index_int_out_of_range_static",
                                        [](const json& test) {
                                          if (test.contains("error")) throw Mismatch("JAX refuses it too");
                                          try {
                                            zeros({2})[6];
                                          } catch (const IndexError& e) {
                                            return check_facts("6", e.what());
                                          }
                                          throw Mismatch("no error");
                                        }},
                                   });

}  // namespace

OpFunction python_function(const json& test) {
  const json params = test.value("params", json::object());
  if (params.contains("expr")) {
    const python::NodePtr expression = python::parse(params["expr"]);
    return [=](const Arrays& inputs, const json& p) {
      std::map<std::string, Value> variables;
      std::vector<bool> taken(inputs.size());
      for (const auto& [name, value] : p.items())
        if (name != "expr") variables[name] = parameter(value, inputs, taken);
      for (std::size_t i = 0; i < inputs.size(); ++i) {
        variables[std::string(1, static_cast<char>('a' + i))] = inputs[i];
        if (i < 3) variables[std::string(1, static_cast<char>('x' + i))] = inputs[i];
      }
      return flat(python::evaluate(*expression, variables));
    };
  }
  const std::string op = test.at("op");
  const python::Function* function = function_named(op, test);
  if (!function) throw Unknown("op " + op);
  return [=](const Arrays& inputs, const json& p) {
    python::Arguments arguments;
    std::vector<bool> taken(inputs.size());
    for (const auto& [name, value] : p.items())
      if (name != "note") arguments.named[name] = parameter(value, inputs, taken);
    for (std::size_t i = 0; i < inputs.size(); ++i)
      if (!taken[i]) arguments.positional.push_back(inputs[i]);
    return flat((*function)(arguments));
  };
}

}  // namespace golden

// SPDX-License-Identifier: Apache-2.0
