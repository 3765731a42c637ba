// The errors of Array's own members: values, deletion, what is traced.
#include <climits>

#include "errors/expect_error.hpp"
#include "tutti/tutti.hpp"

namespace tutti {

TEST(ArrayErrors, Values) {
  Array m = ones({3, 4});
  expect_error<ValueError>("item", {"float32[3,4]", "size 1", "to_vector"}, [&] { m.item<float>(); });
  expect_error<ValueError>("item", {"float32[0]"}, [&] { zeros({0}).item_scalar(); });
  expect_error<TypeError>("to_vector", {"float32[3,4]", "int32", "astype"}, [&] { m.to_vector<int>(); });
  expect_error<TypeError>("to_vector", {"int32[2]", "float32"}, [&] { array({1, 2}).to_vector<float>(); });
  expect_error<TypeError>("to_vector", {"key<fry>[]", "float32"}, [&] { random::key(0).to_vector<float>(); });
  expect_error<ValueError>("item", {"empty", "has_value()"}, [&] { Array().item<float>(); });
}

TEST(ArrayErrors, DeletedArraysSayWhichAndBy) {
  Array x = ones({3, 4});
  x.delete_();
  expect_error<DeletedError>("to_vector", {"float32[3,4]", "deleted", "delete_()"}, [&] { x.to_vector<float>(); });
  expect_error<DeletedError>("sin", {"float32[3,4]", "deleted", "delete_()"}, [&] { sin(x); });
  expect_error<DeletedError>("add", {"float32[3,4]", "deleted"}, [&] { x + 1; });
  expect_error<DeletedError>("reshape", {"float32[3,4]", "deleted"}, [&] { x.reshape(12); });
  Array donated = ones({8});
  jit([](const Array& a) { return a * 2; }, {.donate_argnums = {0}})(donated);
  if (donated.is_deleted()) expect_error<DeletedError>("add", {"float32[8]", "donated"}, [&] { donated + 1; });
}

TEST(ArrayErrors, TracedArraysHaveNoValues) {
  int traces = 0;
  jit([&](const Array& x) {
    ++traces;
    expect_error<TracerError>("item", {"float32[]", "jit", "where"}, [&] { x(0).item<float>(); });
    expect_error<TracerError>("to_vector", {"float32[2]", "jit", "recorded"}, [&] { x.to_vector<float>(); });
    expect_error<ValueError>("item", {"float32[2]", "size 1"}, [&] { x.item<float>(); });
    EXPECT_THROW((void)bool(x(0) > 0), TracerError);
    EXPECT_THROW(x.delete_(), TracerError);
    EXPECT_THROW(x.sharding(), TracerError);
    return x;
  })(ones({2}));
  EXPECT_EQ(traces, 1);
  vmap([](const Array& x) {
    expect_error<TracerError>("item", {"float32[]", "vmap", "where"}, [&] { x.item<float>(); });
    return x;
  })(ones({2}));
}

TEST(ArrayErrors, EscapedArrays) {
  Array kept;
  jit([&](const Array& x) {
    kept = x;
    return x;
  })(ones({3}));
  expect_error<TracerError>("add", {"float32[3]", "jit", "after that call has ended"}, [&] { kept + 1; });
  expect_error<TracerError>("to_vector", {"float32[3]", "jit"}, [&] { kept.to_vector<float>(); });
}

TEST(ArrayErrors, Axes) {
  Array m = ones({3, 4});
  EXPECT_THROW(m.shape(2), IndexError);
  EXPECT_THROW(m.shape(INT_MIN), IndexError);
  EXPECT_THROW(ones({}).shape(0), IndexError);
  EXPECT_THROW(Array(5000000000ll), ValueError);
}

TEST(ArrayErrors, UnboundAxisNames) {
  expect_error<NameError>("lax::psum", {"unbound axis name: i", "none"}, [&] { lax::psum(ones({2}), "i"); });
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
