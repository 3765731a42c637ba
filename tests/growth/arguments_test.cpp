// Transformations, calls and operations that take many arguments, operands, names or static values.
// issue 28, growth
#include "growth/growth.hpp"
#include "tutti/tutti.hpp"

namespace tutti::test {
namespace {

using Call = std::function<void()>;
using Lists = std::vector<Array>;

Lists ones_list(int n) {
  Lists out;
  for (int i = 0; i < n; ++i) out.push_back(full({2}, Array(static_cast<float>(i % 5) + 1)));
  return out;
}
auto of_args(const std::function<void(const Lists&)>& f) {
  return [=](int n) -> Call { return [=, xs = ones_list(n)] { f(xs); }; };
}
Lists sines(const Lists& xs) {
  Lists out;
  for (const Array& x : xs) out.push_back(sin(x));
  return out;
}
Array sum_of(const Lists& xs) {
  Array out = xs[0];
  for (std::size_t i = 1; i < xs.size(); ++i) out = out + xs[i];
  return out;
}
struct Setting {
  int number;
  std::string name;
  Array x;
};
// Equations of n matrices in a row: ab,bc,cd->ad, or of n vectors of one letter: a,a,a->a.
std::string chain_of(int n) {
  const std::string letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
  std::string out;
  for (std::size_t i = 0; i < static_cast<std::size_t>(n); ++i) out += (i ? "," : "") + letters.substr(i, 2);
  return out + "->a" + letters[static_cast<std::size_t>(n)];
}
std::string product_of(int n) {
  std::string out = "a";
  for (int i = 1; i < n; ++i) out += ",a";
  return out + "->a";
}
auto grad_sum = [](const auto& f, const Lists& xs) {
  jit(grad([=](const Lists& x) { return sum_of(f(x)).sum(); }))(xs);
};

}  // namespace

TUTTI_GROWTH(Statics,
             ({
                 {"jit of static values", 500,
                  [](int n) -> Call {
                    std::vector<Setting> settings;
                    for (int i = 0; i < n; ++i) settings.push_back({i, "s" + std::to_string(i), ones({2})});
                    return [=] {
                      auto f = jit(
                          [](const std::vector<Setting>& s) { return s[0].x * static_cast<float>(s.back().number); });
                      f(settings);
                      f(settings);
                    };
                  }},
                 {"static values of a dict", 500,
                  [](int n) -> Call {
                    std::map<std::string, Static<int>> settings;
                    for (int i = 0; i < n; ++i) settings.emplace("s" + std::to_string(i), i);
                    return [=] {
                      auto f = jit([](const std::map<std::string, Static<int>>&, const Array& x) { return x * 2.f; });
                      f(settings, ones({2}));
                      f(settings, ones({2}));
                    };
                  }},
                 {"signatures by static value", 40,
                  [](int n) -> Call {
                    return [=] {
                      auto f = jit([](int i, const Array& x) { return x * static_cast<float>(i); });
                      for (int round = 0; round < 2; ++round)
                        for (int i = 0; i < n; ++i) f(i, ones({2}));
                    };
                  }},
                 {"signatures by shape", 40,
                  [](int n) -> Call {
                    return [=] {
                      auto f = jit([](const Array& x) { return x * 2.f; });
                      for (int round = 0; round < 2; ++round)
                        for (int i = 0; i < n; ++i) f(ones({i + 1}));
                    };
                  }},
             }));

TUTTI_GROWTH(
    Arguments,
    ({
        {"vmap of some leaves", 200, of_args([](const Lists& xs) {
           jit(vmap([](const Lists& x) { return sines(x); },
                    {.in_axes = [](const tree::Path& p, const Array&) { return p.keys()[0].index % 2 ? -1 : 0; }}))(xs);
         })},
        {"vmap to outputs", 200,
         of_args([](const Lists& xs) { jit(vmap([](const Lists& x) { return sines(x); }))(xs); })},
        {"eager vmap", 200, of_args([](const Lists& xs) { vmap([](const Lists& x) { return sines(x); })(xs); })},
        {"linearize", 200, of_args([](const Lists& xs) { linearize([](const Lists& x) { return sines(x); }, xs); })},
        {"vjp", 200, of_args([](const Lists& xs) {
           auto [y, back] = vjp([](const Lists& x) { return sines(x); }, xs);
           back(y);
         })},
        {"value_and_grad", 200, of_args([](const Lists& xs) {
           jit(value_and_grad([](const Lists& x) { return sum_of(sines(x)).sum(); }))(xs);
         })},
        {"custom_jvp", 200, of_args([](const Lists& xs) {
           grad_sum(custom_jvp([](const Lists& x) { return sines(x); },
                               [](const std::tuple<Lists>& x, const std::tuple<Lists>& t) {
                                 Lists out;
                                 for (std::size_t i = 0; i < std::get<0>(x).size(); ++i)
                                   out.push_back(std::get<0>(t)[i] * cos(std::get<0>(x)[i]));
                                 return std::pair{sines(std::get<0>(x)), out};
                               }),
                    xs);
         })},
        {"remat of names", 100,
         [](int n) -> Call {
           std::vector<std::string> names;
           for (int i = 0; i < n; ++i) names.push_back("n" + std::to_string(i));
           return [=, xs = ones_list(n)] {
             grad_sum(remat(
                          [=](const Lists& x) {
                            Lists out;
                            for (std::size_t i = 0; i < x.size(); ++i)
                              out.push_back(sin(checkpoint_name(sin(x[i]), names[i])));
                            return out;
                          },
                          {.policy = checkpoint_policies::save_only_these_names(names)}),
                      xs);
           };
         }},
        {"cond of operands", 200, of_args([](const Lists& xs) {
           grad_sum(
               [](const Lists& x) {
                 return lax::cond(
                     x[0].sum() > 0, [](const Lists& y) { return sines(y); }, [](const Lists& y) { return y; }, x);
               },
               xs);
         })},
        {"while_loop of carries", 100, of_args([](const Lists& xs) {
           jit([](const Lists& x) {
             return lax::while_loop([](const Lists& c) { return c[0].sum() < 9; },
                                    [](const Lists& c) {
                                      Lists out;
                                      for (const Array& a : c) out.push_back(a * 2.f);
                                      return out;
                                    },
                                    x);
           })(xs);
         })},
        {"scan to ys", 100, of_args([](const Lists& xs) {
           jit([](const Lists& x) {
             return lax::scan([](const Array& c, const Lists& s) { return std::pair{c, sines(s)}; }, array(0.f), x);
           })(xs);
         })},
        {"grad of a scan of xs", 100, of_args([](const Lists& xs) {
           jit(grad([](const Lists& x) {
             return lax::scan(
                        [](const Array& c, const Lists& s) {
                          return std::pair{c + sum_of(sines(s)), c};
                        },
                        array(0.f), x)
                 .first;
           }))(xs);
         })},
        {"associative_scan", 50, of_args([](const Lists& xs) {
           jit([](const Lists& x) {
             return lax::associative_scan(
                 [](const Lists& a, const Lists& b) {
                   Lists out;
                   for (std::size_t i = 0; i < a.size(); ++i) out.push_back(a[i] + b[i]);
                   return out;
                 },
                 x);
           })(xs);
         })},
        {"shard_map", 100, of_args([](const Lists& xs) {
           jit(shard_map([](const Lists& x) { return sines(x); },
                         {.mesh = make_mesh({1}, {"x"}), .in_specs = P("x"), .out_specs = P("x")}))(xs);
         })},
        {"grad of shard_map", 100, of_args([](const Lists& xs) {
           grad_sum(shard_map([](const Lists& x) { return sines(x); },
                              {.mesh = make_mesh({1}, {"x"}), .in_specs = P("x"), .out_specs = P("x")}),
                    xs);
         })},
        {"donated arguments", 200, of_args([](const Lists& xs) {
           Lists copies;
           for (const Array& x : xs) copies.push_back(x + 1.f);
           jit([](const Lists& x) { return sines(x); }, {.donate_argnums = {0}})(copies);
         })},
        {"explanation of arguments", 100, of_args([](const Lists& xs) {
           const Sharding s = NamedSharding(make_mesh({2}, {"x"}), P("x"));
           Lists placed;
           for (const Array& x : xs) placed.push_back(device_put(x, s));
           (void)jit([](const Lists& x) { return sum_of(sines(x)).sum(); }).explain(placed).str();
         })},
        {"random keys", 500, [](int n) -> Call { return [=] { random::split(random::key(0), n); }; }},
    }));

TUTTI_GROWTH(HostCalls, ({
                            {"debug print", 50,
                             [](int n) -> Call {
                               return [=] {
                                 testing::internal::CaptureStdout();
                                 jit([=](const Array& x) {
                                   for (int i = 0; i < n; ++i) debug::print("{}", x);
                                   return x;
                                 })(ones({2}));
                                 testing::internal::GetCapturedStdout();
                               };
                             }},
                            {"ordered callbacks", 50,
                             [](int n) -> Call {
                               return [=] {
                                 jit([=](const Array& x) {
                                   for (int i = 0; i < n; ++i)
                                     debug::callback([](const Array&) {}, {.ordered = true}, x * static_cast<float>(i));
                                   return x;
                                 })(ones({2}));
                               };
                             }},
                            {"io_callback", 50,
                             [](int n) -> Call {
                               return [=] {
                                 jit([=](Array x) {
                                   for (int i = 0; i < n; ++i)
                                     x = io_callback([](const Array& a) { return a; }, ShapeDtypeStruct({2}), x);
                                   return x;
                                 })(ones({2}));
                               };
                             }},
                            {"callbacks in a loop", 50,
                             [](int n) -> Call {
                               return [=] {
                                 jit([=](const Array& x) {
                                   return lax::fori_loop(
                                       0, 2,
                                       [=](const Array&, const Array& c) {
                                         for (int i = 0; i < n; ++i) debug::callback([](const Array&) {}, c);
                                         return c + 1.f;
                                       },
                                       x);
                                 })(ones({2}));
                               };
                             }},
                        }));

TUTTI_GROWTH(Joined,
             ({
                 {"einsum", 12,
                  [](int n) -> Call {
                    return [=] { einsum(chain_of(n), Lists(static_cast<std::size_t>(n), ones({2, 2}))); };
                  }},
                 {"einsum of one letter", 200,
                  of_args([](const Lists& xs) { einsum(product_of(static_cast<int>(xs.size())), xs); })},
                 {"block", 200, of_args([](const Lists& xs) {
                    NestedArrays all({});
                    for (const Array& x : xs) all.list.push_back(NestedArrays(x));
                    block(all);
                  })},
                 {"block of rows", 100, of_args([](const Lists& xs) {
                    NestedArrays all({});
                    for (const Array& x : xs) {
                      NestedArrays row({});
                      row.list = {NestedArrays(x), NestedArrays(x)};
                      all.list.push_back(row);
                    }
                    block(all);
                  })},
                 {"vstack", 200, of_args([](const Lists& xs) { vstack(xs); })},
                 {"dstack", 200, of_args([](const Lists& xs) { dstack(xs); })},
                 {"array_split", 500, [](int n) -> Call { return [=, x = ones({2 * n + 1})] { array_split(x, n); }; }},
                 {"jit of split", 200,
                  [](int n) -> Call {
                    return [=, x = ones({2 * n})] { jit([=](const Array& a) { return sines(split(a, n)); })(x); };
                  }},
                 {"grad of concatenate", 200, of_args([](const Lists& xs) {
                    jit(grad([](const Lists& x) { return sin(concatenate(x)).sum(); }))(xs);
                  })},
                 {"broadcast_arrays", 200, of_args([](const Lists& xs) { broadcast_arrays(xs); })},
                 {"meshgrid", 6, of_args([](const Lists& xs) { meshgrid(xs); }), 2.3, 1e9},
                 {"ravel_pytree", 500, of_args([](const Lists& xs) {
                    auto [flat, unravel] = ravel_pytree(xs);
                    unravel(flat);
                  })},
                 {"jit of ravel_pytree", 200, of_args([](const Lists& xs) {
                    jit([](const Lists& x) {
                      auto [flat, unravel] = ravel_pytree(x);
                      return unravel(flat * 2.f);
                    })(xs);
                  })},
                 {"tree reduce", 500, of_args([](const Lists& xs) {
                    tree::reduce([](const Array& a, const Array& b) { return a + b; }, xs);
                    tree::reduce_associative([](const Array& a, const Array& b) { return a + b; }, xs);
                  })},
                 {"flatten_with_path", 1000, of_args([](const Lists& xs) { tree::flatten_with_path(xs); })},
                 {"structure text and hash", 1000, of_args([](const Lists& xs) {
                    const auto s = tree::structure(xs);
                    (void)s.str();
                    (void)(s == tree::structure(xs));
                  })},
             }));

}  // namespace tutti::test

// SPDX-License-Identifier: Apache-2.0
