// The host loader.
#include <algorithm>
#include <set>

#include "nn/check.hpp"

namespace tutti::testing {
namespace {

TEST(Documents, dataloaders) {
  Array xs = arange(20).reshape(10, 2), ys = arange(10);
  // In order, with the partial tail: evaluation.
  std::vector<std::int64_t> sizes;
  std::vector<int> seen;
  for (auto [x, y] : data::batches(std::pair{xs, ys}, 4)) {
    sizes.push_back(x.shape(0));
    for (int i : y.to_vector<int>()) seen.push_back(i);
    EXPECT_TRUE(bool(array_equal(x(all, 0), 2 * y)));
  }
  EXPECT_EQ(sizes, (std::vector<std::int64_t>{4, 4, 2}));
  EXPECT_EQ(seen, ys.to_vector<int>());
  // Shuffled, without the tail: training. Each row at most once; another seed, another order.
  auto order = [&](std::uint64_t seed) {
    std::vector<int> out;
    for (auto y : data::batches(ys, 4, {.shuffle = true, .seed = seed, .drop_last = true})) {
      EXPECT_EQ(y.shape(), Shape{4});
      for (int i : y.to_vector<int>()) out.push_back(i);
    }
    return out;
  };
  EXPECT_EQ(order(1).size(), 8u);
  EXPECT_EQ(std::set<int>([&] {
              auto o = order(1);
              return std::set<int>(o.begin(), o.end());
            }())
                .size(),
            8u);
  EXPECT_EQ(order(1), order(1));
  EXPECT_NE(order(1), order(2));
  EXPECT_EQ(data::batches(ys, 4).size(), 3);
  EXPECT_EQ(data::batches(ys, 4, {.drop_last = true}).size(), 2);
  // An item has the type of the tree.
  struct Batch {
    Array inputs, labels;
    int classes;
  };
  for (Batch b : data::batches(Batch{xs, ys, 7}, 5)) EXPECT_EQ(b.classes, 7);
  EXPECT_THROW(data::batches(std::pair{xs, arange(3)}, 4), ShapeError);
  EXPECT_THROW(data::batches(ys, 0), ValueError);
  EXPECT_THROW(data::batches(Array(3), 1), ShapeError);
}

TEST(Batches, DtypesAndEpochs) {
  for (DType d : {bool_, int8, bfloat16, float32}) {
    Array x = (arange(6) % 2).astype(d);
    auto all_of_it = data::batches(x, 6);
    for (int epoch = 0; epoch < 2; ++epoch)
      for (Array y : all_of_it) EXPECT_TRUE(bool(array_equal(y, x)));
  }
  int empty = 0;
  for (Array x : data::batches(zeros({0, 3}), 4)) {
    ++empty;
    (void)x;
  }
  EXPECT_EQ(empty, 0);
}

}  // namespace
}  // namespace tutti::testing

// SPDX-License-Identifier: Apache-2.0
