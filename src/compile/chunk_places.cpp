#include "compile/chunk_places.hpp"

#include <algorithm>

#include "compile/place.hpp"
#include "compile/reach.hpp"

namespace tutti::compile {
namespace {

// Storages by the block in which they lie. What a loop writes over the last that is read of another lies where that
// does: those lines are in a cache already, and more of what else is needed stays there.
class Blocks {
 public:
  Blocks(const Plan& plan, const Touches& touches, const RowGroup& group, const std::vector<int>& own)
      : p_(plan), first_(plan.storages.size(), -1), last_(first_), block_(first_) {
    for (int k = 0; k < static_cast<int>(group.members.size()); ++k)
      touches.each(group.members[k], [&](int m) {
        if (first_[m] < 0) first_[m] = k;
        last_[m] = k;
      });
    for (int m : own) block_[m] = m;
    for (int k = 0; k < static_cast<int>(group.members.size()); ++k)
      if (const auto* l = std::get_if<Loop>(&p_.steps[group.members[k]].what)) share(*l, k);
  }

  int of(int storage) const { return block_[storage]; }
  int first(int block) const { return first_[block]; }
  int last(int block) const { return last_[block]; }

 private:
  // `last_` of a block is that of all storages in it.
  void share(const Loop& l, int step) {
    for (const Access& to : l.accesses) {
      if (to.kind != Access::Kind::store || !begins(to.storage, step)) continue;
      for (const Access& from : l.accesses) {
        if (from.kind != Access::Kind::load || block_[from.storage] < 0) continue;
        const int block = block_[from.storage];
        if (last_[block] != step || p_.storages[from.storage].bytes != p_.storages[to.storage].bytes ||
            !in_place(l, from.storage, to.storage))
          continue;
        block_[to.storage] = block;
        last_[block] = last_[to.storage];
        break;
      }
    }
  }
  bool begins(int storage, int step) const {
    return block_[storage] == storage && first_[storage] == step && last_[storage] > step;
  }

  const Plan& p_;
  std::vector<int> first_, last_, block_;  // by storage
};

}  // namespace

std::vector<int> own_temporaries(const Plan& plan, const Touches& touches, const RowGroup& group) {
  std::vector<int> users(plan.storages.size(), 0), inside(users), out;
  for (int i = 0; i < touches.steps(); ++i) touches.each(i, [&](int m) { ++users[m]; });
  for (int i : group.members) touches.each(i, [&](int m) { ++inside[m]; });
  for (int m = 0; m < static_cast<int>(plan.storages.size()); ++m)
    if (plan.storages[m].kind == Storage::Kind::temporary && inside[m] > 0 && inside[m] == users[m]) out.push_back(m);
  return out;
}

ChunkPlaces chunk_places(const Plan& plan, const Touches& touches, const RowGroup& group) {
  ChunkPlaces out{own_temporaries(plan, touches, group), {}, 0};
  const Blocks shared(plan, touches, group, out.storages);
  std::vector<Block> blocks;
  std::vector<int> number(plan.storages.size(), -1);  // by storage that begins a block
  for (int m : out.storages) {
    if (shared.of(m) != m) continue;
    number[m] = static_cast<int>(blocks.size());
    blocks.push_back({plan.storages[m].bytes / group.rows * group.chunk, shared.first(m), shared.last(m), 0});
  }
  out.bytes = place(blocks);
  for (int m : out.storages) out.offsets.push_back(blocks[static_cast<std::size_t>(number[shared.of(m)])].offset);
  return out;
}

}  // namespace tutti::compile

// SPDX-License-Identifier: Apache-2.0
