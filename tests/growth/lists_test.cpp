// Functions that take many leaves, outputs, operands, branches or carries.
// hostile-3, S2; bugreports-3, 19
#include "growth/growth.hpp"
#include "tutti/tutti.hpp"

namespace tutti::test {
namespace {

using Arrays = std::vector<Array>;
using Call = std::function<void()>;

Arrays many(int n, Shape shape = {2}) {
  Arrays out;
  for (int i = 0; i < n; ++i) out.push_back(full(shape, Array(static_cast<float>(i % 7) + 1)));
  return out;
}
Arrays each(const Arrays& xs, const std::function<Array(const Array&, int)>& f) {
  Arrays out;
  for (std::size_t i = 0; i < xs.size(); ++i) out.push_back(f(xs[i], static_cast<int>(i)));
  return out;
}
Array total(const Arrays& xs) {
  Array out = xs[0];
  for (std::size_t i = 1; i < xs.size(); ++i) out = out + xs[i];
  return out;
}
std::map<std::string, Array> named(int n) {
  std::map<std::string, Array> out;
  for (int i = 0; i < n; ++i) out["layer" + std::to_string(i)] = full({2}, Array(static_cast<float>(i)));
  return out;
}

// f of n arrays, made beforehand.
auto of_many(const std::function<void(const Arrays&)>& f) {
  return [=](int n) -> Call { return [=, xs = many(n)] { f(xs); }; };
}
// Compiled and run, then run again with what is compiled.
auto jit_of(const std::function<Arrays(const Arrays&)>& f) {
  return of_many([=](const Arrays& xs) {
    auto g = jit(f);
    g(xs);
    g(xs);
  });
}
auto step_of(auto make) {
  return [=](int n) -> Call {
    return [=, params = many(n)] {
      auto opt = make();
      auto step = jit([=](const Arrays& p, const Arrays& g, const auto& s) {
        auto [updates, state] = opt.update(g, s, p);
        return std::pair{optim::apply_updates(p, updates), state};
      });
      step(params, params, opt.init(params));
    };
  };
}
Arrays scaled(const Arrays& xs) {
  return each(xs, [](const Array& x, int i) { return x * static_cast<float>(i + 2); });
}
Array deep(Array x, int n) {
  for (int i = 0; i < n; ++i) x = i % 2 ? sin(x) : x * 1.25f;
  return x;
}

}  // namespace

TUTTI_GROWTH(Trees,
             ({
                 {"leaves", 2000, of_many([](const Arrays& xs) { tree::leaves(xs); })},
                 {"structure", 2000, of_many([](const Arrays& xs) { tree::structure(xs); })},
                 {"unflatten", 2000, of_many([](const Arrays& xs) { tree::unflatten(tree::structure(xs), xs); })},
                 {"leaves_with_path", 2000, of_many([](const Arrays& xs) { tree::leaves_with_path(xs); })},
                 {"map", 2000, of_many([](const Arrays& xs) { tree::map([](const Array& x) { return x; }, xs); })},
                 {"map of two", 2000,
                  of_many([](const Arrays& xs) { tree::map([](const Array& x, const Array&) { return x; }, xs, xs); })},
                 {"partition and combine", 2000, of_many([](const Arrays& xs) {
                    const auto [yes, no] = tree::partition(xs, {{"**", true}});
                    tree::combine(yes, no);
                  })},
                 {"map over names", 2000,
                  [](int n) -> Call {
                    return
                        [x = named(n)] { tree::map_with_path([](const tree::Path&, const Array& a) { return a; }, x); };
                  }},
             }));

TUTTI_GROWTH(
    Transformations,
    ({
        {"jit of outputs", 300, jit_of(scaled)},
        {"jit of many small outputs", 2000,
         jit_of([](const Arrays& xs) { return each(xs, [](const Array& x, int) { return -x; }); })},
        {"jit of a sum of leaves", 500, jit_of([](const Arrays& xs) { return Arrays{total(xs)}; })},
        {"jit that captures", 500,
         of_many([](const Arrays& xs) { jit([=](const Array& x) { return x + total(xs); })(ones({2})); })},
        {"jit of literals", 500,
         [](int n) -> Call {
           return [=] {
             jit([=](Array x) {
               for (int i = 0; i < n; ++i) x = x + static_cast<float>(i);
               return x;
             })(ones({2}));
           };
         }},
        {"jit of a deep chain", 500,
         [](int n) -> Call { return [=] { jit([=](const Array& x) { return deep(x, n); })(ones({2})); }; }},
        {"grad of a deep chain", 500,
         [](int n) -> Call { return [=] { jit(grad([=](const Array& x) { return deep(x, n).sum(); }))(ones({2})); }; }},
        {"eager operations", 1000, [](int n) -> Call { return [=] { deep(ones({2}), n); }; }},
        {"eager grad of leaves", 500,
         of_many([](const Arrays& xs) { grad([](const Arrays& x) { return total(x).sum(); })(xs); })},
        {"jvp of leaves", 500, of_many([](const Arrays& xs) {
           jvp([](const Arrays& x) { return total(x); }, std::tuple(xs), std::tuple(xs));
         })},
        {"grad of leaves", 300,
         of_many([](const Arrays& xs) { jit(grad([](const Arrays& x) { return total(scaled(x)).sum(); }))(xs); })},
        {"vmap of leaves", 300,
         of_many([](const Arrays& xs) { jit(vmap([](const Arrays& x) { return total(x); }))(xs); })},
        {"scan of carries", 200, of_many([](const Arrays& xs) {
           jit([](const Arrays& x) {
             return lax::fori_loop(
                 0, 3, [](const Array&, const Arrays& c) { return scaled(c); }, x);
           })(xs);
         })},
        {"grad of a scan of carries", 100, of_many([](const Arrays& xs) {
           jit(grad([](const Arrays& x) {
             return total(lax::fori_loop(
                              0, 3, [](const Array&, const Arrays& c) { return scaled(c); }, x))
                 .sum();
           }))(xs);
         })},
        {"scan of xs", 200, of_many([](const Arrays& xs) {
           jit([](const Arrays& x) {
             return lax::scan(
                 [](const Array& c, const Arrays& s) {
                   return std::pair{c + total(s), c};
                 },
                 array(0.f), x);
           })(xs);
         })},
        {"program text", 500,
         of_many([](const Arrays& xs) { jit_program([](const Arrays& x) { return scaled(x); })(xs); })},
        {"shapes of leaves", 500,
         of_many([](const Arrays& xs) { eval_shape([](const Arrays& x) { return scaled(x); }, xs); })},
    }));

TUTTI_GROWTH(Operands,
             ({
                 {"concatenate", 500, of_many([](const Arrays& xs) { concatenate(xs); })},
                 {"jit of concatenate", 300, jit_of([](const Arrays& xs) { return Arrays{concatenate(xs) * 2.f}; })},
                 {"stack", 500, of_many([](const Arrays& xs) { stack(xs); })},
                 {"jit of stack", 300, jit_of([](const Arrays& xs) { return Arrays{stack(xs) * 2.f}; })},
                 {"jit of slices", 300,
                  [](int n) -> Call {
                    return [=] {
                      jit([=](const Array& x) {
                        Arrays out;
                        for (int i = 0; i < n; ++i) out.push_back(x(slice(i, i + 2)) * 2.f);
                        return out;
                      })(ones({2 * n}));
                    };
                  }},
                 {"unstack", 500,
                  [](int n) -> Call {
                    return [x = ones({n, 2})] { unstack(x); };
                  }},
                 {"split", 500, [](int n) -> Call { return [=, x = ones({2 * n})] { split(x, n); }; }},
                 {"multi_dot", 20, of_many([](const Arrays& xs) {
                    linalg::multi_dot(each(xs, [](const Array&, int) { return ones({2, 2}); }));
                  })},
             }));

TUTTI_GROWTH(Optimisers,
             ({
                 {"sgd", 150, step_of([] { return optim::sgd(.1); })},
                 {"adam", 150, step_of([] { return optim::adam(.1); })},
                 {"chain", 150, step_of([] { return optim::chain(optim::clip_by_global_norm(1.), optim::adam(.1)); })},
                 {"masked", 150, step_of([] {
                    return optim::masked(optim::adam(.1), {{"**", true}});
                  })},
                 {"multi_transform", 150, step_of([] {
                    return optim::multi_transform({{"**", "a"}}, std::pair{"a", optim::adam(.1)},
                                                  std::pair{"b", optim::sgd(.1)});
                  })},
             }));

}  // namespace tutti::test

// SPDX-License-Identifier: Apache-2.0
