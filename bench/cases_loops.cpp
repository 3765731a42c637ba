// Loops: states that fit in registers, stencils, solvers, recurrent networks, simulations.
#include <memory>

#include <tutti/debug/callback.hpp>
#include <tutti/lax/control_flow.hpp>

#include "case.hpp"
#include "wide_steps.hpp"

namespace bench {
namespace {

Batch tiny_scan(const Setup& s) {
  return repeat([f = jit(scan_halves), c = s.normal({16}, P()), xs = s.normal({1000, 16}, P())] { return f(c, xs); });
}

// A step tells somebody its carry: what a look inside costs.
Batch scan_with_callback(const Setup& s) {
  auto heard = std::make_shared<std::int64_t>(0);
  auto f = jit([=](const Array& c, const Array& xs) {
    return lax::scan(
        [=](const Array& c, const Array& x) {
          debug::callback([=](const Array& v) { *heard += v.size(); }, c);
          return std::pair{c * 0.5 + x, c};
        },
        c, xs);
  });
  return repeat([=, c = s.normal({16}, P()), xs = s.normal({1000, 16}, P())] { return f(c, xs); });
}

using Counted = std::pair<Array, Array>;

Batch tiny_while(const Setup& s) {
  return repeat([f = jit(while_below_1000), x = s.normal({16}, P())] { return f(x); });
}

Batch heat(const Setup& s) {
  auto step = [](const Array&, const Array& u) {
    return u + 0.1 * (roll(u, 1, 0) + roll(u, -1, 0) + roll(u, 1, 1) + roll(u, -1, 1) - 4 * u);
  };
  auto f = jit([=](const Array& u) { return lax::fori_loop(0, 500, step, u); });
  return repeat([=, u = s.normal({512, 512}, P(axes("x", "y")))] { return f(u); });
}

struct Solve {
  Array i{}, x{}, r{}, p{}, rs{};
};

Batch conjugate_gradients(const Setup& s) {
  auto f = jit([](const Array& a, const Array& b) {
    auto body = [&](const Solve& t) {
      Array ap = matmul(a, t.p), al = t.rs / dot(t.p, ap), x = t.x + al * t.p, r = t.r - al * ap, n = dot(r, r);
      return Solve{t.i + 1, x, r, r * 0 + r + (n / t.rs) * t.p, n};
    };
    return lax::while_loop([](const Solve& t) { return (t.i < 200) & (t.rs > 1e-12); }, body,
                           Solve{Array(0), zeros_like(b), b, b, dot(b, b)});
  });
  Array a = random::normal(random::key(0), {512, 512});
  a = device_put(matmul(a, a.T()) / 512 + eye(512), s.at(P()));
  return repeat([=, b = s.normal({512}, P())] { return f(a, b); });
}

struct Cell {
  Array input{}, state{};
};

Batch gru(const Setup& s) {
  constexpr std::int64_t h = 256, t = 200, b = 32;
  auto loss = [=](const Cell& w, const Array& xs) {
    auto third = [=](const Array& x, std::int64_t k) { return x(all, slice(k * h, (k + 1) * h)); };
    auto cell = [=](const Array& s, const Array& x) {
      Array a = matmul(x, w.input), c = matmul(s, w.state);
      Array z = nn::sigmoid(third(a, 0) + third(c, 0)), r = nn::sigmoid(third(a, 1) + third(c, 1));
      Array n = tanh(third(a, 2) + r * third(c, 2)), next = (1 - z) * n + z * s;
      return std::pair{next, next.mean()};
    };
    auto [last, means] = lax::scan(cell, zeros({b, h}), xs);
    return square(last).mean() + means.sum();
  };
  Cell w{s.normal({h, 3 * h}, P()) / 16, s.normal({h, 3 * h}, P()) / 16};
  return repeat([=, f = jit(grad(loss)), xs = s.normal({t, b, h}, P(none, axes("x", "y")))] { return f(w, xs); });
}

// One step of Runge and Kutta's method for a pendulum.
template <class F> Array rk4(const F& f, const Array& y) {
  const double h = 0.01;
  Array k1 = f(y), k2 = f(y + h / 2 * k1), k3 = f(y + h / 2 * k2), k4 = f(y + h * k3);
  return y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
}

Batch many_pendulums(const Setup& s) {
  return repeat([g = jit(pendulums), y = s.normal({10000, 2}, P(axes("x", "y")))] { return g(y); });
}

Batch pendulum_adjoint(const Setup& s) {
  auto loss = [](const Array& w, const Array& ys) {
    auto solve = [&](const Array& y) {
      auto f = [&](const Array& y) { return stack({y(1), -w * sin(y(0))}); };
      return lax::fori_loop(
          0, 200, [=](const Array&, const Array& y) { return rk4(f, y); }, y);
    };
    return square(vmap(solve)(ys)).mean();
  };
  return repeat([=, g = jit(grad(loss)), y = s.normal({1000, 2}, P(axes("x", "y")))] { return g(Array(1.f), y); });
}

struct Walker {
  Array x{}, v{}, resets{};
};

Batch environments(const Setup& s) {
  auto step = [](const Walker& w, const Array& key) {
    Array push = random::normal(key, {});
    Array v = lax::cond(
        w.x > 1, [](const Array& v) { return -0.9 * v; }, [&](const Array& v) { return v + 0.1 * push; }, w.v);
    Array x = w.x + 0.1 * v, done = abs(x) > 5;
    return std::pair{Walker{where(done, 0., x), where(done, 0., v), w.resets + done}, x};
  };
  auto play = [=](const Array& x, const Array& key) {
    return lax::scan(step, Walker{x, x * 0, Array(0)}, random::split_array(key, {100})).second.sum();
  };
  Array keys = device_put(random::split_array(random::key(0), {1000}), s.at(P(axes("x", "y"))));
  return repeat([=, f = jit(vmap(play)), x = s.normal({1000}, P(axes("x", "y")))] { return f(x, keys); });
}

Batch mandelbrot(const Setup& s) {
  return repeat([f = jit(mandelbrot_counts), c = device_put(mandelbrot_points(), s.at(P()))] { return f(c); });
}

}  // namespace

std::pair<Array, Array> scan_halves(const Array& c, const Array& xs) {
  return lax::scan([](const Array& c, const Array& x) { return std::pair{c * 0.5 + x, c}; }, c, xs);
}
std::pair<Array, Array> while_below_1000(const Array& x) {
  return lax::while_loop([](const Counted& c) { return c.first < 1000; },
                         [](const Counted& c) {
                           return Counted{c.first + 1, c.second * 0.999 + 0.001};
                         },
                         Counted{Array(0), x});
}
Array pendulums(const Array& ys) {
  auto f = [](const Array& y) { return stack({y(1), -sin(y(0))}); };
  auto solve = [=](const Array& y) {
    return lax::fori_loop(
        0, 200, [=](const Array&, const Array& y) { return rk4(f, y); }, y);
  };
  return vmap(solve)(ys);
}
Array mandelbrot_points() {
  const Array x = broadcast_to(linspace(-2, 1, 1024), {1024, 1024});
  const Array y = broadcast_to(linspace(-1.5, 1.5, 1024).reshape(1024, 1), {1024, 1024});
  return stack({x, y});
}
Array mandelbrot_counts(const Array& c) {
  auto body = [&](const Array&, const Counted& t) {
    const auto& [z, n] = t;
    Array z2 = stack({z(0) * z(0) - z(1) * z(1) + c(0), 2 * z(0) * z(1) + c(1)});
    Array inside = square(z2).sum(0) < 4;
    return Counted{where(inside, z2, z), n + inside};
  };
  return lax::fori_loop(0, 50, body, Counted{c * 0, zeros({1024, 1024}, int32)}).second;
}

std::vector<Case> loop_cases() {
  return {{"scan_tiny_1000", tiny_scan},           {"scan_callback_1000", scan_with_callback},
          {"while_tiny_1000", tiny_while},         {"fori_heat_512_500", heat},
          {"while_cg_512", conjugate_gradients},   {"gru_grad_t200_b32_h256", gru},
          {"rk4_vmap_10000_t200", many_pendulums}, {"rk4_adjoint_1000_t200", pendulum_adjoint},
          {"rl_env_1000_t100", environments},      {"mandelbrot_1024_50", mandelbrot}};
}

}  // namespace bench

// SPDX-License-Identifier: Apache-2.0
