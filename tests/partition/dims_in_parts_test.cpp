// Dims that are put together and taken apart again, and equal pieces joined along a dim: a part behind the first is cut
// where that is best, and nothing is sent for the way a program spells it.
#include "partition/dim_parts.hpp"
#include "partition/explain.hpp"
#include "partition/loop_programs.hpp"
#include "partition/refine.hpp"

namespace tutti::testing {
namespace {

constexpr std::int64_t tokens = 6, width = 16, heads = 4;

// Queries, keys and values of one product, by heads.
Array attended(const Array& qkv) {
  const Array q = qkv(0), k = qkv(1), v = qkv(2);
  const Array scores = einsum("thd,shd->hts", {q, k});
  return einsum("hts,shd->thd", {tanh(scores), v});
}
Array by_fused_weight(const Array& x, const Array& w) {
  const Array flat = lax::reshape(w, {width, 3 * width});
  const Array qkv = lax::reshape(matmul(x, flat), {tokens, 3, heads, width / heads});
  return lax::reshape(attended(lax::transpose(qkv, {1, 0, 2, 3})), {tokens, width});
}

TEST(DimsInParts, HeadsOfAFlatWeightStayApart) {
  const Mesh mesh = grid({4}, "x");
  const LocalProgram local = check_placed(
      {type({tokens, width}), type({width, 3, width}), type({width, width})}, {P(), P(none, none, "x"), P("x")}, mesh,
      [](const Arrays& in) { return Arrays{matmul(by_fused_weight(in[0], in[1]), in[2])}; });
  EXPECT_EQ(total_bytes(local), 2 * 0.75 * tokens * width * 4) << explain(local);
}

TEST(DimsInParts, InLoopsToo) {
  const Mesh mesh = grid({4}, "x");
  const int steps = 3;
  const LocalProgram local =
      check_placed({type({tokens, width}), type({steps, width, 3, width}), type({steps, width, width})},
                   {P(), P(none, none, none, "x"), P(none, "x")}, mesh, [](const Arrays& in) {
                     return scan(3, {}, {in[0]}, {in[1], in[2]}, [](const Arrays&, const Arrays& c, const Arrays& w) {
                       return Arrays{tanh(matmul(by_fused_weight(c[0], w[0]), w[1]))};
                     });
                   });
  EXPECT_EQ(total_bytes(local), steps * 2 * 0.75 * tokens * width * 4) << explain(local);
}

TEST(DimsInParts, JoinedWeightsAreAsGoodAsSingleOnes) {
  const Mesh mesh = grid({4}, "x");
  const PartitionSpec columns = P(none, "x");
  const std::vector<Type> types{type({tokens, width}), type({width, width}), type({width, width}),
                                type({width, width})};
  auto f = [](const Arrays& in) {
    const Array y = matmul(in[0], lax::concatenate({in[1], in[2], in[3]}, 1));
    auto part = [&](std::int64_t k) { return lax::slice(y, {0, k * width}, {tokens, (k + 1) * width}); };
    return Arrays{sum(part(0) * part(1) + sin(part(2)))};
  };
  const LocalProgram local = check_placed(types, {P(), columns, columns, columns}, mesh, f);
  EXPECT_EQ(total_bytes(local), 2 * 0.75 * 4) << explain(local);
  // Pieces of different sizes, of which one is joined itself, and zeros.
  check_placed(types, {P(), columns, columns, columns}, mesh, [](const Arrays& in) {
    const Array inner = lax::concatenate({in[1], in[2]}, 1);
    const Array y = lax::concatenate({in[3], inner, broadcast_to(Array(0.5f), {width, width})}, 1);
    return Arrays{sin(y), lax::slice(y, {0, width}, {width, 3 * width})};
  });
}

// Where blocks that somebody asked for cannot be said in parts, dims stay whole.
TEST(DimsInParts, BlocksThatAreAskedForStay) {
  const Mesh mesh = grid({4}, "x");
  auto split = [](const Arrays& in) { return Arrays{sum(lax::reshape(sin(in[0]), {tokens, 3, 16}), 2)}; };
  const ShardedProgram cut = propagated({type({tokens, 48})}, {P(none, "x")}, mesh, split);
  EXPECT_FALSE(DimParts(cut, 4).any());
  EXPECT_TRUE(DimParts(propagated({type({tokens, 48})}, {P()}, mesh, split), 4).any());
  check_placed({type({tokens, 48})}, {P(none, "x")}, mesh, split);
  // A sort needs its dim as it is.
  EXPECT_FALSE(DimParts(propagated({type({tokens, 48})}, {P()}, mesh,
                                   [](const Arrays& in) {
                                     return Arrays{lax::reshape(lax::sort(in[0], 1), {tokens, 3, 16})};
                                   }),
                        4)
                   .any());
}

TEST(DimsInParts, OnParts) {
  const Mesh mesh = grid({4, 2}, {"x", "y"});
  const AxisRef x = whole_axis(mesh, 0), y = whole_axis(mesh, 1);
  using Refs = std::vector<AxisRefs>;
  EXPECT_EQ(on_parts({x}, {8, 3}), (Refs{{x}, {}}));
  EXPECT_EQ(on_parts({x, y}, {4, 2, 3}), (Refs{{x}, {y}, {}}));
  EXPECT_EQ(on_parts({x, y}, {8, 3}), (Refs{{x, y}, {}}));
  EXPECT_EQ(on_parts({}, {5, 3}), (Refs{{}, {}}));
  EXPECT_FALSE(on_parts({x}, {3, 4}));
  EXPECT_FALSE(on_parts({x, y}, {12, 2}) == (Refs{{x}, {y}}));
}

// What is done to one head after the other is done to all of them: heads can be cut.
TEST(DimsInParts, PiecesMadeAlikeAreOneBatch) {
  const Mesh mesh = grid({4}, "x");
  const std::vector<Type> types{type({8, heads, 4}), type({8, heads, 4}), type({4, 4})};
  const std::vector<PartitionSpec> specs{P("x"), P("x"), P()};
  auto one = [](const Arrays& in, std::int64_t h, float scale) {
    const Array q = in[0](all, h), k = in[1](all, h);
    return matmul(tanh(matmul(q, transpose(k))) * scale, matmul(k, in[2] * 2.f));
  };
  auto heads_of = [&](const Arrays& in, float last) {
    Arrays out;
    for (std::int64_t h = 0; h < heads; ++h) out.push_back(one(in, h, h == heads - 1 ? last : 1.f));
    return out;
  };
  auto whole = [&](float last) {
    return check_placed(types, specs, mesh,
                        [&, last](const Arrays& in) { return Arrays{stack(heads_of(in, last), 1)}; });
  };
  const LocalProgram batch = whole(1.f), apart = whole(3.f);  // the last one is made in another way
  EXPECT_EQ(total_bytes(batch), 3 * 0.75 * 8 * 4 * 4) << explain(batch);
  EXPECT_GT(total_bytes(apart), total_bytes(batch));
  // Somebody else reads one of them; one is the row of another one; all are the same.
  check_placed(types, specs, mesh, [&](const Arrays& in) {
    const Arrays all_heads = heads_of(in, 1.f);
    return Arrays{stack(all_heads, 0), all_heads[1]};
  });
  check_placed(types, specs, mesh, [&](const Arrays& in) {
    return Arrays{stack({one(in, 1, 1.f), one(in, 0, 1.f), one(in, 2, 1.f), one(in, 3, 1.f)}, 0),
                  stack({one(in, 0, 1.f), one(in, 0, 1.f), one(in, 0, 1.f), one(in, 0, 1.f)}, 2)};
  });
}

// The dims backwards: its own inverse.
lax::Dims turned(const Array& x) {
  lax::Dims out;
  for (int d = x.ndim(); d-- > 0;) out.push_back(d);
  return out;
}

// Programs that regroup, join, split, turn, sum and multiply values of 2 * 3 * 4 * 8 elements, placed at random.
TEST(DimsInParts, RandomProgramsKeepTheirValues) {
  int refined = 0;
  for (unsigned seed = 0; seed < 60; ++seed) {
    std::mt19937 rng(seed);
    auto pick = [&](std::size_t n) { return static_cast<std::size_t>(rng() % n); };
    const std::vector<Shape> shapes{{6, 32}, {24, 8}, {192}, {2, 12, 8}, {2, 3, 32}, {6, 4, 8}, {12, 16}, {3, 64}};
    std::vector<int> script;
    for (int k = 0; k < 60; ++k) script.push_back(static_cast<int>(rng() % 1000));
    auto f = [&](const Arrays& in) {
      std::size_t at = 0;
      auto next = [&](std::size_t n) { return static_cast<std::size_t>(script[at++ % script.size()]) % n; };
      Arrays known = in;
      for (int step = 0; step < 8; ++step) {
        const Array a = known[next(known.size())];
        const Array b = lax::reshape(known[next(known.size())], a.shape());
        const int last = a.ndim() - 1;
        const std::int64_t half = a.shape()[last] / 2;
        auto part = [&](const Array& x, std::int64_t from, std::int64_t to) {
          lax::Dims start(static_cast<std::size_t>(x.ndim()), 0), limit = x.shape().dims();
          start.back() = from;
          limit.back() = to;
          return lax::slice(x, start, limit);
        };
        switch (next(9)) {
          case 0: known.push_back(a + sin(b)); break;
          case 1: known.push_back(lax::reshape(a, shapes[next(shapes.size())])); break;
          case 2: known.push_back(lax::concatenate({part(a, half, 2 * half), part(b, 0, half)}, last)); break;
          case 3: known.push_back(part(lax::concatenate({a, b, a * 2.f}, last), half, 3 * half)); break;
          case 4: known.push_back(a - broadcast_to(mean(a, last, true), a.shape())); break;
          case 5: known.push_back(lax::transpose(lax::transpose(a, turned(a)) * 0.5f, turned(a))); break;
          case 6: {
            const Array m = lax::reshape(a, {12, 16}), n = lax::reshape(b, {12, 16});
            known.push_back(matmul(matmul(m, transpose(n)) * 0.1f, n));
            break;
          }
          case 7: {
            std::vector<lax::PadDim> padding(a.shape().size());
            padding.back().low = half;
            padding.back().high = a.shape()[last] - 2 * half;
            known.push_back(lax::pad(part(a, half, 2 * half), Array(0.5f), padding));
            break;
          }
          default: known.push_back(maximum(a, b) * 0.5f); break;
        }
      }
      return Arrays{known.back(), sum(known[known.size() - 2])};
    };
    const Mesh mesh = seed % 2 ? grid({4}, "x") : grid({2, 4}, {"x", "y"});
    std::vector<Type> types;
    std::vector<PartitionSpec> specs;
    for (int i = 0; i < 2; ++i) {
      types.push_back(type(shapes[pick(shapes.size())]));
      std::vector<SpecEntry> entries(types.back().shape.size(), none);
      const std::size_t d = pick(entries.size() + 1);
      if (d < entries.size() && types.back().shape[d] % 4 == 0) entries[d] = seed % 2 ? "x" : "y";
      specs.push_back(PartitionSpec::from(entries));
    }
    refined += DimParts(propagated(types, specs, mesh, f), mesh.shape().num_elements()).any();
    check_placed(types, specs, mesh, f);
    ASSERT_FALSE(HasFailure()) << "seed " << seed;
  }
  EXPECT_GT(refined, 20);
}

}  // namespace
}  // namespace tutti::testing

// SPDX-License-Identifier: Apache-2.0
