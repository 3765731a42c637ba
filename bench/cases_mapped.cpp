#include <tutti/shard_map.hpp>

#include "case.hpp"

namespace bench {
namespace {

Batch product_with_psum(const Setup& s) {
  auto f = jit(shard_map([](const Array& a, const Array& b) { return lax::psum(matmul(a, b), "y"); },
                         {.mesh = s.mesh, .in_specs = {P("x", "y"), P("y", none)}, .out_specs = P("x", none)}));
  return repeat([=, a = s.normal({64, 64}, P("x", "y")), b = s.normal({64, 64}, P("y", none))] { return f(a, b); });
}

Batch large_psum(const Setup& s) {
  auto f = jit(shard_map([](const Array& v) { return lax::psum(v, {"x", "y"}); },
                         {.mesh = s.mesh, .in_specs = P(axes("x", "y"), none), .out_specs = P(none, none)}));
  return repeat([=, a = s.normal({s.devices, 1 << 22}, P(axes("x", "y"), none))] { return f(a); });
}

}  // namespace

std::vector<Case> mapped_cases() {
  return {{"shard_map_matmul_psum_small", product_with_psum}, {"psum_4M", large_psum}};
}

}  // namespace bench
