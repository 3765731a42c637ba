// Functions with derivatives of their own, and remat: cases of transforms.json.
#include "golden/transform_cases.hpp"
#include "tutti/lax/collectives.hpp"
#include "tutti/lax/control_flow.hpp"
#include "tutti/numpy/numpy.hpp"
#include "tutti/transform/custom_rules.hpp"
#include "tutti/transform/jit.hpp"
#include "tutti/transform/remat.hpp"

namespace golden {
namespace {

using namespace tutti;
using namespace transforms;

auto sine_rule() {
  return custom_jvp([](const Array& x) { return sin(x); },
                    [](const std::tuple<Array>& args, const std::tuple<Array>& tangents) {
                      return std::pair{sin(std::get<0>(args)), 10. * std::get<0>(tangents) * cos(std::get<0>(args))};
                    });
}
auto product_rule() {
  return custom_vjp([](const Array& x, const Array& y) { return sin(x) * y; },
                    [](const Array& x, const Array& y) {
                      return std::pair{sin(x) * y, std::tuple{cos(x), sin(x), y}};
                    },
                    [](const std::tuple<Array, Array, Array>& kept, const Array& g) {
                      auto& [c, s, y] = kept;
                      return std::tuple{c * g * y * 2., s * g};
                    });
}

std::map<std::string, Case> custom() {
  return {
      {"custom_jvp_value", [](const Inputs& in) -> Outputs { return {sine_rule()(in("x"))}; }},
      {"custom_jvp_jvp",
       [](const Inputs& in) { return both(jvp(sine_rule(), std::tuple{in("x")}, std::tuple{in("t")})); }},
      {"custom_jvp_grad",
       [](const Inputs& in) -> Outputs { return {grad([](const Array& x) { return sum(sine_rule()(x)); })(in("x"))}; }},
      {"custom_jvp_vmap_grad", [](const Inputs& in) -> Outputs { return {vmap(grad(sine_rule()))(in("x"))}; }},
      {"custom_jvp_second_order", [](const Inputs& in) -> Outputs { return {grad(grad(sine_rule()))(in("x"))}; }},
      {"custom_jvp_defjvps",
       [](const Inputs& in) {
         auto f = custom_jvp([](const Array& x, const Array& y) { return x * y; },
                             [](const std::tuple<Array, Array>& args, const std::tuple<Array, Array>& tangents) {
                               auto& [x, y] = args;
                               return std::pair{x * y, 2. * std::get<0>(tangents) * y};
                             });
         return both(grad<0, 1>(f)(in("x"), in("y")));
       }},
      {"custom_jvp_nondiff",  // a function is captured instead of being an argument
       [](const Inputs& in) -> Outputs {
         auto app = [](auto g) {
           return custom_jvp([=](const Array& x) { return g(x); },
                             [=](const std::tuple<Array>& args, const std::tuple<Array>& tangents) {
                               return std::pair{g(std::get<0>(args)), 3. * std::get<0>(tangents)};
                             });
         };
         return {grad(app([](const Array& x) { return sin(x); }))(in("x"))};
       }},
      {"custom_vjp_value", [](const Inputs& in) -> Outputs { return {product_rule()(in("x"), in("y"))}; }},
      {"custom_vjp_grad",
       [](const Inputs& in) {
         return both(
             grad<0, 1>([](const Array& x, const Array& y) { return sum(product_rule()(x, y)); })(in("x"), in("y")));
       }},
      {"custom_vjp_vmap_grad",
       [](const Inputs& in) -> Outputs {
         return {vmap(grad(product_rule()), {.in_axes = {0, none}})(in("x"), in("y"))};
       }},
      {"custom_vjp_jit_grad",
       [](const Inputs& in) -> Outputs {
         return {jit(grad([](const Array& x, const Array& y) { return sum(product_rule()(x, y)); }))(in("x"), in("y"))};
       }},
      {"custom_vjp_grad_clip",
       [](const Inputs& in) -> Outputs {
         auto clip_gradient = custom_vjp([](const Array&, const Array&, const Array& x) { return x; },
                                         [](const Array& lo, const Array& hi, const Array& x) {
                                           return std::pair{x, std::pair{lo, hi}};
                                         },
                                         [](const std::pair<Array, Array>& kept, const Array& g) {
                                           return std::tuple{Array(), Array(), clip(g, kept.first, kept.second)};
                                         });
         return {grad([=](const Array& x) { return sum(clip_gradient(-.75, .75, sin(3. * x))); })(in("x"))};
       }},
      {"custom_vjp_nondiff",
       [](const Inputs& in) -> Outputs {
         double scale = 3;
         auto f = custom_vjp([=](const Array& x) { return x * scale; },
                             [=](const Array& x) {
                               return std::pair{x * scale, x};
                             },
                             [=](const Array& kept, const Array& g) { return std::tuple{g * scale * kept}; });
         return {grad([=](const Array& x) { return sum(f(x)); })(in("x"))};
       }},
      {"custom_vjp_forward_mode",
       [](const Inputs& in) {
         return both(jvp(product_rule(), std::tuple{in("x"), in("y")}, std::tuple{in("x"), in("y")}));
       }},
      {"custom_vjp_scan_grad",
       [](const Inputs& in) -> Outputs {
         auto f = product_rule();
         Array y = in("y");
         return {grad([=](const Array& x) {
           return lax::scan(
                      [&](const Array& c, none_t) {
                        return std::pair{f(c, y), std::tuple{}};
                      },
                      x, none, {.length = 3})
               .first;
         })(in("x"))};
       }},
      {"checkpoint_grad",
       [](const Inputs& in) -> Outputs {
         auto g = remat([](const Array& x) { return sin(sin(x)); });
         return {grad([=](const Array& x) { return sum(g(x) * x); })(in("x"))};
       }},
      {"checkpoint_vmap_grad",
       [](const Inputs& in) -> Outputs {
         return {vmap(grad(remat([](const Array& x) { return square(tanh(x)); })))(in("x"))};
       }},
      {"checkpoint_scan",
       [](const Inputs& in) {
         auto f = [](const Array& x, const Array& ws) {
           auto body = remat([](const Array& c, const Array& w) {
             return std::pair{tanh(matmul(w, c)), std::tuple{}};
           });
           return sum(lax::scan(body, x, ws).first);
         };
         return both(grad<0, 1>(f)(in("x"), in("ws")));
       }},
  };
}

const Registration custom_rule_registration({"cases"}, "cases", [](const json& test) {
  static const std::map<std::string, Case> cases = custom();
  run_case(cases, test);
});

}  // namespace
}  // namespace golden

// SPDX-License-Identifier: Apache-2.0
