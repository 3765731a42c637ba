// Shardings of arguments, found by planning: starts that have names, then the best of them argument by argument.
#include <algorithm>
#include <map>
#include <ostream>

#include "api/argument_groups.hpp"
#include "base/units.hpp"
#include "tutti/base/call_scope.hpp"
#include "tutti/transform/search.hpp"

namespace tutti::detail {
namespace {

using sharding::Proposal;
using sharding::SearchOptions;

// What an axis of the mesh is used for at first.
enum class Use { data, full, sequence, free };
constexpr Use uses[] = {Use::data, Use::full, Use::sequence, Use::free};
// Starts that are planned, at most, and how many of them are improved.
constexpr std::size_t most_starts = 64, most_improved = 3;
// Plans that are made, for a program of a thousand Eqns: planning takes as long as the program is.
constexpr double plans_by_thousand_eqns = 12;
// Groups below this part of all bytes stay as their start has them.
constexpr double worth_moving = 0.002;

using Choice = std::vector<Layout>;  // by group

std::size_t size_of(const Program& p) {
  std::size_t out = p.eqns.size();
  for (const Eqn& e : p.eqns)
    for (const ProgramPtr& sub : e.subs) out += size_of(*sub);
  return out;
}

struct Scored {
  Choice choice;
  std::string name;
  bool fits = true;
  double seconds = 0, bytes = 0, peak = 0;
  bool better(const Scored& than) const {
    if (fits != than.fits) return fits;
    if (!fits && peak != than.peak) return peak < than.peak;
    if (seconds < than.seconds * (1 - 1e-6) || than.seconds < seconds * (1 - 1e-6)) return seconds < than.seconds;
    return std::pair(bytes, peak) < std::pair(than.bytes, than.peak);
  }
};

class Descent {
 public:
  Descent(const PlanRequest& request, const Mesh& mesh, const SearchOptions& options)
      : request_(request), mesh_(mesh), options_(options), groups_(argument_groups(request, mesh)) {
    for (int a = 0; a < mesh.ndim(); ++a)
      if (mesh.shape()[a] > 1) axes_.push_back(whole_axis(mesh, a));
    for (const ArgumentGroup& g : groups_) all_bytes_ += g.bytes();
    const double plans = 1000 * plans_by_thousand_eqns / static_cast<double>(size_of(*request.program));
    most_plans_ = static_cast<std::size_t>(std::clamp(plans, 12., 300.));
    const std::vector<Type> outputs = request.program->output_types();
    for (const ArgumentGroup& g : groups_)
      kept_.push_back(std::any_of(outputs.begin(), outputs.end(),
                                  [&](const Type& t) { return t.dtype == g.type.dtype && t.shape == g.type.shape; }));
  }

  std::vector<Scored> run() {
    std::vector<Scored> found = starts();
    sort(found);
    planned_starts_ = plans_;
    if (options_.refine)
      for (std::size_t i = 0, n = std::min(most_improved, found.size()); i < n; ++i) improve(found[i]);
    sort(found);
    return found;
  }

  const std::vector<ArgumentGroup>& groups() const { return groups_; }

  std::vector<Sharding> shardings(const Choice& choice) const {
    std::vector<Sharding> out(request_.inputs.size());
    for (std::size_t g = 0; g < groups_.size(); ++g)
      for (int i : groups_[g].inputs) out[static_cast<std::size_t>(i)] = sharding_from_layout(mesh_, choice[g]);
    return out;
  }

 private:
  static void sort(std::vector<Scored>& list) {
    std::stable_sort(list.begin(), list.end(), [](const Scored& a, const Scored& b) { return a.better(b); });
  }

  Scored score(Choice choice, std::string name) {
    ++plans_;
    const std::vector<Sharding> inputs = shardings(choice);
    const Planned p = planned(request_, &inputs);
    Scored out{std::move(choice), std::move(name), true, p.report.step_seconds, p.report.planned_bytes, 0};
    out.peak = memory_of(p.local, request_.donatable).peak;
    out.fits = options_.memory <= 0 || out.peak <= options_.memory;
    return out;
  }

  // Every axis in every role: what data has in front over the axes of the batch, and so on.
  std::vector<Scored> starts() {
    std::vector<Scored> out;
    std::size_t count = 1;
    for (std::size_t a = 0; a < axes_.size(); ++a) count *= std::size(uses);
    for (std::size_t at = 0; at < std::min(count, most_starts); ++at) {
      std::vector<Use> of;
      for (std::size_t a = 0, rest = at; a < axes_.size(); ++a, rest /= std::size(uses))
        of.push_back(uses[rest % std::size(uses)]);
      Choice choice = start(of);
      const bool known =
          std::any_of(out.begin(), out.end(), [&](const Scored& other) { return other.choice == choice; });
      if (!known) out.push_back(score(std::move(choice), name_of(of)));
    }
    return out;
  }

  Choice start(const std::vector<Use>& of) const {
    Choice out;
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      const Type& type = groups_[g].type;
      Layout l = Layout::replicated(type.ndim());
      for (std::size_t a = 0; a < axes_.size(); ++a) {
        int dim = -1;
        if (!kept_[g] && (of[a] == Use::data || of[a] == Use::full)) dim = 0;
        if (!kept_[g] && of[a] == Use::sequence) dim = 1;
        if (kept_[g] && of[a] == Use::full) dim = longest_block(l, type.shape);
        if (dim >= 0 && dim < type.ndim()) l = with_axis_on(l, axes_[a], dim, type.shape).value_or(l);
      }
      out.push_back(std::move(l));
    }
    return out;
  }

  static int longest_block(const Layout& l, const Shape& shape) {
    const Shape block = block_shape(l, shape);
    return static_cast<int>(std::max_element(block.begin(), block.end()) - block.begin());
  }

  std::string name_of(const std::vector<Use>& of) const {
    std::string out;
    for (std::size_t a = 0; a < axes_.size(); ++a) {
      const std::string axis = " over '" + mesh_.axis_names()[static_cast<std::size_t>(axes_[a].axis)] + "'";
      const char* what = of[a] == Use::data       ? "data parallel"
                         : of[a] == Use::full     ? "fully sharded"
                         : of[a] == Use::sequence ? "sequence parallel"
                                                  : nullptr;
      if (what) out += (out.empty() ? "" : ", ") + (what + axis);
    }
    return out.empty() ? "replicated" : out;
  }

  // One axis of one group on another dim, while that helps; groups of one type together first, as those of an
  // attention's products belong together. The largest go first.
  void improve(Scored& best) {
    std::vector<std::vector<std::size_t>> sets;
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      if (groups_[g].bytes() < worth_moving * all_bytes_ && kept_[g]) continue;
      std::vector<std::size_t> alike;
      for (std::size_t h = 0; h < groups_.size(); ++h)
        if (kept_[h] == kept_[g] && groups_[h].type == groups_[g].type) alike.push_back(h);
      if (alike.size() > 1 && alike.front() == g) sets.push_back(std::move(alike));
      sets.push_back({g});
    }
    auto bytes = [&](const std::vector<std::size_t>& set) {
      double sum = 0;
      for (std::size_t g : set) sum += groups_[g].bytes();
      return sum;
    };
    std::stable_sort(sets.begin(), sets.end(), [&](const auto& a, const auto& b) { return bytes(a) > bytes(b); });
    for (bool changed = true; changed && plans_ - planned_starts_ < most_plans_;) {
      changed = false;
      for (const std::vector<std::size_t>& set : sets) changed |= improve(best, set);
    }
  }

  bool improve(Scored& best, const std::vector<std::size_t>& set) {
    const std::string name = best.name.ends_with(" improved") ? best.name : best.name + ", improved";
    bool changed = false;
    for (const AxisRef& axis : axes_)
      for (int d = -1; d < groups_[set[0]].type.ndim() && plans_ - planned_starts_ < most_plans_; ++d) {
        Choice choice = best.choice;
        bool possible = true;
        for (std::size_t g : set) {
          std::optional<Layout> other = with_axis_on(choice[g], axis, d, groups_[g].type.shape);
          possible = possible && other;
          if (other) choice[g] = std::move(*other);
        }
        if (!possible || choice == best.choice || !tried_.insert_or_assign(text_of(choice), true).second) continue;
        Scored s = score(std::move(choice), name);
        if (!s.better(best)) continue;
        best = std::move(s);
        changed = true;
      }
    return changed;
  }

  std::string text_of(const Choice& choice) const {
    std::string out;
    for (const Layout& l : choice) out += tutti::str(l, mesh_);
    return out;
  }

  const PlanRequest& request_;
  const Mesh mesh_;
  const SearchOptions options_;
  const std::vector<ArgumentGroup> groups_;
  AxisRefs axes_;
  std::vector<char> kept_;  // by group: a result has its type, as parameters and an optimiser's state are handed on
  double all_bytes_ = 0;
  std::size_t plans_ = 0, planned_starts_ = 0, most_plans_ = 0;
  std::map<std::string, bool> tried_;
};

Proposal proposal(const Descent& search, const Scored& s, const std::shared_ptr<const PlanRequest>& request) {
  Proposal out;
  out.strategy = s.name;
  out.fits = s.fits;
  PlanRequest placed = *request;
  const std::vector<Sharding> inputs = search.shardings(s.choice);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (!inputs[i].has_value()) continue;
    placed.inputs[i] = {inputs[i], true, placed.inputs[i].name};
    if (static_cast<int>(i) < request->own) continue;
    out.shardings.push_back(inputs[i]);
    out.specs.emplace_back(placed.inputs[i].name, inputs[i].spec());
  }
  out.report = report_of(std::make_shared<const PlanRequest>(std::move(placed)));
  return out;
}

}  // namespace

std::vector<Proposal> search_shardings(const JitCore& core, const JitCall& call, const Mesh& mesh,
                                       const SearchOptions& options, Loc loc) {
  CallScope scope(loc, Loc{"", "sharding::search"});
  if (!mesh.has_value())
    raise<ValueError>("sharding::search", "the mesh is empty",
                      "Make one with make_mesh({4, 2}, {\"x\", \"y\"}) or abstract_mesh.");
  std::shared_ptr<const PlanRequest> request = core.request(call);
  // Where the arguments lie now says nothing.
  PlanRequest free = *request;
  for (Placement& p : free.inputs)
    if (p.name != "a captured array") p = {NamedSharding(mesh, P()), true, p.name};
  request = std::make_shared<const PlanRequest>(std::move(free));
  Descent search(*request, mesh, options);
  if (search.groups().empty())
    raise<ValueError>("sharding::search", "the arguments have no array", "Give those of a call of the step.");
  std::vector<Proposal> out;
  for (const Scored& s : search.run()) {
    if (static_cast<int>(out.size()) >= std::max(options.proposals, 1)) break;
    out.push_back(proposal(search, s, request));
  }
  return out;
}

}  // namespace tutti::detail

namespace tutti::sharding {

std::string Proposal::str() const {
  std::string out = strategy + (fits ? "" : " (does not fit)") + ": " + seconds_text(report.seconds()) + " a step, " +
                    bytes_text(report.bytes()) + " received, " + bytes_text(report.memory.peak) + " of memory\n";
  std::vector<std::pair<std::string, std::string>> lines, all;
  for (const auto& [name, spec] : specs) all.emplace_back(name, spec.str());
  const std::vector<std::string> patterns = detail::common_patterns(all);
  for (std::size_t i = 0; i < all.size(); ++i) {
    std::pair line{patterns[i], all[i].second};
    if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(std::move(line));
  }
  std::size_t width = 0;
  for (const auto& [name, spec] : lines) width = std::max(width, name.size());
  for (const auto& [name, spec] : lines) out += "  " + name + std::string(width + 2 - name.size(), ' ') + spec + "\n";
  return out;
}

std::ostream& operator<<(std::ostream& out, const Proposal& p) { return out << p.str(); }

}  // namespace tutti::sharding

// SPDX-License-Identifier: Apache-2.0
