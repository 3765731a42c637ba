// The order of steps before stages are made, and the stages that tile-and-fuse and stage merging begin with.
#include <algorithm>
#include <utility>

#include "compile/passes.hpp"

namespace tutti::compile {
namespace {

constexpr std::int64_t kTiny = 64;  // elements

}  // namespace

// Steps that read the result of a collective stay where they are: messages travel until then.
Plan lift_scalars(Plan p) {
  std::vector<int> large(p.storages.size(), -1);  // by storage: the last large step that it needs
  std::vector<std::pair<int, int>> places;        // large step, step
  std::vector<int> reads, writes;
  for (int i = 0; i < static_cast<int>(p.steps.size()); ++i) {
    uses_of(p.steps[i], reads, writes);
    int place = i;
    if (const auto* l = std::get_if<Loop>(&p.steps[i].what); l && product(l->extents) <= kTiny) {
      place = -1;
      for (int r : reads) place = std::max(place, large[r]);
      if (place >= 0 && is_sending(p.steps[place])) place = i;
    }
    for (int w : writes) large[w] = std::max(large[w], place);
    places.push_back({place, i});
  }
  std::sort(places.begin(), places.end());
  std::vector<Step> out;
  out.reserve(p.steps.size());
  for (auto [place, i] : places) out.push_back(std::move(p.steps[i]));
  p.steps = std::move(out);
  return p;
}

Plan one_stage_each(Plan p) {
  p.stages.clear();
  for (int i = 0; i < static_cast<int>(p.steps.size()); ++i) p.stages.push_back({.steps = {i}});
  return p;
}

}  // namespace tutti::compile

// SPDX-License-Identifier: Apache-2.0
