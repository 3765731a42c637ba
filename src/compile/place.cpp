// From the largest blocks to the smallest. Blocks of one size are taken in the order of their first use: so they need
// as few slots as any placement does. Smaller ones go to where larger slots are free for long enough.
#include "compile/place.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <map>
#include <queue>
#include <set>
#include <tuple>

#include "base/effort.hpp"

namespace tutti::compile {
namespace {

constexpr std::size_t kSizes = 128;  // different ones that are told apart; with more, sizes are rounded up a little

// Memory that nobody needs for a while.
struct Gap {
  int from, to;
  std::int64_t offset, bytes;
};

constexpr int kBegin = std::numeric_limits<int>::min(), kAlways = std::numeric_limits<int>::max();

// The gap that ends first, of those the one that begins last: so long gaps stay for long blocks.
struct Tighter {
  bool operator()(const Gap& a, const Gap& b) const {
    return std::tuple(a.to, -static_cast<std::int64_t>(a.from), a.offset) <
           std::tuple(b.to, -static_cast<std::int64_t>(b.from), b.offset);
  }
};

// At most 16 sizes between a power of two and the next.
std::int64_t coarse(std::int64_t bytes) {
  const int shift = std::max(0, static_cast<int>(std::bit_width(static_cast<std::uint64_t>(bytes))) - 5);
  const std::int64_t step = std::int64_t{1} << shift;
  return (bytes + step - 1) / step * step;
}

class Placing {
 public:
  // Blocks of one size, by first use.
  void all(std::int64_t size, const std::vector<Block*>& blocks) {
    auto later = [](const Gap& a, const Gap& b) { return a.from > b.from; };
    std::priority_queue<Gap, std::vector<Gap>, decltype(later)> waiting(later);
    std::set<Gap, Tighter> open;
    std::vector<Gap> unfit;
    auto keep = [&](const Gap& g) { g.bytes < size ? unfit.push_back(g) : waiting.push(g); };
    effort += static_cast<std::int64_t>(gaps_.size() + blocks.size());
    for (const Gap& g : gaps_) keep(g);
    for (Block* b : blocks) {
      for (; !waiting.empty() && waiting.top().from <= b->first; waiting.pop()) open.insert(waiting.top());
      auto tightest = open.lower_bound({kAlways, b->last, 0, 0});
      Gap g{kBegin, kAlways, end_, size};
      if (tightest == open.end()) {
        end_ += size;
      } else {
        g = *tightest;
        open.erase(tightest);
      }
      b->offset = g.offset;
      if (g.bytes > size) keep({g.from, g.to, g.offset + size, g.bytes - size});
      if (g.from < b->first) unfit.push_back({g.from, b->first - 1, g.offset, size});  // blocks to come begin later
      if (b->last < g.to) keep({b->last + 1, g.to, g.offset, size});
    }
    gaps_ = std::move(unfit);
    gaps_.insert(gaps_.end(), open.begin(), open.end());
    for (; !waiting.empty(); waiting.pop()) gaps_.push_back(waiting.top());
  }
  std::int64_t end() const { return end_; }

 private:
  std::vector<Gap> gaps_;
  std::int64_t end_ = 0;
};

}  // namespace

std::int64_t aligned(std::int64_t bytes) { return (bytes + kAlign - 1) / kAlign * kAlign; }

std::int64_t place(std::vector<Block>& blocks) {
  std::map<std::int64_t, std::vector<Block*>, std::greater<>> sizes;
  for (Block& b : blocks) sizes[aligned(b.bytes)].push_back(&b);
  if (sizes.size() > kSizes) {
    sizes.clear();
    for (Block& b : blocks) sizes[aligned(coarse(b.bytes))].push_back(&b);
  }
  Placing placing;
  for (auto& [size, some] : sizes) {
    std::stable_sort(some.begin(), some.end(), [](const Block* a, const Block* b) { return a->first < b->first; });
    placing.all(size, some);
  }
  return placing.end();
}

}  // namespace tutti::compile

// SPDX-License-Identifier: Apache-2.0
