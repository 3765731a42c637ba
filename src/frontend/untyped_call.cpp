// Calls of users' functions, their types forgotten.
#include "tutti/transform/transforms.hpp"
#include "tutti/tree/tree.hpp"

namespace tutti::detail {

UntypedCall::UntypedCall(Again again) : again_(again) {}
UntypedCall::~UntypedCall() = default;

void UntypedCall::take(std::span<const tree::detail::Ref> trees) {
  trees_ = trees;
  tree::Flat flat;
  for (const tree::detail::Ref& tree : trees) {
    const std::size_t before = flat.leaves.size();
    tree::detail::flatten_into(tree, flat);
    arrays.counts.push_back(static_cast<int>(flat.leaves.size() - before));
  }
  arrays.leaves = std::move(flat.leaves);
  arrays.frozen = std::move(flat.frozen);
  arrays.paths = [trees] {
    std::vector<std::pair<int, tree::Path>> out;
    for (std::size_t i = 0; i < trees.size(); ++i)
      for (tree::Path& path : tree::detail::leaf_paths_of(trees[i]))
        out.emplace_back(static_cast<int>(i), std::move(path));
    return out;
  };
}

Body UntypedCall::body() {
  return [this](const std::vector<Array>& leaves) {
    const tree::detail::Ref result = again_(*this, leaves);
    return BodyResult{tree::detail::leaves_of(result), [result] { return tree::detail::leaf_paths_of(result); }};
  };
}

std::vector<bool> UntypedCall::present() const {
  std::vector<bool> out;
  for (const tree::detail::Ref& tree : trees_) tree::detail::append_present(tree, out);
  return out;
}

std::vector<bool> present_in(tree::detail::Ref tree) {
  std::vector<bool> out;
  tree::detail::append_present(tree, out);
  return out;
}

MapOptions::MapOptions() = default;
MapOptions::MapOptions(const MapOptions&) = default;
MapOptions::MapOptions(MapOptions&&) noexcept = default;
MapOptions::~MapOptions() = default;
MapOptions map_options(const VmapOptions& options) {
  MapOptions out;
  out.in_axes = options.in_axes;
  out.out_axes = options.out_axes;
  out.axis_name = options.axis_name;
  out.axis_size = options.axis_size;
  return out;
}

Gradient::Gradient() = default;
Gradient::~Gradient() = default;
Gradient::Gradient(Gradient&&) noexcept = default;

}  // namespace tutti::detail

// SPDX-License-Identifier: Apache-2.0
