// Axes that change places together, as one. Between two layouts few groups of axes move, however many axes the mesh
// has: the way is looked for among layouts over these groups. So planning takes a time that is a polynomial in the
// number of axes, where all layouts over n axes are more than (rank + 2)^n.
#pragma once

#include <vector>

#include "mesh/layout.hpp"
#include "partition/layout_space.hpp"

namespace tutti {

/// Two layouts of a value, said over groups of axes. Axes that stay where they are take no part where that can be: the
/// value is then the part of it that their blocks are. Groups have the names of other axes of the same size and price,
/// so that pairs of layouts that are alike are one.
struct GroupedPair {
  std::vector<std::int64_t> extents;  // as LayoutSpace takes them
  std::vector<AxisRefs> groups;
  Layout from, to;
  double share = 1;               // of the value
  std::vector<AxisRefs> members;  // by group: the axes as they are called
  Layout fixed;                   // where the others are, which stay
  AxisRefs names;                 // by axis: what it is called
};

class AxisGroups {
 public:
  AxisGroups(const Mesh& mesh, const Prices& prices);
  /// In a space of values with these extents.
  GroupedPair pair(const std::vector<std::int64_t>& extents, const Layout& from, const Layout& to) const;
  /// The layouts from the first of a pair to the second, of a way on which one group moves at a time, both ends
  /// included: what is cut comes before what is sent, sums before what is gathered. Where dims list axes in an order a
  /// group moves when it is the last of its dim and the next one of the other; if there is none such, one is gathered.
  std::vector<Layout> one_by_one(const std::vector<std::int64_t>& extents, const GroupedPair& pair, const Layout& from,
                                 const Layout& to) const;

 private:
  struct Spot {
    int place = 0;  // a dim, `pending` or `nowhere`
    int index = 0;  // there
  };
  std::vector<Spot> spots(const Layout& layout) const;
  std::vector<AxisRefs> groups(const std::vector<std::int64_t>& extents, const std::vector<Spot>& from,
                               const std::vector<Spot>& to, const std::vector<char>& fixed) const;

  AxisRefs axes_;           // those of more than one device
  std::vector<int> sizes_;  // by axis: the first of its size and price
  std::vector<int> links_;  // by axis: the first of its price
};

/// A layout over the groups of a pair as a layout of the value.
Layout ungrouped(const GroupedPair& pair, const Layout& layout);
/// A move from one layout of the pair to another as moves of the value: what is local goes axis by axis.
std::vector<Move> ungrouped(const GroupedPair& pair, const Layout& before, const Move& move);

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
