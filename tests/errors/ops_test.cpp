// The errors of the NumPy-like functions and of lax.
#include <climits>
#include <cmath>

#include "errors/expect_error.hpp"
#include "tutti/tutti.hpp"

namespace tutti {

struct OpErrors : testing::Test {
  Array v = ones({5}), m = ones({3, 4}), other = ones({5, 4}), scalar = ones({}), none_there = zeros({0, 3}),
        keys = random::key(0);
};

TEST_F(OpErrors, Elementwise) {
  expect_error<ShapeError>("add", {"float32[3,4]", "float32[5,4]", "dim -2"}, [&] { m + other; });
  expect_error<ShapeError>("power", {"float32[3,4]", "float32[5,4]"}, [&] { power(m, other); });
  expect_error<ShapeError>("floor_divide", {"float32[3,4]", "float32[5,4]"}, [&] { floor_divide(m, other); });
  expect_error<ShapeError>("maximum", {"float32[3,4]", "float32[5]"}, [&] { maximum(m, v); });
  expect_error<ShapeError>("where", {"float32[3,4]", "float32[5,4]"}, [&] { where(m > 0, m, other); });
  expect_error<ShapeError>("clip", {"float32[3,4]", "float32[5]"}, [&] { clip(m, v, 3); });
  expect_error<ShapeError>("hypot", {"float32[3,4]", "float32[5]"}, [&] { hypot(m, v); });
  expect_error<ShapeError>("logaddexp", {"float32[3,4]", "float32[5]"}, [&] { logaddexp(m, v); });
  expect_error<ShapeError>("equal", {"float32[3,4]", "float32[5]"}, [&] { (void)(m == v); });
  expect_error<ShapeError>("isclose", {"float32[3,4]", "float32[5]"}, [&] { isclose(m, v); });
  expect_error<ShapeError>("allclose", {"float32[3,4]", "float32[5]"}, [&] { allclose(m, v); });
  expect_error<ShapeError>("logical_and", {"bool[3,4]", "bool[5]"}, [&] { logical_and(m, v); });
  expect_error<TypeError>("bitwise_and", {"float32", "integers"}, [&] { m& m; });
  expect_error<TypeError>("add", {"key", "random::key_data"}, [&] { keys + 1; });
  expect_error<TypeError>("negative", {"bool"}, [&] { negative(m > 0); });
  expect_error<ValueError>("power", {"int32", "-2"}, [&] { power(array({1, 2}), -2); });
  expect_error<TypeError>("round", {"bool[2]", "-1"}, [&] { round(array({true, false}), -1); });
  expect_error<TypeError>("nextafter", {"complex64"}, [&] { nextafter(m.astype(complex64), 1.f); });
  expect_error<TypeError>("cbrt", {"complex64"}, [&] { cbrt(m.astype(complex64)); });
  expect_error<TypeError>("astype", {"float32[3,4]", "key"}, [&] { m.astype(prng_key); });
  expect_error<ValueError>("add", {"has_value()"}, [&] { m + Array(); });
  expect_error<ValueError>("sin", {"has_value()"}, [&] { sin(Array()); });
}

TEST_F(OpErrors, Reductions) {
  expect_error<IndexError>("sum", {"axis 2", "2 dims", "-2 to 1"}, [&] { sum(m, 2); });
  expect_error<IndexError>("sum", {"axis -3", "2 dims"}, [&] { m.sum(-3); });
  expect_error<IndexError>("sum", {"axis 9223372036854775807"}, [&] { sum(m, INT64_MAX); });
  expect_error<IndexError>("sum", {"axis -9223372036854775808"}, [&] { sum(m, INT64_MIN); });
  expect_error<ValueError>("mean", {"axis -2", "twice"}, [&] { mean(m, {0, -2}); });
  expect_error<IndexError>("var", {"axis 2"}, [&] { var(m, 2); });
  expect_error<IndexError>("std_", {"axis 2"}, [&] { std_(m, 2); });
  expect_error<IndexError>("any", {"axis 0", "A scalar"}, [&] { any(scalar, 0); });
  expect_error<IndexError>("all", {"axis 2"}, [&] { all(m, 2); });
  expect_error<IndexError>("prod", {"axis 2"}, [&] { prod(m, 2); });
  expect_error<ValueError>("max", {"float32[0,3]", "empty", ".initial"}, [&] { max(none_there); });
  expect_error<ValueError>("amin", {"float32[0,3]", "empty", ".initial"}, [&] { amin(none_there, 0); });
  expect_error<ValueError>("ptp", {"float32[0,3]"}, [&] { ptp(none_there); });
  expect_error<ValueError>("max_with", {"mask", "float32[3,4]"}, [&] { max_with(m, {.where = m > 0}); });
  expect_error<TypeError>("sum", {"key"}, [&] { sum(keys); });
  expect_error<IndexError>("argmax", {"axis 2", "2 dims"}, [&] { argmax(m, 2); });
  expect_error<IndexError>("argmax", {"axis -2147483648"}, [&] { argmax(m, INT_MIN); });
  expect_error<ValueError>("argmax", {"dim 0", "float32[0]", "empty"}, [&] { argmax(zeros({0})); });
  expect_error<ValueError>("argmin", {"dim 0", "float32[0,3]", "empty"}, [&] { argmin(none_there, 0); });
  expect_error<TypeError>("argmax", {"complex64"}, [&] { argmax(m.astype(complex64)); });
  expect_error<IndexError>("cumsum", {"axis 2", "2 dims"}, [&] { cumsum(m, 2); });
  expect_error<ShapeError>("average", {"float32[5]", "float32[3,4]"}, [&] { average(m, v); });
  expect_error<ShapeError>("sum_with", {"float32[3,4]", "bool[5]"}, [&] { sum_with(m, {.where = v > 0}); });
  expect_error<IndexError>("nanmean", {"axis 2"}, [&] { nanmean(m, 2); });
}

TEST_F(OpErrors, Creation) {
  expect_error<ShapeError>("zeros", {"(-1, 2)", "negative"}, [&] { zeros({-1, 2}); });
  expect_error<ShapeError>("ones", {"(2, -3)", "negative"}, [&] { ones({2, -3}); });
  expect_error<ShapeError>("empty", {"(-1,)", "negative"}, [&] { empty({-1}); });
  expect_error<ShapeError>("full", {"(-1,)", "negative"}, [&] { full({-1}, 2.f); });
  expect_error<ShapeError>("full", {"float32[5]", "(3, 4)"}, [&] { full({3, 4}, v); });
  expect_error<ShapeError>("full_like", {"float32[5]", "(3, 4)"}, [&] { full_like(m, v); });
  expect_error<ShapeError>("zeros", {"4611686018427387904", "memory"}, [&] { zeros({1ll << 62, 4}); });
  expect_error<ShapeError>("ones", {"4294967296", "memory"}, [&] { ones({1ll << 32, 1ll << 32}); });
  expect_error<ShapeError>("eye", {"(-2, -2)", "negative"}, [&] { eye(-2); });
  expect_error<ShapeError>("tri", {"(2, -2)", "negative"}, [&] { tri(2, -2); });
  expect_error<ValueError>("arange", {"step", "0"}, [&] { arange(0, 5, 0); });
  expect_error<ValueError>("arange", {"nan"}, [&] { arange(std::nan("")); });
  expect_error<ValueError>("arange", {"inf"}, [&] { arange(0.f, INFINITY); });
  expect_error<ValueError>("arange", {"1e-300"}, [&] { arange(0., 1e300, 1e-300); });
  expect_error<ValueError>("arange", {"9223372036854775807"}, [&] { arange(INT64_MIN, INT64_MAX); });
  expect_error<ValueError>("linspace", {"-3 numbers"}, [&] { linspace(0, 1, -3); });
  expect_error<ShapeError>("tril", {"float32[5]", "two dims"}, [&] { tril(v); });
  expect_error<ShapeError>("triu", {"float32[]", "two dims"}, [&] { triu(scalar); });
  expect_error<ShapeError>("diag", {"float32[]"}, [&] { diag(scalar); });
  expect_error<ShapeError>("array", {"5 elements", "(2, 3)", "6"}, [&] { array(std::vector<float>(5), {2, 3}); });
  expect_error<ShapeError>("array", {"(-2, -3)", "negative"}, [&] { array(std::vector<float>(6), {-2, -3}); });
  expect_error<ShapeError>("array", {"(4294967296, 4294967296)", "memory"}, [&] {
    array(std::vector<float>(), {1ll << 32, 1ll << 32});
  });
  expect_error<ShapeError>("array", {"(2,)", "(1,)"}, [&] { array({{1, 2}, {3}}); });
  expect_error<ShapeError>("array", {"(5,)", "()"}, [&] { array({v, 1}); });
}

TEST_F(OpErrors, Shapes) {
  expect_error<ShapeError>("reshape", {"float32[3,4]", "12 elements", "(5, 2)", "10"}, [&] { m.reshape({5, 2}); });
  expect_error<ShapeError>("reshape", {"(5, -1)", "float32[3,4]", "12"}, [&] { reshape(m, {5, -1}); });
  expect_error<ShapeError>("reshape", {"(-1, -1)", "one -1"}, [&] { m.reshape(-1, -1); });
  expect_error<ShapeError>("reshape", {"(-2, -6)", "-2"}, [&] { m.reshape(-2, -6); });
  expect_error<ShapeError>("reshape", {"(0, -1)"}, [&] { none_there.reshape(0, -1); });
  expect_error<ShapeError>("reshape", {"4294967296"}, [&] { m.reshape(1ll << 32, 1ll << 32, -1); });
  expect_error<ShapeError>("reshape", {"4294967296"}, [&] { none_there.reshape(1ll << 32, 1ll << 32); });
  expect_error<IndexError>("transpose", {"axis 2", "float32[3,4]"}, [&] { m.transpose({0, 2}); });
  expect_error<ShapeError>("transpose", {"dim 0 twice", "(0, 0)"}, [&] { transpose(m, {0, 0}); });
  expect_error<ShapeError>("transpose", {"(0,)", "float32[3,4]"}, [&] { transpose(m, {0}); });
  expect_error<IndexError>("moveaxis", {"axis 5", "float32[3,4]", "-2 to 1"}, [&] { moveaxis(m, 0, 5); });
  expect_error<IndexError>("swapaxes", {"axis -3", "float32[3,4]"}, [&] { swapaxes(m, -3, 0); });
  expect_error<ShapeError>("squeeze", {"dim 0", "float32[3,4]"}, [&] { squeeze(m, 0); });
  expect_error<IndexError>("squeeze", {"axis 2"}, [&] { squeeze(m, 2); });
  expect_error<IndexError>("expand_dims", {"axis 3", "3 dims"}, [&] { expand_dims(m, 3); });
  expect_error<ValueError>("expand_dims", {"axis 0", "twice"}, [&] { expand_dims(m, {0, 0}); });
  expect_error<ShapeError>("broadcast_to", {"float32[3,4]", "(3, 5)"}, [&] { broadcast_to(m, {3, 5}); });
  expect_error<ShapeError>("broadcast_to", {"float32[3,4]", "(4,)"}, [&] { broadcast_to(m, {4}); });
  expect_error<ShapeError>("broadcast_to", {"(-1,)", "negative"}, [&] { broadcast_to(scalar, {-1}); });
  expect_error<IndexError>("flip", {"axis 2"}, [&] { flip(m, 2); });
  expect_error<IndexError>("roll", {"axis 2", "float32[3,4]"}, [&] { roll(m, 1, 2); });
  expect_error<ShapeError>("tile", {"float32[5]", "-1"}, [&] { tile(v, {2, -1}); });
  expect_error<ShapeError>("tile", {"memory"}, [&] { tile(v, {1ll << 40, 1ll << 40}); });
  expect_error<ShapeError>("repeat", {"float32[5]", "-1"}, [&] { repeat(v, -1); });
  expect_error<ShapeError>("repeat", {"float32[3,4]", "-2"}, [&] { repeat(m, -2, 1); });
  expect_error<IndexError>("repeat", {"axis 2", "float32[3,4]"}, [&] { repeat(m, 2, 2); });
  expect_error<ShapeError>("repeat", {"memory"}, [&] { repeat(m, INT64_MAX); });
}

TEST_F(OpErrors, JoiningAndCutting) {
  expect_error<ValueError>("concatenate", {"no arrays"}, [&] { concatenate({}); });
  expect_error<ValueError>("concatenate", {"float32[]", "stack"}, [&] { concatenate({scalar, scalar}); });
  expect_error<ShapeError>("concatenate", {"operand 1", "float32[5,4]", "float32[3,4]", "dim 1"}, [&] {
    concatenate({m, other}, 1);
  });
  expect_error<ShapeError>("concatenate", {"operand 1", "float32[5]", "float32[3,4]"}, [&] { concatenate({m, v}); });
  expect_error<IndexError>("concatenate", {"axis 2", "float32[3,4]"}, [&] { concatenate({m, m}, 2); });
  expect_error<TypeError>("concatenate", {"key"}, [&] { concatenate({random::split_array(keys, {2}), v}); });
  expect_error<ValueError>("stack", {"no arrays"}, [&] { stack({}); });
  expect_error<ShapeError>("stack", {"(3, 4)", "(5, 4)"}, [&] { stack({m, other}); });
  expect_error<IndexError>("stack", {"axis 3"}, [&] { stack({m, m}, 3); });
  expect_error<ValueError>("vstack", {"no arrays"}, [&] { vstack({}); });
  expect_error<ShapeError>("hstack", {"float32[3,4]", "float32[5,4]"}, [&] { hstack({m, other}); });
  expect_error<ShapeError>("split", {"3 equal parts", "dim 0", "float32[5]", "2"}, [&] { split(v, 3); });
  expect_error<ShapeError>("split", {"0 equal parts", "float32[5]"}, [&] { split(v, 0); });
  expect_error<ShapeError>("split", {"-1 equal parts"}, [&] { split(v, -1); });
  expect_error<IndexError>("split", {"axis 1", "float32[5]"}, [&] { split(v, 5, 1); });
  expect_error<ShapeError>("pad", {"2 pairs", "float32[5]"}, [&] { pad(v, {{1, 1}, {1, 1}}); });
  const std::int64_t large = (std::int64_t{1} << 32) + 1;  // 1 in 32 bits
  EXPECT_EQ(eval_shape([&](const Array& x) { return pad(x, {{large, large}}); }, v).shape(), (Shape{2 * large + 5}));
  expect_error<ShapeError>("pad", {"4294967297", "float32[5]", "int32"}, [&] { pad(v, {{0, large}}, PadMode::edge); });
  expect_error<ValueError>("pad", {"(-1, 0)", "float32[5]"}, [&] { pad(v, {{-1, 0}}); });
  expect_error<ShapeError>("pad", {"dim 0", "float32[0,3]", "empty"}, [&] {
    pad(none_there, {{1, 1}}, PadMode::edge);
  });
}

TEST_F(OpErrors, Choosing) {
  expect_error<TypeError>("take", {"float32[5]", "integers"}, [&] { take(m, v, 0); });
  expect_error<IndexError>("take", {"axis 2", "float32[3,4]"}, [&] { take(m, 1, 2); });
  expect_error<IndexError>("take", {"dim 0", "float32[0,3]", "empty"}, [&] { take(none_there, array({1}), 0); });
  expect_error<ShapeError>("take_along_axis", {"int32[1]", "float32[3,4]"}, [&] { take_along_axis(m, array({1}), 0); });
  expect_error<ShapeError>("take_along_axis", {"int32[2,2]", "float32[3,4]"}, [&] {
    take_along_axis(m, zeros({2, 2}, int32), 0);
  });
  expect_error<IndexError>("take_along_axis", {"axis 2", "float32[3,4]"}, [&] {
    take_along_axis(m, zeros({3, 4}, int32), 2);
  });
  expect_error<IndexError>("sort", {"axis 2", "float32[3,4]"}, [&] { sort(m, 2); });
  expect_error<IndexError>("sort", {"axis -1", "float32[]", "no axes"}, [&] { sort(scalar); });
  expect_error<TypeError>("sort", {"order"}, [&] { sort(random::key(0).reshape({1})); });
  expect_error<IndexError>("argsort", {"axis -3", "float32[3,4]"}, [&] { argsort(m, -3); });
}

TEST_F(OpErrors, Indexing) {
  expect_error<IndexError>("index", {"5 is out of range", "dim 0", "float32[5]", "-5 to 4"}, [&] { v(5); });
  expect_error<IndexError>("index", {"-6 is out of range", "dim 0"}, [&] { v[-6]; });
  expect_error<IndexError>("index", {"9223372036854775807"}, [&] { v[INT64_MAX]; });
  expect_error<IndexError>("index", {"-9223372036854775808"}, [&] { v[INT64_MIN]; });
  expect_error<IndexError>("index", {"0 is out of range", "float32[0,3]", "empty"}, [&] { none_there[0]; });
  expect_error<IndexError>("index", {"float32[5]", "1 dims", "2 were indexed"}, [&] { v(0, 0); });
  expect_error<IndexError>("index", {"float32[]", "scalar"}, [&] { scalar(0); });
  expect_error<IndexError>("index", {"2 ellipses", "float32[3,4]"}, [&] { m(ellipsis, ellipsis); });
  expect_error<ValueError>("index", {"step", "0", "float32[5]"}, [&] { v(slice(0, 5, 0)); });
  expect_error<TypeError>("index", {"float32[5]", "integers"}, [&] { m(v); });
  EXPECT_EQ(m(m > 0).ndim(), 1);  // eager: as many as there are
  expect_error<ShapeError>("index", {"(2,)", "(3,)"}, [&] { m(array({0, 1}), array({0, 1, 2})); });
  expect_error<ShapeError>("at.set", {"float32[5]", "(4,)"}, [&] { m.at(0).set(v); });
  expect_error<IndexError>("at.add", {"3 is out of range", "float32[3,4]"}, [&] { m.at(3).add(1); });
  expect_error<IndexError>("at.get", {"3 is out of range", "float32[3,4]"}, [&] { m.at(3).get(); });
  expect_error<TypeError>("at.mul", {"float32[5]", "integers"}, [&] { m.at(v).mul(1); });
  EXPECT_EQ(v(slice(0, 5, INT64_MAX)).size(), 1);
  EXPECT_EQ(v(slice(4, none, INT64_MIN)).size(), 1);
}

TEST_F(OpErrors, Products) {
  expect_error<ShapeError>("matmul", {"lhs float32[3,4] dim 1 is 4", "rhs float32[5,4] dim 0 is 5", ".T()"},
                           [&] { matmul(m, other); });
  expect_error<ShapeError>("matmul", {"lhs float32[3,4]", "rhs float32[5]"}, [&] { matmul(m, v); });
  expect_error<ShapeError>("matmul", {"float32[]", "*"}, [&] { matmul(m, scalar); });
  expect_error<ShapeError>("matmul", {"float32[2,3,4]", "float32[3,4,5]", "2 and 3"}, [&] {
    matmul(ones({2, 3, 4}), ones({3, 4, 5}));
  });
  expect_error<ShapeError>("dot", {"lhs float32[3,4]", "rhs float32[5]"}, [&] { dot(m, v); });
  expect_error<ShapeError>("vdot", {"float32[3,4]", "float32[5]", "12 and 5"}, [&] { vdot(m, v); });
  expect_error<ShapeError>("inner", {"lhs float32[3,4]", "rhs float32[5]"}, [&] { inner(m, v); });
  expect_error<ShapeError>("tensordot", {"lhs float32[3,4] dim 0 is 3", "rhs float32[5,4]"},
                           [&] { tensordot(m, other, 2); });
  expect_error<ShapeError>("tensordot", {"3 dims", "float32[3,4]"}, [&] { tensordot(m, m, 3); });
  expect_error<ShapeError>("tensordot", {"-1 dims"}, [&] { tensordot(m, m, -1); });
  expect_error<ShapeError>("tensordot", {"1 axes of lhs and 2 of rhs"}, [&] { tensordot(m, m, {0}, {0, 1}); });
  expect_error<IndexError>("tensordot", {"axis 2", "float32[3,4]"}, [&] { tensordot(m, m, {2}, {0}); });
  expect_error<ValueError>("einsum", {"1 terms", "2 operands", "ij"}, [&] { einsum("ij", {m, m}); });
  expect_error<ValueError>("einsum", {"\"ijk\"", "float32[3,4]"}, [&] { einsum("ijk", {m}); });
  expect_error<ValueError>("einsum", {"letter j", "4", "5", "float32[5,4]"}, [&] { einsum("ij,jk->ik", {m, other}); });
  expect_error<ValueError>("einsum", {"letter z", "no operand"}, [&] { einsum("ij->z", {m}); });
  expect_error<ValueError>("einsum", {"letter i", "twice"}, [&] { einsum("ij->ii", {m}); });
  expect_error<ValueError>("einsum", {"';'"}, [&] { einsum("i;j", {m}); });
  expect_error<TypeError>("matmul", {"key"}, [&] { matmul(random::split_array(keys, {2}), ones({2})); });
}

TEST_F(OpErrors, Lax) {
  expect_error<ShapeError>("add", {"float32[3,4]", "float32[5]", "broadcast_to()"}, [&] { lax::add(m, v); });
  expect_error<TypeError>("mul", {"float32[3,4]", "int32[3,4]", "astype()"}, [&] { lax::mul(m, m.astype(int32)); });
  expect_error<TypeError>("lax::select", {"float32[3,4]", "bool"}, [&] { lax::select(m, m, m); });
  expect_error<ShapeError>("lax::broadcast_in_dim", {"float32[5]", "(4,)"},
                           [&] { lax::broadcast_in_dim(v, {4}, {0}); });
  expect_error<ShapeError>("lax::broadcast_in_dim", {"dim 3"}, [&] { lax::broadcast_in_dim(v, {4}, {3}); });
  expect_error<ShapeError>("lax::reshape", {"float32[5]", "(-1,)"}, [&] { lax::reshape(v, {-1}); });
  expect_error<ShapeError>("lax::rev", {"dim 1", "1 dims"}, [&] { lax::rev(v, {1}); });
  expect_error<ShapeError>("lax::slice", {"limit 6", "float32[5]"}, [&] { lax::slice(v, {0}, {6}); });
  expect_error<ShapeError>("lax::slice", {"float32[5]", "one of each per dim"}, [&] { lax::slice(v, {0, 0}, {5, 5}); });
  expect_error<ShapeError>("lax::pad", {"float32[5]", "extent -1"}, [&] { lax::pad(v, scalar, {{-6, 0, 0}}); });
  expect_error<TypeError>("lax::pad", {"int32[]", "float32[5]"}, [&] { lax::pad(v, array(1), {{1, 0, 0}}); });
  expect_error<ShapeError>("lax::dynamic_slice", {"(6,)", "float32[5]", "dim 0"},
                           [&] { lax::dynamic_slice(v, {array(0)}, {6}); });
  expect_error<ShapeError>("lax::dynamic_slice", {"2 starts", "float32[5]"}, [&] {
    lax::dynamic_slice(v, {array(0), array(0)}, {2});
  });
  expect_error<TypeError>("lax::dynamic_slice", {"start 0", "float32[]"},
                          [&] { lax::dynamic_slice(v, {scalar}, {2}); });
  expect_error<TypeError>("lax::dynamic_update_slice", {"int32[2]", "float32[5]"}, [&] {
    lax::dynamic_update_slice(v, array({1, 2}), {array(0)});
  });
  expect_error<ShapeError>("lax::gather", {"(2,)", "float32[3,4]"}, [&] {
    lax::gather(m, zeros({2, 1}, int32), {{1}, {0}, {0}, {}, {}}, {2});
  });
  expect_error<TypeError>("lax::gather", {"float32[5]"}, [&] { lax::gather(m, v, {{1}, {0}, {0}, {}, {}}, {1, 4}); });
  expect_error<TypeError>("lax::scatter", {"int32[2,4]", "float32[3,4]"}, [&] {
    lax::scatter(m, zeros({2, 1}, int32), zeros({2, 4}, int32), {{1}, {0}, {0}, {}, {}}, lax::ScatterKind::set);
  });
  expect_error<ShapeError>("lax::sort", {"dim 1"}, [&] { lax::sort(v, 1); });
  expect_error<ShapeError>("lax::dot_general", {"2 dims", "lhs"}, [&] { lax::dot_general(m, m, {{2}, {0}, {}, {}}); });
  expect_error<ShapeError>("lax::dot_general", {"lhs float32[3,4]", "rhs float32[5,4]"}, [&] {
    lax::dot_general(m, other, {{1}, {0}, {}, {}});
  });
  expect_error<TypeError>("lax::dot_general", {"float32[3,4]", "int32[4,3]"}, [&] {
    lax::dot_general(m, zeros({4, 3}, int32), {{1}, {0}, {}, {}});
  });
  expect_error<ValueError>("reduce_sum", {"float32[3,4]", "2"}, [&] { lax::reduce_sum(m, {2}); });
  expect_error<TypeError>("reduce_any", {"float32"}, [&] { lax::reduce_any(m, {0}); });
  expect_error<IndexError>("argmax", {"axis 2", "float32[3,4]"}, [&] { lax::argmax(m, 2); });
  expect_error<TypeError>("argmax", {"float32"}, [&] { lax::argmax(m, 0, float32); });
  expect_error<IndexError>("cumsum", {"axis -1", "float32[3,4]"}, [&] { lax::cumsum(m, -1); });
  expect_error<ShapeError>("lax::bitcast_convert_type", {"uint8[3]", "4"},
                           [&] { lax::bitcast_convert_type(zeros({3}, uint8), uint32); });
  expect_error<TypeError>("lax::bitcast_convert_type", {"bool[3,4]", "float32"},
                          [&] { lax::bitcast_convert_type(m > 0, float32); });
  expect_error<TypeError>("lax::random_wrap", {"float32[5]", "uint32"}, [&] { lax::random_wrap(v); });
  expect_error<TypeError>("lax::random_unwrap", {"float32[5]", "random::key"}, [&] { lax::random_unwrap(v); });
}

TEST_F(OpErrors, Windows) {
  Array x = ones({1, 2, 8, 8}), k = ones({3, 2, 3, 3});
  expect_error<ShapeError>("lax::conv_general_dilated", {"(1, 2, 8, 8)", "(5,)"},
                           [&] { lax::conv_general_dilated(x, v); });
  expect_error<TypeError>("lax::conv_general_dilated", {"float32", "int32"},
                          [&] { lax::conv_general_dilated(x, k.astype(int32)); });
  expect_error<ShapeError>("lax::conv_general_dilated", {"2 features", "3 in"}, [&] {
    lax::conv_general_dilated(x, ones({4, 3, 3, 3}));
  });
  expect_error<ValueError>("lax::conv_general_dilated", {"\"FULL\"", "SAME"},
                           [&] { lax::conv_general_dilated(x, k, {.padding = "FULL"}); });
  expect_error<ValueError>("lax::conv_general_dilated", {"window_strides", "(0, 1)"}, [&] {
    lax::conv_general_dilated(x, k, {.window_strides = {0, 1}});
  });
  expect_error<ShapeError>("lax::conv_general_dilated", {"rhs_dilation", "(1,)", "2 dims"},
                           [&] { lax::conv_general_dilated(x, k, {.rhs_dilation = {1}}); });
  expect_error<ShapeError>("lax::conv_general_dilated", {"1 pairs", "2 dims"}, [&] {
    lax::conv_general_dilated(x, k, {.padding = {{1, 1}}});
  });
  expect_error<ValueError>("lax::conv_general_dilated", {"feature_group_count is 0"},
                           [&] { lax::conv_general_dilated(x, k, {.feature_group_count = 0}); });
  expect_error<ValueError>("lax::conv_general_dilated", {"\"NHC\""}, [&] {
    lax::conv_general_dilated(x, k, {.dimension_numbers = {"NHC", "OIH", "NHC"}});
  });
  expect_error<ShapeError>("lax::conv_transpose", {"(1, 2, 8, 8)", "(5,)"}, [&] { lax::conv_transpose(x, v); });
  expect_error<ShapeError>("lax::reduce_window", {"1 dims", "(1, 2, 8, 8)"},
                           [&] { lax::reduce_window(x, lax::WindowReduction::max, {.window_dimensions = {2}}); });
  expect_error<ValueError>("lax::reduce_window", {"window_dimensions", "(1, 1, 0, 2)"}, [&] {
    lax::reduce_window(x, lax::WindowReduction::max, {.window_dimensions = {1, 1, 0, 2}});
  });
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
