// A function that calls itself without an end is an error, whatever stands in between; also where a thread has little
// stack. hostile-3, L1.
#include <gtest/gtest.h>
#include <pthread.h>

#include <functional>
#include <map>
#include <string>

#include <tutti/tutti.hpp>

namespace tutti::test {
namespace {

using Fn = std::function<Array(const Array&)>;

// A function that goes through one of them calls itself.
Fn endless(const std::string& kind) {
  auto self = std::make_shared<Fn>();
  std::weak_ptr<Fn> again = self;
  auto f = [again](const Array& x) { return (*again.lock())(x); };
  auto alive = [self](auto g) { return Fn([self, g](const Array& x) { return Array(g(x)); }); };
  const auto rule = [](const std::tuple<Array>& p, const std::tuple<Array>& t) {
    return std::pair{std::get<0>(p), std::get<0>(t)};
  };
  std::map<std::string, Fn> kinds;
  auto add = [&](const char* name, auto g) { kinds[name] = [g](const Array& x) { return Array(g(x)); }; };
  add("remat", remat(f));
  add("custom_jvp", custom_jvp(f, rule));
  add("custom_vjp", custom_vjp(
                        f,
                        [](const Array& x) {
                          return std::pair{x, x};
                        },
                        [](const Array&, const Array& g) { return std::tuple{g}; }));
  add("custom_vmap", custom_vmap(f, [](std::int64_t, const std::array<bool, 1>&, const Array& x) {
        return std::pair{x, true};
      }));
  add("sequential_vmap", sequential_vmap(f));
  add("custom_root", [f](const Array& x) {
    return lax::custom_root([f](const Array& y) { return f(y); }, x,
                            [](const auto& g, const Array& guess) { return Array(g(guess)); },
                            [](const auto& g, const Array& y) { return Array(g(y)); });
  });
  add("custom_linear_solve", [f](const Array& x) {
    return lax::custom_linear_solve([f](const Array& y) { return f(y); }, x,
                                    [](const auto& matvec, const Array& b) { return Array(matvec(b)); });
  });
  add("associative_scan", [f](const Array& x) {
    return lax::associative_scan([f](const Array& a, const Array&) { return f(concatenate({a, a})); }, x);
  });
  add("vectorize", [f](const Array& x) { return vectorize(f)(x); });
  add("jit", [f](const Array& x) { return jit(f)(x); });
  add("grad", [f](const Array& x) { return grad([f](const Array& y) { return sum(f(y)); })(x); });
  add("vmap", [f](const Array& x) { return vmap(f)(broadcast_to(x, {2, 4}))(0); });
  add("scan", [f](const Array& x) {
    return lax::scan([f](const Array& c, const Array& y) { return std::pair{f(c), y}; }, x, x).first;
  });
  add("fori_loop", [f](const Array& x) {
    return lax::fori_loop(
        0, 3, [f](const Array&, const Array& c) { return f(c); }, x);
  });
  add("while_loop", [f](const Array& x) { return lax::while_loop([](const Array& c) { return sum(c) < 3; }, f, x); });
  add("condition", [f](const Array& x) {
    return lax::while_loop([f](const Array& c) { return sum(f(c)) < 3; }, [](const Array& c) { return c; }, x);
  });
  add("cond", [f](const Array& x) { return jit([f](const Array& y) { return lax::cond(sum(y) > 0, f, f, y); })(x); });
  add("map", [f](const Array& x) { return lax::map(f, broadcast_to(x, {2, 4}))(0); });
  add("callback", jit([f](const Array& x) {
        debug::callback([f](const Array& y) { (void)f(y); }, x);
        return x + 1;
      }));
  add("pure_callback", jit([f](const Array& x) { return pure_callback(f, ShapeDtypeStruct({4}), x); }));
  add("remat_in_custom_vjp", remat(custom_vjp(
                                 f,
                                 [](const Array& x) {
                                   return std::pair{x, x};
                                 },
                                 [](const Array&, const Array& g) { return std::tuple{g}; })));
  *self = kinds.at(kind);
  return alive(f);
}

std::string refused(const Fn& f, const Array& x) {
  try {
    f(x);
  } catch (const ValueError& e) {
    return e.what();
  } catch (const std::exception& e) {
    return std::string("another error: ") + e.what();
  }
  return "no error";
}

// On a thread with a stack of this size.
template <class F> void with_stack_of(std::size_t bytes, F f) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, bytes);
  pthread_t thread;
  ASSERT_EQ(pthread_create(
                &thread, &attributes,
                [](void* g) -> void* {
                  (*static_cast<F*>(g))();
                  return nullptr;
                },
                &f),
            0);
  pthread_join(thread, nullptr);
  pthread_attr_destroy(&attributes);
}

class Recursion : public ::testing::TestWithParam<const char*> {};

TEST_P(Recursion, WithoutAnEndIsAnError) {
  const Array x = ones({4});
  const std::string plain = refused(endless(GetParam()), x);
  EXPECT_NE(plain.find("called inside 256 others"), std::string::npos) << plain;
  EXPECT_NE(refused(jit(endless(GetParam())), x), "no error");
  EXPECT_EQ((x + 1).sum().item<float>(), 8);  // all is well afterwards
}
TEST_P(Recursion, WithoutAnEndIsAnErrorWhereThereIsLittleStack) {
  for (std::size_t kib : {256, 512}) {
    std::string text;
    with_stack_of(kib << 10, [&] { text = refused(endless(GetParam()), ones({4})); });
    EXPECT_NE(text.find("Is it a recursion without an end?"), std::string::npos) << kib << " KiB: " << text;
  }
}
INSTANTIATE_TEST_SUITE_P(In, Recursion,
                         ::testing::Values("remat", "custom_jvp", "custom_vjp", "custom_vmap", "sequential_vmap",
                                           "custom_root", "custom_linear_solve", "associative_scan", "vectorize", "jit",
                                           "grad", "vmap", "scan", "fori_loop", "while_loop", "condition", "cond",
                                           "map", "callback", "pure_callback", "remat_in_custom_vjp"),
                         [](const auto& info) { return std::string(info.param); });

// What programs do in ordinary threads of servers: compile, transform, loop.
TEST(Stack, OfAQuarterOfAMegabyteIsEnough) {
  with_stack_of(256 << 10, [] {
    const Array x = arange(64.f).reshape(8, 8);
    EXPECT_EQ((x + 1).sum().item<float>(), 2080);
    auto loss = [](const Array& w) {
      return lax::fori_loop(
                 0, 3, [](const Array&, const Array& c) { return tanh(matmul(c, c)) / 8; }, w)
          .sum();
    };
    const Array g = jit(grad(loss))(x / 64);
    EXPECT_TRUE(all(isfinite(g)).item<bool>());
    EXPECT_NEAR(linalg::solve(eye(30) * 2, ones({30})).sum().item<float>(), 15, 1e-3);
  });
}

// hostile-3, L6 and L7
TEST(Functions, ThatAreEmptyAreRefused) {
  const Fn empty;
  const Array x = ones({4});
  const std::function<void(const Array&)> tells;
  const std::function<std::pair<Array, Array>(const Array&, const Array&)> step;
  const std::function<Array(const Array&, const Array&)> join;
  const Fn id = [](const Array& y) { return y; };
  const std::vector<Fn> calls = {
      [=](const Array& y) {
        debug::callback(tells, y);
        return y;
      },
      [=](const Array& y) { return pure_callback(empty, ShapeDtypeStruct({4}), y); },
      [=](const Array& y) { return io_callback(empty, ShapeDtypeStruct({4}), y); },
      [=](const Array& y) { return lax::scan(step, y, y).first; },
      [=](const Array& y) { return lax::fori_loop(0, 2, join, y); },
      [=](const Array& y) { return lax::while_loop(empty, id, y); },
      [=](const Array& y) { return lax::while_loop([](const Array& c) { return sum(c) < 3; }, empty, y); },
      [=](const Array& y) { return lax::cond(true, empty, id, y); },
      [=](const Array& y) {
        return lax::switch_(1, std::tuple{id, empty}, y);
      },
      [=](const Array& y) { return lax::map(empty, y); },
      [=](const Array& y) { return lax::associative_scan(join, y); },
      [=](const Array& y) { return sequential_vmap(empty)(y); },
      [=](const Array& y) { return remat(empty)(y); },
      [=](const Array& y) { return vectorize(empty)(y); },
  };
  for (std::size_t k = 0; k < calls.size(); ++k) {
    const std::string text = refused(calls[k], x);
    EXPECT_NE(text.find("the function is empty"), std::string::npos) << k << ": " << text;
  }
}
// hostile-3, L7
TEST(Texts, NameWhatUsersCall) {
  const std::string text = refused(
      [](const Array& x) {
        return lax::while_loop([](const Array& c) { return sum(c) < 3; }, [](const Array& c) { return c; }, x,
                               {.max_steps = std::int64_t(1) << 40});
      },
      ones({4}));
  EXPECT_NE(text.find("while_loop: max_steps is 1099511627776"), std::string::npos) << text;
}

}  // namespace
}  // namespace tutti::test

// SPDX-License-Identifier: Apache-2.0
