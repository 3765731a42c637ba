// What a program may do at its end: everything that has state in the library or in the libraries below it.
#pragma once

#include <unistd.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>

#include <tutti/tutti.hpp>

namespace ends {

using namespace tutti;

/// The pattern that this process shows; known before main.
inline std::string pattern() {
  const char* name = std::getenv("ENDS");
  return name ? name : "";
}
inline bool is(const char* name) { return pattern() == name; }

/// Prints `WHERE: right`, or what was wrong. Shapes grow from call to call, so that each compiles.
inline void compute(const char* where) {
  static int calls = 0;
  const std::int64_t n = 200 + 7 * calls++;
  const auto m = static_cast<double>(n);
  std::string wrong;
  auto expect = [&](const char* what, double got, double wanted) {
    if (!(std::abs(got - wanted) <= 1e-3 * std::abs(wanted))) wrong += std::string(" ") + what;
  };
  try {
    auto f = jit([](const Array& x) { return sum(x * x * x); });
    const Array x = arange(n).astype(float32);
    expect("eager", (x + 1).sum().item<float>(), m * (m + 1) / 2);
    expect("jit", f(x / m).item<float>(), (m - 1) * (m - 1) / m / 4);
    expect("grad", jit(grad([](const Array& y) { return sum(y * y); }))(x).sum().item<float>(), m * (m - 1));
    expect("product", matmul(ones({n, n}), ones({n, 2 * n})).sum().item<float>(), 2 * m * m * m);
    expect("small", matmul(ones({3, 5}), ones({5, 4})).sum().item<float>(), 60);
    expect("bfloat16", matmul(ones({n, 8}, bfloat16), ones({8, 4}, bfloat16)).astype(float32).sum().item<float>(),
           32 * m);
    expect("fft", real(fft::fft(ones({n}))).sum().item<float>(), m);
    expect("svd", linalg::svdvals(eye(20) * n).sum().item<float>(), 20 * m);
    expect("solve", linalg::solve(eye(100) * 2, ones({100})).sum().item<float>(), 50);
    expect("convolution",
           lax::conv_general_dilated(ones({1, 2, n, 8}), ones({3, 2, 1, 1}), {.padding = "SAME"}).sum().item<float>(),
           48 * m);
    expect("sort", sort(-x)(0).item<float>(), 1 - m);
    expect("scan",
           lax::fori_loop(
               0, 5, [](const Array&, const Array& c) { return c * 2; }, x)
               .sum()
               .item<float>(),
           16 * m * (m - 1));
    expect("vmap", vmap([](const Array& y) { return cumsum(y)(-1); })(ones({4, n})).sum().item<float>(), 4 * m);
    const Array drawn = random::normal(random::key(1), {n});
    if (!all(isfinite(drawn)).item<bool>()) wrong += " random";
    int heard = 0;
    jit([&](const Array& y) {
      debug::callback([&](const Array&) { ++heard; }, y);
      return y + 1;
    })(x);
    expect("callback", heard, 1);
    static const auto layer =
        remat([](const Array& y) { return sum(tanh(y)); }, {.policy = checkpoint_policies::everything_saveable});
    expect("remat", grad(layer)(zeros({n})).sum().item<float>(), m);
  } catch (const std::exception& e) {
    wrong += std::string(" ") + e.what();
  }
  std::printf("%s: %s%s\n", where, wrong.empty() ? "right" : "wrong", wrong.c_str());
  std::fflush(stdout);
}

/// Computes when it ends, and when it begins, where the pattern is this one.
struct AtEnd {
  const char *name, *where;
  bool first = false;
  AtEnd(const char* n, const char* w, bool f = false) : name(n), where(w), first(f) {
    if (first && is(name)) compute("constructor");
  }
  ~AtEnd() {
    if (is(name)) compute(where);
  }
  AtEnd(const AtEnd&) = delete;
};

}  // namespace ends

// SPDX-License-Identifier: Apache-2.0
