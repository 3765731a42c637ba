// NumPy's meanings, by values worked out by hand.
#include <gtest/gtest.h>

#include "tutti/numpy/numpy.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

using I = std::vector<std::int32_t>;
using F = std::vector<float>;

I ints(const Array& x) { return lax::convert_element_type(x, int32).to_vector<std::int32_t>(); }
F floats(const Array& x) { return x.to_vector<float>(); }
Array grid() { return arange(12).reshape(3, 4); }  // 0 1 2 3 / 4 5 6 7 / 8 9 10 11

void expect(const Array& x, const Shape& shape, const I& values) {
  EXPECT_EQ(x.shape(), shape);
  EXPECT_EQ(ints(x), values);
}

TEST(Create, Constants) {
  EXPECT_EQ(zeros({2, 0}).shape(), (Shape{2, 0}));
  EXPECT_EQ(floats(ones({2})), (F{1, 1}));
  EXPECT_EQ(zeros({}).ndim(), 0);
  EXPECT_EQ(zeros({3}, int32).dtype(), int32);
  Array f = full({2}, 3);
  EXPECT_TRUE(f.weak_type());
  EXPECT_EQ(f.dtype(), int32);
  EXPECT_FALSE(full({2}, 3, float32).weak_type());
  expect(full_like(grid(), 7), {3, 4}, I(12, 7));
  EXPECT_THROW(zeros({-1, 2}), ShapeError);
}
TEST(Create, Ranges) {
  expect(arange(3), {3}, {0, 1, 2});
  expect(arange(8, 0, -2), {4}, {8, 6, 4, 2});
  expect(arange(5, 2), {0}, {});
  EXPECT_EQ(arange(1, 8.3, 0.4).size(), 19);
  EXPECT_EQ(arange(3.0).dtype(), float32);
  EXPECT_EQ(arange(3, bfloat16).dtype(), bfloat16);
  EXPECT_THROW(arange(0, 3, 0), ValueError);
  EXPECT_EQ(floats(linspace(0, 1, 5)), (F{0, .25f, .5f, .75f, 1}));
  EXPECT_EQ(floats(linspace(0, 1, 4, false)), (F{0, .25f, .5f, .75f}));
}
TEST(Create, Diagonals) {
  expect(eye(2, int32), {2, 2}, {1, 0, 0, 1});
  expect(eye(2, 3, 1, int32), {2, 3}, {0, 1, 0, 0, 0, 1});
  expect(tril(grid()), {3, 4}, {0, 0, 0, 0, 4, 5, 0, 0, 8, 9, 10, 0});
  expect(triu(grid(), 1), {3, 4}, {0, 1, 2, 3, 0, 0, 6, 7, 0, 0, 0, 11});
}

TEST(Move, Shapes) {
  EXPECT_EQ(grid().reshape(2, -1).shape(), (Shape{2, 6}));
  EXPECT_THROW(grid().reshape(-1, -1), ShapeError);
  EXPECT_THROW(grid().reshape(5, -1), ShapeError);
  expect(grid().T(), {4, 3}, {0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11});
  EXPECT_EQ(moveaxis(zeros({2, 3, 4}), 0, -1).shape(), (Shape{3, 4, 2}));
  EXPECT_EQ(swapaxes(zeros({2, 3, 4}), 0, 2).shape(), (Shape{4, 3, 2}));
  EXPECT_EQ(squeeze(zeros({1, 3, 1})).shape(), (Shape{3}));
  EXPECT_EQ(squeeze(zeros({1, 3, 1}), -1).shape(), (Shape{1, 3}));
  EXPECT_THROW(squeeze(zeros({2, 1}), 0), ShapeError);
  EXPECT_EQ(expand_dims(zeros({3}), {0, -1}).shape(), (Shape{1, 3, 1}));
  expect(broadcast_to(arange(2), {2, 2}), {2, 2}, {0, 1, 0, 1});
  EXPECT_THROW(broadcast_to(arange(2), {6, 9}), ShapeError);
}
TEST(Move, JoinAndCut) {
  expect(concatenate({arange(2), arange(3)}), {5}, {0, 1, 0, 1, 2});
  EXPECT_EQ(concatenate({arange(2), arange(2.0)}).dtype(), float32);
  expect(stack({arange(2), arange(2)}, 1), {2, 2}, {0, 0, 1, 1});
  EXPECT_EQ(split(arange(6), 3)[1].to_vector<std::int32_t>(), (I{2, 3}));
  EXPECT_EQ(split(arange(6), {2, 5})[2].shape(), (Shape{1}));
  EXPECT_THROW(split(arange(7), 2), ShapeError);
  EXPECT_THROW(stack({arange(2), arange(3)}), ShapeError);
  expect(flip(grid(), 0)[0], {4}, {8, 9, 10, 11});
  expect(roll(arange(5), 2), {5}, {3, 4, 0, 1, 2});
  expect(roll(arange(5), -1, 0), {5}, {1, 2, 3, 4, 0});
  expect(tile(arange(2), {2, 2}), {2, 4}, {0, 1, 0, 1, 0, 1, 0, 1});
  expect(repeat(arange(3), 2), {6}, {0, 0, 1, 1, 2, 2});
  expect(repeat(arange(4).reshape(2, 2), 2, 1), {2, 4}, {0, 0, 1, 1, 2, 2, 3, 3});
  expect(pad(arange(3), {{1, 2}}), {6}, {0, 0, 1, 2, 0, 0});
  expect(pad(arange(3), {{1, 2}}, PadMode::edge), {6}, {0, 0, 1, 2, 2, 2});
  expect(pad(arange(3), {{2, 2}}, PadMode::reflect), {7}, {2, 1, 0, 1, 2, 1, 0});
  expect(pad(arange(3), {{1, 1}}, PadMode::wrap), {5}, {2, 0, 1, 2, 0});
}

TEST(IndexExpression, IntegersAndSlices) {
  Array x = grid();
  expect(x[1], {4}, {4, 5, 6, 7});
  expect(x[-1], {4}, {8, 9, 10, 11});
  expect(x(all, -2), {3}, {2, 6, 10});
  expect(x(slice(1, none), slice(none, none, 2)), {2, 2}, {4, 6, 8, 10});
  expect(x(slice(none, none, -1), 0), {3}, {8, 4, 0});
  expect(x(slice(-1, none, -2), all)(all, 1), {2}, {9, 1});
  expect(x(slice(5, 9)), {0, 4}, {});
  EXPECT_EQ(x(newaxis, ellipsis, 0).shape(), (Shape{1, 3}));
  EXPECT_EQ(x(ellipsis, newaxis).shape(), (Shape{3, 4, 1}));
  EXPECT_EQ(x(2, 3).item<int>(), 11);
}
TEST(IndexExpression, Errors) {
  Array x = grid();
  EXPECT_THROW(x[3], IndexError);
  EXPECT_THROW(x(0, -5), IndexError);
  EXPECT_THROW(x(0, 0, 0), IndexError);
  EXPECT_THROW(x(ellipsis, ellipsis), IndexError);
  EXPECT_THROW(x[array(1.5f)], TypeError);
}
TEST(IndexExpression, Arrays) {
  Array x = grid(), i = array({2, 0});
  expect(x[i], {2, 4}, {8, 9, 10, 11, 0, 1, 2, 3});
  expect(x(all, i), {3, 2}, {2, 0, 6, 4, 10, 8});
  expect(x(i, array({1, -1})), {2}, {9, 3});
  expect(x(array({{0}, {1}}), i), {2, 2}, {2, 0, 6, 4});
  expect(x[array(7)], {4}, {8, 9, 10, 11});  // out of range: clamped
  expect(x(slice(1, 3), i), {2, 2}, {6, 4, 10, 8});
  expect(x(newaxis, i, 0), {1, 2}, {8, 0});
  Array y = arange(24).reshape(2, 3, 4);
  EXPECT_EQ(y(i, all, i).shape(), (Shape{2, 3}));                      // separated: the arrays' dim comes first
  expect(y(1, all, array({0, 3})), {2, 3}, {12, 16, 20, 15, 19, 23});  // an integer counts as an array
  EXPECT_EQ(y(all, array({{0, 1}}), array({2, 3})).shape(), (Shape{2, 1, 2}));
}
TEST(IndexExpression, Updates) {
  expect(arange(4).at(1).set(9), {4}, {0, 9, 2, 3});
  expect(arange(4).at(slice(1, 3)).add(10), {4}, {0, 11, 12, 3});
  expect(arange(6).at(slice(none, none, -2)).set(array({7, 8, 9})), {6}, {0, 9, 2, 8, 4, 7});
  expect(arange(4).at(array({0, 0, 2})).add(1), {4}, {2, 1, 3, 3});
  expect(grid().at(all, array({0, 3})).set(0)[1], {4}, {0, 5, 6, 0});
  expect(grid().at(array({0, 2}), slice(1, 3)).mul(0), {3, 4}, {0, 0, 0, 3, 4, 5, 6, 7, 8, 0, 0, 11});
  expect(grid().at(1, ellipsis).max(6)[1], {4}, {6, 6, 6, 7});
  expect(arange(4).at(array({5, -1})).set(9), {4}, {0, 1, 2, 9});  // out of range: dropped
  expect(zeros({2, 3}, int32).at(all, 1).set(array({4, 5})), {2, 3}, {0, 4, 0, 0, 5, 0});
  expect(grid().at(slice(0, 2), slice(none, none, 3)).get(), {2, 2}, {0, 3, 4, 7});
  EXPECT_EQ(arange(4).at(1).set(2.7f).dtype(), int32);
}

TEST(Choose, Take) {
  Array x = arange(5.0) * 10;
  EXPECT_EQ(floats(take(x, array({0, -1}))), (F{0, 40}));
  EXPECT_TRUE(std::isnan(floats(take(x, array({7})))[0]));
  EXPECT_EQ(floats(take(x, array({7, -9}), TakeMode::clip)), (F{40, 0}));
  EXPECT_EQ(floats(take(x, array({7, -1}), TakeMode::wrap)), (F{20, 40}));
  expect(take(grid(), array({{0, 2}}), 1), {3, 1, 2}, {0, 2, 4, 6, 8, 10});
  expect(take_along_axis(grid(), array({{3}, {0}, {1}}), 1), {3, 1}, {3, 4, 9});
  expect(sort(array({3, 1, 2})), {3}, {1, 2, 3});
  expect(argsort(array({3, 1, 2, 1})), {4}, {1, 3, 2, 0});
  expect(argsort(array({3, 1, 2, 3}), 0, true), {4}, {0, 3, 2, 1});
}

TEST(Products, Shapes) {
  expect(matmul(grid(), arange(4)), {3}, {14, 38, 62});
  expect(matmul(arange(3), grid()), {4}, {20, 23, 26, 29});
  EXPECT_EQ(matmul(zeros({5, 1, 2, 3}), zeros({4, 3, 6})).shape(), (Shape{5, 4, 2, 6}));
  EXPECT_EQ(matmul(zeros({3}), zeros({4, 3, 6})).shape(), (Shape{4, 6}));
  EXPECT_EQ(dot(zeros({2, 3}), zeros({4, 3, 5})).shape(), (Shape{2, 4, 5}));
  EXPECT_EQ(outer(arange(2), arange(3)).shape(), (Shape{2, 3}));
  EXPECT_EQ(tensordot(zeros({2, 3, 4}), zeros({3, 4, 5})).shape(), (Shape{2, 5}));
  EXPECT_EQ(tensordot(zeros({2, 3, 4}), zeros({4, 2}), {0, 2}, {1, 0}).shape(), (Shape{3}));
  EXPECT_THROW(dot(zeros({2, 6}), zeros({9, 2})), ShapeError);
  EXPECT_THROW(matmul(array(1.f), zeros({2})), ShapeError);
}
TEST(Products, DotNamesWhatDiffers) {
  try {
    dot(zeros({8, 784}), zeros({1024, 784}));
    FAIL();
  } catch (const ShapeError& e) {
    std::string text = e.what();
    EXPECT_NE(text.find("lhs float32[8,784] dim 1 is 784, rhs float32[1024,784] dim 0 is 1024"), std::string::npos)
        << text;
    EXPECT_NE(text.find("numpy.cpp:"), std::string::npos) << text;
    EXPECT_NE(text.find(".T()"), std::string::npos) << text;
  }
}
TEST(Products, Einsum) {
  Array a = arange(6).reshape(2, 3), b = arange(12).reshape(3, 4);
  expect(einsum("ij,jk->ik", {a, b}), {2, 4}, {20, 23, 26, 29, 56, 68, 80, 92});
  expect(einsum("ij->ji", {a}), {3, 2}, {0, 3, 1, 4, 2, 5});
  expect(einsum("ij->", {a}), {}, {15});
  expect(einsum("ii", {arange(4).reshape(2, 2)}), {}, {3});
  expect(einsum("ii->i", {arange(4).reshape(2, 2)}), {2}, {0, 3});
  expect(einsum("i,j->ij", {arange(2), arange(3)}), {2, 3}, {0, 0, 0, 0, 1, 2});
  EXPECT_EQ(einsum("...ij,...jk->...ik", {zeros({5, 2, 3}), zeros({5, 3, 4})}).shape(), (Shape{5, 2, 4}));
  EXPECT_EQ(einsum("ij,jk,kl", {zeros({2, 3}), zeros({3, 4}), zeros({4, 5})}).shape(), (Shape{2, 5}));
  EXPECT_THROW(einsum("ij,jk->ik", {zeros({2, 6}), zeros({9, 2})}), ValueError);
  EXPECT_THROW(einsum("ij->ik", {a}), ValueError);
}

TEST(Sort, TakesAnyNumberOfArrays) {
  Array key = array({2, 0, 1});
  std::vector<Array> xs{key};
  for (int i = 1; i < 20; ++i) xs.push_back(key * i);
  std::vector<Array> sorted = lax::sort(xs, 0, 1);
  ASSERT_EQ(sorted.size(), 20u);
  for (int i = 1; i < 20; ++i) EXPECT_EQ(sorted[i].to_vector<int>(), (std::vector<int>{0, i, 2 * i}));
  EXPECT_THROW(lax::sort(std::vector<Array>{}, 0, 1), ShapeError);
}

}  // namespace
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
