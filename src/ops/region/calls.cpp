#include "ops/region/calls.hpp"

#include "ops/movement/copy.hpp"
#include "ops/movement/movement.hpp"

namespace tutti::ops {
namespace {

std::vector<Type> types_of_body(const Call& c) { return c.subs.at(0)->output_types(); }

Op call(std::string name) {
  Op op;
  op.name = std::move(name);
  op.infer = types_of_body;
  op.own_weak = true;
  op.without = {{"eval", "it is inlined before anything runs"},
                {"factors", "it is inlined before shardings are propagated"},
                {"batch", "it has a rule for its sub-programs"},
                {"derivative", "it has rules for its sub-programs"},
                {"samples", "it needs a body: tests/transform/custom_rules_test.cpp"}};
  return op;
}

}  // namespace

constinit const Home custom_jvp = [] { return call("custom_jvp"); };
constinit const Home custom_vjp = [] { return call("custom_vjp"); };
constinit const Home remat = [] { return call("remat"); };

constinit const Home custom_tangent = [] {
  Op op = call("custom_tangent");
  op.infer = [](const Call& c) {  // of the cotangents that the backward rule takes
    const auto& p = c.get<CustomTangent>();
    const Program& backward = *c.subs.at(0);
    std::size_t captured = static_cast<std::size_t>(p.kept - p.residuals);
    std::vector<Type> in = backward.input_types();
    return std::vector<Type>(in.begin() + p.residuals, in.end() - static_cast<std::ptrdiff_t>(captured));
  };
  return op;
};

constinit const Home barrier = [] {
  Op op = identity_op("barrier");
  op.view = [](const Call&, const Type& result) { return std::optional(View{0, row_major_strides(result.shape)}); };
  op.samples = {{.params = {}, .operands = {type(float32, {2, 3})}}, {.params = {}, .operands = {type(int32, {})}}};
  return op;
};

}  // namespace tutti::ops
