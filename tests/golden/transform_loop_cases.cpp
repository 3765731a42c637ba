// Loops and branches of transforms.json; see transform_cases.cpp.
#include <cmath>
#include <functional>
#include <map>

#include "golden/transform_cases.hpp"
#include "tutti/lax/control_flow.hpp"
#include "tutti/transform/transforms.hpp"
#include "tutti/tutti.hpp"

namespace golden {
namespace {

using namespace tutti;
using namespace transforms;
struct Counted {
  Array n, s;
};  // in the order of Python's sorted keys

template <class T> Outputs leaves(const T& t) { return tree::leaves(t); }
auto pair_of = [](const Array& a, const Array& b) { return std::pair{a, b}; };
const Array nothing;

Array sine_or_square(const Array& p, const Array& x) {
  return lax::cond(
      p, [](const Array& v) { return sin(v); }, [](const Array& v) { return square(v); }, x);
}
// A scan from `init` whose ys are the carries before each step.
auto carries(const Array& init, const Array& xs, Array (*next)(const Array&, const Array&),
             lax::ScanOptions options = {}) {
  return lax::scan([=](const Array& c, const Array& v) { return std::pair{next(c, v), c}; }, init, xs, options);
}

std::map<std::string, Case> scans() {
  auto sum_product = [](const Array& x) {
    return lax::scan([](const Array& c, const Array& v) { return pair_of(c + v, c * v); }, 0., x);
  };
  auto sine = [](const Array& x) {
    return lax::scan([](const Array& c, const Array& v) { return pair_of(sin(c) + v, c * v); }, 1., x);
  };
  return {
      {"vmap_scan", [=](const Inputs& in) { return leaves(vmap(sum_product)(in("x"))); }},
      {"scan_cumsum",
       [](const Inputs& in) {
         return leaves(carries(0., in("x"), [](const Array& c, const Array& v) { return c + v; }));
       }},
      {"scan_rnn_grad",
       [](const Inputs& in) {
         auto f = [](const Array& w, const Array& h, const Array& xs) {
           auto [last, ys] = lax::scan(
               [&](const Array& h, const Array& x) {
                 Array next = tanh(matmul(w, h) + x);
                 return pair_of(next, sum(next));
               },
               h, xs);
           return sum(last) + sum(square(ys));
         };
         return leaves(value_and_grad<0, 1, 2>(f)(in("w"), in("h"), in("xs")));
       }},
      {"scan_tree_carry",
       [](const Inputs& in) {
         auto step = [](const Counted& c, const Array& x) {
           return std::pair{Counted{c.n + 1, c.s + x}, std::pair{x * c.n, c.s}};
         };
         return leaves(lax::scan(step, Counted{Array(0), Array(0.)}, in("xs['a']")));
       }},
      {"scan_reverse",
       [](const Inputs& in) {
         return leaves(
             carries(0., in("x"), [](const Array& c, const Array& v) { return c * .5 + v; }, {.reverse = true}));
       }},
      {"scan_length_no_xs",
       [](const Inputs& in) {
         return leaves(
             lax::scan([](const Array& c, none_t) { return pair_of(c * 2., c); }, in("x"), none, {.length = 4}));
       }},
      {"scan_unroll",
       [](const Inputs& in) {
         return leaves(carries(0., in("x"), [](const Array& c, const Array& v) { return c + square(v); }));
       }},
      {"scan_jvp", [=](const Inputs& in) { return leaves(jvp(sine, std::tuple{in("x")}, std::tuple{in("t")})); }},
      {"scan_length_zero",
       [](const Inputs& in) {
         return leaves(lax::scan([](const Array& c, const Array& v) { return pair_of(c + v, c * 2.); }, 1., in("x")));
       }},
      {"scan_hessian",
       [](const Inputs& in) -> Outputs {
         return {hessian([](const Array& x) {
           return lax::scan([](const Array& c, const Array& v) { return pair_of(c * v + sin(c), nothing); }, 1., x)
               .first;
         })(in("x"))};
       }},
      {"scan_nested",
       [](const Inputs& in) {
         auto inner = [](const Array& c, const Array& row) {
           return lax::scan([](const Array& d, const Array& v) { return pair_of(d * .5 + v, nothing); }, c, row).first;
         };
         return leaves(
             lax::scan([=](const Array& c, const Array& row) { return pair_of(c + inner(c, row), c); }, 0., in("x")));
       }},
      {"scan_weak_carry_promotes",
       [](const Inputs& in) -> Outputs {
         return {lax::scan([](const Array& c, const Array& v) { return pair_of(c + v, nothing); }, 0, in("x")).first};
       }},
      {"map_sequential",
       [](const Inputs& in) -> Outputs { return {lax::map([](const Array& v) { return sum(v) * v; }, in("x"))}; }},
      {"associative_scan_add",
       [](const Inputs& in) -> Outputs {
         return {lax::associative_scan([](const Array& a, const Array& b) { return a + b; }, in("x"))};
       }},
      {"associative_scan_linear_recurrence",
       [](const Inputs& in) -> Outputs {
         using Two = std::pair<Array, Array>;
         auto op = [](const Two& l, const Two& r) { return Two{l.first * r.first, r.first * l.second + r.second}; };
         return {lax::associative_scan(op, Two{in("a"), in("b")}).second};
       }},
      {"error_scan_carry_type",
       [](const Inputs& in) {
         return leaves(carries(array(0), in("x"), [](const Array& c, const Array& v) { return c + v; }));
       }},
      {"error_scan_carry_shape",
       [](const Inputs& in) {
         return leaves(carries(0., in("x"), [](const Array& c, const Array&) { return stack({c, c}); }));
       }},
      {"error_scan_lengths",
       [](const Inputs& in) {
         return leaves(lax::scan([](const Array& c, const std::pair<Array, Array>&) { return pair_of(c, nothing); }, 0.,
                                 std::pair{in("x"), in("y")}));
       }},
  };
}

std::map<std::string, Case> loops() {
  using State = std::pair<Array, Array>;
  auto below = [](double limit) { return [=](const Array& v) { return v < limit; }; };
  auto twice = [](const Array& v) { return v * 2.; };
  return {
      {"while_loop_value",
       [](const Inputs& in) {
         return leaves(lax::while_loop([](const State& s) { return s.first < 5; },
                                       [](const State& s) {
                                         return State{s.first + 1, s.second * 1.5};
                                       },
                                       State{Array(0), in("x")}));
       }},
      {"while_loop_jvp",
       [](const Inputs& in) {
         auto f = [](const Array& x) {
           return lax::while_loop([](const State& s) { return s.first < 3; },
                                  [&](const State& s) {
                                    return State{s.first + 1, sin(s.second) * x};
                                  },
                                  State{Array(0), x})
               .second;
         };
         return leaves(jvp(f, std::tuple{in("x")}, std::tuple{in("t")}));
       }},
      {"vmap_while",
       [=](const Inputs& in) -> Outputs {
         return {vmap([=](const Array& x) { return lax::while_loop(below(100.), twice, x); })(in("x"))};
       }},
      {"fori_loop_dynamic_bounds",
       [](const Inputs& in) -> Outputs {
         auto f = [](const Array& a, const Array& b, const Array& x) {
           return lax::fori_loop(
               a, b, [](const Array& i, const Array& v) { return v * 2. + i; }, x);
         };
         return {jit(f)(in("a"), in("b"), in("x"))};
       }},
      {"while_loop_never",
       [=](const Inputs& in) -> Outputs {
         return {lax::while_loop([](const Array& v) { return v > 100.; }, twice, in("x"))};
       }},
      {"while_weak_carry_promotes",
       [=](const Inputs&) -> Outputs {
         return {lax::while_loop(
             below(3), [](const Array& v) { return v + .5; }, 0)};
       }},
      {"error_while_body_type",
       [=](const Inputs&) -> Outputs {
         return {lax::while_loop(
             below(3), [](const Array& v) { return v + .5; }, array(0))};
       }},
      {"error_while_cond_type",
       [](const Inputs& in) -> Outputs {
         return {lax::while_loop([](const Array& v) { return v; }, [](const Array& v) { return v + .5; }, in("x"))};
       }},
      {"fori_loop_value",
       [](const Inputs& in) -> Outputs {
         Array x = in("x");
         return {lax::fori_loop(
             0, 5, [&](const Array& i, const Array& v) { return v + i * x; }, x)};
       }},
      {"fori_loop_grad_static_bounds",
       [](const Inputs& in) -> Outputs {
         return {grad([](const Array& x) {
           return lax::fori_loop(
               0, 4, [&](const Array&, const Array& v) { return sin(v) * x; }, x);
         })(in("x"))};
       }},
      {"fori_loop_matrix",
       [](const Inputs& in) -> Outputs {
         return {lax::fori_loop(
             0, 3, [](const Array& i, const Array& v) { return v.at(i).set(v[i] * 10.); }, in("x"))};
       }},
  };
}

std::map<std::string, Case> branches() {
  auto same = [](const Array& v) { return v; };
  return {
      {"vmap_where_cond",
       [](const Inputs& in) -> Outputs {
         return {vmap([](const Array& x) {
           return lax::cond(
               x > 0, [](const Array& v) { return v * 2.; }, [](const Array& v) { return v - 1.; }, x);
         })(in("x"))};
       }},
      {"cond_true", [](const Inputs& in) -> Outputs { return {sine_or_square(true, in("x"))}; }},
      {"cond_false_grad",
       [](const Inputs& in) -> Outputs {
         return {grad([](const Array& x) { return sum(sine_or_square(false, x)); })(in("x"))};
       }},
      {"cond_traced_grad",
       [](const Inputs& in) -> Outputs {
         return {jit(grad([](const Array& x) { return sine_or_square(x > 0, x); }))(in("x"))};
       }},
      {"cond_jvp",
       [](const Inputs& in) {
         return leaves(
             jvp([](const Array& x) { return sine_or_square(x > 0, x); }, std::tuple{in("x")}, std::tuple{in("t")}));
       }},
      {"cond_vmap_pred", [](const Inputs& in) -> Outputs { return {vmap(sine_or_square)(in("p"), in("x"))}; }},
      {"switch_value",
       [=](const Inputs& in) {
         Outputs out;
         for (int j : {-1, 0, 1, 2, 9})
           out.push_back(lax::switch_(
               j, std::tuple{same, [](const Array& v) { return v * 2.; }, [](const Array& v) { return -v; }}, in("x")));
         return out;
       }},
      {"switch_grad",
       [](const Inputs& in) -> Outputs {
         auto f = [](const Array& x) {
           return lax::switch_(1,
                               std::tuple{[](const Array& v) { return sin(v); }, [](const Array& v) { return exp(v); },
                                          [](const Array& v) { return cos(v); }},
                               x);
         };
         return {grad(f)(in("x"))};
       }},
      {"error_cond_branch_types",
       [=](const Inputs& in) -> Outputs {
         return {jit([=](const Array& x) {
           return lax::cond(
               x > 0, same, [](const Array& v) { return v.astype(int32); }, x);
         })(in("x"))};
       }},
      {"error_cond_pred_shape",
       [=](const Inputs& in) -> Outputs { return {lax::cond(in("x") > 0, same, same, in("x"))}; }},
  };
}

const Registration loop_registration({"cases"}, "cases", [](const json& test) {
  static const std::map<std::string, Case> cases = [] {
    std::map<std::string, Case> all;
    for (auto part : {scans(), loops(), branches()}) all.merge(part);
    return all;
  }();
  run_case(cases, test);
});

const Deviations loop_deviations({"cases"}, "cases",
                                 {
                                     {"while_loop_reverse_mode",
                                      [](const json& test) {
                                        expect_jax_refuses(test, "ValueError");
                                        auto f = [](const Array& v) {
                                          return lax::while_loop([](const Array& w) { return w < 10.; },
                                                                 [](const Array& w) { return w * 2.; }, v);
                                        };
                                        try {
                                          grad(f)(array_of(test.at("inputs").at(0)));
                                        } catch (const UnsupportedError&) {
                                          return;
                                        }
                                        throw Mismatch("no UnsupportedError");
                                      }},
                                     {"error_cond_branch_structure", not_in_cpp("branches of one type are asked for")},
                                     {"error_scan_no_pair", not_in_cpp("the body has to return a pair")},
                                 });

}  // namespace
}  // namespace golden

// SPDX-License-Identifier: Apache-2.0
