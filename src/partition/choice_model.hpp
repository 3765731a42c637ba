// The choice of rows as a least sum: variables are the rows of nodes and, for values with several users, a layout to
// which they are brought first (a hub). What is alike is one variable.
#pragma once

#include <functional>
#include <memory>
#include <unordered_map>
#include <vector>

#include "partition/likeness.hpp"
#include "partition/min_sum.hpp"

namespace tutti {

/// What is chosen for every node, with the axes that take part so far.
struct Choice {
  std::vector<Assignment> rows;  // by node
  std::vector<int> hubs;         // by value: a layout to which it is brought first; -1: none
  double cost = std::numeric_limits<double>::infinity();
};

class ChoiceModel {
 public:
  ChoiceModel(const Graph& graph, Planner& planner, AxisRefs axes);

  /// Nothing chosen, no axis taking part.
  Choice nothing() const;
  /// What is alike is chosen alike from now on; a choice that is handed in must be so.
  void tie(Likeness likeness);
  /// The axes take part: on nothing, so far.
  void take_part(Choice& choice, const AxisRefs& axes);
  /// These axes and no others take part.
  void only(const AxisRefs& axes) { active_ = axes; }
  /// The axes are put on whatever is best, all on the same thing, as the others are. With `again`, where tables were
  /// cut short, once more with larger ones.
  void improve(Choice& choice, const AxisRefs& unit, bool again);
  /// Of all axes at once, each on everything: no choice costs less than the bound.
  MinSumResult all_together(std::int64_t limit);

 private:
  // One way to compute a node, as numbers of layouts.
  struct Option {
    Assignment assignment;
    std::vector<int> operands, results;
    double work = 0;
  };
  // All that are looked at. Nodes that are alike share them.
  struct Options {
    std::vector<Option> list;
    Table work;
  };
  using OptionsPtr = std::shared_ptr<const Options>;
  // What it costs to move a value, from the layouts in which it may be made to those in which it may be taken. Values
  // that are alike share it.
  struct Moving {
    std::vector<int> layouts;  // that a hub may have
    Table to_hub;              // by producer's option and hub
    std::vector<Table> uses;   // by producer's option, hub (where there is one) and user's option
  };
  using MovingPtr = std::shared_ptr<const Moving>;

  OptionsPtr options(const Node& node, const Assignment& now, const AxisRefs& unit);
  OptionsPtr all_options(const Node& node);
  OptionsPtr shared(Recipe recipe, const std::function<std::vector<Option>()>& list);
  std::vector<Option> listed(const Node& node, const Assignment& now, const AxisRefs& unit);
  Option fixed(const Node& node);
  void add(std::vector<Option>& out, const Node& node, const Assignment& a);
  int id(int value, const Layout& layout);
  MinSum model();
  MovingPtr moving(const GraphValue& v);
  Moving made(const GraphValue& v);
  std::int64_t address(int node) const;
  void take(Choice& choice, const MinSumResult& found) const;

  const Graph& graph_;
  Planner& planner_;
  const AxisRefs axes_;
  AxisRefs active_;
  Likeness like_;
  // Of the last model: options by node; the layouts that hubs may have, by class of values, and their variables (-1:
  // none).
  std::vector<OptionsPtr> options_;
  std::vector<MovingPtr> moving_;
  std::vector<int> hubs_;
  // What was made before.
  std::unordered_map<Recipe, OptionsPtr, RecipeHash> known_options_;
  std::unordered_map<Recipe, MovingPtr, RecipeHash> known_moving_;
  MadeTables made_;
};

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
