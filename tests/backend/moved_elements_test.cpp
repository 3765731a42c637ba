// What comes out of loops that read backwards, of rows of a few columns, of gathers and of products of integers,
// against the reference backend: no element is rounded on the way.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "tutti/tutti.hpp"

namespace tutti::test {
namespace {

using Fn = std::function<Array(const Array&)>;

const std::vector<DType> kDTypes = {float32, bfloat16, int32, uint8, bool_, complex64};

Array numbers(const Shape& shape, DType dtype, int seed = 1) {
  const Array x = random::randint(random::key(seed), shape, -100, 100);
  if (dtype == complex64) return lax::complex(x.astype(float32), (x % 7).astype(float32));
  return dtype.is_bool() ? x % 3 == 0 : x.astype(dtype);
}

std::string plan_of(const Fn& f, const Array& x) { return jit(f).lower(x).compile().plan(); }

void expect_as_reference(const Fn& f, const Array& x, const std::string& what) {
  const Array got = jit(f)(x);
  config::backend("reference");
  const Array want = jit(f)(x);
  config::backend("cpu");
  EXPECT_EQ(got.dtype(), want.dtype()) << what;
  EXPECT_EQ(got.shape(), want.shape()) << what;
  EXPECT_TRUE(bool(array_equal(got, want))) << what << " of " << x.dtype().name() << x.shape().str();
}

TEST(MovedElements, GoBackwards) {
  for (DType d : kDTypes)
    for (std::int64_t n : {5, 83, 300}) {
      const Array x = numbers({37, n}, d, static_cast<int>(n));
      expect_as_reference([](const Array& x) { return flip(x, 1); }, x, "flip 1");
      expect_as_reference([](const Array& x) { return flip(x); }, x, "flip");
      expect_as_reference([](const Array& x) { return rot90(x); }, x, "rot90");
      expect_as_reference([](const Array& x) { return rot90(x, 3); }, x, "rot270");
      expect_as_reference([](const Array& x) { return where(flip(x, 1) == x, x, flip(x, 1)); }, x, "with itself");
      expect_as_reference([](const Array& x) { return x.at(slice(none, none), slice(none, none, -1)).set(flip(x, 0)); },
                          x, "written backwards");
    }
}

// They are read by the loop itself: no pass over memory before it.
TEST(MovedElements, BackwardsNeedNoMemory) {
  const std::string plan = plan_of([](const Array& x) { return flip(x, 1) + x; }, numbers({200, 300}, float32));
  EXPECT_EQ(plan.find("temporary"), plan.npos) << plan;
}

TEST(MovedElements, OfRowsOfAFewColumns) {
  for (DType d : kDTypes)
    for (std::int64_t c : {2, 3, 4, 5, 7, 8, 9}) {
      const Array x = numbers({29, 31, c}, d, static_cast<int>(c));
      expect_as_reference([](const Array& x) { return flip(x, 2); }, x, "columns turned");
      expect_as_reference([](const Array& x) { return flip(x, 1); }, x, "rows turned");
      expect_as_reference([](const Array& x) { return flip(x, {0, 2}); }, x, "both");
      expect_as_reference([](const Array& x) { return where(x == x(0, 0), x, x(0, 0)); }, x, "one row for all");
      expect_as_reference([](const Array& x) { return where(x == flip(x(1, 1)), x, x(0, 0)); }, x, "turned, for all");
      expect_as_reference([](const Array& x) { return where(x(ellipsis, slice(0, 1)) == x, x, x(0, 0)); }, x,
                          "a column apart");
      expect_as_reference(
          [c](const Array& x) {
            return broadcast_to(x(ellipsis, slice(0, 1)), {29, 31, c});
          },
          x, "repeated");
      expect_as_reference(
          [c](const Array& x) {
            return broadcast_to(expand_dims(x.reshape(-1), 1), {29 * 31 * c, c});
          },
          x, "spread");
      expect_as_reference([](const Array& x) { return transpose(x, {2, 0, 1}); }, x, "to planes");
      expect_as_reference([c](const Array& x) { return transpose(x.reshape(c, 29, 31), {1, 2, 0}); }, x, "of planes");
      if (d == float32 || d == int32)
        expect_as_reference([&](const Array& x) { return x + lax::iota(d, x.shape(), 2) * lax::iota(d, x.shape(), 1); },
                            x, "counted");
    }
}

TEST(MovedElements, BitsOfBytesGoBothWays) {
  const Array x = numbers({1037}, uint8);
  for (BitOrder order : {BitOrder::big, BitOrder::little}) {
    const Array bits = jit([&](const Array& x) { return unpackbits(x, {}, {}, order); })(x);
    EXPECT_EQ(bits.shape(), (Shape{1037 * 8}));
    EXPECT_TRUE(bool(array_equal(packbits(bits, {}, order), x)));
    expect_as_reference([&](const Array& x) { return unpackbits(x, {}, {}, order); }, x, "bits");
  }
}

TEST(MovedElements, ByIndexAlongOneDim) {
  for (DType d : {float32, uint8, complex64}) {
    const Array x = numbers({13, 21, 6}, d);
    for (int axis : {0, 1, 2}) {
      const Array few = random::randint(random::key(7), {9}, -8, 24),
                  grid = random::randint(random::key(8), {3, 5}, 0, 6);
      Shape along = x.shape();
      along[axis] = 4;
      const Array all = random::randint(random::key(9), along, 0, 9);
      for (TakeMode mode : {TakeMode::fill, TakeMode::clip, TakeMode::wrap}) {
        expect_as_reference([&](const Array& x) { return nan_to_num(take(x, few, axis, mode)); }, x, "take");
        expect_as_reference([&](const Array& x) { return take(x, grid, axis, mode); }, x, "take a grid");
        expect_as_reference([&](const Array& x) { return nan_to_num(take_along_axis(x, all, axis, mode)); }, x,
                            "take_along_axis");
      }
    }
    const Array i = random::randint(random::key(3), {50}, 0, 13), j = random::randint(random::key(4), {50}, 0, 21);
    expect_as_reference([&](const Array& x) { return x(i, j); }, x, "pairs");
    expect_as_reference([&](const Array& x) { return x(i, slice(none, none), 2); }, x, "a slice between");
    expect_as_reference([&](const Array& x) { return x.at(i, slice(none, none), 2).set(x(i, slice(none, none), 3)); },
                        x, "written");
  }
}

TEST(MovedElements, PaddedByWhatTheArrayHas) {
  for (DType d : {float32, uint8, bool_})
    for (PadMode mode : {PadMode::reflect, PadMode::symmetric, PadMode::wrap, PadMode::edge})
      for (auto [before, after] : PadWidths{{3, 2}, {0, 5}, {19, 40}, {300, 1}}) {
        const PadWidths widths = {{before, after}, {2, 7}};
        expect_as_reference([&](const Array& x) { return pad(x, widths, mode); }, numbers({18, 33}, d), "pad");
        expect_as_reference([&](const Array& x) { return pad(x, widths, mode); }, numbers({1, 1}, d), "pad one");
      }
  // Runs of the array put side by side, not element by element.
  const std::string plan = plan_of(
      [](const Array& x) {
        return pad(x, {{4, 4}, {4, 4}}, PadMode::reflect);
      },
      numbers({100, 200}, float32));
  EXPECT_EQ(plan.find("gather"), plan.npos) << plan;
}

TEST(MovedElements, ProductsOfIntegersWrapAround) {
  for (DType d : {int32, int8, uint8, uint32, bool_}) {
    const Array x = numbers({3, 37, 29}, d, 1);
    for (std::int64_t n : {1, 5, 32, 71}) {
      const Array y = numbers({3, 29, n}, d, 2), turned = numbers({3, n, 29}, d, 3);
      expect_as_reference([&](const Array& x) { return matmul(x, y); }, x, "matmul");
      expect_as_reference([&](const Array& x) { return matmul(x, swapaxes(turned, 1, 2)); }, x, "transposed");
      expect_as_reference([&](const Array& x) { return matmul(swapaxes(y, 1, 2), swapaxes(x, 1, 2)); }, x, "both");
    }
    const Array row = numbers({29}, d, 4), column = numbers({37}, d, 5);
    expect_as_reference([&](const Array& x) { return matmul(x, row); }, x, "with a vector");
    expect_as_reference([&](const Array& x) { return matmul(column, x); }, x, "of a vector");
    expect_as_reference([&](const Array& x) { return outer(x(0, 0), column); }, x, "outer");
    if (!d.is_bool())
      expect_as_reference([&](const Array& x) { return matmul_with(x[0], swapaxes(x[1], 0, 1), int32); }, x, "wider");
  }
  // By hand: 200 * 200 is 64 modulo 256.
  EXPECT_EQ(outer(array({200, 1}).astype(uint8), array({200, 3}).astype(uint8)).astype(int32).to_vector<std::int32_t>(),
            (std::vector<std::int32_t>{64, 88, 200, 3}));
  // Without sums they are loops, as are those with a vector.
  for (const Fn& f :
       {Fn([](const Array& x) { return outer(x[0], x[1]) + 1; }), Fn([](const Array& x) { return matmul(x, x[0]); }),
        Fn([](const Array& x) { return matmul(x[0](slice(0, 80)), x); })}) {
    const std::string plan = plan_of(f, numbers({80, 90}, int32));
    EXPECT_EQ(plan.find("dot"), plan.npos) << plan;
  }
}

// Of floats, those without sums and many short ones with vectors are loops; many small ones of 16 bits become float32.
TEST(MovedElements, SmallProductsOfFloats) {
  const Array x = random::randint(random::key(1), {100, 3, 5}, -9, 9).astype(float32), v = x(slice(none, none), 0);
  for (DType d : {float32, bfloat16})
    for (const Fn& f : {Fn([&](const Array& x) {
                          return einsum("nij,nj->ni", {x, v.astype(x.dtype())});
                        }),
                        Fn([](const Array& x) {
                          return einsum("ni,nj->nij", {x(slice(none, none), 0), x(slice(none, none), 1)});
                        })}) {
      expect_as_reference(f, x.astype(d), "in loops");
      const std::string plan = plan_of(f, x.astype(d));
      EXPECT_EQ(plan.find("dot"), plan.npos) << plan;
    }
  const Fn squares = [](const Array& x) { return matmul(x, swapaxes(x, 1, 2)); };
  expect_as_reference(squares, x.astype(bfloat16), "squares");
  const std::string plan = plan_of(squares, x.astype(bfloat16));
  EXPECT_NE(plan.find("dot float32"), plan.npos) << plan;
}

TEST(MovedElements, InDimsOfAFewElements) {
  for (DType d : {float32, uint8}) {
    const Array x = numbers({50, 7, 3}, d);
    expect_as_reference([](const Array& x) { return repeat(repeat(x, 2, 1), 2, 0); }, x, "repeated");
    expect_as_reference([](const Array& x) { return transpose(x.reshape(25, 2, 7, 3), {0, 2, 1, 3}); }, x, "turned");
  }
}

TEST(MovedElements, SumsOfComplexNumbersAreLoops) {
  const Array x = numbers({40, 50}, complex64);
  for (int axis : {0, 1}) {
    expect_as_reference([&](const Array& x) { return sum(x, axis); }, x, "sum");
    EXPECT_EQ(plan_of([&](const Array& x) { return sum(x, axis); }, x).find("call"), std::string::npos);
  }
  expect_as_reference([](const Array& x) { return sum(x); }, x, "sum of all");
}

}  // namespace
// Patches of several images at once, which overlap: places that the plan knows, and places that are an argument.
TEST(MovedElements, BatchesOfOverlappingPatches) {
  constexpr std::int64_t kImages = 5, kPatches = 9, kSide = 16, kStep = 8, kImage = (kPatches - 1) * kStep + kSide;
  const Array at = expand_dims(arange(kPatches) * static_cast<int>(kStep), 1) + arange(kSide);
  const Array rows = at.reshape(kPatches, 1, kSide, 1), columns = at.reshape(1, kPatches, 1, kSide);
  auto added = [&](const Array& patches, const Array& rows, const Array& columns) {
    return zeros({kImage, kImage}, patches.dtype()).at(rows, columns).add(patches);
  };
  for (DType dtype : {float32, float64, int32}) {
    enable_x64(dtype == float64);
    const Array patches = numbers({kImages, kPatches, kPatches, kSide, kSide}, dtype);
    const Array known = jit(
        [&](const Array& p) { return vmap([&](const Array& one) { return added(one, rows, columns); })(p); })(patches);
    const Array told = jit([&](const Array& p, const Array& rows, const Array& columns) {
      return vmap([&](const Array& one) { return added(one, rows, columns); })(p);
    })(patches, rows, columns);
    config::backend("reference");
    for (std::int64_t i = 0; i < kImages; ++i) {
      const Array want = added(patches[i], rows, columns);
      EXPECT_TRUE(array_equal(known[i], want)) << i << " " << dtype.name();
      EXPECT_TRUE(array_equal(told[i], want)) << i << " " << dtype.name();
    }
    config::backend("cpu");
    enable_x64(false);
  }
}

}  // namespace tutti::test

// SPDX-License-Identifier: Apache-2.0
