// Layouts of values that are cut alike, as numbers, and the steps between them: the graph in which the planner looks
// for the shortest way. Axes are those of the mesh, whole, in their prime parts or several as one; values of different
// sizes share a space where all their extents divide.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "mesh/layout.hpp"
#include "partition/prices.hpp"

namespace tutti {

/// One step between two layouts. Axes are mesh axes or parts of them, major first.
struct Move {
  enum class Kind { slice, mask, embed, all_gather, all_reduce, reduce_scatter, all_to_all, permute };
  Kind kind = Kind::slice;
  AxisRefs axes;
  int from_dim = -1;  // embed, all_gather, all_to_all: the dim that loses its last axes
  int to_dim = -1;    // slice, reduce_scatter, all_to_all: the dim at whose end they appear
  Layout after;
  int second_dim = -1;  // all_to_all: another dim that loses its last axes: `axes` from `second_axes` on
  int second_axes = 0;
};
const char* name(Move::Kind kind);
bool is_collective(Move::Kind kind);

class LayoutSpace {
 public:
  /// Of values with these extents. An extent of 0 is one that every combination of axes divides. In a space of `parts`
  /// axes are cut into their prime parts, and other extents stay whole.
  LayoutSpace(const Mesh& mesh, std::shared_ptr<const Prices> prices, std::vector<std::int64_t> extents,
              bool parts = false);
  /// Of layouts in which the axes of each group stand together: they move as one.
  LayoutSpace(std::vector<AxisRefs> groups, std::shared_ptr<const Prices> prices, std::vector<std::int64_t> extents);
  /// An extent that every combination of axes divides, of a dim of which each axis cuts another part, whatever others
  /// do (partition/homes.hpp): layouts name its axes in the order of the mesh.
  static constexpr std::int64_t set_like = -1;
  /// The extents by which a shape finds its space: 0 where all devices together divide.
  static std::vector<std::int64_t> extents_of(const Mesh& mesh, const Shape& shape);
  const std::vector<std::int64_t>& extents() const { return extents_; }

  /// Shares of the bytes of the whole value.
  struct Step {
    int to = 0;
    Move::Kind kind = Move::Kind::slice;
    double received = 0;
    double held = 0;   // afterwards
    double price = 0;  // of what is received
    double fixed = 0;  // a price that does not depend on the value
  };
  int id(const Layout& layout);
  const Layout& layout(int id) const { return layouts_[static_cast<std::size_t>(id)]; }
  int size() const { return static_cast<int>(layouts_.size()); }
  /// The share of the value that a device holds.
  double held(int id) const { return held_[static_cast<std::size_t>(id)]; }
  const std::vector<Step>& steps(int from);
  /// Changes when steps do.
  int state() const { return overcut_ ? 1 : 0; }
  /// The step as a move.
  Move move(int from, const Step& step);
  /// Layouts with one number have as many blocks along each dim: a permute goes from each of them to all others, and
  /// costs the same.
  int permuted_alike(int id) const { return permuted_alike_[static_cast<std::size_t>(id)]; }

  /// Where axes of one size and price change names, or dims of one extent their places, prices stay. The layout that
  /// stands for all that this one becomes so, and the renaming that makes it that.
  struct Renamed {
    int id = 0;
    int renaming = 0;  // 0: none
  };
  const Renamed& representative(int id);
  int renamed(int id, int renaming);
  int inverse(int renaming) const { return renamings_[static_cast<std::size_t>(renaming)].inverse; }

 private:
  // What moves as one: an axis, a prime part of one, or several axes.
  struct Atom {
    AxisRefs refs;
    std::int64_t size = 1;
  };
  // Per atom a place and a position there: enough to tell layouts apart.
  struct State {
    std::vector<std::string> dims;  // numbers of atoms, major first
    std::string pending;            // sorted
    Reduce kind = Reduce::sum;
  };
  class Expansion;
  void begin(std::vector<AxisRefs> atoms);
  std::u16string code(const State& state) const;
  State state_of(const Layout& layout) const;
  Layout layout_of(const State& state) const;
  int id(const State& state);
  double extent_share(int dim, double ways) const;
  double held(const State& state) const;
  std::int64_t ways(const std::string& atoms) const;
  int renaming(const std::string& atoms, const std::string& dims);
  bool divides(const State& state) const;
  bool may_cut(int dim, double ways) const;
  bool is_set(int dim) const { return extents_[static_cast<std::size_t>(dim)] == set_like; }

  std::shared_ptr<const Prices> prices_;
  std::vector<Atom> atoms_;
  std::vector<int> alike_atoms_;  // by atom: the first that costs the same
  std::vector<std::int64_t> extents_;
  bool parts_;
  bool overcut_ = false;  // somebody asked for more blocks than elements
  std::vector<Layout> layouts_;
  std::vector<State> states_;
  std::vector<double> held_;
  std::vector<const std::u16string*> codes_;  // keys of ids_
  std::vector<std::unique_ptr<std::vector<Step>>> steps_;
  std::unordered_map<std::u16string, int> ids_;
  std::vector<int> permuted_alike_;
  std::map<std::pair<std::vector<std::int64_t>, std::string>, int> alike_;  // by blocks along dims, and partial sums
  // Atoms and dims that become others.
  struct Renaming {
    std::string atoms, dims;  // by atom and by dim: which it becomes
    int inverse;
    std::unordered_map<int, int> ids = {};  // by layout that was asked for: there are many renamings, of few each
  };
  std::vector<Renaming> renamings_;
  std::map<std::pair<std::string, std::string>, int> renaming_ids_;
  std::vector<Renamed> representatives_;  // by layout; id -1: not asked for yet
};

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
