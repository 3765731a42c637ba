#include "golden/collective_functions.hpp"

#include <map>
#include <regex>

#include "tutti/tutti.hpp"

namespace golden {

using namespace tutti;

json PythonCall::get(std::size_t position, const std::string& name, const json& otherwise) const {
  if (position < positional.size()) return positional[position];
  auto at = keywords.find(name);
  return at == keywords.end() ? otherwise : at->second;
}

namespace {

// `[(j, (j + 1) % 8) for j in range(8)]` written out.
std::string without_comprehension(const std::string& text) {
  static const std::regex shift(R"(\[\((\w+), \(\1 \+ (\d+)\) % (\d+)\) for \1 in range\((\d+)\)\])");
  std::smatch m;
  if (!std::regex_search(text, m, shift)) return text;
  int by = std::stoi(m[2]), n = std::stoi(m[3]), count = std::stoi(m[4]);
  std::string list;
  for (int j = 0; j < count; ++j)
    list += (j ? ", (" : "(") + std::to_string(j) + ", " + std::to_string((j + by) % n) + ")";
  return m.prefix().str() + "[" + list + "]" + m.suffix().str();
}

}  // namespace

PythonCall parse_arguments(const std::string& text) {
  std::string t = without_comprehension(text);
  t = std::regex_replace(t, std::regex(R"((\w+)=)"), "'$1=', ");
  t = std::regex_replace(t, std::regex(R"(\bTrue\b)"), "true");
  t = std::regex_replace(t, std::regex(R"(\bFalse\b)"), "false");
  t = std::regex_replace(t, std::regex(R"(\bNone\b)"), "null");
  t = std::regex_replace(t, std::regex(R"(,\s*\))"), ")");
  for (char& c : t) c = c == '(' ? '[' : c == ')' ? ']' : c == '\'' ? '"' : c;
  json list = json::parse("[" + t + "]", nullptr, false);
  if (list.is_discarded()) throw Unknown("the call's arguments " + text);
  PythonCall out;
  for (std::size_t i = 0; i < list.size(); ++i) {
    std::string word = list[i].is_string() ? list[i].get<std::string>() : "";
    if (!word.ends_with("="))
      out.positional.push_back(list[i]);
    else if (i + 1 < list.size())
      out.keywords[word.substr(0, word.size() - 1)] = list[++i];
  }
  return out;
}

namespace {

using Function = std::function<Arrays(const Arrays&)>;

Names names_of(const json& axes) {
  return axes.is_string() ? Names(axes.get<std::string>()) : Names(axes.get<std::vector<std::string>>());
}

Function one(std::function<Array(const Array&)> f) {
  return [f](const Arrays& a) { return Arrays{f(a[0])}; };
}
Function two(std::function<Array(const Array&, const Array&)> f) {
  return [f](const Arrays& a) { return Arrays{f(a[0], a[1])}; };
}

// lax.NAME(x, axes, ...), nothing else.
Function single_collective(const std::string& name, const PythonCall& call) {
  Names axes = names_of(call.get(0, "axis_name"));
  auto groups = [&] { return call.get(99, "axis_index_groups", json::array()).get<lax::AxisGroups>(); };
  bool tiled = call.get(99, "tiled", false);
  if (name == "psum" || name == "pmean" || name == "pmax" || name == "pmin") {
    lax::ReduceOptions options{groups()};
    if (options.axis_index_groups.empty())
      return one([=](const Array& x) {
        return name == "psum"    ? lax::psum(x, axes)
               : name == "pmean" ? lax::pmean(x, axes)
               : name == "pmax"  ? lax::pmax(x, axes)
                                 : lax::pmin(x, axes);
      });
    return one([=](const Array& x) {
      return name == "psum"    ? lax::psum(x, axes, options)
             : name == "pmean" ? lax::pmean(x, axes, options)
             : name == "pmax"  ? lax::pmax(x, axes, options)
                               : lax::pmin(x, axes, options);
    });
  }
  if (name == "all_gather") {
    lax::GatherOptions options{.axis = call.get(1, "axis", 0), .tiled = tiled, .axis_index_groups = groups()};
    return one([=](const Array& x) { return lax::all_gather(x, axes, options); });
  }
  if (name == "psum_scatter") {
    lax::ScatterOptions options{
        .scatter_dimension = call.get(1, "scatter_dimension", 0), .tiled = tiled, .axis_index_groups = groups()};
    return one([=](const Array& x) { return lax::psum_scatter(x, axes, options); });
  }
  if (name == "all_to_all") {
    lax::AllToAllOptions options{.tiled = tiled, .axis_index_groups = groups()};
    int split = call.get(1, "split_axis"), concat = call.get(2, "concat_axis");
    return one([=](const Array& x) { return lax::all_to_all(x, axes, split, concat, options); });
  }
  if (name == "ppermute") {
    std::vector<std::pair<int, int>> pairs;
    for (const json& p : call.get(1, "perm")) pairs.emplace_back(p.at(0), p.at(1));
    return one([=](const Array& x) { return lax::ppermute(x, axes, pairs); });
  }
  if (name == "pshuffle") {
    std::vector<int> from = call.get(1, "perm");
    return one([=](const Array& x) { return lax::pshuffle(x, axes, from); });
  }
  if (name == "pbroadcast") {
    int source = call.get(1, "source");
    return one([=](const Array& x) { return lax::pbroadcast(x, axes, source); });
  }
  if (name == "pcast" && call.get(99, "to") == "varying")
    return one([=](const Array& x) { return lax::pvary(x, axes); });
  throw Unknown("collective " + name);
}

Array shifted(const Array& x, const char* axis, int by) {
  int n = static_cast<int>(lax::axis_size(axis));
  std::vector<std::pair<int, int>> pairs;
  for (int i = 0; i < n; ++i) pairs.emplace_back(i, ((i + by) % n + n) % n);
  return lax::ppermute(x, axis, pairs);
}
Array squared_error(const Array& x, const Array& w) { return mean(square(matmul(x, w))); }
Array grad_of_sum_of_squares(const Array& x, const char* axis) {
  return grad([=](const Array& v) { return lax::psum(sum(square(v)), axis); })(x);
}
Array grad_of_pmax(const Array& x, const char* axis, bool sum_first) {
  return grad([=](const Array& v) { return sum_first ? lax::pmax(sum(v), axis) : sum(lax::pmax(v, axis)); })(x);
}
Array softmax_over(const Array& x, const char* axis) {
  Array e = exp(x - lax::pmax(lax::stop_gradient(max(x)), axis));
  return e / lax::psum(sum(e), axis);
}
Array halo_exchange(const Array& x) {
  Array left = shifted(x(slice(-1, none)), "x", 1), right = shifted(x(slice(none, 1)), "x", -1);
  Array p = concatenate({left, x, right});
  return p(slice(none, -2)) + p(slice(1, -1)) * 2. + p(slice(2, none));
}
Array ring_matmul(const Array& x, Array w) {
  int n = static_cast<int>(lax::axis_size("x"));
  Array i = lax::axis_index("x"), acc = lax::pvary(zeros({x.shape()[0], w.shape()[1]}), "x");
  std::int64_t k = w.shape()[0];
  for (int t = 0; t < n; ++t) {
    Array j = (i - t) % n;
    acc = acc + matmul(lax::dynamic_slice(x, {array(0), j * k}, {x.shape()[0], k}), w);
    w = shifted(w, "x", 1);
  }
  return acc;
}
Array scan_in_body(const Array& x) {
  auto step = [](const Array& c, const Array& v) {
    Array next = sin(c) + v + lax::psum(sum(v), "x");
    return std::pair{next, next};
  };
  return lax::scan(step, x[0] * 0., x).second;
}

// Functions of several operations, by the text after `def f(...)`: `arguments: body`.
std::map<std::string, LocalFunction> local_functions() {
  std::map<std::string, LocalFunction> f;
  auto add = [&](std::string text, Function fn, bool many = false) { f[text] = {std::move(fn), many}; };
  add("x: return x", one([](const Array& x) { return x; }));
  add("x, y: return x", two([](const Array& x, const Array&) { return x; }));
  add(
      "x: return (x, x)",
      [](const Arrays& a) {
        return Arrays{a[0], a[0]};
      },
      true);
  add("x, y: return x + y", two([](const Array& x, const Array& y) { return x + y; }));
  add("x, n: return x * n", two([](const Array& x, const Array& n) { return x * n; }));
  add("w, x: return w * x", two([](const Array& w, const Array& x) { return w * x; }));
  add("x: return x * 2", one([](const Array& x) { return x * 2; }));
  add("x: return x * 2.", one([](const Array& x) { return x * 2.; }));
  add("x: return x * 1.", one([](const Array& x) { return x * 1.; }));
  add("x: return jnp.sum(x)", one([](const Array& x) { return sum(x); }));
  add("x: return jnp.full((1, 1), x.shape[0] * 1000 + x.shape[1])", one([](const Array& x) {
        return full({1, 1}, static_cast<int>(x.shape()[0] * 1000 + x.shape()[1]));
      }));
  add("x, y: return lax.psum((x, {'a': y}), 'x')[1]['a'] + lax.psum(x, 'x')", two([](const Array& x, const Array& y) {
        return lax::psum(std::pair{x, Dict{{"a", y}}}, "x").second["a"].array() + lax::psum(x, "x");
      }));
  add(
      "x, y: t = lax.psum({'a': x, 'b': [y]}, 'i') return t['a'], t['b'][0] * y",
      [](const Arrays& a) {
        auto t = lax::psum(std::pair{a[0], std::vector{a[1]}}, "i");
        return Arrays{t.first, t.second[0] * a[1]};
      },
      true);
  add("x, w: return x @ lax.all_gather(w, 'x', axis=0, tiled=True)", two([](const Array& x, const Array& w) {
        return matmul(x, lax::all_gather(w, "x", {.axis = 0, .tiled = true}));
      }));
  add("x: left = lax.ppermute(x[-1:], 'x', [(i, (i + 1) % 8) for i in range(8)]) right = lax.ppermute(x[:1], 'x', [((i "
      "+ 1) % 8, i) for i in range(8)])"
      " p = jnp.concatenate([left, x, right]) return p[:-2] + p[1:-1] * 2. + p[2:]",
      one(halo_exchange));
  add("x, w: n = lax.axis_size('x') i = lax.axis_index('x') acc = jnp.zeros((x.shape[0], w.shape[1])) acc = "
      "lax.pcast(acc, 'x', to='varying') k = w.shape[0] for t in range(n):"
      " j = (i - t) % n acc = acc + lax.dynamic_slice_in_dim(x, j * k, k, 1) @ w w = lax.ppermute(w, 'x', [(s, (s + 1) "
      "% n) for s in range(n)]) return acc",
      two(ring_matmul));
  add(": return (lax.axis_index('x') * 100 + lax.axis_index('y') * 10 + lax.axis_index('z'))[None, None, None]",
      [](const Arrays&) {
        return Arrays{
            (lax::axis_index("x") * 100 + lax::axis_index("y") * 10 + lax::axis_index("z"))(newaxis, newaxis, newaxis)};
      });
  add("x: return x * lax.axis_size('x') + lax.axis_size(('x', 'y'))", one([](const Array& x) {
        return x * lax::axis_size("x") + lax::axis_size({"x", "y"});
      }));
  add("w: return lax.pcast(w, 'x', to='varying') * (1. + lax.axis_index('x'))",
      one([](const Array& w) { return lax::pvary(w, "x") * (1. + lax::axis_index("x")); }));
  add("w, x: return lax.pmean(jnp.mean((x @ w) ** 2), 'x')",
      two([](const Array& w, const Array& x) { return lax::pmean(squared_error(x, w), "x"); }));
  add("w, x: return lax.pmean(jax.grad(lambda w: jnp.mean((x @ w) ** 2))(w), 'x')",
      two([](const Array& w, const Array& x) {
        return lax::pmean(grad([&](const Array& v) { return squared_error(x, v); })(w), "x");
      }));
  add("w, x: return jax.grad(lambda w: jnp.mean((x @ w) ** 2))(w)",
      two([](const Array& w, const Array& x) { return grad([&](const Array& v) { return squared_error(x, v); })(w); }));
  add(
      "x, y: return x + y, lax.psum(x * y, 'y')",
      [](const Arrays& a) {
        return Arrays{a[0] + a[1], lax::psum(a[0] * a[1], "y")};
      },
      true);
  add("x, w: return lax.psum(x @ w, 'y')",
      two([](const Array& x, const Array& w) { return lax::psum(matmul(x, w), "y"); }));
  add("x, w: return lax.psum_scatter(x @ w, 'y', scatter_dimension=1, tiled=True)",
      two([](const Array& x, const Array& w) {
        return lax::psum_scatter(matmul(x, w), "y", {.scatter_dimension = 1, .tiled = true});
      }));
  add(
      "x, w: return lax.pmean(x @ w, 'i'), x @ w",
      [](const Arrays& a) {
        return Arrays{lax::pmean(matmul(a[0], a[1]), "i"), matmul(a[0], a[1])};
      },
      true);
  add(
      "w, x, y: loss = lambda w: jnp.mean((x @ w - y) ** 2) v, g = jax.value_and_grad(loss)(w) return w - .1 * "
      "lax.pmean(g, 'i'), lax.pmean(v, 'i')",
      [](const Arrays& a) {
        auto [v, g] = value_and_grad([&](const Array& w) { return mean(square(matmul(a[1], w) - a[2])); })(a[0]);
        return Arrays{a[0] - .1 * lax::pmean(g, "i"), lax::pmean(v, "i")};
      },
      true);
  add("x: m = lax.pmax(lax.stop_gradient(jnp.max(x)), 'x') e = jnp.exp(x - m) return e / lax.psum(jnp.sum(e), 'x')",
      one([](const Array& x) { return softmax_over(x, "x"); }));
  add("x: def step(c, v): c = jnp.sin(c) + v + lax.psum(jnp.sum(v), 'x') return c, c return lax.scan(step, x[0] * 0., "
      "x)[1]",
      one(scan_in_body));
  add("x: return lax.cond(lax.axis_index('x') % 2 == 0, lambda v: v * 2., lambda v: -v, x)", one([](const Array& x) {
        return lax::cond(
            lax::axis_index("x") % 2 == 0, [](const Array& v) { return v * 2.; }, [](const Array& v) { return -v; }, x);
      }));
  add("x: return lax.cond(True, lambda v: v, lambda v: jnp.zeros(v.shape), x)", one([](const Array& x) {
        return lax::cond(
            array(true), [](const Array& v) { return v; }, [](const Array& v) { return zeros(v.shape()); }, x);
      }));
  add("x: return lax.scan(lambda c, v: (c + v, None), jnp.zeros(()), x)[0][None]", one([](const Array& x) {
        return lax::scan(
                   [](const Array& c, const Array& v) {
                     return std::pair{c + v, Array()};
                   },
                   zeros({}), x)
            .first(newaxis);
      }));
  add("x: return lax.fori_loop(0, 3, lambda i, c: c + jnp.sum(x), 0.)[None]", one([](const Array& x) {
        return lax::fori_loop(
            0, 3, [&](const Array&, const Array& c) { return c + sum(x); }, Array(0.))(newaxis);
      }));
  add("x: k = jax.random.fold_in(jax.random.key(3), lax.axis_index('x')) return x + jax.random.uniform(k, x.shape)",
      one([](const Array& x) {
        return x + random::uniform(random::fold_in(random::key(3), lax::axis_index("x")), x.shape());
      }));
  for (const char* axis : {"x", "i"}) {
    std::string a = std::string("'") + axis + "'";
    add(": return lax.axis_index(" + a + ")", [=](const Arrays&) { return Arrays{lax::axis_index(axis)}; });
    add("x: return lax.psum(jnp.sum(x), " + a + ")", one([=](const Array& x) { return lax::psum(sum(x), axis); }));
    add("x: return x + lax.psum(1, " + a + ")", one([=](const Array& x) { return x + lax::psum(1, axis); }));
    add("x: return x / lax.psum(jnp.sum(x), " + a + ")",
        one([=](const Array& x) { return x / lax::psum(sum(x), axis); }));
    add("x: return x / lax.psum(x ** 2, " + a + ")",
        one([=](const Array& x) { return x / lax::psum(square(x), axis); }));
    add("x: return x + lax.axis_index(" + a + ")", one([=](const Array& x) { return x + lax::axis_index(axis); }));
    add("x: return x * lax.axis_size(" + a + ")", one([=](const Array& x) { return x * lax::axis_size(axis); }));
    add("x: return x * 2. + lax.psum(x, " + a + ")", one([=](const Array& x) { return x * 2. + lax::psum(x, axis); }));
    add("x: return jax.grad(lambda x: lax.psum(jnp.sum(x ** 2), " + a + "))(x)",
        one([=](const Array& x) { return grad_of_sum_of_squares(x, axis); }));
    add("x: return jax.grad(lambda x: lax.pmax(jnp.sum(x), " + a + "))(x)",
        one([=](const Array& x) { return grad_of_pmax(x, axis, true); }));
    add("x: return jax.grad(lambda v: jnp.sum(lax.pmax(v, " + a + ")))(x)",
        one([=](const Array& x) { return grad_of_pmax(x, axis, false); }));
  }
  return f;
}

}  // namespace

LocalFunction local_function(const std::string& define) {
  static const std::map<std::string, LocalFunction> functions = local_functions();
  std::smatch m;
  if (!std::regex_match(define, m, std::regex(R"(def f\(([^()]*)\):\s*([^]*))"))) throw Unknown("definition " + define);
  std::string text = m[1].str() + ": " + std::regex_replace(m[2].str(), std::regex(R"(\s+)"), " ");
  if (auto at = functions.find(text); at != functions.end()) return at->second;
  if (std::regex_match(text, m, std::regex(R"(x: return lax\.(\w+)\(x, ([^]*)\))")))
    return {single_collective(m[1], parse_arguments(m[2])), false};
  if (std::regex_match(text, m, std::regex(R"(: return lax\.axis_index\(([^]*)\)\[None\])"))) {
    Names axes = names_of(parse_arguments(m[1]).get(0, ""));
    return {[=](const Arrays&) { return Arrays{lax::axis_index(axes)(newaxis)}; }, false};
  }
  throw Unknown("no counterpart in C++ yet of: " + text);
}

}  // namespace golden

// SPDX-License-Identifier: Apache-2.0
