#include "fuzz/shrink.hpp"

#include <algorithm>
#include <chrono>

#include "fuzz/builder.hpp"

namespace tutti::fuzz {
namespace {

std::vector<Placed> placed(const Recipe& r) {
  std::vector<Placed> out;
  for (const Recipe::Input& i : r.inputs)
    out.push_back({i.integer ? int32 : float32, i.shape, spec_of(i.cuts, i.shape.ndim())});
  return out;
}
// Gradients have outputs of their own: the value, and one per input.
Wanted wanted(const Recipe& r, const std::vector<int>& ranks) {
  Wanted out(ranks.size());
  for (std::size_t i = 0; i < std::min(ranks.size(), r.outputs.size()); ++i)
    if (!r.outputs[i].open) out[i] = spec_of(r.outputs[i].cuts, ranks[i]);
  return out;
}

bool fails(const Recipe& r, const std::function<std::string(const Recipe&)>& wrong) {
  try {
    return !wrong(r).empty();
  } catch (const std::exception&) {
    return false;
  }
}

// Every recipe that is one move simpler, in the order of how much that helps.
std::vector<Recipe> simpler(const Recipe& r) {
  std::vector<Recipe> out;
  auto with = [&](const auto& change) {
    Recipe next = r;
    change(next);
    out.push_back(std::move(next));
  };
  for (std::size_t size = r.steps.size(); size > 0; size /= 2)
    for (std::size_t at = 0; at + size <= r.steps.size(); at += size)
      with([&](Recipe& n) {
        n.steps.erase(n.steps.begin() + static_cast<std::ptrdiff_t>(at),
                      n.steps.begin() + static_cast<std::ptrdiff_t>(at + size));
      });
  for (std::size_t at = 0; at < r.steps.size(); ++at)
    for (std::size_t i = 0; i < r.steps[at].body.size(); ++i) {
      with([&](Recipe& n) { n.steps[at].body.erase(n.steps[at].body.begin() + static_cast<std::ptrdiff_t>(i)); });
      with([&](Recipe& n) { n.steps[at].body[i].body.clear(); });
    }
  if (r.outputs.size() > 1)
    for (std::size_t i = 0; i < r.outputs.size(); ++i)
      with([&](Recipe& n) { n.outputs.erase(n.outputs.begin() + static_cast<std::ptrdiff_t>(i)); });
  if (r.gradient) with([](Recipe& n) { n.gradient = false; });
  for (int a = 0; a < r.mesh.ndim(); ++a) {
    if (r.mesh.ndim() > 1)
      with([&](Recipe& n) {
        n.mesh.erase(a);
        for (Recipe::Input& i : n.inputs) i.cuts.erase(i.cuts.begin() + a);
        for (Recipe::Output& o : n.outputs) o.cuts.erase(o.cuts.begin() + a);
      });
    if (r.mesh[a] > 2) with([&](Recipe& n) { n.mesh[a] = 2; });
    if (r.mesh[a] > 2) with([&](Recipe& n) { --n.mesh[a]; });
  }
  auto fewer_cuts = [&](auto list) {
    for (std::size_t i = 0; i < (r.*list).size(); ++i)
      for (std::size_t a = 0; a < (r.*list)[i].cuts.size(); ++a) {
        if ((r.*list)[i].cuts[a] >= 0) with([&](Recipe& n) { (n.*list)[i].cuts[a] = -1; });
        if ((r.*list)[i].cuts[a] >= 3) with([&](Recipe& n) { (n.*list)[i].cuts[a] -= 3; });
      }
  };
  fewer_cuts(&Recipe::inputs);
  fewer_cuts(&Recipe::outputs);
  for (std::size_t i = 0; i < r.outputs.size(); ++i)
    if (!r.outputs[i].open) with([&](Recipe& n) { n.outputs[i].open = true; });
  for (std::size_t i = 0; i < r.inputs.size(); ++i)
    for (int d = 0; d < r.inputs[i].shape.ndim(); ++d) {
      const std::int64_t now = r.inputs[i].shape[d];
      for (std::int64_t to : {std::int64_t{1}, now / 2, now - 1}) {
        if (to < 1 || to >= now) continue;
        // Equal extents stay equal: operations ask for them.
        with([&](Recipe& n) {
          for (Recipe::Input& in : n.inputs)
            for (std::int64_t& e : in.shape) e = e == now ? to : e;
        });
        with([&](Recipe& n) { n.inputs[i].shape[d] = to; });
      }
    }
  if (r.inputs.size() > 1)
    for (std::size_t i = 0; i < r.inputs.size(); ++i)
      with([&](Recipe& n) { n.inputs.erase(n.inputs.begin() + static_cast<std::ptrdiff_t>(i)); });
  return out;
}

}  // namespace

std::string mismatch(const Recipe& r) {
  Builder builder(r);
  const std::vector<Placed> inputs = placed(r);
  detail::record(std::ref(builder), inputs);  // how many results there are, and their ranks
  return mismatch(std::ref(builder), mesh_of(r), inputs, wanted(r, builder.output_ranks()), r.seed);
}

std::vector<std::string> lines_of(const Recipe& r) {
  Builder builder(r);
  detail::record(std::ref(builder), placed(r));
  return builder.lines();
}

Recipe shrunk(const Recipe& recipe, const std::function<std::string(const Recipe&)>& wrong, double seconds) {
  const auto start = std::chrono::steady_clock::now();
  auto in_time = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() < seconds;
  };
  Recipe best = recipe;
  for (bool again = true; again;) {
    again = false;
    for (const Recipe& r : simpler(best)) {
      if (!in_time()) return best;
      if (!fails(r, wrong)) continue;
      best = r;
      again = true;
      break;
    }
  }
  return best;
}

std::string as_test(const Recipe& r) {
  Builder builder(r);
  detail::record(std::ref(builder), placed(r));
  std::string names, inputs, outputs;
  for (int i = 0; i < r.mesh.ndim(); ++i) names += std::string(i ? ", \"" : "\"") + static_cast<char>('x' + i) + "\"";
  for (const Placed& p : placed(r))
    inputs += (inputs.empty() ? "{" : ", {") + std::string(p.dtype == int32 ? "int32, " : "float32, ") +
              braces(p.shape) + ", " + text_of(p.spec) + "}";
  for (const auto& spec : wanted(r, builder.output_ranks()))
    outputs += (outputs.empty() ? "" : ", ") + (spec ? text_of(*spec) : std::string("{}"));
  const std::string number = std::to_string(r.seed);
  std::string out = "TEST(Fuzz, Seed" + number + ") {\n  const Mesh mesh = make_mesh(" + braces(r.mesh) + ", {" +
                    names + "});\n  auto program = [&](const Arrays& in) {\n";
  for (const std::string& line : builder.lines()) out += "    " + line + "\n";
  return out + "  };\n  EXPECT_EQ(mismatch(program, mesh, {" + inputs + "}, {" + outputs + "}, " + number +
         "), \"\");\n}\n";
}

}  // namespace tutti::fuzz

// SPDX-License-Identifier: Apache-2.0
