// How errors are named and worded (tutti/base/call_scope.hpp).
#include "tutti/base/call_scope.hpp"

#include "errors/expect_error.hpp"
#include "tutti/tutti.hpp"

namespace tutti {

namespace user {
struct Layer {
  Array operator()(const Array& x, Loc loc = Loc::current()) const {
    CallScope scope(loc);
    return x + ones({5});
  }
};
template <class T> Array doubled(const Array& x, T, Loc loc = Loc::current()) {
  CallScope scope(loc);
  if (x.ndim() != 1) raise<ShapeError>("doubled", "x has shape " + x.shape().str(), "Give a vector.");
  return multiply(x, ones({2, 7}));
}
}  // namespace user

TEST(CallScope, ErrorsNameThePublicCall) {
  Array a = ones({3, 4}), b = ones({5, 4});
  expect_error<ShapeError>("subtract", {"float32[3,4]", "float32[5,4]"}, [&] { a - b; });
  expect_error<ShapeError>("subtract", {"float32[3,4]", "float32[5,4]"}, [&] { subtract(a, b); });
  expect_error<ShapeError>("sub", {"float32[3,4]", "float32[5,4]"}, [&] { lax::sub(a, b); });
}
TEST(CallScope, LayersOfUsersNameThemselvesAndWhatFailedInside) {
  expect_error<ShapeError>("user::Layer (add)", {"float32[3]", "float32[5]"}, [] { user::Layer{}(ones({3})); });
  expect_error<ShapeError>("user::doubled", {"(3, 4)", "Give a vector."}, [] {
    user::doubled(ones({3, 4}), std::string());
  });
  expect_error<ShapeError>("user::doubled (mul)", {"float32[4]"},
                           [] { user::doubled<std::vector<int>>(ones({4}), {}); });
}
TEST(CallScope, ScopesEndWithTheirCalls) {
  user::doubled(ones({7}), 1);
  EXPECT_FALSE(current_loc());
  EXPECT_EQ(call_name("add"), "add");
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
