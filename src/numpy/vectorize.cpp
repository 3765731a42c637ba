#include "tutti/numpy/vectorize.hpp"

#include <algorithm>
#include <map>

#include "numpy/promotion.hpp"

namespace tutti::detail {
namespace {

using Names = std::vector<std::string>;

[[noreturn]] void unreadable(const std::string& signature, Loc made) {
  raise<ValueError>("vectorize", "the signature \"" + signature + "\" cannot be read",
                    "It is a list of dims per argument and per result, such as \"(m,n),(n)->(m)\".", made);
}

// "(m,n),(n)" as lists of names.
std::vector<Names> lists_of(const std::string& text, const std::string& signature, Loc made) {
  std::vector<Names> out;
  std::size_t at = 0;
  while (at < text.size()) {
    const std::size_t end = text.find(')', at);
    if (text[at] != '(' || end == text.npos) unreadable(signature, made);
    Names names;
    std::string name;
    for (std::size_t i = at + 1; i <= end; ++i) {
      if (text[i] != ',' && text[i] != ')') {
        name += text[i];
        continue;
      }
      if (name.empty() && (text[i] == ',' || !names.empty())) unreadable(signature, made);
      if (!name.empty()) names.push_back(std::move(name));
      name.clear();
    }
    out.push_back(std::move(names));
    at = end + 1;
    if (at == text.size()) break;
    if (text[at] != ',' || at + 1 == text.size()) unreadable(signature, made);
    ++at;
  }
  return out;
}

struct Signature {
  std::vector<Names> arguments, results;
};
Signature signature_of(std::string text, Loc made) {
  const std::string given = text;
  text.erase(std::remove(text.begin(), text.end(), ' '), text.end());
  const std::size_t arrow = text.find("->");
  if (arrow == text.npos) unreadable(given, made);
  return {lists_of(text.substr(0, arrow), given, made), lists_of(text.substr(arrow + 2), given, made)};
}

}  // namespace

VectorizedArguments vectorized_arguments(const VectorizeOptions& o, const std::vector<Array>& arguments, Loc made) {
  VectorizedArguments out;
  Signature signature;
  std::vector<Array> mapped;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const bool excluded = std::find(o.excluded.begin(), o.excluded.end(), static_cast<int>(i)) != o.excluded.end();
    if (!excluded && arguments[i].has_value()) mapped.push_back(arguments[i]);
  }
  if (!o.signature.empty()) {
    signature = signature_of(o.signature, made);
    if (signature.arguments.size() != mapped.size())
      raise<ValueError>("vectorize",
                        "the signature \"" + o.signature + "\" has " + std::to_string(signature.arguments.size()) +
                            " arguments; " + std::to_string(mapped.size()) + " arrays came",
                        "Name the dims of each array that is not excluded.", made);
  }
  std::map<std::string, std::int64_t> sizes;
  std::vector<Shape> loops, cores;
  for (std::size_t i = 0; i < mapped.size(); ++i) {
    const Names names = o.signature.empty() ? Names{} : signature.arguments[i];
    const Shape& shape = mapped[i].shape();
    if (shape.size() < names.size())
      raise<ValueError>("vectorize",
                        "an array is " + mapped[i].type().str() + ", the signature \"" + o.signature + "\" wants " +
                            std::to_string(names.size()) + " dims or more",
                        "Give it the dims that the function sees.", made);
    const auto split = shape.end() - static_cast<std::ptrdiff_t>(names.size());
    loops.emplace_back(std::vector<std::int64_t>(shape.begin(), split));
    cores.emplace_back(std::vector<std::int64_t>(split, shape.end()));
    for (std::size_t d = 0; d < names.size(); ++d) {
      const auto [known, fresh] = sizes.emplace(names[d], cores.back()[d]);
      if (!fresh && known->second != cores.back()[d])
        raise<ShapeError>("vectorize",
                          "dim " + names[d] + " of \"" + o.signature + "\" is " + std::to_string(known->second) +
                              " and, of " + mapped[i].type().str() + ", " + std::to_string(cores.back()[d]),
                          "Dims of one name have one extent.", made);
    }
  }
  out.loop = ops::common_shape("vectorize", loops);
  out.sizes.assign(sizes.begin(), sizes.end());
  for (const Names& names : signature.results) {
    out.results.emplace_back();
    for (const std::string& name : names) out.results.back() += (out.results.back().empty() ? "" : ",") + name;
  }
  std::size_t next = 0;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const bool excluded = std::find(o.excluded.begin(), o.excluded.end(), static_cast<int>(i)) != o.excluded.end();
    if (excluded || !arguments[i].has_value()) {
      out.flat.emplace_back();
      continue;
    }
    Shape whole = out.loop, flat{out.loop.num_elements()};
    for (std::int64_t d : cores[next]) {
      whole.push_back(d);
      flat.push_back(d);
    }
    out.flat.push_back(reshape(broadcast_to(arguments[i], whole), flat));
    ++next;
  }
  return out;
}

Array vectorized_result(const VectorizedArguments& call, const Array& result, std::size_t index, std::size_t count,
                        Loc made) {
  const bool mapped = std::any_of(call.flat.begin(), call.flat.end(), [](const Array& x) { return x.has_value(); });
  const std::vector<std::int64_t> core(result.shape().begin() + (mapped ? 1 : 0), result.shape().end());
  std::string want;
  if (!call.results.empty()) {
    if (call.results.size() != count)
      raise<ValueError>("vectorize",
                        "the signature has " + std::to_string(call.results.size()) +
                            " results, the function returned " + std::to_string(count),
                        "Name the dims of each result.", made);
    want = call.results[index];
  }
  const std::size_t named = want.empty() ? 0 : static_cast<std::size_t>(std::count(want.begin(), want.end(), ',')) + 1;
  bool fits = named == core.size();
  for (std::size_t d = 0, at = 0; fits && d < core.size(); ++d) {
    const std::size_t end = std::min(want.find(',', at), want.size());
    for (const auto& [name, size] : call.sizes) fits &= name != want.substr(at, end - at) || size == core[d];
    at = end + 1;
  }
  if (!fits)
    raise<ValueError>("vectorize",
                      "the function returned shape " + Shape(core).str() + ", the signature has (" + want + ")",
                      call.results.empty() ? "A function of scalars returns scalars: give a signature."
                                           : "The dims of results are those of the signature.",
                      made);
  if (!mapped) return result;
  Shape whole = call.loop;
  for (std::int64_t d : core) whole.push_back(d);
  return reshape(result, whole);
}

}  // namespace tutti::detail

// SPDX-License-Identifier: Apache-2.0
