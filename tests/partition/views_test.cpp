// Views along a cut dim, and sums that run along it: blocks send their neighbours a few elements, however the view is
// written.
#include "partition/explain.hpp"
#include "partition/loop_programs.hpp"
#include "partition/rolls.hpp"
#include "tutti/lax/windows.hpp"
#include "tutti/transform/linear_maps.hpp"

namespace tutti::testing {
namespace {

Array rows(const Array& x, std::int64_t from, std::int64_t to) { return lax::slice(x, {from, 0}, {to, x.shape()[1]}); }

TEST(Views, ARollSendsTheRowsThatCrossBlocks) {
  Mesh mesh = grid({4}, "x");
  const double row = 4.0 * 5;
  for (std::int64_t shift : {1, 3, 7, -2}) {
    const LocalProgram local =
        check_placed({type({32, 5})}, {P("x")}, mesh, [=](const Arrays& in) { return Arrays{roll(in[0], shift, 0)}; });
    EXPECT_EQ(total_bytes(local), static_cast<double>(std::abs(shift)) * row) << explain(local);
  }
  // Whole blocks, and over two axes.
  check_placed({type({32, 5})}, {P("x")}, mesh, [](const Arrays& in) { return Arrays{roll(in[0], 16, 0)}; });
  check_placed({type({24, 6})}, {P(axes("x", "y"))}, grid({2, 3}, {"x", "y"}),
               [](const Arrays& in) { return Arrays{roll(in[0], 5, 0)}; });
}

TEST(Views, SlicesPutTogetherAreARoll) {
  Mesh mesh = grid({4}, "x");
  const double row = 4.0 * 5;
  const LocalProgram joined = check_placed({type({32, 5})}, {P("x")}, mesh, [](const Arrays& in) {
    return Arrays{lax::concatenate({rows(in[0], 30, 32), rows(in[0], 0, 30)}, 0)};
  });
  EXPECT_EQ(total_bytes(joined), 2 * row) << explain(joined);
  // Zeros come in at the end.
  const LocalProgram padded = check_placed({type({32, 5})}, {P("x")}, mesh, [](const Arrays& in) {
    return Arrays{lax::pad(rows(in[0], 1, 32), Array(0.f), {{0, 1, 0}, {0, 0, 0}})};
  });
  EXPECT_EQ(total_bytes(padded), row) << explain(padded);
  // Three parts, one of another array.
  check_placed({type({32, 5}), type({3, 5})}, {P("x"), P()}, mesh, [](const Arrays& in) {
    return Arrays{lax::concatenate({rows(in[0], 8, 16), in[1], rows(in[0], 0, 21)}, 0)};
  });
}

TEST(Views, ABufferIsShiftedInEachStep) {
  Mesh mesh = grid({4}, "x");
  const LocalProgram local = check_placed({type({4, 3}), type({2, 1, 3})}, {P("x"), P()}, mesh, [](const Arrays& in) {
    return scan(2, {}, {in[0]}, {in[1]}, [](const Arrays&, const Arrays& c, const Arrays& x) {
      return Arrays{tanh(lax::concatenate({x[0], rows(c[0], 0, 3)}, 0))};
    });
  });
  EXPECT_EQ(total_bytes(local), 2 * 4.0 * 3) << explain(local);
}

// Nine views of a border of zeros around images whose rows are cut: two rows are sent, for three views each.
TEST(Views, WindowsInTwoDimsShareWhatIsSent) {
  Mesh mesh = grid({4}, "x");
  auto windows = [](const Arrays& in) {
    const Array padded = lax::pad(in[0], Array(0.f), {{}, {1, 1, 0}, {1, 1, 0}});
    Array out;
    for (std::int64_t i : {0, 1, 2})
      for (std::int64_t j : {0, 1, 2}) {
        const Array view = lax::slice(padded, {0, i, j}, {2, i + 8, j + 6}) * static_cast<float>(3 * i + j + 1);
        out = out.has_value() ? out + view : view;
      }
    return Arrays{out};
  };
  const LocalProgram local = check_placed({type({2, 8, 6})}, {P(none, "x")}, mesh, windows);
  EXPECT_EQ(total_bytes(local), 2 * 4.0 * 2 * 6) << explain(local);
  // Over both dims, and a border of two elements of which one is cut off again.
  check_placed({type({2, 8, 6})}, {P(none, "x", "y")}, grid({2, 3}, {"x", "y"}), windows);
  check_placed({type({8, 6})}, {P("x")}, mesh, [](const Arrays& in) {
    const Array padded = lax::pad(in[0], Array(3.f), {{2, 2, 0}, {1, 0, 0}});
    return Arrays{lax::slice(padded, {3, 0}, {11, 6}), lax::slice(padded, {0, 1}, {8, 7}), padded};
  });
}

TEST(Views, AConvolutionSendsTheRowsAtTheBorders) {
  Mesh mesh = grid({4}, "x");
  const LocalProgram local =
      check_placed({type({2, 16, 6, 3}), type({3, 3, 3, 5})}, {P(none, "x"), P()}, mesh, [](const Arrays& in) {
        return Arrays{lax::conv_general_dilated(in[0], in[1],
                                                {.padding = "SAME", .dimension_numbers = {"NHWC", "HWIO", "NHWC"}})};
      });
  EXPECT_EQ(total_bytes(local), 2 * 4.0 * 2 * 6 * 3) << explain(local);
}

// The same of both gradients: of the kernel's each device has a part of every sum.
TEST(Views, GradientsOfConvolutionsSendTheRowsAtTheBorders) {
  Mesh mesh = grid({4}, "x");
  const Type x = type({2, 16, 6, 3}), w = type({3, 3, 3, 5}), y = type({2, 16, 6, 5});
  const double rows = 2 * 4.0 * 2 * 6;  // bytes of one feature of the rows on both sides
  auto conv = [](const Array& x, const Array& w, std::int64_t stride) {
    return lax::conv_general_dilated(
        x, w, {.window_strides = {stride, 1}, .padding = "SAME", .dimension_numbers = {"NHWC", "HWIO", "NHWC"}});
  };
  const LocalProgram to_input = check_placed({y, w}, {P(none, "x"), P()}, mesh, [&](const Arrays& in) {
    auto [value, back] = tutti::vjp([&](const Array& a) { return conv(a, in[1], 1); }, zeros(x.shape));
    return Arrays{std::get<0>(back(in[0]))};
  });
  EXPECT_EQ(total_bytes(to_input), 5 * rows) << explain(to_input);
  const LocalProgram to_kernel = check_placed({x, y}, {P(none, "x"), P(none, "x")}, mesh, [&](const Arrays& in) {
    auto [value, back] = tutti::vjp([&](const Array& a) { return conv(in[0], a, 1); }, zeros(w.shape));
    return Arrays{std::get<0>(back(in[1]))};
  });
  EXPECT_EQ(total_bytes(to_kernel), 3 * rows + 2.0 * 3 / 4 * static_cast<double>(w.nbytes())) << explain(to_kernel);
  for (const std::int64_t stride : {2, 3})
    check_placed({x, w}, {P(none, "x"), P()}, mesh, [&](const Arrays& in) {
      auto [value, back] = tutti::vjp([&](const Array& x, const Array& w) { return conv(x, w, stride); }, in[0], in[1]);
      auto [dx, dw] = back(value);
      return Arrays{value, dx, dw};
    });
}

// A window that is its source again stands for what its source stands for.
TEST(Views, WhatComesBackIsWhatWasThere) {
  const LocalProgram local = check_placed({type({8, 6})}, {P("x")}, grid({4}, "x"), [](const Arrays& in) {
    const Array y = tanh(in[0]), again = tanh(in[0]);
    const Array padded = lax::pad(again, Array(0.f), {{1, 1, 0}, {1, 0, 0}});
    return Arrays{y, sin(lax::slice(padded, {1, 1}, {9, 7}))};
  });
  EXPECT_EQ(total_bytes(local), 0) << explain(local);
}

// Each device gives its part of the box, or takes it.
TEST(Views, BoxesAreReadAndWrittenWhereTheyLie) {
  for (std::int64_t n : {1, 3, 8, 20}) {
    const double row = 4.0 * 5, ways = 4;
    Mesh mesh = grid({4}, "x");
    const auto box = type({n, 5});
    for (int at : {0, 5, 7, 31, -40}) {
      const Array start(at);
      const Type number{int32, {}, false, {}};
      const LocalProgram read = check_placed({type({32, 5}), number}, {P("x"), P()}, mesh, [&](const Arrays& in) {
        return Arrays{lax::dynamic_slice(in[0], {start + in[1], Array(0)}, {n, 5})};
      });
      EXPECT_LE(total_bytes(read), 2 * (ways - 1) / ways * row * static_cast<double>(n)) << explain(read);
      const LocalProgram written = check_placed({type({32, 5}), box}, {P("x"), P()}, mesh, [&](const Arrays& in) {
        return Arrays{lax::dynamic_update_slice(in[0], in[1], {start, Array(0)})};
      });
      EXPECT_EQ(total_bytes(written), 0) << explain(written);
    }
  }
  // One row by its number, and in each step of a loop.
  const LocalProgram row = check_placed({type({32, 5})}, {P("x")}, grid({4}, "x"), [](const Arrays& in) {
    return Arrays{rows(in[0], 30, 31), rows(in[0], 7, 10)};
  });
  EXPECT_EQ(total_bytes(row), 2 * 0.75 * 4 * 5 * 4) << explain(row);
  const LocalProgram filled =
      check_placed({type({8, 3}), type({8, 1, 3})}, {P("x"), P()}, grid({4}, "x"), [](const Arrays& in) {
        return scan(8, {}, {in[0], Array(0)}, {in[1]}, [](const Arrays&, const Arrays& c, const Arrays& x) {
          return Arrays{lax::dynamic_update_slice(c[0], x[0], {c[1], Array(0)}), c[1] + 1};
        });
      });
  EXPECT_EQ(total_bytes(filled), 0) << explain(filled);
}

// A sort of which few elements are read: those of each block are enough.
TEST(Views, SelectionSendsTheFirstOfEachBlock) {
  auto first = [](const Arrays& in) {
    const Arrays sorted = lax::sort({in[0], lax::iota(int32, {6, 320}, 1)}, 1);
    return Arrays{lax::slice(sorted[0], {0, 0}, {6, 3}), lax::slice(sorted[1], {0, 0}, {6, 3})};
  };
  auto last = [](const Arrays& in) { return Arrays{lax::slice(lax::sort(in[0], 1), {0, 318}, {6, 320})}; };
  Mesh mesh = grid({4}, "x");
  const LocalProgram least = check_placed({type({6, 320})}, {P(none, "x")}, mesh, first);
  EXPECT_EQ(total_bytes(least), 3 * 6 * 3 * (4.0 + 4)) << explain(least);
  const LocalProgram most = check_placed({type({6, 320})}, {P(none, "x")}, mesh, last);
  EXPECT_EQ(total_bytes(most), 3 * 6 * 2 * 4.0) << explain(most);
  // More are read than a block has.
  check_placed({type({6, 8})}, {P(none, "x")}, mesh, [](const Arrays& in) {
    return Arrays{lax::slice(lax::sort(in[0], 1), {0, 0}, {6, 5})};
  });
}

// 10 rows of 16 over 8 devices: blocks of two, as before.
TEST(Views, TheFirstRowsStayWhereTheyAre) {
  Mesh mesh = grid({8}, "x");
  const LocalProgram local = check_placed({type({16, 5})}, {P("x")}, mesh, [](const Arrays& in) {
    return Arrays{lax::reduce_sum(rows(in[0], 0, 10), {0}), lax::reduce_sum(rows(in[0], 0, 3), {0})};
  });
  EXPECT_LE(total_bytes(local), 2 * 4.0 * 5 * 2 * 7 / 8) << explain(local);
  check_placed({type({16, 5})}, {P(axes("x", "y"))}, grid({2, 4}, {"x", "y"}),
               [](const Arrays& in) { return Arrays{lax::reduce_sum(rows(in[0], 0, 10), {0})}; });
}

// Where blocks become shorter along one dim while the other one is read across devices, they do not stay.
TEST(Views, TheFirstRowsOfShorterBlocksMove) {
  Mesh mesh = grid({4, 2}, {"x", "y"});
  for (const Shape& shape : {Shape{6, 4}, Shape{5, 8}, Shape{5, 4}})
    for (std::int64_t from : {0, 1})
      check_placed({type(shape)}, {P("y", "x")}, mesh, [=](const Arrays& in) {
        return Arrays{lax::slice(in[0], {0, from}, {4, 3})};
      });
}

TEST(Views, TheBestOfAllBlocksIsTheBest) {
  for (bool max : {true, false}) {
    const LocalProgram local = check_placed({type({6, 32})}, {P(none, "x")}, grid({4}, "x"), [=](const Arrays& in) {
      return Arrays{max ? lax::argmax(in[0], 1) : lax::argmin(in[0], 1)};
    });
    EXPECT_EQ(total_bytes(local), 3 * 6 * (4.0 + 4)) << explain(local);
  }
  // Of equal elements the first.
  const LocalProgram equal = check_placed({type({6, 32})}, {P(none, "x")}, grid({4}, "x"),
                                          [](const Arrays& in) { return Arrays{lax::argmax(floor(in[0] * 2.f), 1)}; });
  EXPECT_GT(total_bytes(equal), 0);
}

TEST(Views, RunningSumsSendTheTotals) {
  Mesh mesh = grid({4}, "x");
  for (bool reverse : {false, true}) {
    const LocalProgram local = check_placed({type({32, 5})}, {P("x")}, mesh,
                                            [=](const Arrays& in) { return Arrays{lax::cumsum(in[0], 0, reverse)}; });
    EXPECT_EQ(total_bytes(local), 3 * 4.0 * 5) << explain(local);
  }
  check_placed({type({24, 6})}, {P(axes("x", "y"))}, grid({2, 3}, {"x", "y"}),
               [](const Arrays& in) { return Arrays{lax::cumsum(in[0], 0, false)}; });
}

// Rows whose numbers are known are slices, a scan that adds up is a running sum.
TEST(Views, RowsAtKnownNumbersAreSlices) {
  Mesh mesh = grid({4}, "x");
  const double row = 4.0 * 5;
  const LocalProgram turned = check_placed({type({32, 5})}, {P("x")}, mesh, [&](const Arrays& in) {
    const Array numbers = lax::iota(int32, {32}, 0);
    return Arrays{sum(take(in[0], (numbers - 3) % 32, 0) * in[0], 0), take(in[0], lax::iota(int32, {6}, 0) + 8, 0)};
  });
  EXPECT_LE(total_bytes(turned), 3 * row + 2 * 0.75 * 7 * row) << explain(turned);
  check_placed({type({32, 5})}, {P("x")}, mesh, [&](const Arrays& in) {
    const Array numbers = lax::iota(int32, {32}, 0);
    return Arrays{take(in[0], floor_divide(numbers, 2), 0), take(in[0], minimum(numbers, 20), 0),
                  take(in[0], numbers % 5, 1)};
  });
}

// What is taken at sorted places was sorted already.
TEST(Views, ElementsInSortedOrder) {
  Mesh mesh = grid({4}, "x");
  auto first = [](const Array& x, const Array& keys) {
    const Array at = argsort(keys, 1)(all, slice(3));
    return Arrays{take_along_axis(x, at, 1), at};
  };
  const double selected = 3 * 6 * 3 * (4.0 + 4);
  for (bool negative : {false, true}) {
    const LocalProgram local = check_placed({type({6, 320})}, {P(none, "x")}, mesh,
                                            [&](const Arrays& in) { return first(in[0], negative ? -in[0] : in[0]); });
    EXPECT_EQ(total_bytes(local), selected) << explain(local);
  }
  // Sorted by something else, along another dim, from the end, all of them.
  check_placed({type({6, 32}), type({6, 32})}, {P(none, "x"), P("x")}, mesh, [&](const Arrays& in) {
    const Array down = argsort(in[0], 1, true)(all, slice(3));
    return Arrays{first(in[1], in[0])[0], take_along_axis(in[0], argsort(in[1], 0), 0), take_along_axis(in[0], down, 1),
                  take_along_axis(in[0], argsort(in[0], 1), 1), take_along_axis(in[0], argsort(in[0], 1) - 1, 1)};
  });
}

// One number of each row, of what is computed from the row and from sums over it.
TEST(Views, PicksComeBeforeWhatIsDoneToAll) {
  Mesh mesh = grid({4}, "x");
  const Type targets{int32, {8, 1}, false, {}};
  auto picked = [](const Arrays& in) {
    const Array scale = sum(exp(in[0]), 1, true);
    return Arrays{mean(take_along_axis(in[0] * 2.f - log(scale), in[1] % 7, 1))};
  };
  const LocalProgram local = check_placed({type({8, 4096}), targets}, {P(none, "x"), P()}, mesh, picked);
  EXPECT_EQ(total_bytes(local), 0.75 * 8 * 4 + 2 * 0.75 * 4) << explain(local);
  // Outside of the array there are NaNs, whatever is done to the rest.
  check_placed({type({8, 64}), targets, type({64})}, {P(none, "x"), P(), P()}, mesh, [](const Arrays& in) {
    const Array far = in[1] * 100 + 63, rows = sum(in[0], 1, true);
    return Arrays{isnan(take_along_axis(in[0] - rows, far, 1)),
                  isnan(take_along_axis(where(in[0] > 0.f, in[0], rows), far, 1)),
                  take_along_axis(in[0] * in[2], in[1] % 5, 1), take_along_axis(rows + in[0], in[1] % 3, 1),
                  take_along_axis(transpose(transpose(in[0]) * 2.f), in[1] % 3, 1)};
  });
}

TEST(Views, AScanThatAddsUpIsARunningSum) {
  Mesh mesh = grid({4}, "x");
  auto sums = [](const Arrays& in) {
    const Arrays out = scan(32, {}, {in[1], in[1] * 2.f}, {in[0]}, [](const Arrays&, const Arrays& c, const Arrays& x) {
      return Arrays{c[0] + x[0], x[0] + c[1], c[0] + x[0]};
    });
    return Arrays{out[0], out[1], sum(out[2] * out[2], 0)};
  };
  const LocalProgram local = check_placed({type({32, 5}), type({5})}, {P("x"), P()}, mesh, sums);
  EXPECT_LE(total_bytes(local), 3 * 4.0 * 5 + 3 * 2 * 0.75 * 4 * 5) << explain(local);
  // Others stay loops.
  check_placed({type({32, 5}), type({5})}, {P("x"), P()}, mesh, [](const Arrays& in) {
    return scan(32, {}, {in[1]}, {in[0]}, [](const Arrays&, const Arrays& c, const Arrays& x) {
      return Arrays{c[0] * 0.5f + x[0], c[0]};
    });
  });
}

}  // namespace
}  // namespace tutti::testing

// SPDX-License-Identifier: Apache-2.0
