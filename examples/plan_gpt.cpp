// What a training step of the transformer would send on machines that nobody has: `./dev run plan_gpt --devices N`.
//
//     ./dev run plan_gpt --devices 100000                           # in less than a second, whatever N is
//     ./dev run plan_gpt --devices 1024 --model 8 --html plan.html  # heads and hidden units over 8 devices
//     ./dev run plan_gpt --devices 64 --search 16                   # placements that fit into 16 GB, best first
//     ./dev run plan_gpt --devices 1024 --tflops 100 --between 25   # as fast as can be on this machine
#include <chrono>

#include "text/gpt_training.hpp"

namespace {
using namespace text;

struct PlanOptions : GptRun {
  PlanOptions() {
    layers = 12;
    width = 768;
    heads = 12;
    context = 1024;
    batch = 0;
    scan = true;
  }
  std::int64_t devices = 8, model = 4;
  double memory = 0;
  double tflops = 0, inside = 0, between = 0;  // of the machine; 0: not said
  std::string html, json;
  int remedies = 0;
  bool unrolled = false;
};

// The largest number that divides all devices and the heads, and is at most `wanted`.
std::int64_t model_size(const PlanOptions& o) {
  std::int64_t n = std::min<std::int64_t>(o.model, o.heads);
  while (o.devices % n || o.heads % n) --n;
  return n;
}

int plan(PlanOptions o) {
  if (o.devices < 1 || o.devices > 1'000'000) throw UsageError("--devices: give a number from 1 to 1,000,000");
  if (o.model < 1) throw UsageError("--model: give a positive number");
  check_sizes({{"--layers", o.layers}, {"--width", o.width}, {"--heads", o.heads}, {"--context", o.context}});
  if (o.width % o.heads) throw UsageError("--width and --heads: the heads must divide the width");
  const std::int64_t model_ways = model_size(o), data_ways = o.devices / model_ways;
  const std::int64_t examples = o.batch > 0 ? o.batch : 4 * data_ways;
  const GptOptions options{.layers = o.layers,
                           .width = o.width,
                           .heads = o.heads,
                           .context = o.context,
                           .rotary = o.positions == "rotary",
                           .scan = o.scan && !o.unrolled,
                           .dtype = o.dtype == "bfloat16" ? bfloat16 : float32,
                           .remat = remat_policy(o.remat)};
  Machine machine;
  if (o.tflops > 0) machine.flops = o.tflops * 1e12;
  if (o.inside > 0) machine.inside.bandwidth = o.inside * 1e9;
  if (o.between > 0) machine.between.bandwidth = o.between * 1e9;
  config::machine(machine);
  const Mesh mesh = abstract_mesh({data_ways, model_ways}, {"data", "model"});
  const auto start = std::chrono::steady_clock::now();
  auto init = [&](const Array& key) { return init_gpt(options, key); };
  auto keep = [&](const Gpt& m) { return gpt_optimiser(o, Array(0.f)).init(m); };
  const Gpt shapes = eval_shape(init, random::key(0));
  const Gpt model = place(shapes, options, mesh);
  const GptState state = place(eval_shape(keep, shapes), options, mesh);
  const Array bytes = ShapeDtypeStruct({examples, o.context}, uint8, NamedSharding(mesh, P("data")));
  const Array rate = ShapeDtypeStruct(Shape{}, float32);
  const auto step = training_step(o, options);
  const Explanation e = step.plan(model, state, bytes, bytes, rate);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();

  std::int64_t parameters = 0;
  for (const Array& a : tree::leaves(shapes)) parameters += a.size();
  std::cout << fmt::format(
                   "model     {} parameters: {} layers{}, width {}, {} heads\nbatch     {} examples of {} bytes\n",
                   parameters, o.layers, options.scan ? " in one loop" : "", o.width, o.heads, examples, o.context)
            << "\n"
            << e.str(o.remedies) << fmt::format("\nplanned in {:.3f} s\n", seconds);
  if (!o.html.empty()) write_file(o.html, e.html());
  if (!o.json.empty()) write_file(o.json, e.json());
  if (o.memory <= 0) return 0;
  const auto ways = sharding::search(step, std::tuple(model, state, bytes, bytes, rate), mesh,
                                     {.memory = o.memory * 1e9, .proposals = 3});
  for (const sharding::Proposal& p : ways) std::cout << "\n" << p;
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  PlanOptions o;
  CommandLine line("Plans a training step of a transformer for devices that need not exist.");
  line.add("--devices", o.devices, "how many").with_default();
  line.add("--model", o.model, "devices that share heads and hidden units, at most").with_default();
  line.add("--layers", o.layers, "how many blocks").with_default();
  line.add("--width", o.width, "numbers per position").with_default();
  line.add("--heads", o.heads, "of attention").with_default();
  line.add("--context", o.context, "bytes the model sees").with_default();
  line.add("--batch", o.batch, "examples per step (default: 4 for each device of the data axis)");
  line.add("--dtype", o.dtype, "of the computation").one_of({"float32", "bfloat16"});
  line.flag("--unrolled", o.unrolled, "the layers one by one, in place of one loop");
  const char* by_time = "the plan then goes by seconds, not by bytes";
  line.add("--tflops", o.tflops, std::string("1e12 operations a second of a device; ") + by_time);
  line.add("--inside", o.inside, std::string("GB a second between devices of a host; ") + by_time);
  line.add("--between", o.between, std::string("GB a second from host to host; ") + by_time);
  line.add("--remedies", o.remedies, "of how many collectives it is said what would remove them");
  line.add("--search", o.memory, "GB of a device: proposes placements that fit");
  line.add("--html", o.html, "file for the report with bars");
  line.add("--json", o.json, "file for the report as JSON");
  return text::run_program("plan_gpt", line, argc, argv, [&] { return plan(o); });
}

// SPDX-License-Identifier: Apache-2.0
