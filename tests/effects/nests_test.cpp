// Random nests of loops, branches and maps with effects in bodies and conditions, under transformations: what is told
// of each element, and in which order, is what a loop over the elements tells.
#include <algorithm>
#include <map>
#include <random>

#include "effects/heard.hpp"

namespace tutti {
namespace {

using testing::error_of;

enum class Kind { add, halve, note, ask, while_loop, fori, branch, map };
struct Node {
  Kind kind = Kind::add;
  int id = 0;
  float value = 0;
  std::vector<Node> body, other;  // other: the condition of a loop, the second branch
};
using Nodes = std::vector<Node>;

// By element, what was told: (number of the note, value).
using Log = std::map<int, std::vector<std::pair<int, float>>>;
constexpr int max_steps = 7;

class Nests {
 public:
  Nests(unsigned seed, bool asks) : random_(seed), asks_(asks) {}
  Nodes make(int depth) {
    Nodes out;
    for (int n = pick(2) + 1; n > 0; --n) out.push_back(node(depth));
    return out;
  }

 private:
  int pick(int n) { return std::uniform_int_distribution<int>(0, n - 1)(random_); }
  Node node(int depth) {
    Node n;
    n.id = ++ids_;
    n.value = static_cast<float>(pick(6)) / 2 + 1;
    const int kind = pick(depth > 0 ? 9 : 4);
    n.kind = kind == 0 ? Kind::add : kind == 1 ? Kind::halve : kind == 2 ? Kind::note : static_cast<Kind>(kind);
    if (kind == 3) n.kind = asks_ ? Kind::ask : Kind::note;
    if (kind >= 7) n.kind = kind == 7 ? Kind::map : Kind::while_loop;
    if (kind <= 3) return n;
    n.body = make(depth - 1);
    if (n.kind == Kind::while_loop || n.kind == Kind::branch) n.other = make(depth - 1);
    return n;
  }

  std::mt19937 random_;
  bool asks_;
  int ids_ = 0;
};

float expected(const Nodes& nodes, int tag, float x, Log& log) {
  for (const Node& n : nodes) switch (n.kind) {
      case Kind::add: x += n.value; break;
      case Kind::halve: x = x / 2; break;
      case Kind::note:
      case Kind::ask: log[tag].emplace_back(n.id, x); break;
      case Kind::while_loop: {
        for (float c = x; expected(n.other, tag, x, log) * 0 + c < n.value; c += 1) x = expected(n.body, tag, x, log);
        break;
      }
      case Kind::fori:
        for (int i = 0; i < 2; ++i) x = expected(n.body, tag, x, log);
        break;
      case Kind::branch: x = x > n.value ? expected(n.body, tag, x, log) : expected(n.other, tag, x, log); break;
      case Kind::map: {
        float sum = 0;
        for (int k = 0; k < 2; ++k) sum += expected(n.body, tag * 3 + 1 + k, x + static_cast<float>(k), log);
        x = sum / 4;
        break;
      }
    }
  return x;
}

// The same, traced.
class Traced {
 public:
  explicit Traced(const Nodes& nodes) : nodes_(nodes) {}
  Array operator()(const Array& tag, const Array& x) { return run(nodes_, tag, x); }
  Log log;

 private:
  void tell(int id, const Array& tag, const Array& x) { log[int(tag)].emplace_back(id, float(x)); }
  Array run(const Nodes& nodes, const Array& tag, Array x) {
    for (const Node& n : nodes) x = run(n, tag, x);
    return x;
  }
  Array run(const Node& n, const Array& tag, const Array& x) {
    switch (n.kind) {
      case Kind::add: return x + n.value;
      case Kind::halve: return x / 2;
      case Kind::note:
        debug::callback([this, id = n.id](const Array& t, const Array& v) { tell(id, t, v); }, tag, x);
        return x;
      case Kind::ask:
        return io_callback(
            [this, id = n.id](const Array& t, const Array& v) {
              tell(id, t, v);
              return v;
            },
            ShapeDtypeStruct({}), tag, x);
      case Kind::while_loop:
        return lax::while_loop(
                   [&](const std::pair<Array, Array>& c) {
                     return run(n.other, tag, c.first) * 0 + c.second < n.value;
                   },
                   [&](const std::pair<Array, Array>& c) {
                     return std::pair{run(n.body, tag, c.first), c.second + 1};
                   },
                   std::pair{x, x}, {.max_steps = max_steps})
            .first;
      case Kind::fori:
        return lax::fori_loop(
            0, 2, [&](const Array&, const Array& c) { return run(n.body, tag, c); }, x);
      case Kind::branch:
        return lax::cond(
            x > n.value, [&](const Array& v) { return run(n.body, tag, v); },
            [&](const Array& v) { return run(n.other, tag, v); }, x);
      case Kind::map:
        return vmap([&](const Array& k) { return run(n.body, tag * 3 + 1 + k, x + k.astype(float32)); })(arange(2))
                   .sum() /
               4;
    }
    return x;
  }
  const Nodes& nodes_;
};

using Run = std::function<Array(Traced& f, const Array& tags, const Array& xs)>;  // of eight elements
struct Way {
  const char* name;
  bool differentiates;
  Run run;
};

Array by_fours(const Array& x) { return x.reshape(2, 2, 2); }

std::vector<Way> ways(const Mesh& mesh) {
  auto one = [](Traced& f) { return [&f](const Array& t, const Array& x) { return f(t, x); }; };
  auto total = [](auto mapped, const Array& t) { return [=](const Array& x) { return mapped(t, x).sum(); }; };
  const ShardMapOptions split{.mesh = mesh, .in_specs = {P("i"), P("i")}, .out_specs = P("i")};
  return {
      {"jit of vmap", false, [=](Traced& f, const Array& t, const Array& x) { return jit(vmap(one(f)))(t, x); }},
      {"vmap of vmap", false,
       [=](Traced& f, const Array& t, const Array& x) {
         return vmap(vmap(one(f)))(t.reshape(2, 4), x.reshape(2, 4)).reshape(8);
       }},
      {"vmap of jit of vmap of vmap", false,
       [=](Traced& f, const Array& t, const Array& x) {
         return vmap(jit(vmap(vmap(one(f)))))(by_fours(t), by_fours(x)).reshape(8);
       }},
      {"map of vmap", false,
       [=](Traced& f, const Array& t, const Array& x) {
         return lax::map([&](const std::pair<Array, Array>& p) { return vmap(one(f))(p.first, p.second); },
                         std::pair{t.reshape(4, 2), x.reshape(4, 2)})
             .reshape(8);
       }},
      {"jvp of vmap", true,
       [=](Traced& f, const Array& t, const Array& x) {
         return jvp([&](const Array& v) { return vmap(one(f))(t, v); }, std::tuple{x}, std::tuple{ones_like(x)}).first;
       }},
      {"vmap of value_and_grad", true,
       [=](Traced& f, const Array& t, const Array& x) {
         return vmap([&](const Array& tag, const Array& v) {
           return value_and_grad([&](const Array& y) { return f(tag, y); })(v).first;
         })(t, x);
       }},
      {"grad of vmap", true,
       [=](Traced& f, const Array& t, const Array& x) {
         grad(total(vmap(one(f)), t))(x);
         return Array();
       }},
      {"jit of grad of vmap of remat", true,
       [=](Traced& f, const Array& t, const Array& x) {
         jit(grad(total(vmap(remat(one(f))), t)))(x);
         return Array();
       }},
      {"grad of vmap of vmap", true,
       [=](Traced& f, const Array& t, const Array& x) {
         jit(grad(total(vmap(vmap(one(f))), t.reshape(4, 2))))(x.reshape(4, 2));
         return Array();
       }},
      {"shard_map of vmap", false,
       [=](Traced& f, const Array& t, const Array& x) { return shard_map(vmap(one(f)), split)(t, x); }},
      {"jit of vmap of shard_map of vmap", false,
       [=](Traced& f, const Array& t, const Array& x) {
         return jit(vmap(shard_map(vmap(one(f)), split)))(t.reshape(2, 4), x.reshape(2, 4)).reshape(8);
       }},
      {"grad of shard_map of vmap", true,
       [=](Traced& f, const Array& t, const Array& x) {
         grad(total(shard_map(vmap(one(f)), split), t))(x);
         return Array();
       }},
  };
}

void check_nests(unsigned seeds, bool asks, const Mesh& mesh) {
  const std::vector<float> starts{0, 3, 1.5f, 2, 5, 0.5f, 1, 2.5f};
  const Array xs = array(starts), tags = arange(8) * 1000;
  for (unsigned seed = 0; seed < seeds; ++seed) {
    const Nodes nodes = Nests(seed, asks).make(static_cast<int>(seed % 3) + 1);
    Log log;
    std::vector<float> values;
    for (int k = 0; k < 8; ++k) values.push_back(expected(nodes, k * 1000, starts[static_cast<std::size_t>(k)], log));
    for (const Way& way : ways(mesh)) {
      if (asks && way.differentiates) continue;
      SCOPED_TRACE(std::string(way.name) + ", seed " + std::to_string(seed));
      Traced f(nodes);
      const Array out = way.run(f, tags, xs);
      if (out.has_value()) {
        EXPECT_EQ(out.to_vector<float>(), values);
      }
      EXPECT_EQ(f.log, log);
      if (::testing::Test::HasFailure()) return;
    }
  }
}

class EffectsInNests : public ::testing::TestWithParam<Isolation> {
 protected:
  void SetUp() override {
    set_cpu_devices(2);
    config::isolation(GetParam());
  }
  void TearDown() override { config::isolation(Isolation::shared); }
};

// hostile-3, E1 to E3
TEST_P(EffectsInNests, AreThoseOfALoopOverTheElements) { check_nests(12, false, make_mesh({2}, "i")); }
TEST_P(EffectsInNests, WithResultsToo) { check_nests(15, true, make_mesh({2}, "i")); }

INSTANTIATE_TEST_SUITE_P(Isolations, EffectsInNests, ::testing::Values(Isolation::shared, Isolation::per_device));

// hostile-3, E1
TEST(EffectsInLoops, UnderTwoMapsTellOncePerElementAndStep) {
  const Array x = arange(4.f).reshape(2, 2);
  auto count = [&](auto tell) {
    return [&, tell](const Array& y) {
      return lax::while_loop([](const Array& c) { return c < 6; },
                             [&](const Array& c) {
                               tell(c);
                               return c + 1;
                             },
                             y);
    };
  };
  const std::string lines =
      testing::printed([&] { vmap(vmap(count([](const Array& c) { debug::print("{}", c); })))(x); });
  EXPECT_EQ(std::count(lines.begin(), lines.end(), '\n'), 18);
  const std::string text =
      error_of<CheckError>([&] { vmap(vmap(count([](const Array& c) { error_if(c, c > 4.5f, "big {}", c); })))(x); });
  EXPECT_NE(text.find("big 5"), text.npos) << text;
  auto in_condition = [](const Array& y) {
    return lax::while_loop([](const Array& c) { return error_if(c, c > 4.5f, "big {}", c) < 6; },
                           [](const Array& c) { return c + 1; }, y);
  };
  EXPECT_THROW(vmap(vmap(in_condition))(x), CheckError);
}

TEST(EffectsInLoops, RegionsInMappedLoopsTellForTheirElements) {
  set_cpu_devices(2);
  const Mesh mesh = make_mesh({2}, "i");
  Heard heard;
  auto region = shard_map(
      [&](const Array& part) {
        debug::callback([&](const Array& v) { heard.values.push_back(float(v.sum())); }, part);
        return part + 1;
      },
      {.mesh = mesh, .in_specs = P("i"), .out_specs = P("i")});
  auto f = [&](const Array& y) {
    return lax::while_loop([](const Array& c) { return c.sum() < 6; }, [&](const Array& c) { return region(c); }, y);
  };
  jit(vmap(f))(array({{0.f, 1.f}, {2.f, 3.f}}));
  std::sort(heard.values.begin(), heard.values.end());
  EXPECT_EQ(heard.values, (std::vector<float>{0, 1, 1, 2, 2, 2, 3, 3}));
}

// hostile-3, E2
TEST(EffectsInLoops, ConditionsOfDifferentiatedLoopsTellInTheForwardPass) {
  auto f = [](const Array& y) {
    return lax::while_loop([](const Array& c) { return error_if(c, c > 2, "big {}", c) < 6; },
                           [](const Array& c) { return c * 1.5f; }, y, {.max_steps = 20});
  };
  EXPECT_THROW(grad(f)(array(1.f)), CheckError);
  EXPECT_THROW(jit(value_and_grad(f))(array(1.f)), CheckError);
  for (const int most : {4, 5, 6, 9, 20}) {  // it is looked at once more where the promise ends the loop
    Heard heard, plain;
    auto g = [most](Heard& h) {
      return [most, &h](const Array& y) {
        return lax::while_loop(
            [&](const Array& c) {
              debug::callback(h.note(), c);
              return c < 6;
            },
            [](const Array& c) { return c * 1.5f; }, y, {.max_steps = most});
      };
    };
    const float value = float(g(plain)(array(1.f)));
    EXPECT_FLOAT_EQ(float(grad(g(heard))(array(1.f))), value);
    EXPECT_EQ(heard.values, plain.values) << most;
  }
}

}  // namespace
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
