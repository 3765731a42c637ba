#include "partition/between.hpp"

#include "tutti/base/call_scope.hpp"

namespace tutti {
namespace {

class Between {
 public:
  Between(const Mesh& devices, std::shared_ptr<const Places> places) : devices_(devices), places_(std::move(places)) {}

  ShardedProgram run(const ShardedProgram& sharded) const {
    ShardedProgram out = sharded;
    out.mesh = places_->mesh;
    out.places = places_;
    for (Layout& l : out.layouts) l = layout(l);
    for (Layout& l : out.outputs) l = layout(l);
    out.origins.clear();
    for (const auto& [at, origin] : sharded.origins) {
      const auto& [value, dim, axis] = at;
      Layout one = Layout::replicated(1);
      one.dims[0] = {whole_axis(devices_, axis)};
      one = layout(one);
      for (const AxisRef& r : one.dims[0]) out.origins.emplace(std::tuple(value, dim, r.axis), origin);
    }
    for (std::vector<ShardedProgram>& bodies : out.bodies)
      for (ShardedProgram& body : bodies) body = run(body);
    return out;
  }

 private:
  Layout layout(const Layout& on_devices) const {
    const std::optional<Layout> there = translate(canonical(on_devices), devices_, places_->devices);
    if (!there) throw InternalError("between processes: " + str(on_devices, devices_) + " cannot be said there");
    return places_->between(*there);
  }

  const Mesh& devices_;
  std::shared_ptr<const Places> places_;
};

}  // namespace

ShardedProgram between_processes(const ShardedProgram& sharded, const std::shared_ptr<const Places>& places,
                                 const std::vector<Sharding>& inputs) {
  ShardedProgram out = Between(sharded.mesh, places).run(sharded);
  const Program& p = *sharded.program;
  auto check = [&](const Sharding& s, const Type& type) {
    if (s.has_value() && !lies_alike(s, type.shape, *places))
      raise<UnsupportedError>("jit",
                              type.str() + " under " + s.str() +
                                  " has blocks of different sizes, and another mesh of the program cuts its axes "
                                  "across processes: its blocks would be others",
                              "Let its extents divide, or use one mesh: device_put takes it to the other one.");
  };
  for (std::size_t i = 0; i < p.inputs.size(); ++i) {
    check(inputs[i], p.types[p.inputs[i]]);
    out.inputs.push_back(layout_between(inputs[i], p.types[p.inputs[i]].ndim(), *places));
  }
  out.outputs.clear();
  for (std::size_t k = 0; k < p.outputs.size(); ++k) {
    check(sharded.output_shardings[k], p.type(p.outputs[k]));
    out.outputs.push_back(layout_between(sharded.output_shardings[k], p.type(p.outputs[k]).ndim(), *places));
  }
  return out;
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
