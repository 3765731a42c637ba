#include "golden/python_values.hpp"

#include <cmath>

#include "tutti/numpy/numpy.hpp"

namespace golden::python {

using namespace tutti;

namespace {

std::map<std::string, Function>& table() {
  static std::map<std::string, Function> all;
  return all;
}
[[noreturn]] void unknown(const std::string& what) { throw Unknown("Python's " + what); }
bool is_number(const Value& v) { return v.get<bool>() || v.get<std::int64_t>() || v.get<double>(); }

using Kind = Node::Kind;
using Variables = std::map<std::string, Value>;

Value binary(const std::string& op, const Value& x, const Value& y) {
  if (is_number(x) && is_number(y)) {  // Python's own arithmetic
    const bool whole = !x.get<double>() && !y.get<double>();
    const double a = x.number(), b = y.number();
    if (whole) {
      const std::int64_t i = x.integer(), j = y.integer();
      if (op == "+") return i + j;
      if (op == "-") return i - j;
      if (op == "*") return i * j;
      if (op == "%") return ((i % j) + j) % j;
      if (op == "**") return static_cast<std::int64_t>(std::pow(a, b));
    }
    if (op == "+") return a + b;
    if (op == "-") return a - b;
    if (op == "*") return a * b;
    if (op == "/") return a / b;
    if (op == "**") return std::pow(a, b);
  }
  if (const std::string* s = x.get<std::string>(); s && op == "==") return *s == y.text();
  const Array a = x.array(), b = y.array();
  if (op == "**") return y.get<std::int64_t>() ? power(a, y.integer()) : power(a, b);
  static const std::map<std::string, Array (*)(const Operand&, const Operand&)> all = {{"+", add},
                                                                                       {"-", subtract},
                                                                                       {"*", multiply},
                                                                                       {"/", divide},
                                                                                       {"%", tutti::mod},
                                                                                       {"//", floor_divide},
                                                                                       {"==", equal},
                                                                                       {"!=", not_equal},
                                                                                       {"<", less},
                                                                                       {"<=", less_equal},
                                                                                       {">", greater},
                                                                                       {">=", greater_equal},
                                                                                       {"&", tutti::bitwise_and},
                                                                                       {"|", tutti::bitwise_or},
                                                                                       {"^", tutti::bitwise_xor},
                                                                                       {"<<", left_shift},
                                                                                       {">>", right_shift}};
  if (op == "@") return matmul(a, b);
  if (auto f = all.find(op); f != all.end()) return f->second(a, b);
  unknown("operator " + op);
}

Index index_of(const Value& v) {
  if (v.is_none()) return newaxis;
  if (v.get<Ellipsis>()) return ellipsis;
  if (const auto* i = v.get<std::int64_t>()) return *i;
  if (const auto* a = v.get<Array>()) return *a;
  if (const SliceOf* s = v.get<SliceOf>()) {
    auto bound = [](const std::optional<std::int64_t>& b) { return b ? SliceBound(*b) : SliceBound(none); };
    return slice(bound(s->start), bound(s->stop), bound(s->step));
  }
  unknown("index");
}

Value subscript(const Value& of, const Values& at) {
  if (const Values* list = of.get<Values>()) {
    const std::int64_t i = at.at(0).integer(), n = static_cast<std::int64_t>(list->size());
    return list->at(static_cast<std::size_t>(i < 0 ? i + n : i));
  }
  std::vector<Index> index;
  for (const Value& v : at) index.push_back(index_of(v));
  if (const At* a = of.get<At>()) return At{a->array, index};
  const Array x = of.array();
  switch (index.size()) {
    case 1: return x(index[0]);
    case 2: return x(index[0], index[1]);
    case 3: return x(index[0], index[1], index[2]);
    case 4: return x(index[0], index[1], index[2], index[3]);
    case 5: return x(index[0], index[1], index[2], index[3], index[4]);
    default: unknown("index of " + std::to_string(index.size()) + " entries");
  }
}

// A method is the function `method.NAME`, whose first argument is what it is called on.
Value attribute(const Value& of, const std::string& name) {
  if (const Array* x = of.get<Array>()) {
    if (name == "at") return At{*x, {}};
    if (name == "T") return x->T();
    if (name == "dtype") return x->dtype();
    if (name == "ndim") return x->ndim();
    if (name == "shape") {
      Values out;
      for (std::int64_t d : x->shape()) out.push_back(d);
      return out;
    }
  }
  if (const DType* d = of.get<DType>(); d && name == "name") return std::string(d->name());
  const Function* method = find_function("method." + name);
  if (!method) unknown("attribute " + name);
  return Function([=](const Arguments& a) {
    Arguments all = a;
    all.positional.insert(all.positional.begin(), of);
    return (*method)(all);
  });
}

Value named(const std::string& dotted, const Variables& variables) {
  const std::size_t dot = dotted.find('.');
  auto variable = variables.find(dotted.substr(0, dot));
  if (variable != variables.end()) {
    Value out = variable->second;
    for (std::size_t at = dot; at != std::string::npos;) {
      const std::size_t next = dotted.find('.', at + 1);
      out = attribute(out, dotted.substr(at + 1, next == std::string::npos ? next : next - at - 1));
      at = next;
    }
    return out;
  }
  for (const char* room : {"", "jnp."})
    if (const Function* f = find_function(room + dotted)) return *f;
  const std::string last = dotted.substr(dotted.rfind('.') + 1);
  if (last == "inf") return INFINITY;
  if (last == "nan") return double(NAN);
  if (last == "pi") return M_PI;
  if (last == "newaxis") return None{};
  if (last == "bool") return DType(bool_);
  try {
    const DType d = dtype_of(last);
    return d;
  } catch (const Unknown&) {
    unknown("name " + dotted);
  }
}

Arguments arguments(const Node& call, std::size_t first, const Variables& variables) {
  Arguments out;
  for (std::size_t i = first; i < call.children.size(); ++i) {
    const Node& n = *call.children[i];
    if (n.kind != Kind::star) {
      out.positional.push_back(evaluate(n, variables));
      continue;
    }
    const Value all = evaluate(*n.children[0], variables);
    for (const Value& v : all.list()) out.positional.push_back(v);
  }
  for (const auto& [name, n] : call.named) out.named[name] = evaluate(*n, variables);
  return out;
}
Value call(const Value& f, const Arguments& a) {
  if (const DType* d = f.get<DType>()) {  // jnp.float32(0)
    if (*d == bool_) return static_cast<bool>(a.array(0, "x"));
    return lax::convert_element_type(a.array(0, "x"), *d);
  }
  const Function* function = f.get<Function>();
  if (!function) unknown("call");
  return (*function)(a);
}

Value closure(const Node& lambda, const Variables& variables) {
  auto body = lambda.children[0];
  auto parameters = lambda.parameters;
  return Function([=](const Arguments& a) {
    Variables inner = variables;
    for (std::size_t i = 0; i < parameters.size(); ++i) inner[parameters[i]] = a.positional.at(i);
    return evaluate(*body, inner);
  });
}

}  // namespace

Value evaluate(const Node& n, const Variables& variables) {
  auto child = [&](std::size_t i) { return evaluate(*n.children.at(i), variables); };
  auto children = [&](std::size_t from) {
    Values out;
    for (std::size_t i = from; i < n.children.size(); ++i) out.push_back(child(i));
    return out;
  };
  auto bound = [&](std::size_t i) {
    const Value v = child(i);
    return v.is_none() ? std::nullopt : std::optional(v.integer());
  };
  switch (n.kind) {
    case Kind::none: return None{};
    case Kind::boolean: return n.number != 0;
    case Kind::integer: return static_cast<std::int64_t>(n.number);
    case Kind::real: return n.number;
    case Kind::imaginary: return Array(std::complex<float>(0, static_cast<float>(n.number)));
    case Kind::text: return n.text;
    case Kind::name: return named(n.text, variables);
    case Kind::list: return children(0);
    case Kind::call: return call(named(n.text, variables), arguments(n, 0, variables));
    case Kind::apply: return call(child(0), arguments(n, 1, variables));
    case Kind::lambda: return closure(n, variables);
    case Kind::binary: return binary(n.text, child(0), child(1));
    case Kind::subscript: return subscript(child(0), children(1));
    case Kind::attribute: return attribute(child(0), n.text);
    case Kind::slice: return SliceOf{bound(0), bound(1), bound(2)};
    case Kind::ellipsis: return Ellipsis{};
    case Kind::negative: {
      const Value v = child(0);
      if (v.get<std::int64_t>()) return -v.integer();
      if (v.get<double>()) return -v.number();
      return -v.array();
    }
    default: unknown("expression");
  }
}

// --- values

Array Value::array() const {
  if (const Array* x = get<Array>()) return *x;
  if (const bool* b = get<bool>()) return *b;
  if (const auto* i = get<std::int64_t>()) return *i;
  if (const double* d = get<double>()) return *d;
  if (const Values* l = get<Values>()) {
    std::vector<Array> parts = arrays();
    if (l->empty()) return zeros({0});
    return lax::convert_element_type(stack(parts), stack(parts).dtype());
  }
  unknown("array of something else");
}
std::int64_t Value::integer() const {
  if (const bool* b = get<bool>()) return *b;
  if (const auto* i = get<std::int64_t>()) return *i;
  if (const Array* x = get<Array>(); x && !x->dtype().is_inexact()) return x->item<std::int64_t>();
  unknown("integer of something else");
}
double Value::number() const {
  if (const double* d = get<double>()) return *d;
  if (const Array* x = get<Array>()) return x->item<double>();
  if (const std::string* s = get<std::string>()) return number_of(json(*s));
  return static_cast<double>(integer());
}
std::string Value::text() const {
  if (const std::string* s = get<std::string>()) return *s;
  unknown("text of something else");
}
DType Value::dtype() const {
  if (const DType* d = get<DType>()) return *d;
  return dtype_of(text() == "bool" ? "bool" : text());
}
const Values& Value::list() const {
  if (const Values* l = get<Values>()) return *l;
  unknown("list of something else");
}
std::vector<Array> Value::arrays() const {
  std::vector<Array> out;
  if (const Values* l = get<Values>())
    for (const Value& v : *l) out.push_back(v.array());
  else
    out.push_back(array());
  return out;
}
std::vector<std::int64_t> Value::integers() const {
  std::vector<std::int64_t> out;
  if (const Values* l = get<Values>())
    for (const Value& v : *l) out.push_back(v.integer());
  else if (const Array* x = get<Array>(); x && x->ndim() == 1)
    for (std::int64_t i : x->astype(int32).to_vector<std::int64_t>()) out.push_back(i);
  else
    out.push_back(integer());
  return out;
}
Value Value::operator()(Values arguments) const { return call(*this, {std::move(arguments), {}}); }
void Value::append_to(std::vector<Array>& out) const {
  if (is_none()) return;
  if (const Values* l = get<Values>()) {
    for (const Value& v : *l) v.append_to(out);
    return;
  }
  out.push_back(array());
}

// --- arguments

const Value& Arguments::at(std::size_t position, const char* name) const {
  static const Value nothing;
  if (position < positional.size()) return positional[position];
  auto found = named.find(name);
  return found == named.end() ? nothing : found->second;
}
Array Arguments::maybe_array(std::size_t p, const char* name) const { return has(p, name) ? array(p, name) : Array(); }
std::int64_t Arguments::integer(std::size_t p, const char* name, std::int64_t otherwise) const {
  return has(p, name) ? at(p, name).integer() : otherwise;
}
std::optional<int> Arguments::maybe_integer(std::size_t p, const char* name) const {
  return has(p, name) ? std::optional(static_cast<int>(at(p, name).integer())) : std::nullopt;
}
double Arguments::number(std::size_t p, const char* name, double otherwise) const {
  return has(p, name) ? at(p, name).number() : otherwise;
}
std::optional<double> Arguments::maybe_number(std::size_t p, const char* name) const {
  return has(p, name) ? std::optional(at(p, name).number()) : std::nullopt;
}
bool Arguments::flag(std::size_t p, const char* name, bool otherwise) const {
  return has(p, name) ? at(p, name).integer() != 0 : otherwise;
}
std::string Arguments::text(std::size_t p, const char* name, const std::string& otherwise) const {
  return has(p, name) ? at(p, name).text() : otherwise;
}
std::optional<DType> Arguments::dtype(std::size_t p, const char* name) const {
  return has(p, name) ? std::optional(at(p, name).dtype()) : std::nullopt;
}
Axes Arguments::axes(std::size_t p, const char* name) const {
  return has(p, name) ? Axes(at(p, name).integers()) : Axes();
}

// --- the table

Functions::Functions(std::map<std::string, Function> all) { table().merge(std::move(all)); }
const Function* find_function(const std::string& name) {
  auto f = table().find(name);
  return f == table().end() ? nullptr : &f->second;
}
Value value_of(const json& p) {
  if (p.is_null()) return None{};
  if (p.is_boolean()) return p.get<bool>();
  if (p.is_number_integer()) return p.get<std::int64_t>();
  if (p.is_number()) return p.get<double>();
  if (p.is_string()) return p.get<std::string>();
  if (p.is_array()) {
    Values out;
    for (const json& e : p) out.push_back(value_of(e));
    return out;
  }
  unknown("dictionary");
}
Function of_one(Array (*f)(const In&)) {
  return [f](const Arguments& a) { return f(a.array(0, "x")); };
}
Function of_two(Array (*f)(const Operand&, const Operand&)) {
  return [f](const Arguments& a) { return f(a.array(0, "x"), a.array(1, "y")); };
}

}  // namespace golden::python

// SPDX-License-Identifier: Apache-2.0
