// Optax's optimisers by name, from the arguments of their calls.
#include "golden/nn_cases_any.hpp"

namespace golden {
namespace {

using namespace tutti;
using python::Node;
using python::NodePtr;
using Kind = Node::Kind;

struct Builder {
  std::vector<std::string> parameters;
  std::function<AnyTransform(const Arguments&)> build;
};
optim::AdamOptions adam_options(const Arguments& a) {
  return {a.number("b1", .9),      a.number("b2", .999), a.number("eps", 1e-8),
          a.number("eps_root", 0), a.flag("nesterov"),   a.dtype("mu_dtype")};
}
optim::AdamWOptions adamw_options(const Arguments& a) {
  return {a.number("b1", .9),
          a.number("b2", .999),
          a.number("eps", 1e-8),
          a.number("eps_root", 0),
          a.number("weight_decay", 1e-4),
          a.mask("mask"),
          a.flag("nesterov"),
          a.dtype("mu_dtype")};
}
optim::RmsOptions rms_options(const Arguments& a) {
  return {a.number("decay", .9), a.number("eps", 1e-8), a.number("initial_scale", 0), a.flag("eps_in_sqrt", true),
          a.flag("bias_correction")};
}
optim::NovogradOptions novograd_options(const Arguments& a, double eps) {
  return {a.number("b1", .9), a.number("b2", .25), a.number("eps", eps), a.number("eps_root", 0),
          a.number("weight_decay", 0)};
}

const std::map<std::string, Builder>& builders() {
  using A = const Arguments&;
  const std::vector<std::string> adam{"learning_rate", "b1", "b2", "eps", "eps_root", "mu_dtype", "nesterov"};
  const std::vector<std::string> adamw{"learning_rate", "b1",           "b2",   "eps",     "eps_root",
                                       "mu_dtype",      "weight_decay", "mask", "nesterov"};
  static const std::map<std::string, Builder> all = {
      {"sgd",
       {{"learning_rate", "momentum", "nesterov"},
        [](A a) { return named(optim::sgd(a.rate("learning_rate"), a.number("momentum", 0), a.flag("nesterov"))); }}},
      {"sign_sgd", {{"learning_rate"}, [](A a) { return named(optim::sign_sgd(a.rate("learning_rate"))); }}},
      {"signum",
       {{"learning_rate", "beta"},
        [](A a) { return named(optim::signum(a.rate("learning_rate"), a.number("beta", .9))); }}},
      {"adam", {adam, [](A a) { return named(optim::adam(a.rate("learning_rate"), adam_options(a))); }}},
      {"nadam", {adam, [](A a) { return named(optim::nadam(a.rate("learning_rate"), adam_options(a))); }}},
      {"adamw", {adamw, [](A a) { return named(optim::adamw(a.rate("learning_rate"), adamw_options(a))); }}},
      {"nadamw", {adamw, [](A a) { return named(optim::nadamw(a.rate("learning_rate"), adamw_options(a))); }}},
      {"adamax",
       {{"learning_rate", "b1", "b2", "eps"},
        [](A a) {
          return named(
              optim::adamax(a.rate("learning_rate"), a.number("b1", .9), a.number("b2", .999), a.number("eps", 1e-8)));
        }}},
      {"adamaxw",
       {{"learning_rate", "b1", "b2", "eps", "weight_decay", "mask"},
        [](A a) {
          return named(optim::adamaxw(a.rate("learning_rate"), a.number("b1", .9), a.number("b2", .999),
                                      a.number("eps", 1e-8), {a.number("weight_decay", 1e-4), a.mask("mask")}));
        }}},
      {"adabelief",
       {{"learning_rate", "b1", "b2", "eps", "eps_root", "nesterov"},
        [](A a) {
          return named(optim::adabelief(a.rate("learning_rate"),
                                        {a.number("b1", .9), a.number("b2", .999), a.number("eps", 1e-16),
                                         a.number("eps_root", 1e-16), a.flag("nesterov")}));
        }}},
      {"amsgrad",
       {{"learning_rate", "b1", "b2", "eps", "eps_root", "mu_dtype", "bias_correction_mu", "bias_correction_nu"},
        [](A a) {
          return named(optim::amsgrad(
              a.rate("learning_rate"),
              {a.number("b1", .9), a.number("b2", .999), a.number("eps", 1e-8), a.number("eps_root", 0),
               a.flag("bias_correction_mu", true), a.flag("bias_correction_nu", true), a.dtype("mu_dtype")}));
        }}},
      {"radam",
       {{"learning_rate", "b1", "b2", "eps", "eps_root", "threshold", "nesterov"},
        [](A a) {
          return named(optim::radam(a.rate("learning_rate"),
                                    {a.number("b1", .9), a.number("b2", .999), a.number("eps", 1e-8),
                                     a.number("eps_root", 0), a.number("threshold", 5), a.flag("nesterov")}));
        }}},
      {"yogi",
       {{"learning_rate", "b1", "b2", "eps"},
        [](A a) {
          return named(
              optim::yogi(a.rate("learning_rate"), a.number("b1", .9), a.number("b2", .999), a.number("eps", 1e-3)));
        }}},
      {"novograd",
       {{"learning_rate", "b1", "b2", "eps", "eps_root", "weight_decay"},
        [](A a) { return named(optim::novograd(a.rate("learning_rate"), novograd_options(a, 1e-6))); }}},
      {"adan",
       {{"learning_rate", "b1", "b2", "b3", "eps", "eps_root", "weight_decay", "mask"},
        [](A a) {
          return named(optim::adan(a.rate("learning_rate"),
                                   {a.number("b1", .98), a.number("b2", .92), a.number("b3", .99),
                                    a.number("eps", 1e-8), a.number("eps_root", 1e-8)},
                                   {a.number("weight_decay", 0), a.mask("mask")}));
        }}},
      {"lion",
       {{"learning_rate", "b1", "b2", "mu_dtype", "weight_decay", "mask"},
        [](A a) {
          return named(optim::lion(a.rate("learning_rate"), a.number("b1", .9), a.number("b2", .99),
                                   {a.number("weight_decay", 1e-3), a.mask("mask")}));
        }}},
      {"adagrad",
       {{"learning_rate", "initial_accumulator_value", "eps"},
        [](A a) {
          return named(optim::adagrad(a.rate("learning_rate"), a.number("initial_accumulator_value", .1),
                                      a.number("eps", 1e-7)));
        }}},
      {"adadelta",
       {{"learning_rate", "rho", "eps", "weight_decay", "weight_decay_mask"},
        [](A a) {
          return named(optim::adadelta(a.rate("learning_rate"), a.number("rho", .9), a.number("eps", 1e-6),
                                       {a.number("weight_decay", 0), a.mask("weight_decay_mask")}));
        }}},
      {"rmsprop",
       {{"learning_rate", "decay", "eps", "initial_scale", "eps_in_sqrt", "centered", "momentum", "nesterov",
         "bias_correction"},
        [](A a) {
          return named(optim::rmsprop(
              a.rate("learning_rate"),
              {a.number("decay", .9), a.number("eps", 1e-8), a.number("initial_scale", 0), a.flag("eps_in_sqrt", true),
               a.flag("centered"), a.number("momentum", 0), a.flag("nesterov"), a.flag("bias_correction")}));
        }}},
      {"rprop",
       {{"learning_rate", "eta_minus", "eta_plus", "min_step_size", "max_step_size"},
        [](A a) {
          return named(optim::rprop(a.number("learning_rate"),
                                    {a.number("eta_minus", .5), a.number("eta_plus", 1.2),
                                     a.number("min_step_size", 1e-6), a.number("max_step_size", 50)}));
        }}},
      {"lamb",
       {{"learning_rate", "b1", "b2", "eps", "eps_root", "weight_decay", "mask"},
        [](A a) {
          return named(optim::lamb(a.rate("learning_rate"),
                                   {a.number("b1", .9), a.number("b2", .999), a.number("eps", 1e-6),
                                    a.number("eps_root", 0), a.number("weight_decay", 0), a.mask("mask")}));
        }}},
      {"lars",
       {{"learning_rate", "weight_decay", "weight_decay_mask", "trust_coefficient", "eps", "trust_ratio_mask",
         "momentum", "nesterov"},
        [](A a) {
          return named(optim::lars(
              a.rate("learning_rate"),
              {a.number("weight_decay", 0), a.mask("weight_decay_mask"), a.number("trust_coefficient", 1e-3),
               a.number("eps", 0), a.mask("trust_ratio_mask"), a.number("momentum", .9), a.flag("nesterov")}));
        }}},
      {"fromage",
       {{"learning_rate", "min_norm"},
        [](A a) { return named(optim::fromage(a.number("learning_rate"), a.number("min_norm", 1e-6))); }}},
      {"optimistic_gradient_descent",
       {{"learning_rate", "alpha", "beta"},
        [](A a) {
          return named(
              optim::optimistic_gradient_descent(a.rate("learning_rate"), a.number("alpha", 1), a.number("beta", 1)));
        }}},
      {"adafactor",
       {{"learning_rate", "min_dim_size_to_factor", "decay_rate", "decay_offset", "multiply_by_parameter_scale",
         "clipping_threshold", "momentum", "dtype_momentum", "weight_decay_rate", "eps", "factored",
         "weight_decay_mask"},
        [](A a) {
          optim::AdafactorOptions o{.min_dim_size_to_factor = a.integer("min_dim_size_to_factor", 128),
                                    .decay_rate = a.number("decay_rate", .8),
                                    .decay_offset = a.integer("decay_offset", 0),
                                    .multiply_by_parameter_scale = a.flag("multiply_by_parameter_scale", true)};
          if (a.find("clipping_threshold"))
            o.clipping_threshold =
                a.has("clipping_threshold") ? std::optional(a.number("clipping_threshold")) : std::nullopt;
          if (a.has("momentum")) o.momentum = a.number("momentum");
          o.weight_decay_rate = a.number("weight_decay_rate", 0);
          o.eps = a.number("eps", 1e-30);
          o.factored = a.flag("factored", true);
          o.weight_decay_mask = a.mask("weight_decay_mask");
          return named(
              optim::adafactor(a.has("learning_rate") ? std::optional(a.rate("learning_rate")) : std::nullopt, o));
        }}},
      // parts
      {"identity", {{}, [](A) { return part(optim::identity()); }}},
      {"set_to_zero", {{}, [](A) { return part(optim::set_to_zero()); }}},
      {"scale", {{"step_size"}, [](A a) { return part(optim::scale(a.number("step_size"))); }}},
      {"scale_by_sign", {{}, [](A) { return part(optim::scale_by_sign()); }}},
      {"clip", {{"max_delta"}, [](A a) { return part(optim::clip(a.number("max_delta"))); }}},
      {"clip_by_global_norm",
       {{"max_norm"}, [](A a) { return part(optim::clip_by_global_norm(a.number("max_norm"))); }}},
      {"clip_by_block_rms", {{"threshold"}, [](A a) { return part(optim::clip_by_block_rms(a.number("threshold"))); }}},
      {"adaptive_grad_clip",
       {{"clipping", "eps"},
        [](A a) { return part(optim::adaptive_grad_clip(a.number("clipping"), a.number("eps", 1e-3))); }}},
      {"centralize", {{}, [](A) { return part(optim::centralize()); }}},
      {"zero_nans", {{}, [](A) { return part(optim::zero_nans()); }}},
      {"keep_params_nonnegative", {{}, [](A) { return part(optim::keep_params_nonnegative()); }}},
      {"normalize_by_update_norm",
       {{"scale_factor", "eps"},
        [](A a) { return part(optim::normalize_by_update_norm(a.number("scale_factor", 1), a.number("eps", 1e-6))); }}},
      {"add_decayed_weights",
       {{"weight_decay", "mask"},
        [](A a) { return part(optim::add_decayed_weights(a.number("weight_decay", 0), a.mask("mask"))); }}},
      {"scale_by_trust_ratio",
       {{"min_norm", "trust_coefficient", "eps"},
        [](A a) {
          return part(optim::scale_by_trust_ratio(
              {a.number("min_norm", 0), a.number("trust_coefficient", 1), a.number("eps", 0)}));
        }}},
      {"scale_by_param_block_norm",
       {{"min_scale"}, [](A a) { return part(optim::scale_by_param_block_norm(a.number("min_scale", 1e-3))); }}},
      {"scale_by_param_block_rms",
       {{"min_scale"}, [](A a) { return part(optim::scale_by_param_block_rms(a.number("min_scale", 1e-3))); }}},
      {"scale_by_schedule",
       {{"step_size_fn"}, [](A a) { return part(optim::scale_by_schedule(a.rate("step_size_fn"))); }}},
      {"scale_by_learning_rate",
       {{"learning_rate", "flip_sign"},
        [](A a) {
          return a.flag("flip_sign", true) ? part(optim::scale_by_learning_rate(a.rate("learning_rate")))
                                           : part(optim::scale_by_schedule(a.rate("learning_rate")));
        }}},
      {"trace", {{"decay", "nesterov"}, [](A a) { return part(optim::trace(a.number("decay"), a.flag("nesterov"))); }}},
      {"ema", {{"decay", "debias"}, [](A a) { return part(optim::ema(a.number("decay"), a.flag("debias", true))); }}},
      {"scale_by_adam",
       {{"b1", "b2", "eps", "eps_root", "mu_dtype", "nesterov"},
        [](A a) { return part(optim::scale_by_adam(adam_options(a))); }}},
      {"scale_by_adamax",
       {{"b1", "b2", "eps"},
        [](A a) {
          return part(optim::scale_by_adamax(a.number("b1", .9), a.number("b2", .999), a.number("eps", 1e-8)));
        }}},
      {"scale_by_lion",
       {{"b1", "b2", "mu_dtype"},
        [](A a) { return part(optim::scale_by_lion(a.number("b1", .9), a.number("b2", .99), a.dtype("mu_dtype"))); }}},
      {"scale_by_rss",
       {{"initial_accumulator_value", "eps"},
        [](A a) {
          return part(optim::scale_by_rss(a.number("initial_accumulator_value", .1), a.number("eps", 1e-7)));
        }}},
      {"scale_by_rms",
       {{"decay", "eps", "initial_scale", "eps_in_sqrt", "bias_correction"},
        [](A a) { return part(optim::scale_by_rms(rms_options(a))); }}},
      {"scale_by_stddev",
       {{"decay", "eps", "initial_scale", "eps_in_sqrt", "bias_correction"},
        [](A a) { return part(optim::scale_by_stddev(rms_options(a))); }}},
      {"scale_by_novograd",
       {{"b1", "b2", "eps", "eps_root", "weight_decay"},
        [](A a) { return part(optim::scale_by_novograd(novograd_options(a, 1e-8))); }}},
      {"scale_by_adadelta",
       {{"rho", "eps"},
        [](A a) { return part(optim::scale_by_adadelta(a.number("rho", .9), a.number("eps", 1e-6))); }}},
      {"scale_by_optimistic_gradient",
       {{"alpha", "beta"},
        [](A a) { return part(optim::scale_by_optimistic_gradient(a.number("alpha", 1), a.number("beta", 1))); }}},
      // wrappers
      {"masked",
       {{"inner", "mask"},
        [](A a) {
          AnyTransform inner = optimiser_of(a.needed("inner"));
          return wrapper(optim::masked(inner, a.mask("mask")), inner, "inner_state");
        }}},
      {"multi_transform", {{"transforms", "param_labels"}, [](A a) { return multi_transform_of(a); }}},
      {"partition", {{"transforms", "param_labels"}, [](A a) { return multi_transform_of(a); }}},
      {"MultiSteps",
       {{"opt", "every_k_schedule", "use_grad_mean"},
        [](A a) {
          AnyTransform inner = optimiser_of(a.needed("opt"));
          return wrapper(optim::MultiSteps(inner, a.integer("every_k_schedule"), a.flag("use_grad_mean", true)), inner,
                         "inner_opt_state");
        }}},
      {"apply_if_finite",
       {{"inner", "max_consecutive_errors"},
        [](A a) {
          AnyTransform inner = optimiser_of(a.needed("inner"));
          return wrapper(optim::apply_if_finite(inner, a.integer("max_consecutive_errors")), inner, "inner_state");
        }}},
  };
  return all;
}

}  // namespace

AnyTransform optimiser_of(const Node& node) {
  std::string name = name_of(node);
  if (name == "chain") {
    std::vector<AnyTransform> parts;
    for (const NodePtr& p : node.children) parts.push_back(optimiser_of(*p));
    return chain_of(parts);
  }
  auto at = builders().find(name);
  if (at == builders().end()) throw Unknown("optimiser " + name);
  return at->second.build(Arguments(node, at->second.parameters));
}

}  // namespace golden

// SPDX-License-Identifier: Apache-2.0
