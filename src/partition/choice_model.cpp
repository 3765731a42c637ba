#include "partition/choice_model.hpp"

#include <algorithm>
#include <bit>

namespace tutti {
namespace {

// Entries of a table: in the search for a choice, and where some variables are held.
constexpr std::int64_t table_limit = 20'000, polish_limit = 100'000;

// Over these axes only.
Layout projected(Layout l, const AxisRefs& axes) {
  auto out = [&](const AxisRef& r) { return std::find(axes.begin(), axes.end(), r) == axes.end(); };
  for (AxisRefs& refs : l.dims) std::erase_if(refs, out);
  std::erase_if(l.pending, out);
  return canonical(std::move(l));
}

std::int64_t address_of(const Table& t) { return reinterpret_cast<std::intptr_t>(t.get()); }

// Terms over variables of which some are the same, and terms that stand there several times, as one each.
class Terms {
 public:
  Terms(const std::vector<int>& sizes, MadeTables& made) : sizes_(sizes), made_(made) {}

  void add(std::vector<int> variables, Table costs) {
    for (std::size_t i = 0; i < variables.size(); ++i)
      for (std::size_t k = i + 1; k < variables.size(); ++k)
        if (variables[i] == variables[k]) return add_diagonal(variables, i, k, costs);
    Recipe key(variables.begin(), variables.end());
    key.push_back(address_of(costs));
    const auto [at, fresh] = places_.try_emplace(std::move(key), terms_.size());
    if (fresh)
      terms_.push_back({{std::move(variables), std::move(costs)}, 1});
    else
      ++terms_[at->second].second;
  }

  std::vector<MinSum::Term> done() {
    std::vector<MinSum::Term> out;
    for (auto& [term, times] : terms_) {
      if (times > 1)
        term.costs = made_.get({address_of(term.costs), -3, times}, {term.costs}, [&, &costs = *term.costs, n = times] {
          std::vector<double> all = costs;
          for (double& c : all) c *= n;
          return all;
        });
      out.push_back(std::move(term));
    }
    return out;
  }

 private:
  // Variables i < k are the same: what lies where both are equal.
  void add_diagonal(std::vector<int> variables, std::size_t i, std::size_t k, const Table& costs) {
    auto extent = [&](std::size_t from, std::size_t to) {
      std::int64_t out = 1;
      for (std::size_t v = from; v < to; ++v) out *= sizes_[variables[v]];
      return out;
    };
    const std::int64_t before = extent(0, i), between = extent(i + 1, k), behind = extent(k + 1, variables.size()),
                       n = sizes_[variables[i]];
    Table cut = made_.get({address_of(costs), -4, before, n, between, behind}, {costs}, [&] {
      std::vector<double> out;
      for (std::int64_t a = 0; a < before; ++a)
        for (std::int64_t x = 0; x < n; ++x)
          for (std::int64_t b = 0; b < between; ++b)
            for (std::int64_t c = 0; c < behind; ++c)
              out.push_back((*costs)[static_cast<std::size_t>((((a * n + x) * between + b) * n + x) * behind + c)]);
      return out;
    });
    variables.erase(variables.begin() + static_cast<std::ptrdiff_t>(k));
    add(std::move(variables), std::move(cut));
  }

  const std::vector<int>& sizes_;
  MadeTables& made_;
  std::vector<std::pair<MinSum::Term, int>> terms_;
  std::unordered_map<Recipe, std::size_t, RecipeHash> places_;
};

}  // namespace

ChoiceModel::ChoiceModel(const Graph& graph, Planner& planner, AxisRefs axes)
    : graph_(graph), planner_(planner), axes_(std::move(axes)), like_(all_apart(graph)) {}

Choice ChoiceModel::nothing() const {
  Choice out;
  out.rows.resize(graph_.nodes.size());
  out.hubs.assign(graph_.values.size(), -1);
  return out;
}

void ChoiceModel::tie(Likeness likeness) { like_ = std::move(likeness); }

void ChoiceModel::take_part(Choice& choice, const AxisRefs& axes) {
  active_.insert(active_.end(), axes.begin(), axes.end());
  for (std::size_t n = 0; n < graph_.nodes.size(); ++n)
    for (const AxisRef& axis : axes)
      if (graph_.nodes[n].rows) choice.rows[n].emplace_back(axis, on_nothing);
  choice.cost = std::numeric_limits<double>::infinity();
}

void ChoiceModel::improve(Choice& choice, const AxisRefs& unit, bool again) {
  options_.clear();
  for (std::size_t n = 0; n < graph_.nodes.size(); ++n)
    options_.push_back(options(graph_.nodes[n], choice.rows[n], unit));
  const MinSum all = model();
  const MinSumResult found = minimise(all, table_limit, nullptr, &made_);
  take(choice, found);
  if (again && found.cost > found.bound * (1 + 1e-9) + 1e-6)
    take(choice, minimise(all, polish_limit, &found.values, &made_));
}

MinSumResult ChoiceModel::all_together(std::int64_t limit) {
  active_ = axes_;
  tie(all_apart(graph_));
  options_.clear();
  for (const Node& node : graph_.nodes) options_.push_back(all_options(node));
  return minimise(model(), limit);
}

void ChoiceModel::take(Choice& choice, const MinSumResult& found) const {
  if (!(found.cost < choice.cost)) return;
  choice.cost = found.cost;
  for (std::size_t n = 0; n < graph_.nodes.size(); ++n)
    choice.rows[n] = options_[n]->list[found.values[like_.nodes[n]]].assignment;
  for (std::size_t v = 0; v < graph_.values.size(); ++v) {
    const int c = like_.values[v];
    choice.hubs[v] = hubs_[c] < 0 ? -1 : moving_[c]->layouts[found.values[hubs_[c]]];
  }
}

ChoiceModel::OptionsPtr ChoiceModel::options(const Node& node, const Assignment& now, const AxisRefs& unit) {
  Recipe recipe{reinterpret_cast<std::intptr_t>(node.rows.get()), std::bit_cast<std::int64_t>(node.times)};
  if (!node.rows) {
    recipe = {};
    const Option one = fixed(node);
    recipe.insert(recipe.end(), one.operands.begin(), one.operands.end());
    recipe.push_back(-1);
    recipe.insert(recipe.end(), one.results.begin(), one.results.end());
    return shared(std::move(recipe), [&] { return std::vector{one}; });
  }
  for (const AxisRef& a : unit) recipe.push_back(a.axis);
  for (const auto& [a, choice] : now) recipe.insert(recipe.end(), {-1, a.axis, choice});
  return shared(std::move(recipe), [&] { return listed(node, now, unit); });
}

ChoiceModel::OptionsPtr ChoiceModel::shared(Recipe recipe, const std::function<std::vector<Option>()>& list) {
  OptionsPtr& known = known_options_[std::move(recipe)];
  if (!known) {
    Options out{list(), {}};
    std::vector<double> work;
    for (const Option& o : out.list) work.push_back(o.work);
    out.work = table(std::move(work));
    known = std::make_shared<const Options>(std::move(out));
  }
  return known;
}

std::vector<ChoiceModel::Option> ChoiceModel::listed(const Node& node, const Assignment& now, const AxisRefs& unit) {
  std::vector<Option> out;
  Assignment others = now;
  std::erase_if(others, [&](const auto& a) { return std::find(unit.begin(), unit.end(), a.first) != unit.end(); });
  // Where the assignment stands now comes first, so that nothing changes where nothing is gained.
  add(out, node, now);
  for (int choice : node.rows->choices(unit[0])) {
    const bool order_counts = choice >= 0 && !node.rows->at_home(choice % on_first);
    for (std::size_t at = 0; at <= (order_counts ? others.size() : 0); ++at) {
      // Behind an axis that cuts another factor, or none, it cuts as before it.
      if (at > 0 && (others[at - 1].second < 0 || others[at - 1].second % on_first != choice % on_first)) continue;
      Assignment a = others;
      auto place = a.begin() + static_cast<std::ptrdiff_t>(choice < 0 ? a.size() : at);
      for (const AxisRef& axis : unit) place = a.insert(place, {axis, choice}) + 1;
      add(out, node, a);
    }
  }
  return out;
}

ChoiceModel::Option ChoiceModel::fixed(const Node& node) {
  Option out;
  for (std::size_t i = 0; i < node.operands.size(); ++i)
    out.operands.push_back(id(node.operands[i], node.fixed.operands[i]));
  for (std::size_t i = 0; i < node.results.size(); ++i)
    out.results.push_back(id(node.results[i], node.fixed.results[i]));
  return out;
}

// Every axis on everything, in every order.
ChoiceModel::OptionsPtr ChoiceModel::all_options(const Node& node) {
  if (!node.rows) return options(node, {}, {});
  std::vector<Option> out;
  auto enumerate = [&](auto& self, const AxisRefs& axes, Assignment& a) -> void {
    if (a.size() == axes.size()) return add(out, node, a);
    const AxisRef& axis = axes[a.size()];
    for (int choice : node.rows->choices(axis)) {
      a.emplace_back(axis, choice);
      self(self, axes, a);
      a.pop_back();
    }
  };
  return shared({reinterpret_cast<std::intptr_t>(node.rows.get()), std::bit_cast<std::int64_t>(node.times)}, [&] {
    AxisRefs axes = axes_;
    std::sort(axes.begin(), axes.end());
    do {
      Assignment a;
      enumerate(enumerate, axes, a);
    } while (std::next_permutation(axes.begin(), axes.end()));
    return out;
  });
}

void ChoiceModel::add(std::vector<Option>& out, const Node& node, const Assignment& a) {
  const Candidate* c = node.rows->row(a);
  if (!c) return;
  const std::vector<int>& ids = node.rows->ids(a, planner_);
  const auto split = ids.begin() + static_cast<std::ptrdiff_t>(node.operands.size());
  Option o{a, {ids.begin(), split}, {split, ids.end()}, c->work * node.times};
  for (const Option& other : out)
    if (other.operands == o.operands && other.results == o.results) return;
  out.push_back(std::move(o));
}

int ChoiceModel::id(int value, const Layout& layout) {
  return value < 0 ? -1 : planner_.id(graph_.values[value].size, projected(layout, active_));
}

MinSum ChoiceModel::model() {
  MinSum out;
  out.sizes.resize(static_cast<std::size_t>(like_.node_classes));
  for (std::size_t n = 0; n < graph_.nodes.size(); ++n)
    out.sizes[like_.nodes[n]] = static_cast<int>(options_[n]->list.size());
  moving_.assign(static_cast<std::size_t>(like_.value_classes), nullptr);
  hubs_.assign(static_cast<std::size_t>(like_.value_classes), -1);
  for (std::size_t v = 0; v < graph_.values.size(); ++v) {
    const int c = like_.values[v];
    if (graph_.values[v].uses.empty() || moving_[c]) continue;
    moving_[c] = moving(graph_.values[v]);
    if (!moving_[c]->to_hub) continue;
    hubs_[c] = static_cast<int>(out.sizes.size());
    out.sizes.push_back(static_cast<int>(moving_[c]->layouts.size()));
  }
  Terms terms(out.sizes, made_);
  for (std::size_t n = 0; n < graph_.nodes.size(); ++n) terms.add({like_.nodes[n]}, options_[n]->work);
  for (std::size_t i = 0; i < graph_.values.size(); ++i) {
    const GraphValue& v = graph_.values[i];
    if (v.uses.empty()) continue;
    const MovingPtr m = moving(v);
    const int producer = like_.nodes[v.producer], hub = hubs_[like_.values[i]];
    if (hub >= 0) terms.add({producer, hub}, m->to_hub);
    for (std::size_t u = 0; u < v.uses.size(); ++u) {
      std::vector<int> variables{producer};
      if (hub >= 0) variables.push_back(hub);
      if (v.uses[u].first != v.producer) variables.push_back(like_.nodes[v.uses[u].first]);
      terms.add(std::move(variables), m->uses[u]);
    }
  }
  out.terms = terms.done();
  return out;
}

ChoiceModel::MovingPtr ChoiceModel::moving(const GraphValue& v) {
  Recipe recipe{v.size.space,
                planner_.state(v.size),
                std::bit_cast<std::int64_t>(v.size.bytes),
                std::bit_cast<std::int64_t>(v.size.elements),
                std::bit_cast<std::int64_t>(v.times),
                address(v.producer),
                v.result};
  for (const auto& [node, operand] : v.uses)
    recipe.insert(recipe.end(), {address(node), operand, node == v.producer ? 1 : 0});
  MovingPtr& known = known_moving_[std::move(recipe)];
  if (!known) known = std::make_shared<const Moving>(made(v));
  return known;
}
std::int64_t ChoiceModel::address(int node) const { return reinterpret_cast<std::intptr_t>(options_[node].get()); }

ChoiceModel::Moving ChoiceModel::made(const GraphValue& v) {
  Moving out;
  // All layouts that somebody makes or takes, and what it costs to get from one to another.
  std::vector<int>& layouts = out.layouts;
  for (const Option& o : options_[v.producer]->list) layouts.push_back(o.results[v.result]);
  for (const auto& [node, operand] : v.uses)
    for (const Option& o : options_[node]->list) layouts.push_back(o.operands[operand]);
  std::sort(layouts.begin(), layouts.end());
  layouts.erase(std::unique(layouts.begin(), layouts.end()), layouts.end());
  const auto n = layouts.size();
  auto place = [&](int id) {
    return static_cast<std::size_t>(std::lower_bound(layouts.begin(), layouts.end(), id) - layouts.begin());
  };
  std::vector<std::size_t> made;
  std::vector<char> is_made(n, 0), is_taken(n, 0);
  for (const Option& o : options_[v.producer]->list) {
    made.push_back(place(o.results[v.result]));
    is_made[made.back()] = 1;
  }
  for (const auto& [node, operand] : v.uses)
    for (const Option& o : options_[node]->list) is_taken[place(o.operands[operand])] = 1;
  const bool hub = v.uses.size() > 1;
  // Only of ways that a plan can take: from where it is made, or from a hub to where it is taken.
  std::vector<double> costs(n * n, 0), found;
  for (std::size_t from = 0; from < n; ++from) {
    std::vector<std::size_t> places;
    std::vector<int> to;
    for (std::size_t t = 0; t < n; ++t)
      if (hub ? is_made[from] || is_taken[t] : is_made[from] && is_taken[t]) {
        places.push_back(t);
        to.push_back(layouts[t]);
      }
    if (to.empty()) continue;
    found.clear();
    planner_.costs(v.size, layouts[from], to, v.times, found);
    for (std::size_t k = 0; k < to.size(); ++k) costs[from * n + places[k]] = found[k];
  }

  if (hub) {
    std::vector<double> to_hub;
    for (std::size_t from : made)
      for (std::size_t h = 0; h < n; ++h) to_hub.push_back(costs[from * n + h]);
    out.to_hub = table(std::move(to_hub));
  }
  for (const auto& [node, operand] : v.uses) {
    const bool itself = node == v.producer;
    std::vector<std::size_t> taken;
    for (const Option& o : options_[node]->list) taken.push_back(place(o.operands[operand]));
    std::vector<double> use;
    for (std::size_t p = 0; p < made.size(); ++p)
      for (std::size_t h = 0; h < (hub ? n : 1); ++h)
        for (std::size_t u = itself ? p : 0; u < (itself ? p + 1 : taken.size()); ++u) {
          const double direct = costs[made[p] * n + taken[u]];
          use.push_back(hub ? std::min(direct, costs[h * n + taken[u]]) : direct);
        }
    out.uses.push_back(table(std::move(use)));
  }
  return out;
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
