// Calls of the user's functions, recorded: debug::callback, io_callback, pure_callback and error_if.
#include "tutti/transform/host_call.hpp"

#include <algorithm>

#include "base/loc_override.hpp"
#include "base/loop_steps.hpp"
#include "frontend/format_text.hpp"
#include "frontend/region.hpp"
#include "ops/host/callback.hpp"
#include "trace/trace.hpp"
#include "tutti/base/call_scope.hpp"
#include "tutti/debug/callback.hpp"
#include "tutti/lax/collectives.hpp"
#include "tutti/lax/lax.hpp"
#include "tutti/numpy/numpy.hpp"
#include "tutti/transform/callbacks.hpp"

namespace tutti {
namespace detail {
namespace {

using Arrays = std::vector<Array>;

// The place of a device of the manual region that is being recorded.
struct Place {
  Mesh mesh;
  std::vector<int> axes;  // of the mesh, those with a coordinate
  Arrays coordinates;     // int32 scalars

  std::optional<Device> device(const ops::HostFunction::Coordinates& at) const {
    if (axes.empty()) return std::nullopt;
    std::int64_t number = 0;
    for (int a = 0; a < mesh.ndim(); ++a) {
      const auto found = std::find(axes.begin(), axes.end(), a);
      number =
          number * mesh.shape()[a] + (found == axes.end() ? 0 : at[static_cast<std::size_t>(found - axes.begin())]);
    }
    return mesh.devices().flat()[static_cast<std::size_t>(number)];
  }
};

Place place_here() {
  Place out;
  out.mesh = region_mesh();
  if (!out.mesh.has_value()) return out;
  for (int a = 0; a < out.mesh.ndim(); ++a) {
    const std::string& name = out.mesh.axis_names()[a];
    if (!axis_is_bound(name)) continue;
    out.axes.push_back(a);
    out.coordinates.push_back(lax::axis_index(name));
  }
  return out;
}

// A call with so many guards in front of its operands.
Arrays bind_call(const HostCall& call, HostFn f, const Arrays& guards, const Arrays& operands, const Arrays& like) {
  const bool pure = call.kind == HostKind::pure;
  const Place place = pure ? Place() : place_here();
  auto run = [f = std::move(f), place = Place{place.mesh, place.axes, {}}, loc = call.loc](
                 const Arrays& xs, const ops::HostFunction::Coordinates& at) {
    const OutsideOf everything(nullptr);  // operations of the function's run at once
    return f(xs, CallSite{place.device(at), LoopStep::all(), loc});
  };
  ops::Callback p{ops::HostFunction(std::move(run), call.what, call.loc)};
  for (const Array& x : like) p.results.emplace_back(x.dtype(), x.shape());
  p.guards.assign(guards.size(), 0);
  p.coordinates = static_cast<int>(place.coordinates.size());
  p.ordered = call.ordered;
  p.map = static_cast<ops::MapMethod>(call.map);
  Arrays all = guards;
  all.insert(all.end(), place.coordinates.begin(), place.coordinates.end());
  all.insert(all.end(), operands.begin(), operands.end());
  const Op& op = pure ? ops::pure_callback : call.kind == HostKind::ask ? ops::io_callback : ops::debug_callback;
  return bind(op, Params(p), std::move(all));
}

// ` (step 3 of the loop, CpuDevice(id=1))`.
std::string site_text(const CallSite& site) {
  std::string out = steps_text(site.steps);
  if (site.device) out += (out.empty() ? "" : ", ") + site.device->str();
  return out.empty() ? out : " (" + out + ")";
}

}  // namespace

Arrays host_call(const HostCall& call, HostFn f, const Arrays& operands, const Arrays& like) {
  CallScope scope(call.loc, Loc{"", call.what});
  return bind_call(call, std::move(f), {}, operands, like);
}

void print_call(const FormatText& format, std::vector<TextValue> values, const debug::PrintOptions& options) {
  CallScope scope(format.loc, Loc{"", "debug::print"});
  const TextWithFields text("debug::print", format, std::move(values));
  host_call({"debug::print", HostKind::tell, format.loc, options.ordered},
            [text, device = options.device](const Arrays& xs, const CallSite& site) {
              print_line((device && site.device ? site.device->str() + ": " : "") + text.str(xs));
              return Arrays();
            },
            text.arrays(), {});
}

void watch(const Array& pred, const FormatText& message, std::vector<TextValue> values) {
  CallScope scope(message.loc, Loc{"", "error_if"});
  const TextWithFields text("error_if", message, std::move(values));
  const Array holds = pred.dtype().is_bool() ? pred : pred != 0;
  bind_call({"error_if", HostKind::tell, message.loc},
            [text](const Arrays& xs, const CallSite& site) -> Arrays {
              const LocOverride line(site.loc);
              raise<CheckError>("error_if", text.str(xs) + site_text(site), "The program has asked for this check.");
            },
            {holds.ndim() ? any(holds) : holds}, text.arrays(), {});
}

}  // namespace detail
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
