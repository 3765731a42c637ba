#include "case.hpp"

namespace bench {
namespace {

Batch compiled_add(Array a) {
  return repeat([=, f = jit([](const Array& v) { return v + 1.0; })] { return f(a); });
}
// The same through a named type: within a tenth of the call of jit's own object.
Batch function_add(Array a) {
  return repeat([=, f = Function<Array(const Array&)>(jit([](const Array& v) { return v + 1.0; }))] { return f(a); });
}
Batch eager_add(Array a) {
  return repeat([=] { return a + a; });
}

// A step over 800 small arrays that it gives back: nearly all of its time is the call.
Batch many_leaves() {
  std::vector<Array> leaves(800, ones({8}));
  for (Array& a : leaves) a = a + 0.f;  // arrays of their own
  auto step = jit(
      [](const std::vector<Array>& now) {
        std::vector<Array> next;
        for (const Array& a : now) next.push_back(a * 0.5f);
        return next;
      },
      {.donate_argnums = {0}});
  return repeat([=]() mutable {
    leaves = step(leaves);
    return leaves[0];
  });
}

}  // namespace

std::vector<Case> tiny_cases() {
  return {
      {"jit_add_one_device", [](const Setup&) { return compiled_add(ones({16})); }},
      {"function_add_one_device", [](const Setup&) { return function_add(ones({16})); }},
      {"jit_add_sharded",
       [](const Setup& s) {
         return compiled_add(s.normal({64, 64}, P("x", "y")));
       }},
      {"eager_add_one_device", [](const Setup&) { return eager_add(ones({16})); }},
      {"eager_add_sharded",
       [](const Setup& s) {
         return eager_add(s.normal({64, 64}, P("x", "y")));
       }},
      {"call_800_leaves", [](const Setup&) { return many_leaves(); }},
  };
}

}  // namespace bench

// SPDX-License-Identifier: Apache-2.0
