// What is left of transforms.json: Jacobians of trees, random numbers and solvers under vmap, what jit records and
// refuses; see transform_cases.cpp.
#include <cmath>
#include <functional>
#include <map>

#include "golden/transform_cases.hpp"
#include "tutti/lax/lax.hpp"
#include "tutti/lax/windows.hpp"
#include "tutti/random/random.hpp"
#include "tutti/transform/transforms.hpp"
#include "tutti/tutti.hpp"

namespace golden {
namespace {

using namespace tutti;
using namespace transforms;

std::map<std::string, Case> derivatives() {
  return {
      {"grad_argnums_negative",
       [](const Inputs& in) -> Outputs {
         return {grad<1>([](const Array& x, const Array& y) { return sum(x * y * y); })(in("x"), in("y"))};
       }},
      {"vjp_aux",
       [](const Inputs& in) -> Outputs {
         auto f = [](const Array& x) { return std::pair{exp(x), mean(x)}; };
         auto [out, pull] = vjp([=](const Array& x) { return f(x).first; }, in("x"));
         return {out, std::get<0>(pull(in("ct"))), f(in("x")).second};
       }},
      {"linear_transpose_matmul",
       [](const Inputs& in) -> Outputs {
         const Array w = in("w");
         return {
             std::get<0>(vjp([=](const Array& x) { return 2. * matmul(w, x); }, zeros_like(in("x"))).second(in("ct")))};
       }},
      {"jacfwd_argnums",
       [](const Inputs& in) -> Outputs {
         const Array x = in("x"), y = in("y");
         return {jacfwd([=](const Array& v) { return outer(v, y); })(x),
                 jacfwd([=](const Array& v) { return outer(x, v); })(y)};
       }},
      {"jacrev_tree",
       [](const Inputs& in) -> Outputs {
         const AB p{in("p['a']"), in("p['b']")};
         const AB u = jacrev([](const AB&p) { return matmul(p.a, p.b); })(p),
                  v = jacrev([](const AB&p) { return sum(p.b) + 0. * sum(p.a); })(p);
         return {u.a, u.b, v.a, v.b};
       }},
      {"jacrev_aux",
       [](const Inputs& in) -> Outputs {
         return {jacrev([](const Array& x) { return power(x, 2); })(in("x")), sum(in("x"))};
       }},
      {"hessian_tree",
       [](const Inputs& in) -> Outputs {
         const Array a = in("p['a']"), b = in("p['b']");
         auto f = [](const Array& a, const Array& b) { return sum(power(a, 2) * b); };
         return {jacfwd([=](const Array& v) { return grad<0>(f)(v, b); })(a),
                 jacfwd([=](const Array& v) { return grad<0>(f)(a, v); })(b),
                 jacfwd([=](const Array& v) { return grad<1>(f)(v, b); })(a),
                 jacfwd([=](const Array& v) { return grad<1>(f)(a, v); })(b)};
       }},
  };
}

// The solution of a x = b for positive definite a: elimination, a row at a time.
Array solve(const Array& a, const Array& b) {
  const std::int64_t n = b.shape()[0];
  const Array start = concatenate({a, b.reshape(n, 1)}, 1);
  const Array rows = arange(n);
  auto eliminate = [&](const Array& i, const Array& m) {
    const Array row = m[i] / m[i][i];
    const Array others = m - matmul(m.T()[i].reshape(n, 1), row.reshape(1, n + 1));
    return where((rows == i).reshape(n, 1), row.reshape(1, n + 1), others);
  };
  return lax::fori_loop(0, n, eliminate, start).T()[static_cast<int>(n)];
}

std::map<std::string, Case> mapped() {
  return {
      {"vmap_conv",
       [](const Inputs& in) -> Outputs {
         auto f = [](const Array& x, const Array& w) {
           return lax::conv_general_dilated(x.reshape(1, 1, -1), lax::rev(w, {0}).reshape(1, 1, -1)).reshape(-1);
         };
         return {vmap(f, {.in_axes = {0, none}})(in("x"), in("w"))};
       }},
      {"vmap_conv_both",
       [](const Inputs& in) -> Outputs {
         return {
             vmap([](const Array& x, const Array& w) { return lax::conv_general_dilated(x, w); })(in("x"), in("w"))};
       }},
      {"vmap_cholesky_solve",
       [](const Inputs& in) -> Outputs {
         auto f = [](const Array& a, const Array& b) { return solve(matmul(a, a.T()) + 2. * eye(3), b); };
         return {vmap(f)(in("a"), in("b"))};
       }},
      {"vmap_random",
       [](const Inputs& in) -> Outputs {
         const Array keys = stack(random::split(random::key(in.number("seed")), in.number("size")));
         return {vmap([](const Array& k) { return random::uniform(k, {2}); })(keys)};
       }},
      {"reduce_custom", [](const Inputs& in) -> Outputs { return {lax::reduce_prod(in("x"), {0})}; }},
  };
}

std::map<std::string, Case> jitted() {
  return {
      {"jit_trace_count",
       [](const Inputs&) -> Outputs {
         int traces = 0;
         auto f = jit([&](const Array& x) {
           ++traces;
           return x + 1;
         });
         Outputs out;
         for (const Array& x :
              {ones({3}), zeros({3}), ones({4}), ones({3}, int32), Array(1.0), Array(2.0), array(1.f), ones({3})}) {
           f(x);
           out.emplace_back(traces);
         }
         return out;
       }},
      {"jit_eval_shape",
       [](const Inputs& in) -> Outputs {
         auto f = [](const Array& w, const Array& x) { return tanh(matmul(w, x)); };
         return {Array(jit(f)(in("w"), in("x")).shape()[0])};
       }},
      {"jit_static_recompiles",
       [](const Inputs&) -> Outputs {
         int traces = 0;
         auto f = jit([&](const Array& x, int n) {
           ++traces;
           return x * n;
         });
         f(1., 2);
         f(1., 3);
         f(2., 2);
         return {Array(traces)};
       }},
      {"error_jit_index_mask",
       [](const Inputs& in) -> Outputs { return {jit([](const Array& x) { return x[x > 0]; })(in("x"))}; }},
      {"error_jit_bool",
       [](const Inputs& in) -> Outputs { return {jit([](const Array& x) { return x > 0 ? x : -x; })(in("x"))}; }},
      {"error_jit_float",
       [](const Inputs& in) -> Outputs {
         return {jit([](const Array& x) { return Array(x.item<float>()); })(in("x"))};
       }},
      {"error_jit_leaked_tracer",
       [](const Inputs& in) -> Outputs {
         std::vector<Array> kept;
         jit([&](const Array& x) {
           kept.push_back(x);
           return x;
         })(in("x"));
         return {kept[0] + 1};
       }},
  };
}

const Registration more_transform_registration({"cases"}, "cases", [](const json& test) {
  static const std::map<std::string, Case> cases = [] {
    std::map<std::string, Case> all;
    for (auto part : {derivatives(), mapped(), jitted()}) all.merge(part);
    return all;
  }();
  run_case(cases, test);
});

// Equal but for the signs of zeros.
void zeros_aside(const json& test) {
  const std::string name = test.at("name");
  json unsigned_zeros = test;
  for (json& out : unsigned_zeros["outputs"])
    for (json& v : out["data"])
      if (v.is_number() && v.get<double>() == 0) v = 0.0;
  std::map<std::string, Case> cases = derivatives();
  const Case own = cases.at(name);
  cases[name] = [=](const Inputs& in) {
    Outputs out = own(in);
    for (Array& x : out) x = x + 0.f;
    return out;
  };
  run_case(cases, unsigned_zeros);
}

const Deviations more_transform_deviations(
    {"cases"}, "cases",
    {
        {"grad_pow_zero_exponent",
         [](const json& test) {
           const Inputs in{test.at("inputs")};
           const Array x = in("x"), p = in("p");
           const auto [by_x, by_p] = grad<0, 1>([](const Array& x, const Array& p) { return sum(power(x, p)); })(x, p);
           const std::vector<float> xs = x.to_vector<float>(), ps = p.to_vector<float>(), got = by_x.to_vector<float>();
           const json& want = test.at("outputs").at(0).at("data");
           for (std::size_t i = 0; i < got.size(); ++i) {
             const bool corner = xs[i] == 0 && ps[i] == 0;
             if (corner ? got[i] != 0 || want[i] != "nan" : std::abs(got[i] - want[i].get<double>()) > 1e-5 * got[i])
               throw Mismatch("element " + std::to_string(i) + " is " + std::to_string(got[i]));
           }
           expect_equal(by_p, test.at("outputs").at(1), {1e-5, 0});
         }},
        {"jacrev_tree", zeros_aside},
        {"hessian_tree", zeros_aside},
        {"error_grad_tree_output", not_in_cpp("grad takes functions that return one Array")},
        {"error_grad_argnums_range", not_in_cpp("argnums are checked by the compiler")},
        {"error_grad_aux_not_pair", not_in_cpp("a function that returns a pair has auxiliary results")},
        {"error_jvp_structure", not_in_cpp("tuples of different lengths do not compile")},
        {"error_vjp_cotangent_tree", not_in_cpp("a cotangent has the type of the result")},
        {"error_vmap_in_axes_type", not_in_cpp("axes are integers")},
        {"error_jit_concrete_shape", not_in_cpp("extents are integers")},
        {"error_jit_static_unhashable", not_in_cpp("a static argument has a hash or does not compile")},
        {"error_jit_bad_argument", not_in_cpp("text is no Array")},
        {"error_jit_bad_output", not_in_cpp("text is a static result")},
        {"error_custom_vjp_no_rule", not_in_cpp("custom_vjp takes its rules")},
        {"error_custom_vjp_bwd_structure", not_in_cpp("the types of the gradients are checked by the compiler")},
        {"error_custom_jvp_no_rule", not_in_cpp("custom_jvp takes its rule")},
    });

}  // namespace
}  // namespace golden

// SPDX-License-Identifier: Apache-2.0
