// Optax's schedules and losses, from their expressions.
#include "golden/nn_cases_arguments.hpp"

namespace golden {
namespace {

using namespace tutti;
using python::Node;
using python::NodePtr;
using Kind = Node::Kind;

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
  return {
      {"value", loss(in.array(0), in.array(1))},
      {"grad_of_sum", grad([&](const Array& a, const Array& b) { return sum(loss(a, b)); })(in.array(0), in.array(1))}};
}

const NnFamily schedule_family({{"optax schedule", schedule_case}, {"optax loss", loss_case}});

}  // namespace

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
    return optim::polynomial_schedule(a.number("init_value"), a.number("end_value"), a.number("power"),
                                      a.integer("transition_steps"), a.integer("transition_begin", 0));
  }
  if (name == "linear_schedule") {
    auto a = arguments({"init_value", "end_value", "transition_steps", "transition_begin"});
    return optim::linear_schedule(a.number("init_value"), a.number("end_value"), a.integer("transition_steps"),
                                  a.integer("transition_begin", 0));
  }
  if (name == "piecewise_constant_schedule") {
    auto a = arguments({"init_value", "boundaries_and_scales"});
    return optim::piecewise_constant_schedule(a.number("init_value"), a.boundaries("boundaries_and_scales"));
  }
  if (name == "piecewise_interpolate_schedule") {
    auto a = arguments({"interpolate_type", "init_value", "boundaries_and_scales"});
    return optim::piecewise_interpolate_schedule(a.needed("interpolate_type").text, a.number("init_value"),
                                                 a.boundaries("boundaries_and_scales"));
  }
  if (name == "exponential_decay") {
    auto a = arguments({"init_value", "transition_steps", "decay_rate", "transition_begin", "staircase", "end_value"});
    return optim::exponential_decay(a.number("init_value"), a.integer("transition_steps"), a.number("decay_rate"),
                                    decay(a));
  }
  if (name == "cosine_decay_schedule") {
    auto a = arguments({"init_value", "decay_steps", "alpha", "exponent"});
    return optim::cosine_decay_schedule(a.number("init_value"), a.number("decay_steps"), a.number("alpha", 0),
                                        a.number("exponent", 1));
  }
  if (name == "warmup_constant_schedule") {
    auto a = arguments({"init_value", "peak_value", "warmup_steps"});
    return optim::warmup_constant_schedule(a.number("init_value"), a.number("peak_value"), a.integer("warmup_steps"));
  }
  const std::vector<std::string> warmup{"init_value",  "peak_value", "warmup_steps",
                                        "decay_steps", "end_value",  "exponent"};
  auto cosine = [](const Arguments& a) {
    return optim::WarmupCosine{a.number("init_value"),   a.number("peak_value"),   a.integer("warmup_steps"),
                               a.integer("decay_steps"), a.number("end_value", 0), a.number("exponent", 1)};
  };
  if (name == "warmup_cosine_decay_schedule") {
    auto c = cosine(arguments(warmup));
    return optim::warmup_cosine_decay_schedule(c.init_value, c.peak_value, c.warmup_steps, c.decay_steps, c.end_value,
                                               c.exponent);
  }
  if (name == "warmup_exponential_decay_schedule") {
    auto a = arguments({"init_value", "peak_value", "warmup_steps", "transition_steps", "decay_rate",
                        "transition_begin", "staircase", "end_value"});
    return optim::warmup_exponential_decay_schedule(a.number("init_value"), a.number("peak_value"),
                                                    a.integer("warmup_steps"), a.integer("transition_steps"),
                                                    a.number("decay_rate"), decay(a));
  }
  if (name == "sgdr_schedule") {
    std::vector<optim::WarmupCosine> cycles;
    for (const NodePtr& c : arguments({"cosine_kwargs"}).needed("cosine_kwargs").children)
      cycles.push_back(cosine(Arguments(*c, warmup)));
    return optim::sgdr_schedule(cycles);
  }
  if (name == "cosine_onecycle_schedule") {
    auto a = arguments({"transition_steps", "peak_value", "pct_start", "div_factor", "final_div_factor"});
    return optim::cosine_onecycle_schedule(a.integer("transition_steps"), a.number("peak_value"),
                                           a.number("pct_start", .3), a.number("div_factor", 25),
                                           a.number("final_div_factor", 1e4));
  }
  if (name == "linear_onecycle_schedule") {
    auto a = arguments({"transition_steps", "peak_value", "pct_start", "pct_final", "div_factor", "final_div_factor"});
    return optim::linear_onecycle_schedule(a.integer("transition_steps"), a.number("peak_value"),
                                           a.number("pct_start", .3), a.number("pct_final", .85),
                                           a.number("div_factor", 25), a.number("final_div_factor", 1e4));
  }
  if (name == "join_schedules") {
    auto a = arguments({"schedules", "boundaries"});
    std::vector<optim::Schedule> parts;
    std::vector<int> boundaries;
    for (const NodePtr& s : a.needed("schedules").children) parts.push_back(schedule_of(*s));
    for (const NodePtr& b : a.needed("boundaries").children)
      boundaries.push_back(static_cast<int>(Arguments::value_of(*b)));
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
      if (node.text == "**")
        return node.children[1]->kind == Kind::integer ? power(a, static_cast<int>(node.children[1]->number))
                                                       : power(a, value(*node.children[1]));
      Array b = value(*node.children[1]);
      return node.text == "+"   ? a + b
             : node.text == "-" ? a - b
             : node.text == "*" ? a * b
             : node.text == "/" ? a / b
                                : matmul(a, b);
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
    return optim::sigmoid_focal_loss(a, b, o.has("alpha") ? std::optional(o.number("alpha")) : std::nullopt,
                                     o.number("gamma", 2));
  }
  if (name == "softmax_cross_entropy") return optim::softmax_cross_entropy(a, b, with({"axis"}).integer("axis", -1));
  if (name == "softmax_cross_entropy_with_integer_labels")
    return optim::softmax_cross_entropy_with_integer_labels(a, b, with({"axis"}).integer("axis", -1));
  if (name == "poly_loss_cross_entropy")
    return optim::poly_loss_cross_entropy(a, b, with({"epsilon"}).number("epsilon", 2));
  if (name == "hinge_loss") return optim::hinge_loss(a, b);
  if (name == "perceptron_loss") return optim::perceptron_loss(a, b);
  if (name == "multiclass_hinge_loss") return optim::multiclass_hinge_loss(a, b);
  if (name == "multiclass_perceptron_loss") return optim::multiclass_perceptron_loss(a, b);
  if (name == "kl_divergence") return optim::kl_divergence(a, b, with({"axis"}).integer("axis", -1));
  if (name == "kl_divergence_with_log_targets")
    return optim::kl_divergence_with_log_targets(a, b, with({"axis"}).integer("axis", -1));
  throw Unknown("loss " + name);
}

}  // namespace golden

// SPDX-License-Identifier: Apache-2.0
