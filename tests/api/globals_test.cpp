// Arrays, keys and functions at namespace scope are made before main: the library is ready by then.
#include <gtest/gtest.h>

#include "tutti/tutti.hpp"

namespace tutti {
namespace {

const Array table = ones({4}) * 3;
const Array key = random::key(0);
const auto doubled = jit([](const Array& x) { return x * 2; });
const Array result = doubled(table) + random::normal(key, {4}) * 0;

TEST(Globals, AreMadeBeforeMain) { EXPECT_TRUE(allclose(result, full({4}, 6.f))); }

}  // namespace
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
