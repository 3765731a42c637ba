#include "checkpoint/ownership.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "array/node.hpp"
#include "mesh/places.hpp"
#include "tutti/distributed/distributed.hpp"

namespace tutti::checkpoint::detail {
namespace {

constexpr std::int64_t kCut = 1 << 20;  // bytes from which on a piece for each holder is worth it

Region region_of(const Box& box) { return {box.start, box.shape()}; }

std::vector<HeldRegion> held_regions(const Array& x) {
  const std::optional<Held> held = held_of(x.node()->sharding, x.shape());
  if (!held) {
    std::vector<int> all(static_cast<std::size_t>(process_count()));
    std::iota(all.begin(), all.end(), 0);
    return {{Region::whole(x.shape()), all}};
  }
  std::vector<HeldRegion> out;
  std::map<std::vector<std::int64_t>, std::size_t>
      position;  // by start: boxes of one layout that begin alike are equal
  const std::vector<Device>& places = held->places->mesh.device_list();
  for (std::size_t at = 0; at < places.size(); ++at) {
    const Box box = box_of(held->layout, held->places->mesh, x.shape(), static_cast<std::int64_t>(at));
    if (box.empty()) continue;
    const Region region = region_of(box);
    const auto [same, first] = position.try_emplace(region.start.dims(), out.size());
    if (first) out.push_back({region, {}});
    out[same->second].holders.push_back(places[at].process_index());
  }
  for (HeldRegion& r : out) std::sort(r.holders.begin(), r.holders.end());
  return out;
}

// The rows of `part` of what lies here of a leaf: `here`.
io::detail::Content rows_of(io::detail::Content content, const Region& here, const Region& part) {
  if (part == here) return content;
  const std::size_t row = content.bytes().size() / static_cast<std::size_t>(here.extent[0]);
  content.offset += row * static_cast<std::size_t>(part.start[0] - here.start[0]);
  content.shape[0] = part.extent[0];
  return content;
}

}  // namespace

std::vector<Assigned> Dealer::deal(const std::vector<HeldRegion>& regions, std::int64_t item) {
  std::vector<Assigned> out;
  auto give = [&](const Region& region, int writer) {
    out.push_back({region, writer});
    bytes_[static_cast<std::size_t>(writer)] += region.num_elements() * item;
  };
  for (const auto& [region, holders] : regions) {
    const std::int64_t rows = region.extent.empty() ? 1 : region.extent[0];
    const auto pieces = std::min<std::int64_t>(rows, static_cast<std::int64_t>(holders.size()));
    if (pieces > 1 && region.num_elements() * item >= kCut * pieces) {
      for (std::int64_t k = 0; k < pieces; ++k) {
        Region piece = region;
        piece.start[0] += rows * k / pieces;
        piece.extent[0] = rows * (k + 1) / pieces - rows * k / pieces;
        give(piece, holders[static_cast<std::size_t>(k)]);
      }
    } else {
      auto less = [&](int a, int b) {
        return bytes_[static_cast<std::size_t>(a)] < bytes_[static_cast<std::size_t>(b)];
      };
      give(region, *std::min_element(holders.begin(), holders.end(), less));
    }
  }
  return out;
}

Part part_of_this_process(const io::detail::Leaves& leaves) {
  const int me = process_index(), count = process_count();
  Part out{count == 1 ? "arrays.safetensors" : fmt::format("arrays-{:05}-of-{:05}.safetensors", me, count), {}};
  Dealer dealer(count);
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    const io::detail::Content content = io::detail::content_here(leaves[i].second);
    const Array x = concrete(leaves[i].second, "save");
    const Region here = region_for_this_process(x);
    for (const auto& [region, writer] : dealer.deal(held_regions(x), x.dtype().size()))
      if (writer == me) out.blocks.push_back({i, region, rows_of(content, here, region)});
  }
  return out;
}

Region region_for_this_process(const Array& like) {
  const std::optional<Held> held = like.is_traced() ? std::nullopt : held_of(like.node()->sharding, like.shape());
  return held ? region_of(held->box) : Region::whole(like.shape());
}

}  // namespace tutti::checkpoint::detail

// SPDX-License-Identifier: Apache-2.0
