// Axes of which a part lies between processes: 8 devices on a line, in 2 and 4 processes. Dims that are split and
// joined follow parts of axes, and one array lies on meshes of other shapes.
#include <gtest/gtest.h>

#include <tutti/tutti.hpp>

namespace tutti {
namespace {

std::vector<float> everywhere(const Array& x) { return multihost::process_allgather(x).to_vector<float>(); }

struct Case {
  const char* name;
  std::function<Array(const Array&)> f;
};
std::vector<Case> cases() {
  return {{"split in two dims", [](const Array& v) { return v.reshape(2, 8, 4) * 2.f; }},
          {"split otherwise", [](const Array& v) { return v.reshape(4, 4, 4) + 1.f; }},
          {"joined", [](const Array& v) { return v.reshape(64) + 1.f; }},
          {"summed over the minor part", [](const Array& v) { return v.reshape(2, 8, 4).sum(1); }},
          {"summed over the major part", [](const Array& v) { return v.reshape(2, 8, 4).sum(0); }},
          {"parts in another order",
           [](const Array& v) {
             return v.reshape(2, 2, 4, 4).transpose({1, 0, 2, 3}).reshape(16, 4);
           }},
          {"one of the parts", [](const Array& v) { return v.reshape(4, 16)[1] * 3.f; }}};
}

TEST(AxisParts, DimsAreSplitAndJoined) {
  const Array x = arange(64).astype(float32).reshape(16, 4);
  for (const Mesh& mesh : {make_mesh({8}, {"x"}), make_mesh({2, 4}, {"x", "y"}), make_mesh({4, 2}, {"x", "y"})}) {
    std::vector<P> specs{P("x")};
    if (mesh.ndim() == 2) specs = {P("x"), P(none, "x"), P(Names{"x", "y"}), P(Names{"y", "x"}), P("y", "x")};
    for (const P& spec : specs)
      for (const Case& c : cases()) {
        SCOPED_TRACE(mesh.str() + " " + spec.str() + " " + c.name);
        const Array want = c.f(x), xs = device_put(x, NamedSharding(mesh, spec));
        EXPECT_EQ(everywhere(jit(c.f)(xs)), want.to_vector<float>());
        EXPECT_EQ(everywhere(c.f(xs)), want.to_vector<float>());
      }
  }
}

TEST(AxisParts, OneProgramOverMeshesOfOtherShapes) {
  const Array x = arange(64).astype(float32).reshape(16, 4);
  const Mesh line = make_mesh({8}, {"x"}), cube = make_mesh({2, 2, 2}, {"a", "b", "c"});
  auto f = jit([](const Array& a, const Array& b) { return a.sum(0) + b * 2.f; });
  const Array on_line = device_put(x, NamedSharding(line, P("x")));
  for (const P& spec : {P("a", "b"), P("b", "a"), P("c"), P(Names{"a", "c"}), P(Names{"c", "a"}, "b")}) {
    SCOPED_TRACE(spec.str());
    EXPECT_EQ(everywhere(f(on_line, device_put(on_line, NamedSharding(cube, spec)))), f(x, x).to_vector<float>());
  }
}

}  // namespace
}  // namespace tutti
