// error: tree::map: fn must return an Array
#include "tutti/tree/tree.hpp"

using namespace tutti;

Array use(const Array& x) {
  return tree::map([](const Array&) { return std::string(); }, x);
}

// SPDX-License-Identifier: Apache-2.0
