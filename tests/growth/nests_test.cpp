// Nests of loops, branches and calls: a transformation goes through each level a bounded number of times.
// bugreports-3, 1
#include "growth/growth.hpp"
#include "tutti/tutti.hpp"

namespace tutti::test {
namespace {

using Body = std::function<Array(const Array&)>;
/// One level around `inner`.
using Level = std::function<Array(const Body& inner, const Array& x)>;

Array in_cond(const Body& inner, const Array& x) {
  return lax::cond(
      x.sum() > 0, inner, [](const Array& y) { return y * 2.f; }, x);
}
Array in_switch(const Body& inner, const Array& x) {
  return lax::switch_(x.sum().astype(int32),
                      std::tuple(
                          inner, [](const Array& y) { return sin(y); }, [](const Array& y) { return y * 3.f; }),
                      x);
}
// The carry begins as zeros, which have no tangent.
Array in_scan(const Body& inner, const Array& x) {
  return lax::scan(
             [&](const Array& c, const Array&) {
               return std::pair{c + inner(x), c.sum()};
             },
             zeros_like(x), ones({2}))
      .first;
}
Array in_fori(const Body& inner, const Array& x) {
  return lax::fori_loop(
      0, 2, [&](const Array&, const Array& c) { return c * 0.5f + inner(x); }, zeros_like(x));
}
Array in_while(const Body& inner, const Array& x) {
  using Carry = std::pair<Array, Array>;
  return lax::while_loop([](const Carry& c) { return c.first < 2; },
                         [&](const Carry& c) {
                           return Carry{c.first + 1, c.second + inner(x)};
                         },
                         Carry{array(0), zeros_like(x)}, {.max_steps = 3})
      .second;
}
Array in_remat(const Body& inner, const Array& x) { return remat(inner)(x); }
Array in_custom_vjp(const Body& inner, const Array& x) {
  return custom_vjp(
      inner,
      [](const Array& y) {
        return std::pair{sin(y), y};
      },
      [](const Array& y, const Array& ct) { return std::tuple{cos(y) * ct}; })(x);
}
// The reverse rule calls the level inside, as the function does.
Array in_custom_vjp_of_inner(const Body& inner, const Array& x) {
  return custom_vjp(
      inner,
      [=](const Array& y) {
        return std::pair{inner(y), y};
      },
      [](const Array& y, const Array& ct) { return std::tuple{cos(y) * ct}; })(x);
}
Array in_custom_jvp(const Body& inner, const Array& x) {
  return custom_jvp(inner, [=](const std::tuple<Array>& at, const std::tuple<Array>& tangent) {
    const Array y = inner(std::get<0>(at));
    return std::pair{y, cos(std::get<0>(at)) * std::get<0>(tangent)};
  })(x);
}
// One behind the other.
Body row_of(const Level& kind, int n) {
  return [=](Array x) {
    for (int i = 0; i < n; ++i) x = kind([](const Array& y) { return sin(y) * 1.5f; }, x);
    return x;
  };
}

Body nest(const std::vector<Level>& kinds, int depth) {
  if (depth == 0) return [](const Array& x) { return sin(x); };
  return [=](const Array& x) {
    const Body inner = nest(kinds, depth - 1);
    return kinds[static_cast<std::size_t>(depth) % kinds.size()]([&](const Array& y) { return inner(y) * 1.5f; }, x);
  };
}

auto grad_of(std::vector<Level> kinds) {
  return [=](int depth) -> std::function<void()> {
    const Body f = nest(kinds, depth);
    return [=] { jit(grad([=](const Array& x) { return f(x).sum(); }))(ones({2})); };
  };
}
auto grad_of_row(const Level& kind) {
  return [=](int n) -> std::function<void()> {
    const Body f = row_of(kind, n);
    return [=] { jit(grad([=](const Array& x) { return f(x).sum(); }))(ones({2})); };
  };
}
auto eager_grad_of(std::vector<Level> kinds) {
  return [=](int depth) -> std::function<void()> {
    const Body f = nest(kinds, depth);
    return [=] { grad([=](const Array& x) { return f(x).sum(); })(ones({2})); };
  };
}
auto hessian_of(std::vector<Level> kinds) {
  return [=](int depth) -> std::function<void()> {
    const Body f = nest(kinds, depth);
    return [=] { jit(hessian([=](const Array& x) { return f(x).sum(); }))(ones({2})); };
  };
}
auto mapped_grad_of(std::vector<Level> kinds) {
  return [=](int depth) -> std::function<void()> {
    const Body f = nest(kinds, depth);
    return [=] { jit(vmap(grad([=](const Array& x) { return f(x).sum(); })))(ones({3, 2})); };
  };
}

}  // namespace

TUTTI_GROWTH(Nests,
             ({
                 {"grad of cond", 8, grad_of({in_cond})},
                 {"eager grad of cond", 8, eager_grad_of({in_cond})},
                 {"grad of switch", 8, grad_of({in_switch})},
                 {"hessian of cond", 8, hessian_of({in_cond})},
                 {"vmap of grad of cond", 16, mapped_grad_of({in_cond})},
                 {"grad of scan", 8, grad_of({in_scan})},
                 {"grad of fori_loop", 8, grad_of({in_fori})},
                 {"grad of while_loop", 8, grad_of({in_while})},
                 {"hessian of scan", 8, hessian_of({in_scan})},
                 {"hessian of while_loop", 4, hessian_of({in_while})},
                 {"vmap of grad of scan", 8, mapped_grad_of({in_scan})},
                 {"vmap of grad of while_loop", 8, mapped_grad_of({in_while})},
                 {"grad of remat", 8, grad_of({in_remat})},
                 {"grad of custom_vjp", 8, grad_of({in_custom_vjp})},
                 {"grad of custom_vjp of custom_vjp", 4, grad_of({in_custom_vjp_of_inner})},
                 {"grad of custom_jvp", 4, grad_of({in_custom_jvp})},
                 {"grad of custom_vjps in a row", 40, grad_of_row(in_custom_vjp)},
                 {"grad of remats in a row", 40, grad_of_row(in_remat)},
                 {"grad of conds in a row", 40, grad_of_row(in_cond)},
                 {"grad of cond in scan", 8, grad_of({in_cond, in_scan})},
                 {"grad of cond in scan in while_loop in remat", 8, grad_of({in_cond, in_scan, in_while, in_remat})},
             }));

}  // namespace tutti::test

// SPDX-License-Identifier: Apache-2.0
