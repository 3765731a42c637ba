// Transformations: each case of transforms.json is Python text; its counterpart in C++ stands here under the same name.
#include <cmath>
#include <functional>
#include <map>

#include "golden/transform_cases.hpp"
#include "tutti/lax/collectives.hpp"
#include "tutti/nn/nn.hpp"
#include "tutti/numpy/numpy.hpp"
#include "tutti/transform/jacobians.hpp"
#include "tutti/transform/linear_maps.hpp"
#include "tutti/transform/transforms.hpp"

namespace golden {
namespace {

using namespace tutti;
using namespace transforms;

struct WXB {
  Array b, w, x;
};  // members in the order of Python's sorted keys
struct BW {
  Array b, w;
};
struct ST {
  Array s, t;
};
using Layer = std::pair<Array, Array>;

std::map<std::string, Case> grad_cases() {
  return {
      {"grad_scalar",
       [](const Inputs& in) -> Outputs { return {grad([](const Array& x) { return sin(x) * x; })(in("x"))}; }},
      {"grad_vector",
       [](const Inputs& in) -> Outputs {
         return {grad([](const Array& x) { return sum(square(tanh(x))); })(in("x"))};
       }},
      {"grad_matmul_chain",
       [](const Inputs& in) -> Outputs {
         return {grad([](const Array& w, const Array& x) { return sum(tanh(matmul(x, w))); })(in("w"), in("x"))};
       }},
      {"grad_argnums_1",
       [](const Inputs& in) -> Outputs {
         return {grad<1>([](const Array& x, const Array& y) { return sum(x * x * y); })(in("x"), in("y"))};
       }},
      {"grad_argnums_tuple",
       [](const Inputs& in) {
         return both(grad<0, 2>([](const Array& x, const Array& y, const Array& z) { return sum(x * exp(y) + z); })(
             in("x"), in("y"), in("z")));
       }},
      {"grad_tree",
       [](const Inputs& in) -> Outputs {
         WXB g = grad([](const WXB& p) { return sum(square(matmul(p.w, p.x) + p.b)); })(
             WXB{in("p['b']"), in("p['w']"), in("p['x'][0]")});
         return {g.b, g.w, g.x};
       }},
      {"grad_tree_none_leaf",
       [](const Inputs& in) -> Outputs {
         return tree::leaves(grad([](const AB& p) { return sum(square(p.a)); })(AB{in("p['a']"), {}}));
       }},
      {"grad_aux",
       [](const Inputs& in) {
         auto f = [](const Array& x) { return std::pair{sum(power(x, 3)), std::pair{sum(x * x), x}}; };
         return tree::leaves(grad(f)(in("x")));
       }},
      {"grad_broadcasting",
       [](const Inputs& in) -> Outputs {
         return {grad([](const Array& b, const Array& x) { return sum((x + b) * x); })(in("b"), in("x"))};
       }},
      {"grad_scalar_broadcast",
       [](const Inputs& in) {
         return both(grad<0, 1>([](const Array& s, const Array& x) { return sum(s * square(x)); })(in("s"), in("x")));
       }},
      {"grad_unused_argument",
       [](const Inputs& in) -> Outputs {
         return {grad<1>([](const Array& x, const Array&) { return sum(x); })(in("x"), in("y"))};
       }},
      {"grad_second_order",
       [](const Inputs& in) -> Outputs {
         return {grad(grad([](const Array& x) { return sin(x) * square(x); }))(in("x"))};
       }},
      {"grad_third_order",
       [](const Inputs& in) -> Outputs {
         return {grad(grad(grad([](const Array& x) { return exp(sin(x)); })))(in("x"))};
       }},
      {"grad_of_jit",
       [](const Inputs& in) -> Outputs {
         return {grad(jit([](const Array& x) { return sum(square(sin(x))); }))(in("x"))};
       }},
      {"grad_jit_of_grad",
       [](const Inputs& in) -> Outputs {
         return {jit(grad([](const Array& x) { return sum(cos(x) * x); }))(in("x"))};
       }},
      {"grad_indexing",
       [](const Inputs& in) -> Outputs {
         return {grad([](const Array& x) { return x[1] * square(x[2]) + sum(x(slice(none, none, 2))); })(in("x"))};
       }},
      {"grad_gather_repeated",
       [](const Inputs& in) -> Outputs {
         Array c = array(std::vector<float>{1, 2, 3}, Shape{3}), i = array(std::vector<int>{0, 2, 0}, Shape{3});
         return {grad([=](const Array& x) { return sum(c * x[i]); })(in("x"))};
       }},
      {"grad_scatter_set",
       [](const Inputs& in) {
         return both(
             grad<0, 1>([](const Array& x, const Array& u) { return sum(square(x.at(1).set(u))); })(in("x"), in("u")));
       }},
      {"grad_concat_reshape",
       [](const Inputs& in) {
         return both(grad<0, 1>([](const Array& x, const Array& y) {
           return sum(power(concatenate({x, y}).reshape(2, -1).T(), 3));
         })(in("x"), in("y")));
       }},
      {"grad_sort",
       [](const Inputs& in) -> Outputs {
         return {grad([](const Array& x) { return sum(arange(x.size()) * sort(x)); })(in("x"))};
       }},
      {"grad_max", [](const Inputs& in) -> Outputs { return {grad([](const Array& x) { return max(x); })(in("x"))}; }},
      {"grad_relu_at_zero",
       [](const Inputs& in) -> Outputs { return {grad([](const Array& x) { return sum(nn::relu(x)); })(in("x"))}; }},
      {"grad_maximum_at_zero",
       [](const Inputs& in) -> Outputs { return {grad([](const Array& x) { return sum(maximum(x, 0)); })(in("x"))}; }},
      {"grad_abs_at_zero",
       [](const Inputs& in) -> Outputs { return {grad([](const Array& x) { return sum(abs(x)); })(in("x"))}; }},
      {"grad_sqrt_at_zero",
       [](const Inputs& in) -> Outputs { return {grad([](const Array& x) { return sum(sqrt(x)); })(in("x"))}; }},
      {"grad_where_double",
       [](const Inputs& in) -> Outputs {
         return {grad([](const Array& x) { return sum(where(x > 0, log(where(x > 0, x, 1.)), 0.)); })(in("x"))};
       }},
      {"grad_pow_zero_exponent",
       [](const Inputs& in) {
         return both(grad<0, 1>([](const Array& x, const Array& p) { return sum(power(x, p)); })(in("x"), in("p")));
       }},
      {"grad_norm_softmax_loss",
       [](const Inputs& in) -> Outputs {
         return {grad([](const Array& w, const Array& x, const Array& y) {
           return -mean(sum(nn::log_softmax(matmul(x, w)) * y, -1));
         })(in("w"), in("x"), in("y"))};
       }},
      {"grad_mlp",
       [](const Inputs& in) {
         auto f = [](const std::vector<Layer>& p, const Array& x) {
           Array h = nn::relu(matmul(x, p[0].first) + p[0].second);
           return mean(square(matmul(h, p[1].first) + p[1].second));
         };
         std::vector<Layer> p{{in("p[0][0]"), in("p[0][1]")}, {in("p[1][0]"), in("p[1][1]")}};
         return tree::leaves(value_and_grad(f)(p, in("x")));
       }},
      {"grad_bf16",
       [](const Inputs& in) -> Outputs { return {grad([](const Array& x) { return sum(x * x); })(in("x"))}; }},
      {"grad_int_allow",
       [](const Inputs& in) -> Outputs {
         return {grad([](const Array& x, const Array& i) { return sum(x) * i; })(in("x"), in("i"))};
       }},
      {"grad_fn_returns_constant",
       [](const Inputs& in) -> Outputs { return {grad([](const Array&) { return Array(3.0); })(in("x"))}; }},
      {"grad_of_int_cast",
       [](const Inputs& in) -> Outputs {
         return {grad([](const Array& x) { return sum(x.astype(int32).astype(float32) * x); })(in("x"))};
       }},
      {"grad_einsum_attention",
       [](const Inputs& in) {
         auto f = [](const Array& q, const Array& k, const Array& v) {
           return sum(square(matmul(nn::softmax(matmul(q, k.T())), v)));
         };
         return tree::leaves(grad<0, 1, 2>(f)(in("q"), in("k"), in("v")));
       }},
      {"vag_plain",
       [](const Inputs& in) { return both(value_and_grad([](const Array& x) { return sum(square(x)); })(in("x"))); }},
      {"vag_aux_tuple",
       [](const Inputs& in) {
         auto f = [](const Array& x, const Array& y) { return std::pair{sum(x * y), std::pair{x + y, max(x)}}; };
         return tree::leaves(value_and_grad<0, 1>(f)(in("x"), in("y")));
       }},
      {"vag_kwargs",
       [](const Inputs& in) {
         return both(
             value_and_grad([](const Array& x, const Array& s) { return sum(square(x)) * s; })(in("x"), in("s")));
       }},
      {"stop_gradient_factor",
       [](const Inputs& in) -> Outputs {
         return {grad([](const Array& x) { return sum(lax::stop_gradient(x) * x); })(in("x"))};
       }},
      {"stop_gradient_straight_through",
       [](const Inputs& in) {
         return both(
             value_and_grad([](const Array& x) { return sum(square(x + lax::stop_gradient(round(x) - x))); })(in("x")));
       }},
  };
}

std::map<std::string, Case> linear_cases() {
  return {
      {"jvp_two_args",
       [](const Inputs& in) {
         return both(jvp([](const Array& x, const Array& y) { return x * sin(y); }, std::tuple{in("x"), in("y")},
                         std::tuple{in("dx"), in("dy")}));
       }},
      {"jvp_aux",
       [](const Inputs& in) -> Outputs {
         auto [out, tangent] = jvp(
             [](const Array& x) {
               return std::pair{square(x), sum(x)};
             },
             std::tuple{in("x")}, std::tuple{in("dx")});
         return {out.first, tangent.first, out.second};
       }},
      {"jvp_tree",
       [](const Inputs& in) {
         auto f = [](const AB& p) { return ST{p.a * p.b, sum(p.a)}; };
         return tree::leaves(
             jvp(f, std::tuple{AB{in("p['a']"), in("p['b']")}}, std::tuple{AB{in("t['a']"), in("t['b']")}}));
       }},
      {"jvp_of_grad",
       [](const Inputs& in) -> Outputs {
         return {jvp(grad([](const Array& x) { return sum(sin(x) * x); }), std::tuple{in("x")}, std::tuple{in("v")})
                     .second};
       }},
      {"vjp_two_outputs",
       [](const Inputs& in) -> Outputs {
         auto [out, pull] = vjp(
             [](const Array& x, const Array& y) {
               return std::pair{x * y, sum(x)};
             },
             in("x"), in("y"));
         auto [dx, dy] = pull({in("ct"), 2.f});
         return {out.first, out.second, dx, dy};
       }},
      {"vjp_matmul",
       [](const Inputs& in) {
         return both(
             vjp([](const Array& w, const Array& x) { return matmul(w, x); }, in("w"), in("x")).second(in("ct")));
       }},
      {"linearize_twice",
       [](const Inputs& in) -> Outputs {
         auto [y, lin] = linearize([](const Array& x) { return tanh(x) * x; }, in("x"));
         return {y, lin(in("v")), lin(2. * in("v"))};
       }},
      {"hvp_forward_over_reverse",
       [](const Inputs& in) -> Outputs {
         return {
             jvp(grad([](const Array& x) { return sum(sin(x) * square(x)); }), std::tuple{in("x")}, std::tuple{in("v")})
                 .second};
       }},
      {"hvp_reverse_over_reverse",
       [](const Inputs& in) -> Outputs {
         auto f = [](const Array& x) { return prod(x) + sum(power(x, 3)); };
         Array v = in("v");
         return {grad([=](const Array& x) { return vdot(grad(f)(x), v); })(in("x"))};
       }},
      {"gauss_newton_vp",
       [](const Inputs& in) -> Outputs {
         Array x = in("x");
         auto h = [=](const Array& w) { return tanh(matmul(x, w)); };
         auto [y, lin] = linearize(h, in("w"));
         return {std::get<0>(vjp(h, in("w")).second(lin(in("v"))))};
       }},
      {"jacfwd_vector",
       [](const Inputs& in) -> Outputs {
         return {jacfwd([](const Array& x) { return stack({x[0] * x[1], sin(x[2]), square(x[0])}); })(in("x"))};
       }},
      {"jacrev_vector",
       [](const Inputs& in) -> Outputs {
         return {jacrev([](const Array& x) { return stack({x[0] * x[1], sin(x[2])}); })(in("x"))};
       }},
      {"hessian_scalar_fn",
       [](const Inputs& in) -> Outputs {
         return {hessian([](const Array& x) { return square(x[0]) * x[1] + sin(x[2]); })(in("x"))};
       }},
      {"jacfwd_of_jacrev_logsumexp",
       [](const Inputs& in) -> Outputs {
         return {jacfwd(jacrev([](const Array& x) { return nn::logsumexp(x); }))(in("x"))};
       }},
      {"stop_gradient_tree_jvp",
       [](const Inputs& in) {
         std::tuple p{std::vector{in("p['a']")}};
         return tree::leaves(
             jvp([](const std::vector<Array>& p) { return std::vector{lax::stop_gradient(p[0]) * p[0]}; }, p, p));
       }},
  };
}

std::map<std::string, Case> vmap_cases() {
  return {
      {"vmap_dot",
       [](const Inputs& in) -> Outputs {
         return {vmap([](const Array& x, const Array& y) { return dot(x, y); })(in("x"), in("y"))};
       }},
      {"vmap_in_axes_none",
       [](const Inputs& in) -> Outputs {
         return {vmap([](const Array& w, const Array& x) { return matmul(w, x); }, {.in_axes = {none, 0}})(in("w"),
                                                                                                           in("x"))};
       }},
      {"vmap_in_axes_1",
       [](const Inputs& in) -> Outputs {
         return {vmap([](const Array& x) { return sum(x) * x; }, {.in_axes = 1})(in("x"))};
       }},
      {"vmap_in_axes_negative",
       [](const Inputs& in) -> Outputs {
         return {vmap([](const Array& x, const Array& y) { return x * y; }, {.in_axes = {-1, 0}})(in("x"), in("y"))};
       }},
      {"vmap_out_axes_1",
       [](const Inputs& in) -> Outputs {
         return {vmap([](const Array& x) { return x * 2.; }, {.out_axes = 1})(in("x"))};
       }},
      {"vmap_out_axes_tuple",
       [](const Inputs& in) {
         return tree::leaves(vmap(
             [](const Array& x) {
               return std::tuple{square(x), sum(x), Array(7.)};
             },
             {.out_axes = {1, 0, none}})(in("x")));
       }},
      {"vmap_in_axes_tree",
       [](const Inputs& in) -> Outputs {
         VmapOptions options{.in_axes = {{{"b", 0}}, 0}};
         return {vmap([](const BW& p, const Array& x) { return matmul(p.w, x) + p.b; }, options)(
             BW{in("p['b']"), in("p['w']")}, in("x"))};
       }},
      {"vmap_prefix_axes",
       [](const Inputs& in) -> Outputs {
         return {vmap([](const BW& p, const Array& x) { return matmul(p.w, x) + p.b; }, {.in_axes = {none, 0}})(
             BW{in("p['b']"), in("p['w']")}, in("x"))};
       }},
      {"vmap_axis_size",
       [](const Inputs& in) -> Outputs {
         return {vmap([] { return Array(3.); }, {.axis_size = in.number("size")})()};
       }},
      {"vmap_nested_outer",
       [](const Inputs& in) -> Outputs {
         return {vmap(vmap([](const Array& x, const Array& y) { return x * y; }, {.in_axes = {none, 0}}),
                      {.in_axes = {0, none}})(in("x"), in("y"))};
       }},
      {"vmap_nested_axes",
       [](const Inputs& in) -> Outputs {
         return {vmap(vmap([](const Array& x, const Array& y) { return dot(x, y); }, {.in_axes = {0, 0}}),
                      {.in_axes = {1, none}})(in("x"), in("y"))};
       }},
      {"vmap_kwargs",
       [](const Inputs& in) -> Outputs {
         return {vmap([](const Array& x, const Array& s) { return x * s; })(in("x"), in("s"))};
       }},
      {"vmap_of_grad_per_example",
       [](const Inputs& in) -> Outputs {
         auto loss = [](const Array& w, const Array& x, const Array& y) { return square(dot(w, x) - y); };
         return {vmap(grad(loss), {.in_axes = {none, 0, 0}})(in("w"), in("x"), in("y"))};
       }},
      {"grad_of_vmap",
       [](const Inputs& in) -> Outputs {
         Array x = in("x");
         auto pred = [](const Array& w, const Array& x) { return tanh(dot(w, x)); };
         return {grad([=](const Array& w) { return mean(square(vmap(pred, {.in_axes = {none, 0}})(w, x))); })(in("w"))};
       }},
      {"vmap_of_jit",
       [](const Inputs& in) -> Outputs { return {vmap(jit([](const Array& x) { return cumsum(x); }))(in("x"))}; }},
      {"vmap_of_vjp",
       [](const Inputs& in) -> Outputs {
         auto f = [](const Array& x) { return sin(x) * x[0]; };
         return {
             vmap([=](const Array& x, const Array& c) { return std::get<0>(vjp(f, x).second(c)); })(in("x"), in("ct"))};
       }},
      {"vmap_dynamic_slice",
       [](const Inputs& in) -> Outputs {
         return {vmap([](const Array& x, const Array& i) { return lax::dynamic_slice(x, {i}, {2}); },
                      {.in_axes = {none, 0}})(in("x"), in("i"))};
       }},
      {"vmap_index",
       [](const Inputs& in) -> Outputs {
         return {vmap([](const Array& x, const Array& i) { return x[i]; })(in("x"), in("i"))};
       }},
      {"vmap_at_add",
       [](const Inputs& in) -> Outputs {
         return {vmap([](const Array& x, const Array& i) { return x.at(i).add(10.); })(in("x"), in("i"))};
       }},
      {"vmap_sort_argmax",
       [](const Inputs& in) {
         return both(vmap([](const Array& x) { return std::pair{sort(x), argmax(x)}; }, {.in_axes = 1})(in("x")));
       }},
      {"vmap_axis_name_psum",
       [](const Inputs& in) -> Outputs {
         return {vmap([](const Array& x) { return x / lax::psum(x, "i"); }, {.axis_name = "i"})(in("x"))};
       }},
      {"vmap_axis_name_pmean_axis_index",
       [](const Inputs& in) {
         return both(vmap(
             [](const Array& x) {
               return std::pair{x - lax::pmean(x, "i"), lax::axis_index("i")};
             },
             {.axis_name = "i"})(in("x")));
       }},
      {"vmap_nested_axis_names",
       [](const Inputs& in) {
         auto f = [](const Array& x) {
           return std::tuple{lax::psum(x, {"i", "j"}), lax::psum(x, "j"),
                             lax::axis_index("i") * 10 + lax::axis_index("j")};
         };
         return tree::leaves(vmap(vmap(f, {.axis_name = "j"}), {.axis_name = "i"})(in("x")));
       }},
      {"vmap_axis_name_grad",
       [](const Inputs& in) -> Outputs {
         return {vmap(grad([](const Array& x) { return sum(lax::psum(square(x), "i") * x); }),
                      {.axis_name = "i"})(in("x"))};
       }},
      {"vmap_grad_outside_psum",
       [](const Inputs& in) -> Outputs {
         auto f = [](const Array& x) { return lax::psum(sin(x), "i") * x; };
         return {grad([=](const Array& x) { return sum(vmap(f, {.axis_name = "i"})(x)); })(in("x"))};
       }},
      {"vmap_out_of_order_dot",
       [](const Inputs& in) -> Outputs {
         return {vmap([](const Array& x, const Array& y) { return matmul(x, y); }, {.in_axes = {2, 1}, .out_axes = 2})(
             in("x"), in("y"))};
       }},
      {"vmap_spmd_reduce",
       [](const Inputs& in) {
         return tree::leaves(vmap(
             [](const Array& x) {
               return std::tuple{var(x), max(x, 0), prod(x)};
             },
             {.in_axes = 1})(in("x")));
       }},
      {"vmap_stop_where",
       [](const Inputs& in) -> Outputs {
         return {vmap([](const Array& x, const Array& y) { return where(x > y, x, y); }, {.in_axes = {0, none}})(
             in("x"), in("y"))};
       }},
  };
}

std::map<std::string, Case> error_cases() {
  auto same = [](const Array& x) { return x; };
  auto add = [](const Array& x, const Array& y) { return x + y; };
  return {
      {"error_grad_vector_output",
       [](const Inputs& in) -> Outputs { return {grad([](const Array& x) { return x * 2; })(in("x"))}; }},
      {"error_grad_size_one_output",
       [](const Inputs& in) -> Outputs { return {grad([](const Array& x) { return sum(x, {}, true); })(in("x"))}; }},
      {"error_grad_int_input",
       [](const Inputs& in) -> Outputs { return {grad([](const Array& x) { return x * 2; })(in("i"))}; }},
      {"error_grad_int_output",
       [](const Inputs& in) -> Outputs { return {grad([](const Array& x) { return argmax(x); })(in("x"))}; }},
      {"error_grad_bool_output",
       [](const Inputs& in) -> Outputs { return {grad([](const Array& x) { return x > 0; })(in("x"))}; }},
      {"error_jvp_shape", [=](const Inputs& in) { return both(jvp(same, std::tuple{in("x")}, std::tuple{in("t")})); }},
      {"error_jvp_dtype", [=](const Inputs& in) { return both(jvp(same, std::tuple{in("x")}, std::tuple{in("t")})); }},
      {"error_vjp_cotangent_shape",
       [](const Inputs& in) -> Outputs {
         return {std::get<0>(vjp([](const Array& x) { return x * 2; }, in("x")).second(in("ct")))};
       }},
      {"error_vmap_sizes", [=](const Inputs& in) -> Outputs { return {vmap(add)(in("x"), in("y"))}; }},
      {"error_vmap_sizes_tree",
       [](const Inputs& in) -> Outputs {
         return {vmap([](const AB& p) { return p.a + p.b; })(AB{in("p['a']"), in("p['b']")})};
       }},
      {"error_vmap_rank", [=](const Inputs& in) -> Outputs { return {vmap(same, {.in_axes = 1})(in("x"))}; }},
      {"error_vmap_scalar", [=](const Inputs& in) -> Outputs { return {vmap(same)(in("x"))}; }},
      {"error_vmap_no_mapped", [=](const Inputs& in) -> Outputs { return {vmap(same, {.in_axes = none})(in("x"))}; }},
      {"error_vmap_out_axes_none",
       [=](const Inputs& in) -> Outputs { return {vmap(same, {.out_axes = none})(in("x"))}; }},
      {"error_vmap_out_axes_range",
       [=](const Inputs& in) -> Outputs { return {vmap(same, {.out_axes = 3})(in("x"))}; }},
      {"error_vmap_out_axes_structure",
       [](const Inputs& in) {
         return both(vmap([](const Array& x) { return std::pair{x, x}; }, {.out_axes = {0, 0, 0}})(in("x")));
       }},
      {"error_hessian_vector",
       [](const Inputs& in) -> Outputs { return {grad(grad([](const Array& x) { return x * x; }))(in("x"))}; }},
  };
}

std::map<std::string, Case> jit_cases() {
  return {
      {"jit_tree_in_out",
       [](const Inputs& in) {
         auto f = jit([](const std::vector<Array>& p, const std::pair<Array, Array>& q) {
           return std::pair{std::pair{q.second, p[0]}, p[0] + q.first};
         });
         return tree::leaves(f({in("p['a']")}, {in("q[0]"), in("q[1]")}));
       }},
      {"jit_nested",
       [](const Inputs& in) -> Outputs {
         auto g = jit([](const Array& x) { return x * 2.; });
         return {jit([=](const Array& x) { return g(x) + g(sum(x)); })(in("x"))};
       }},
      {"jit_closure_constant",
       [](const Inputs& in) -> Outputs {
         Array c = arange(3.);
         return {jit([=](const Array& x) { return x + c; })(in("x"))};
       }},
      {"jit_inf_nan_checks",
       [](const Inputs& in) {
         return tree::leaves(jit([](const Array& x) { return std::tuple{log(x), isfinite(x), x / 0.}; })(in("x")));
       }},
      {"jit_weak_type_output",
       [](const Inputs&) -> Outputs {
         auto f = jit([](const Array& x) { return x * 2; });
         return {f(3), f(3.0), f(array(3)), f(array(3).astype(bfloat16))};
       }},
      {"jit_static_argnums",
       [](const Inputs& in) -> Outputs {
         auto f = jit([](const Array& x, int n) {
           Array total = x * 0;
           for (int i = 1; i < n; ++i) total = total + x * i;
           return total;
         });
         return {f(in("x"), static_cast<int>(in.number("count")))};
       }},
      {"jit_static_argnames",
       [](const Inputs& in) -> Outputs {
         auto f = jit([](const Array& x, const std::string& mode) { return mode == "sum" ? sum(x) : mean(x); });
         return {f(in("x"), "sum"), f(in("x"), "mean")};
       }},
      {"error_vmap_in_axes_length",
       [](const Inputs& in) -> Outputs {
         VmapOptions options;
         options.in_axes = TreeOf<int>({0, 0, 0});
         return {vmap([](const Array& x, const Array&) { return x; }, options)(in("x"), in("y"))};
       }},
  };
}

const Registration transform_registration({"cases"}, "cases", [](const json& test) {
  static const std::map<std::string, Case> cases = [] {
    std::map<std::string, Case> all;
    for (auto part : {grad_cases(), linear_cases(), vmap_cases(), error_cases(), jit_cases()}) all.merge(part);
    return all;
  }();
  run_case(cases, test);
});

}  // namespace
}  // namespace golden

// SPDX-License-Identifier: Apache-2.0
