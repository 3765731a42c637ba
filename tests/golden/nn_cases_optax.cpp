// Optax: optimisers and schedules from their expressions, with any hyperparameters; trajectories.
#include <fmt/format.h>

#include <limits>
#include <memory>
#include <optional>

#include "golden/nn_cases.hpp"

namespace golden {
namespace {

using namespace tutti;
using python::Node;
using python::NodePtr;
using Kind = Node::Kind;

// --- arguments of a call, by Optax's parameter names

class Arguments {
 public:
  Arguments(const Node& call, std::vector<std::string> names) : call_(call), names_(std::move(names)) {
    if (call.children.size() > names_.size()) throw Unknown(call.text + " with " + std::to_string(call.children.size()) + " positional arguments");
    for (const auto& [name, value] : call.named)
      if (std::find(names_.begin(), names_.end(), name) == names_.end()) throw Unknown(call.text + ", argument " + name);
  }
  const Node* find(const std::string& name) const {
    for (const auto& [n, value] : call_.named)
      if (n == name) return value.get();
    for (std::size_t i = 0; i < call_.children.size(); ++i)
      if (names_[i] == name) return call_.children[i].get();
    return nullptr;
  }
  bool has(const std::string& name) const { return find(name) && find(name)->kind != Kind::none; }
  double number(const std::string& name, double otherwise) const { return has(name) ? value_of(*find(name)) : otherwise; }
  double number(const std::string& name) const { return value_of(needed(name)); }
  int integer(const std::string& name, int otherwise) const { return static_cast<int>(number(name, otherwise)); }
  int integer(const std::string& name) const { return static_cast<int>(number(name)); }
  bool flag(const std::string& name, bool otherwise = false) const { return has(name) ? find(name)->number != 0 : otherwise; }
  std::optional<DType> dtype(const std::string& name) const {
    if (!has(name)) return {};
    std::string text = find(name)->text;
    return dtype_of(text.substr(text.rfind('.') + 1));
  }
  optim::Rate rate(const std::string& name) const { return schedule_of(needed(name)); }
  optim::Mask mask(const std::string& name) const {
    const Node* node = find(name);
    if (!node || node->kind == Kind::none) return true;
    if (node->kind == Kind::boolean) return node->number != 0;
    if (node->kind != Kind::dict) throw Unknown("mask that is no dict");
    return [leaves = flat(*node)](const tree::Path& path, const Array&) { return leaves.at(path.str())->number != 0; };
  }
  std::map<int, double> boundaries(const std::string& name) const {
    std::map<int, double> out;
    if (has(name))
      for (std::size_t i = 0; i + 1 < find(name)->children.size(); i += 2) out[static_cast<int>(value_of(*find(name)->children[i]))] = value_of(*find(name)->children[i + 1]);
    return out;
  }
  const Node& needed(const std::string& name) const {
    const Node* node = find(name);
    if (!node) throw Unknown(call_.text + " without " + name);
    return *node;
  }

  static double value_of(const Node& n) {
    switch (n.kind) {
      case Kind::integer: case Kind::real: case Kind::boolean: return n.number;
      case Kind::negative: return -value_of(*n.children[0]);
      case Kind::binary: {
        double a = value_of(*n.children[0]), b = value_of(*n.children[1]);
        return n.text == "+" ? a + b : n.text == "-" ? a - b : n.text == "*" ? a * b : n.text == "/" ? a / b : std::pow(a, b);
      }
      default: throw Unknown("argument that is no number");
    }
  }
  // The leaves of nested dicts, by tutti's paths.
  static std::map<std::string, NodePtr> flat(const Node& dict) {
    std::map<std::string, NodePtr> out;
    for (std::size_t i = 0; i + 1 < dict.children.size(); i += 2) {
      const NodePtr& value = dict.children[i + 1];
      if (value->kind != Kind::dict) out[dict.children[i]->text] = value;
      else
        for (const auto& [path, leaf] : flat(*value)) out[dict.children[i]->text + "." + path] = leaf;
    }
    return out;
  }

 private:
  const Node& call_;
  std::vector<std::string> names_;
};

// --- any optimiser as one type

std::vector<std::string> keys_of(const tree::Path& path) {
  std::vector<std::string> out;
  for (const auto& k : path.keys()) out.push_back(k.str());
  return out;
}
template <class T>
Dict to_dict(const T& tree) {
  Dict out;
  for (const auto& [path, leaf] : tree::leaves_with_path(tree)) {
    Dict* at = &out;
    for (const std::string& k : keys_of(path)) at = &(*at)[k];
    *at = leaf;
  }
  return out;
}
template <class T>
T from_dict(const T& like, const Dict& dict) {
  return tree::map_with_path([&](const tree::Path& path, const Array&) {
    const Dict* at = &dict;
    for (const std::string& k : keys_of(path)) at = &(*at)[k];
    return Array(at->array());
  }, like);
}

// Optax keeps a named optimiser's state as a chain, `[0].mu`; ours is one struct, `mu`.
std::string without_index(const std::string& path) { return path.starts_with("[") ? plain_path(path.substr(path.find(']') + 1)) : path; }
std::string same(const std::string& path) { return path; }

template <class Opt>
AnyTransform any(Opt opt, std::function<std::string(const std::string&)> where) {
  AnyTransform out;
  out.make = [opt](const Dict& params) { return to_dict(opt.init(params)); };
  out.run = [opt](const Dict& grads, const Dict& state, const Dict* params) {
    auto typed = from_dict(opt.init(grads), state);
    auto [updates, next] = params ? opt.update(grads, typed, *params) : opt.update(grads, typed);
    return std::pair{updates, to_dict(next)};
  };
  out.where = std::move(where);
  return out;
}
template <class Opt>
AnyTransform named(Opt opt) { return any(std::move(opt), without_index); }
template <class Opt>
AnyTransform part(Opt opt) { return any(std::move(opt), same); }
// `.inner_state[0].mu` in the wrapper's state: the rest is the inner one's business.
template <class Opt>
AnyTransform wrapper(Opt opt, const AnyTransform& inner, std::string member) {
  return any(std::move(opt), [where = inner.where, member](const std::string& path) {
    if (!path.starts_with(member)) return path;
    std::string rest = where(plain_path(path.substr(member.size())));
    return rest.empty() ? member : member + (rest.starts_with("[") ? "" : ".") + rest;
  });
}

template <std::size_t... I>
AnyTransform chain_of(const std::vector<AnyTransform>& parts, std::index_sequence<I...>) {
  return any(optim::chain(parts[I]...), [parts](const std::string& path) {
    std::size_t close = path.find(']'), i = std::stoul(path.substr(1, close - 1));
    std::string rest = parts.at(i).where(plain_path(path.substr(close + 1)));
    return path.substr(0, close + 1) + (rest.empty() || rest.starts_with("[") ? "" : ".") + rest;
  });
}
AnyTransform chain_of(const std::vector<AnyTransform>& parts) {
  switch (parts.size()) {
    case 1: return chain_of(parts, std::make_index_sequence<1>());
    case 2: return chain_of(parts, std::make_index_sequence<2>());
    case 3: return chain_of(parts, std::make_index_sequence<3>());
    case 4: return chain_of(parts, std::make_index_sequence<4>());
    case 5: return chain_of(parts, std::make_index_sequence<5>());
    default: throw Unknown("chain of " + std::to_string(parts.size()));
  }
}

template <std::size_t... I>
AnyTransform groups_of(const std::vector<std::string>& names, const std::vector<AnyTransform>& inner, const optim::Labels& labels, std::index_sequence<I...>) {
  return any(optim::multi_transform(labels, std::pair{names[I], inner[I]}...), [names, inner](const std::string& path) {
    const std::string lead = "inner_states.", member = "inner_state";
    if (!path.starts_with(lead)) return path;
    for (std::size_t i = 0; i < names.size(); ++i)
      if (std::string head = lead + names[i] + "." + member; path.starts_with(head))
        return "inner_states[" + std::to_string(i) + "]." + member + "." + inner[i].where(plain_path(path.substr(head.size())));
    return path;
  });
}
AnyTransform multi_transform(const Arguments& a) {
  const Node &groups = a.needed("transforms"), &labels = a.needed("param_labels");
  if (labels.kind != Kind::dict) throw Unknown("labels that are no dict");
  std::vector<std::string> names;
  std::vector<AnyTransform> inner;
  for (std::size_t i = 0; i + 1 < groups.children.size(); i += 2) names.push_back(groups.children[i]->text), inner.push_back(optimiser_of(*groups.children[i + 1]));
  optim::Labels of = [leaves = Arguments::flat(labels)](const tree::Path& path, const Array&) { return leaves.at(path.str())->text; };
  switch (names.size()) {
    case 1: return groups_of(names, inner, of, std::make_index_sequence<1>());
    case 2: return groups_of(names, inner, of, std::make_index_sequence<2>());
    case 3: return groups_of(names, inner, of, std::make_index_sequence<3>());
    default: throw Unknown("groups");
  }
}

// --- the optimisers by name

struct Builder {
  std::vector<std::string> parameters;
  std::function<AnyTransform(const Arguments&)> build;
};
optim::AdamOptions adam_options(const Arguments& a) {
  return {a.number("b1", .9), a.number("b2", .999), a.number("eps", 1e-8), a.number("eps_root", 0), a.flag("nesterov"), a.dtype("mu_dtype")};
}
optim::AdamWOptions adamw_options(const Arguments& a) {
  return {a.number("b1", .9), a.number("b2", .999), a.number("eps", 1e-8), a.number("eps_root", 0), a.number("weight_decay", 1e-4), a.mask("mask"), a.flag("nesterov"), a.dtype("mu_dtype")};
}
optim::RmsOptions rms_options(const Arguments& a) {
  return {a.number("decay", .9), a.number("eps", 1e-8), a.number("initial_scale", 0), a.flag("eps_in_sqrt", true), a.flag("bias_correction")};
}
optim::NovogradOptions novograd_options(const Arguments& a, double eps) {
  return {a.number("b1", .9), a.number("b2", .25), a.number("eps", eps), a.number("eps_root", 0), a.number("weight_decay", 0)};
}

const std::map<std::string, Builder>& builders() {
  using A = const Arguments&;
  const std::vector<std::string> adam{"learning_rate", "b1", "b2", "eps", "eps_root", "mu_dtype", "nesterov"};
  const std::vector<std::string> adamw{"learning_rate", "b1", "b2", "eps", "eps_root", "mu_dtype", "weight_decay", "mask", "nesterov"};
  static const std::map<std::string, Builder> all = {
      {"sgd", {{"learning_rate", "momentum", "nesterov"}, [](A a) { return named(optim::sgd(a.rate("learning_rate"), a.number("momentum", 0), a.flag("nesterov"))); }}},
      {"sign_sgd", {{"learning_rate"}, [](A a) { return named(optim::sign_sgd(a.rate("learning_rate"))); }}},
      {"signum", {{"learning_rate", "beta"}, [](A a) { return named(optim::signum(a.rate("learning_rate"), a.number("beta", .9))); }}},
      {"adam", {adam, [](A a) { return named(optim::adam(a.rate("learning_rate"), adam_options(a))); }}},
      {"nadam", {adam, [](A a) { return named(optim::nadam(a.rate("learning_rate"), adam_options(a))); }}},
      {"adamw", {adamw, [](A a) { return named(optim::adamw(a.rate("learning_rate"), adamw_options(a))); }}},
      {"nadamw", {adamw, [](A a) { return named(optim::nadamw(a.rate("learning_rate"), adamw_options(a))); }}},
      {"adamax", {{"learning_rate", "b1", "b2", "eps"}, [](A a) { return named(optim::adamax(a.rate("learning_rate"), a.number("b1", .9), a.number("b2", .999), a.number("eps", 1e-8))); }}},
      {"adamaxw", {{"learning_rate", "b1", "b2", "eps", "weight_decay", "mask"},
                   [](A a) {
                     return named(optim::adamaxw(a.rate("learning_rate"), a.number("b1", .9), a.number("b2", .999), a.number("eps", 1e-8), {a.number("weight_decay", 1e-4), a.mask("mask")}));
                   }}},
      {"adabelief", {{"learning_rate", "b1", "b2", "eps", "eps_root", "nesterov"},
                     [](A a) { return named(optim::adabelief(a.rate("learning_rate"), {a.number("b1", .9), a.number("b2", .999), a.number("eps", 1e-16), a.number("eps_root", 1e-16), a.flag("nesterov")})); }}},
      {"amsgrad", {{"learning_rate", "b1", "b2", "eps", "eps_root", "mu_dtype", "bias_correction_mu", "bias_correction_nu"},
                   [](A a) {
                     return named(optim::amsgrad(a.rate("learning_rate"), {a.number("b1", .9), a.number("b2", .999), a.number("eps", 1e-8), a.number("eps_root", 0), a.flag("bias_correction_mu", true),
                                                                            a.flag("bias_correction_nu", true), a.dtype("mu_dtype")}));
                   }}},
      {"radam", {{"learning_rate", "b1", "b2", "eps", "eps_root", "threshold", "nesterov"},
                 [](A a) {
                   return named(optim::radam(a.rate("learning_rate"), {a.number("b1", .9), a.number("b2", .999), a.number("eps", 1e-8), a.number("eps_root", 0), a.number("threshold", 5), a.flag("nesterov")}));
                 }}},
      {"yogi", {{"learning_rate", "b1", "b2", "eps"}, [](A a) { return named(optim::yogi(a.rate("learning_rate"), a.number("b1", .9), a.number("b2", .999), a.number("eps", 1e-3))); }}},
      {"novograd", {{"learning_rate", "b1", "b2", "eps", "eps_root", "weight_decay"}, [](A a) { return named(optim::novograd(a.rate("learning_rate"), novograd_options(a, 1e-6))); }}},
      {"adan", {{"learning_rate", "b1", "b2", "b3", "eps", "eps_root", "weight_decay", "mask"},
                [](A a) {
                  return named(optim::adan(a.rate("learning_rate"), {a.number("b1", .98), a.number("b2", .92), a.number("b3", .99), a.number("eps", 1e-8), a.number("eps_root", 1e-8)},
                                           {a.number("weight_decay", 0), a.mask("mask")}));
                }}},
      {"lion", {{"learning_rate", "b1", "b2", "mu_dtype", "weight_decay", "mask"},
                [](A a) { return named(optim::lion(a.rate("learning_rate"), a.number("b1", .9), a.number("b2", .99), {a.number("weight_decay", 1e-3), a.mask("mask")})); }}},
      {"adagrad", {{"learning_rate", "initial_accumulator_value", "eps"},
                   [](A a) { return named(optim::adagrad(a.rate("learning_rate"), a.number("initial_accumulator_value", .1), a.number("eps", 1e-7))); }}},
      {"adadelta", {{"learning_rate", "rho", "eps", "weight_decay", "weight_decay_mask"},
                    [](A a) {
                      return named(optim::adadelta(a.rate("learning_rate"), a.number("rho", .9), a.number("eps", 1e-6), {a.number("weight_decay", 0), a.mask("weight_decay_mask")}));
                    }}},
      {"rmsprop", {{"learning_rate", "decay", "eps", "initial_scale", "eps_in_sqrt", "centered", "momentum", "nesterov", "bias_correction"},
                   [](A a) {
                     return named(optim::rmsprop(a.rate("learning_rate"), {a.number("decay", .9), a.number("eps", 1e-8), a.number("initial_scale", 0), a.flag("eps_in_sqrt", true), a.flag("centered"),
                                                                            a.number("momentum", 0), a.flag("nesterov"), a.flag("bias_correction")}));
                   }}},
      {"rprop", {{"learning_rate", "eta_minus", "eta_plus", "min_step_size", "max_step_size"},
                 [](A a) {
                   return named(optim::rprop(a.number("learning_rate"), {a.number("eta_minus", .5), a.number("eta_plus", 1.2), a.number("min_step_size", 1e-6), a.number("max_step_size", 50)}));
                 }}},
      {"lamb", {{"learning_rate", "b1", "b2", "eps", "eps_root", "weight_decay", "mask"},
                [](A a) {
                  return named(optim::lamb(a.rate("learning_rate"), {a.number("b1", .9), a.number("b2", .999), a.number("eps", 1e-6), a.number("eps_root", 0), a.number("weight_decay", 0), a.mask("mask")}));
                }}},
      {"lars", {{"learning_rate", "weight_decay", "weight_decay_mask", "trust_coefficient", "eps", "trust_ratio_mask", "momentum", "nesterov"},
                [](A a) {
                  return named(optim::lars(a.rate("learning_rate"), {a.number("weight_decay", 0), a.mask("weight_decay_mask"), a.number("trust_coefficient", 1e-3), a.number("eps", 0),
                                                                      a.mask("trust_ratio_mask"), a.number("momentum", .9), a.flag("nesterov")}));
                }}},
      {"fromage", {{"learning_rate", "min_norm"}, [](A a) { return named(optim::fromage(a.number("learning_rate"), a.number("min_norm", 1e-6))); }}},
      {"optimistic_gradient_descent", {{"learning_rate", "alpha", "beta"}, [](A a) { return named(optim::optimistic_gradient_descent(a.rate("learning_rate"), a.number("alpha", 1), a.number("beta", 1))); }}},
      {"adafactor", {{"learning_rate", "min_dim_size_to_factor", "decay_rate", "decay_offset", "multiply_by_parameter_scale", "clipping_threshold", "momentum", "dtype_momentum", "weight_decay_rate",
                      "eps", "factored", "weight_decay_mask"},
                     [](A a) {
                       optim::AdafactorOptions o{.min_dim_size_to_factor = a.integer("min_dim_size_to_factor", 128), .decay_rate = a.number("decay_rate", .8), .decay_offset = a.integer("decay_offset", 0),
                                                 .multiply_by_parameter_scale = a.flag("multiply_by_parameter_scale", true)};
                       if (a.find("clipping_threshold")) o.clipping_threshold = a.has("clipping_threshold") ? std::optional(a.number("clipping_threshold")) : std::nullopt;
                       if (a.has("momentum")) o.momentum = a.number("momentum");
                       o.weight_decay_rate = a.number("weight_decay_rate", 0), o.eps = a.number("eps", 1e-30), o.factored = a.flag("factored", true), o.weight_decay_mask = a.mask("weight_decay_mask");
                       return named(optim::adafactor(a.has("learning_rate") ? std::optional(a.rate("learning_rate")) : std::nullopt, o));
                     }}},
      // parts
      {"identity", {{}, [](A) { return part(optim::identity()); }}},
      {"set_to_zero", {{}, [](A) { return part(optim::set_to_zero()); }}},
      {"scale", {{"step_size"}, [](A a) { return part(optim::scale(a.number("step_size"))); }}},
      {"scale_by_sign", {{}, [](A) { return part(optim::scale_by_sign()); }}},
      {"clip", {{"max_delta"}, [](A a) { return part(optim::clip(a.number("max_delta"))); }}},
      {"clip_by_global_norm", {{"max_norm"}, [](A a) { return part(optim::clip_by_global_norm(a.number("max_norm"))); }}},
      {"clip_by_block_rms", {{"threshold"}, [](A a) { return part(optim::clip_by_block_rms(a.number("threshold"))); }}},
      {"adaptive_grad_clip", {{"clipping", "eps"}, [](A a) { return part(optim::adaptive_grad_clip(a.number("clipping"), a.number("eps", 1e-3))); }}},
      {"centralize", {{}, [](A) { return part(optim::centralize()); }}},
      {"zero_nans", {{}, [](A) { return part(optim::zero_nans()); }}},
      {"keep_params_nonnegative", {{}, [](A) { return part(optim::keep_params_nonnegative()); }}},
      {"normalize_by_update_norm", {{"scale_factor", "eps"}, [](A a) { return part(optim::normalize_by_update_norm(a.number("scale_factor", 1), a.number("eps", 1e-6))); }}},
      {"add_decayed_weights", {{"weight_decay", "mask"}, [](A a) { return part(optim::add_decayed_weights(a.number("weight_decay", 0), a.mask("mask"))); }}},
      {"scale_by_trust_ratio", {{"min_norm", "trust_coefficient", "eps"},
                                [](A a) { return part(optim::scale_by_trust_ratio({a.number("min_norm", 0), a.number("trust_coefficient", 1), a.number("eps", 0)})); }}},
      {"scale_by_param_block_norm", {{"min_scale"}, [](A a) { return part(optim::scale_by_param_block_norm(a.number("min_scale", 1e-3))); }}},
      {"scale_by_param_block_rms", {{"min_scale"}, [](A a) { return part(optim::scale_by_param_block_rms(a.number("min_scale", 1e-3))); }}},
      {"scale_by_schedule", {{"step_size_fn"}, [](A a) { return part(optim::scale_by_schedule(a.rate("step_size_fn"))); }}},
      {"scale_by_learning_rate", {{"learning_rate", "flip_sign"},
                                  [](A a) { return a.flag("flip_sign", true) ? part(optim::scale_by_learning_rate(a.rate("learning_rate"))) : part(optim::scale_by_schedule(a.rate("learning_rate"))); }}},
      {"trace", {{"decay", "nesterov"}, [](A a) { return part(optim::trace(a.number("decay"), a.flag("nesterov"))); }}},
      {"ema", {{"decay", "debias"}, [](A a) { return part(optim::ema(a.number("decay"), a.flag("debias", true))); }}},
      {"scale_by_adam", {{"b1", "b2", "eps", "eps_root", "mu_dtype", "nesterov"}, [](A a) { return part(optim::scale_by_adam(adam_options(a))); }}},
      {"scale_by_adamax", {{"b1", "b2", "eps"}, [](A a) { return part(optim::scale_by_adamax(a.number("b1", .9), a.number("b2", .999), a.number("eps", 1e-8))); }}},
      {"scale_by_lion", {{"b1", "b2", "mu_dtype"}, [](A a) { return part(optim::scale_by_lion(a.number("b1", .9), a.number("b2", .99), a.dtype("mu_dtype"))); }}},
      {"scale_by_rss", {{"initial_accumulator_value", "eps"}, [](A a) { return part(optim::scale_by_rss(a.number("initial_accumulator_value", .1), a.number("eps", 1e-7))); }}},
      {"scale_by_rms", {{"decay", "eps", "initial_scale", "eps_in_sqrt", "bias_correction"}, [](A a) { return part(optim::scale_by_rms(rms_options(a))); }}},
      {"scale_by_stddev", {{"decay", "eps", "initial_scale", "eps_in_sqrt", "bias_correction"}, [](A a) { return part(optim::scale_by_stddev(rms_options(a))); }}},
      {"scale_by_novograd", {{"b1", "b2", "eps", "eps_root", "weight_decay"}, [](A a) { return part(optim::scale_by_novograd(novograd_options(a, 1e-8))); }}},
      {"scale_by_adadelta", {{"rho", "eps"}, [](A a) { return part(optim::scale_by_adadelta(a.number("rho", .9), a.number("eps", 1e-6))); }}},
      {"scale_by_optimistic_gradient", {{"alpha", "beta"}, [](A a) { return part(optim::scale_by_optimistic_gradient(a.number("alpha", 1), a.number("beta", 1))); }}},
      // wrappers
      {"masked", {{"inner", "mask"},
                  [](A a) {
                    AnyTransform inner = optimiser_of(a.needed("inner"));
                    return wrapper(optim::masked(inner, a.mask("mask")), inner, "inner_state");
                  }}},
      {"multi_transform", {{"transforms", "param_labels"}, [](A a) { return multi_transform(a); }}},
      {"partition", {{"transforms", "param_labels"}, [](A a) { return multi_transform(a); }}},
      {"MultiSteps", {{"opt", "every_k_schedule", "use_grad_mean"},
                      [](A a) {
                        AnyTransform inner = optimiser_of(a.needed("opt"));
                        return wrapper(optim::MultiSteps(inner, a.integer("every_k_schedule"), a.flag("use_grad_mean", true)), inner, "inner_opt_state");
                      }}},
      {"apply_if_finite", {{"inner", "max_consecutive_errors"},
                           [](A a) {
                             AnyTransform inner = optimiser_of(a.needed("inner"));
                             return wrapper(optim::apply_if_finite(inner, a.integer("max_consecutive_errors")), inner, "inner_state");
                           }}},
  };
  return all;
}

std::string name_of(const Node& call) {
  if (call.kind != Kind::call) throw Unknown("expression that is no call");
  return call.text.substr(call.text.rfind('.') + 1);
}

// --- trajectories

Dict slice_of(const Dict& gradients, int step) {
  return tree::map([&](const Array& g) { return g[step]; }, gradients);
}
NnOutputs trajectory(const NnInputs& in, const json& p) {
  AnyTransform tx = optimiser_of(*python::parse(p.at("expr").get<std::string>()));
  Dict params = in.dict(0), gradients = in.dict(1), state = tx.init(params);
  std::map<std::string, std::vector<Array>> steps;
  for (int t = 0; t < p.at("steps"); ++t) {
    auto [updates, next] = tx.update(slice_of(gradients, t), state, params);
    state = next;
    params = optim::apply_updates(params, updates);
    for (auto& [path, leaf] : leaves_below("params", params)) steps[path].push_back(leaf);
  }
  NnOutputs out;
  for (auto& [path, list] : steps) out.emplace_back(path, stack(list));
  for (const json& w : p.at("state_paths")) {
    std::string path = w, here = tx.where(path);
    Array leaf = at_path(state, here);
    std::string lead = here.substr(0, here.rfind('.') + 1), name = here.substr(lead.size());
    if (!leaf.has_value() && name == "t") leaf = at_path(state, lead + "count");   // Adan's name for it
    if (!leaf.has_value() && name == "is_initial_step") leaf = at_path(state, lead + "count") == 0;
    out.emplace_back(path.empty() ? "state" : path.starts_with("[") ? "state" + path : "state." + path, leaf);
  }
  return out;
}

NnOutputs schedule_case(const NnInputs& in, const json& p) {
  optim::Schedule schedule = schedule_of(*python::parse(p.at("expr").get<std::string>()));
  Array counts = in.array(0);
  std::vector<Array> values;
  for (int i = 0; i < counts.size(); ++i) values.push_back(schedule(counts[i]).astype(float32));
  return {{"", stack(values)}};
}

NnOutputs loss_case(const NnInputs& in, const json& p) {
  NodePtr node = python::parse(p.at("expr").get<std::string>());
  auto loss = [&](const Array& a, const Array& b) { return loss_of(*node, {{"a", a}, {"b", b}}); };
  return {{"value", loss(in.array(0), in.array(1))}, {"grad_of_sum", grad([&](const Array& a, const Array& b) { return sum(loss(a, b)); })(in.array(0), in.array(1))}};
}

const NnFamily family({{"optax trajectory", trajectory},
                       {"optax schedule", schedule_case},
                       {"optax loss", loss_case},
                       {"optax.global_norm", [](const NnInputs& in, const json&) -> NnOutputs { return {{"", optim::global_norm(in.dict(0))}}; }},
                       {"optax.incremental_update",
                        [](const NnInputs& in, const json& p) { return leaves_below("", optim::incremental_update(in.dict(0), in.dict(1), p.at("step_size").get<double>())); }}});

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

optim::Schedule schedule_of(const Node& node) {
  if (node.kind == Kind::lambda) {
    if (node.parameters.size() != 1) throw Unknown("schedule of several parameters");
    return [node](const Array& count) { return loss_of(*node.children[0], {{node.parameters[0], count}}); };
  }
  if (node.kind != Kind::call) return Arguments::value_of(node);
  std::string name = name_of(node);
  auto arguments = [&](std::vector<std::string> names) { return Arguments(node, std::move(names)); };
  auto decay = [](const Arguments& a) {
    optim::ExponentialOptions o{a.integer("transition_begin", 0), a.flag("staircase"), {}};
    if (a.has("end_value")) o.end_value = a.number("end_value");
    return o;
  };
  if (name == "constant_schedule") return optim::constant_schedule(arguments({"value"}).number("value"));
  if (name == "polynomial_schedule") {
    auto a = arguments({"init_value", "end_value", "power", "transition_steps", "transition_begin"});
    return optim::polynomial_schedule(a.number("init_value"), a.number("end_value"), a.number("power"), a.integer("transition_steps"), a.integer("transition_begin", 0));
  }
  if (name == "linear_schedule") {
    auto a = arguments({"init_value", "end_value", "transition_steps", "transition_begin"});
    return optim::linear_schedule(a.number("init_value"), a.number("end_value"), a.integer("transition_steps"), a.integer("transition_begin", 0));
  }
  if (name == "piecewise_constant_schedule") {
    auto a = arguments({"init_value", "boundaries_and_scales"});
    return optim::piecewise_constant_schedule(a.number("init_value"), a.boundaries("boundaries_and_scales"));
  }
  if (name == "piecewise_interpolate_schedule") {
    auto a = arguments({"interpolate_type", "init_value", "boundaries_and_scales"});
    return optim::piecewise_interpolate_schedule(a.needed("interpolate_type").text, a.number("init_value"), a.boundaries("boundaries_and_scales"));
  }
  if (name == "exponential_decay") {
    auto a = arguments({"init_value", "transition_steps", "decay_rate", "transition_begin", "staircase", "end_value"});
    return optim::exponential_decay(a.number("init_value"), a.integer("transition_steps"), a.number("decay_rate"), decay(a));
  }
  if (name == "cosine_decay_schedule") {
    auto a = arguments({"init_value", "decay_steps", "alpha", "exponent"});
    return optim::cosine_decay_schedule(a.number("init_value"), a.number("decay_steps"), a.number("alpha", 0), a.number("exponent", 1));
  }
  if (name == "warmup_constant_schedule") {
    auto a = arguments({"init_value", "peak_value", "warmup_steps"});
    return optim::warmup_constant_schedule(a.number("init_value"), a.number("peak_value"), a.integer("warmup_steps"));
  }
  const std::vector<std::string> warmup{"init_value", "peak_value", "warmup_steps", "decay_steps", "end_value", "exponent"};
  auto cosine = [](const Arguments& a) {
    return optim::WarmupCosine{a.number("init_value"), a.number("peak_value"), a.integer("warmup_steps"), a.integer("decay_steps"), a.number("end_value", 0), a.number("exponent", 1)};
  };
  if (name == "warmup_cosine_decay_schedule") {
    auto c = cosine(arguments(warmup));
    return optim::warmup_cosine_decay_schedule(c.init_value, c.peak_value, c.warmup_steps, c.decay_steps, c.end_value, c.exponent);
  }
  if (name == "warmup_exponential_decay_schedule") {
    auto a = arguments({"init_value", "peak_value", "warmup_steps", "transition_steps", "decay_rate", "transition_begin", "staircase", "end_value"});
    return optim::warmup_exponential_decay_schedule(a.number("init_value"), a.number("peak_value"), a.integer("warmup_steps"), a.integer("transition_steps"), a.number("decay_rate"), decay(a));
  }
  if (name == "sgdr_schedule") {
    std::vector<optim::WarmupCosine> cycles;
    for (const NodePtr& c : arguments({"cosine_kwargs"}).needed("cosine_kwargs").children) cycles.push_back(cosine(Arguments(*c, warmup)));
    return optim::sgdr_schedule(cycles);
  }
  if (name == "cosine_onecycle_schedule") {
    auto a = arguments({"transition_steps", "peak_value", "pct_start", "div_factor", "final_div_factor"});
    return optim::cosine_onecycle_schedule(a.integer("transition_steps"), a.number("peak_value"), a.number("pct_start", .3), a.number("div_factor", 25), a.number("final_div_factor", 1e4));
  }
  if (name == "linear_onecycle_schedule") {
    auto a = arguments({"transition_steps", "peak_value", "pct_start", "pct_final", "div_factor", "final_div_factor"});
    return optim::linear_onecycle_schedule(a.integer("transition_steps"), a.number("peak_value"), a.number("pct_start", .3), a.number("pct_final", .85), a.number("div_factor", 25),
                                           a.number("final_div_factor", 1e4));
  }
  if (name == "join_schedules") {
    auto a = arguments({"schedules", "boundaries"});
    std::vector<optim::Schedule> parts;
    std::vector<int> boundaries;
    for (const NodePtr& s : a.needed("schedules").children) parts.push_back(schedule_of(*s));
    for (const NodePtr& b : a.needed("boundaries").children) boundaries.push_back(static_cast<int>(Arguments::value_of(*b)));
    return optim::join_schedules(parts, boundaries);
  }
  throw Unknown("schedule " + name);
}

Array loss_of(const Node& node, const std::map<std::string, Array>& names) {
  auto value = [&](const Node& n) { return loss_of(n, names); };
  switch (node.kind) {
    case Kind::integer: return static_cast<int>(node.number);
    case Kind::real: return node.number;
    case Kind::negative: return -value(*node.children[0]);
    case Kind::name:
      if (auto at = names.find(node.text); at != names.end()) return at->second;
      throw Unknown("name " + node.text);
    case Kind::binary: {
      Array a = value(*node.children[0]);
      if (node.text == "**") return node.children[1]->kind == Kind::integer ? power(a, static_cast<int>(node.children[1]->number)) : power(a, value(*node.children[1]));
      Array b = value(*node.children[1]);
      return node.text == "+" ? a + b : node.text == "-" ? a - b : node.text == "*" ? a * b : node.text == "/" ? a / b : matmul(a, b);
    }
    case Kind::call: break;
    default: throw Unknown("expression");
  }
  std::string name = name_of(node);
  auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"first", "second"});
    return Arguments(node, more);
  };
  auto arg = [&](std::size_t i) { return value(*node.children.at(i)); };
  if (name == "global_norm") {
    std::vector<Array> list;
    for (const NodePtr& e : node.children.at(0)->children) list.push_back(value(*e));
    return optim::global_norm(list);
  }
  if (name == "log_softmax") return nn::log_softmax(arg(0));
  if (name == "softmax") return nn::softmax(arg(0));
  if (name == "sigmoid") return nn::sigmoid(arg(0));
  if (name == "safe_norm") return optim::safe_norm(arg(0), with({}).number("second"));
  if (name == "smooth_labels") return optim::smooth_labels(arg(0), with({}).number("second"));
  Array a = arg(0), b = node.children.size() > 1 ? arg(1) : Array();
  if (name == "squared_error") return optim::squared_error(a, b);
  if (name == "l2_loss") return optim::l2_loss(a, b);
  if (name == "huber_loss") return optim::huber_loss(a, b, with({"delta"}).number("delta", 1));
  if (name == "log_cosh") return optim::log_cosh(a, b);
  if (name == "cosine_similarity") return optim::cosine_similarity(a, b, with({"epsilon"}).number("epsilon", 0));
  if (name == "cosine_distance") return optim::cosine_distance(a, b, with({"epsilon"}).number("epsilon", 0));
  if (name == "sigmoid_binary_cross_entropy") return optim::sigmoid_binary_cross_entropy(a, b);
  if (name == "sigmoid_focal_loss") {
    auto o = with({"alpha", "gamma"});
    return optim::sigmoid_focal_loss(a, b, o.has("alpha") ? std::optional(o.number("alpha")) : std::nullopt, o.number("gamma", 2));
  }
  if (name == "softmax_cross_entropy") return optim::softmax_cross_entropy(a, b, with({"axis"}).integer("axis", -1));
  if (name == "softmax_cross_entropy_with_integer_labels") return optim::softmax_cross_entropy_with_integer_labels(a, b, with({"axis"}).integer("axis", -1));
  if (name == "poly_loss_cross_entropy") return optim::poly_loss_cross_entropy(a, b, with({"epsilon"}).number("epsilon", 2));
  if (name == "hinge_loss") return optim::hinge_loss(a, b);
  if (name == "perceptron_loss") return optim::perceptron_loss(a, b);
  if (name == "multiclass_hinge_loss") return optim::multiclass_hinge_loss(a, b);
  if (name == "multiclass_perceptron_loss") return optim::multiclass_perceptron_loss(a, b);
  if (name == "kl_divergence") return optim::kl_divergence(a, b, with({"axis"}).integer("axis", -1));
  if (name == "kl_divergence_with_log_targets") return optim::kl_divergence_with_log_targets(a, b, with({"axis"}).integer("axis", -1));
  throw Unknown("loss " + name);
}

}  // namespace golden
