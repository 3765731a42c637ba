// Equinox's layers and filters.
#include "golden/nn_cases.hpp"

namespace golden {
namespace {

using namespace tutti;

Array key_of(const json& p) { return random::key(p.at("seed").get<std::int64_t>()); }
nn::Size size_of(const json& v) { return v.is_string() ? nn::Size(nn::scalar) : nn::Size(v.get<int>()); }
nn::Sizes sizes_of(const json& p, const char* name, int otherwise = 1) {
  if (!p.contains(name)) return otherwise;
  return p[name].is_array() ? nn::Sizes(p[name].get<std::vector<std::int64_t>>()) : nn::Sizes(p[name].get<int>());
}
lax::Padding eqx_padding_of(const json& p) {
  if (!p.contains("padding")) return 0;
  const json& v = p["padding"];
  if (v.is_string()) return v.get<std::string>();
  if (v.is_number()) return v.get<int>();
  std::vector<std::pair<std::int64_t, std::int64_t>> pairs;
  for (const json& e : v)
    pairs.push_back(e.is_array() ? std::pair{e[0].get<std::int64_t>(), e[1].get<std::int64_t>()}
                                 : std::pair{e.get<std::int64_t>(), e.get<std::int64_t>()});
  return pairs;
}
nn::Activation activation_of(const std::string& name) {
  static const std::map<std::string, nn::Activation> all = {
      {"relu", nn::relu},
      {"tanh", tanh},
      {"sigmoid", nn::sigmoid},
      {"silu", nn::silu},
      {"swish", nn::silu},
      {"gelu", nn::gelu},
      {"softplus", nn::softplus},
      {"identity", nn::identity},
      {"relu6", nn::relu6},
      {"selu", nn::selu},
      {"mish", nn::mish},
      {"hard_tanh", nn::hard_tanh},
      {"log_sigmoid", nn::log_sigmoid},
      {"soft_sign", nn::soft_sign},
      {"sin", sin},
      {"elu", [](const Array& x) { return nn::elu(x); }},
      {"leaky_relu", [](const Array& x) { return nn::leaky_relu(x); }},
      {"celu", [](const Array& x) { return nn::celu(x); }}};
  auto at = all.find(name);
  if (at == all.end()) throw Unknown("activation " + name);
  return at->second;
}

NnOutputs linear(const NnInputs& in, const json& p) {
  auto m = nn::Linear::init(size_of(p.at("in")), size_of(p.at("out")), key_of(p), p.value("use_bias", true));
  NnOutputs out = leaves_below("", m);
  out.emplace_back("y", m(in.array(0)));
  return out;
}
// Cases that give options beyond the basic ones record the result alone.
NnOutputs mlp(const NnInputs& in, const json& p) {
  auto m = nn::MLP::init({.in_size = size_of(p.at("in")),
                          .out_size = size_of(p.at("out")),
                          .width_size = p.at("width"),
                          .depth = p.at("depth"),
                          .activation = activation_of(p.value("activation", "relu")),
                          .final_activation = activation_of(p.value("final_activation", "identity"))},
                         key_of(p));
  Array y = m(in.array(0));
  if (p.contains("final_activation") || !p.contains("activation")) return {{"", y}};
  NnOutputs out = leaves_below("arrays", m);
  out.emplace_back("y", y);
  return out;
}
template <class Norm> NnOutputs norm(const NnInputs& in, const json& p) {
  const json& s = p.at("shape");
  auto m = Norm::init(s.is_array() ? shape_of(s) : Shape{s.get<int>()}, {.eps = p.value("eps", 1e-5)});
  if (in.list.size() > 1) m.weight = in.array(1);
  if (in.list.size() > 2) m.bias = in.array(2);
  return {{"", m(in.array(0))}};
}
NnOutputs group_norm(const NnInputs& in, const json& p) {
  return {{"", nn::GroupNorm::init(p.at("groups").get<int>(), p.at("channels").get<int>(),
                                   p.value("eps", 1e-5))(in.array(0))}};
}
NnOutputs dropout(const NnInputs& in, const json& p) {
  nn::Dropout m{p.at("p"), p.value("inference", false)};
  return {{"", p.contains("seed") ? m(in.array(0), key_of(p)) : m(in.array(0))}};
}
NnOutputs embedding(const NnInputs& in, const json& p) {
  auto m = nn::Embedding::init(p.at("num_embeddings").get<int>(), p.at("embedding_size").get<int>(), key_of(p));
  Array y = m(in.array(0));
  if (y.to_vector<float>() != take(m.weight, in.array(0), 0).to_vector<float>())
    throw Mismatch("a row is not the weight's");
  return {{"weight", m.weight}, {"y", y}};
}
template <int N> NnOutputs conv(const NnInputs& in, const json& p) {
  auto m = nn::Conv<N>::init(p.at("in").get<int>(), p.at("out").get<int>(), sizes_of(p, "kernel"), key_of(p),
                             {.stride = sizes_of(p, "stride"),
                              .padding = eqx_padding_of(p),
                              .dilation = sizes_of(p, "dilation"),
                              .groups = p.value("groups", 1),
                              .use_bias = p.value("use_bias", true)});
  NnOutputs out = leaves_below("", m);
  out.emplace_back("y", m(in.array(0)));
  return out;
}
NnOutputs attention(const NnInputs& in, const json& p) {
  auto m = nn::MultiheadAttention::init(
      {.num_heads = p.at("num_heads").get<int>(), .query_size = p.at("query_size").get<int>()}, key_of(p));
  NnOutputs out = leaves_below("arrays", m);
  out.emplace_back("y", m(in.array(0), in.array(1), in.array(1)));
  return out;
}
NnOutputs gru(const NnInputs& in, const json& p) {
  auto m = nn::GRUCell::init(p.at("in").get<int>(), p.at("hidden").get<int>(), key_of(p));
  NnOutputs out = leaves_below("arrays", m);
  out.emplace_back("y", m(in.array(0), in.array(1)));
  return out;
}
NnOutputs lstm(const NnInputs& in, const json& p) {
  auto m = nn::LSTMCell::init(p.at("in").get<int>(), p.at("hidden").get<int>(), key_of(p));
  NnOutputs out = leaves_below("arrays", m);
  append(out, leaves_below("y", m(in.array(0), {in.array(1), in.array(2)})));
  return out;
}
template <class Pool> NnOutputs pool(const NnInputs& in, const json& p) {
  return {{"", Pool::init(sizes_of(p, "kernel"), sizes_of(p, "stride"), eqx_padding_of(p))(in.array(0))}};
}

// --- filters: a Python number of the file is a static leaf to Equinox. Here it is one too: a double or an int of a
// struct.

struct Mixed {
  Array a{};
  int b = 0;
  Array c{};
  double d = 0;
  std::vector<Array> e{};
};
Mixed mixed(const NnInputs& in) {
  Dict d = in.dict(0);
  return {d["a"], int(d["b"].array()), d["c"], double(float(d["d"].array())), {d["e"]["0"], Array()}};
}
// Static leaves count as arrays of their own for a filter of Equinox: kept by a spec that names them, or (inverse) by
// one that keeps arrays only.
NnOutputs shown(const std::string& prefix, const Mixed& m, bool statics) {
  NnOutputs out = leaves_below(prefix, m);
  std::string dot = prefix.empty() ? "" : prefix + ".";
  if (statics) {  // weak, as Python numbers
    out.emplace_back(dot + "b", Array(m.b));
    out.emplace_back(dot + "d", Array(m.d));
  }
  return out;
}
NnOutputs filter_case(const NnInputs& in, const json& p) {
  Mixed m = mixed(in);
  std::string spec = p.at("spec");
  NnOutputs out;
  if (spec == "is_array" || spec == "is_inexact_array") {
    auto [kept, rest] = tree::partition(m, spec == "is_array" ? is_array : is_inexact_array);
    append(out, shown("kept", kept, false));
    append(out, shown("inverse", rest, true));
  } else if (spec == "is_array_like") {
    append(out, shown("kept", m, true));
  } else {  // a tree of bools: a rule per key
    python::NodePtr tree = python::parse(spec);
    std::map<std::string, bool> keep;
    for (std::size_t i = 0; i + 1 < tree->children.size(); i += 2)
      keep[tree->children[i]->text] = tree->children[i + 1]->number != 0;
    append(out, leaves_below("", tree::filter(m, [&](const tree::Path& path, const Array&) {
                               return keep.at(path.keys()[0].name);
                             })));
    if (keep["b"]) out.emplace_back("b", Array(m.b));
    if (keep["d"]) out.emplace_back("d", Array(m.d));
  }
  return out;
}
NnOutputs combine_case(const NnInputs& in, const json&) {
  Dict first = in.dict(0), second = in.dict(1);
  if (!second.empty()) {  // None has no entry in the file
    for (const auto& [key, leaf] : first)
      if (!second.contains(key)) second[key] = Dict();
    for (const auto& [key, leaf] : second)
      if (!first.contains(key)) first[key] = Dict();
    return leaves_below("", tree::combine(first, second));
  }
  Mixed m = mixed(in);
  auto [dynamic, rest] = tree::partition(m, is_inexact_array);
  NnOutputs out = shown("dynamic", dynamic, false);
  append(out, shown("static", rest, true));
  append(out, shown("combined", tree::combine(dynamic, rest), true));
  return out;
}
NnOutputs apply_updates_case(const NnInputs& in, const json&) {
  Dict model = in.dict(0), given = in.dict(1), updates;
  for (const auto& [key, leaf] : model) updates[key] = given.contains(key) ? given[key] : Dict();
  return leaves_below("", optim::apply_updates(model, updates));
}
struct WI {
  Array i{}, w{};
};
NnOutputs value_and_grad_case(const NnInputs& in, const json&) {
  Dict m = in.dict(0);
  auto [value, g] = value_and_grad([](const WI& m, const Array& x) { return sum(square(matmul(m.w, x) + m.i)); })(
      WI{m["i"], m["w"]}, in.array(1));
  NnOutputs out = leaves_below("grad", g);
  out.emplace_back("value", value);
  return out;
}

const NnFamily equinox_family({{"eqx.nn.Linear", linear},
                               {"eqx.nn.MLP", mlp},
                               {"eqx.nn.LayerNorm", norm<nn::LayerNorm>},
                               {"eqx.nn.RMSNorm", norm<nn::RMSNorm>},
                               {"eqx.nn.GroupNorm", group_norm},
                               {"eqx.nn.Dropout", dropout},
                               {"eqx.nn.Embedding", embedding},
                               {"eqx.nn.Conv1d", conv<1>},
                               {"eqx.nn.Conv2d", conv<2>},
                               {"eqx.nn.Conv3d", conv<3>},
                               {"eqx.nn.MultiheadAttention", attention},
                               {"eqx.nn.GRUCell", gru},
                               {"eqx.nn.LSTMCell", lstm},
                               {"eqx.nn.AvgPool1d", pool<nn::AvgPool1d>},
                               {"eqx.nn.AvgPool2d", pool<nn::AvgPool2d>},
                               {"eqx.nn.MaxPool1d", pool<nn::MaxPool1d>},
                               {"eqx.nn.MaxPool2d", pool<nn::MaxPool2d>},
                               {"eqx.filter", filter_case},
                               {"eqx.combine", combine_case},
                               {"eqx.apply_updates", apply_updates_case},
                               {"eqx.filter_value_and_grad", value_and_grad_case}});

}  // namespace
}  // namespace golden

// SPDX-License-Identifier: Apache-2.0
