#include "case.hpp"

namespace bench {
namespace {

Batch compiled_add(Array a) {
  return repeat([=, f = jit([](const Array& v) { return v + 1.0; })] { return f(a); });
}
Batch eager_add(Array a) {
  return repeat([=] { return a + a; });
}

}  // namespace

std::vector<Case> tiny_cases() {
  return {
      {"jit_add_one_device", [](const Setup&) { return compiled_add(ones({16})); }},
      {"jit_add_sharded",
       [](const Setup& s) {
         return compiled_add(s.normal({64, 64}, P("x", "y")));
       }},
      {"eager_add_one_device", [](const Setup&) { return eager_add(ones({16})); }},
      {"eager_add_sharded",
       [](const Setup& s) {
         return eager_add(s.normal({64, 64}, P("x", "y")));
       }},
  };
}

}  // namespace bench
