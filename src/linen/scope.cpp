#include <algorithm>

#include "linen/sha1.hpp"
#include "tutti/base/call_scope.hpp"
#include "tutti/linen/linen.hpp"
#include "tutti/numpy/numpy.hpp"
#include "tutti/random/random.hpp"

namespace tutti::linen {
namespace {

std::string joined(const std::vector<std::string>& path) {
  std::string out;
  for (const std::string& p : path) out += "/" + p;
  return out;
}

}  // namespace

namespace detail {

std::string class_name(std::string_view type) {
  type = type.substr(0, type.find('<'));
  auto colon = type.rfind(':');
  return std::string(colon == std::string_view::npos ? type : type.substr(colon + 1));
}

Array fold_in_path(const Array& key, const std::vector<std::string>& path, int count) {
  std::string text;
  for (const std::string& p : path) text += p;
  std::string bytes;  // of the count, most significant first, without leading zeros
  for (unsigned n = static_cast<unsigned>(count); n; n >>= 8) bytes.insert(bytes.begin(), static_cast<char>(n & 0xFF));
  return random::fold_in(key, array(sha1(text + bytes)[0]));
}

}  // namespace detail

std::vector<std::string> Scope::extended(const std::string& name) const {
  std::vector<std::string> out = path_;
  out.push_back(name);
  return out;
}
std::string Scope::next_name(std::string_view type) {
  std::string name = detail::class_name(type);
  return name + "_" + std::to_string(names_[name]++);
}
bool Scope::is_mutable(const std::string& collection) const {
  const auto& list = run_->mutable_collections;
  return run_->initializing || std::find(list.begin(), list.end(), collection) != list.end();
}

Dict* Scope::find(const std::string& collection, const std::string& name) const {
  Dict* at = &run_->variables;
  auto step = [&](const std::string& key) {
    if (at && !at->is_array() && at->contains(key))
      at = &(*at)[key];
    else
      at = nullptr;
  };
  step(collection);
  for (const std::string& p : path_) step(p);
  step(name);
  return at;
}
Dict& Scope::place(const std::string& collection, const std::string& name) {
  Dict* at = &run_->variables[collection];
  for (const std::string& p : path_) at = &(*at)[p];
  return (*at)[name];
}

Array Scope::param(const std::string& name, const Initializer& init, const Shape& shape, DType dtype) {
  if (const Dict* found = find("params", name)) {
    if (found->is_array() && found->shape() == shape) return found->array();
    raise<ShapeError>("linen",
                      "the parameter '" + name + "' of " + (path_.empty() ? "the model" : joined(path_).substr(1)) +
                          " has shape " + (found->is_array() ? found->shape().str() : "of a module") +
                          ", the module needs " + shape.str(),
                      "Pass the variables that linen::init made for this model and these input shapes.");
  }
  if (!run_->initializing)
    raise<ValueError>(
        "linen",
        "the parameter '" + name + "' of " + (path_.empty() ? "the model" : joined(path_).substr(1)) + " is missing",
        "The variables are those of linen::init, {'params': ...}.");
  Array value = init(make_rng("params"), shape, dtype);
  place("params", name) = value;
  return value;
}

Array Scope::variable(const std::string& collection, const std::string& name, const std::function<Array()>& first) {
  if (const Dict* found = find(collection, name)) return found->array();
  if (!is_mutable(collection))
    raise<ValueError>("linen",
                      "the variable '" + name + "' of " + (path_.empty() ? "the model" : joined(path_).substr(1)) +
                          " is missing in the collection '" + collection + "'",
                      "Pass the variables of linen::init with this collection, or name it in mutable_collections.");
  Array value = first();
  place(collection, name) = value;
  return value;
}
void Scope::set(const std::string& collection, const std::string& name, const Array& value) {
  if (is_mutable(collection)) place(collection, name) = value;
}

Array Scope::make_rng(const std::string& name) {
  auto at = run_->rngs.find(name);
  if (at == run_->rngs.end()) at = run_->rngs.find("params");
  if (at == run_->rngs.end())
    raise<ValueError>("linen",
                      (path_.empty() ? std::string("the model") : joined(path_).substr(1)) +
                          " needs a key of the stream '" + name + "'",
                      "Pass linen::ApplyOptions{.rngs = {{\"" + name + "\", key}}}.");
  return detail::fold_in_path(at->second, path_, ++run_->draws[at->first + joined(path_)]);
}

}  // namespace tutti::linen

// SPDX-License-Identifier: Apache-2.0
