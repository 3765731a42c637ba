#include "backend/cpu/scatter_runs.hpp"

#include <algorithm>
#include <complex>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "backend/cpu/place_blocks.hpp"
#include "backend/cpu/place_order.hpp"
#include "backend/cpu/scatter_kinds.hpp"
#include "base/half.hpp"
#include "base/stream.hpp"
#include "base/tasks.hpp"
#include "device/buffer.hpp"

namespace tutti::cpu {
namespace {

using lax::ScatterKind;
using namespace scatter;

constexpr std::int64_t kFewRuns = 64, kFewElements = 1 << 14;  // one thread goes through them in order
constexpr std::int64_t kRunsAsked = 8;                         // runs that are asked for before they are read
// Few places have tables of their own for each part of the runs, where so many elements come to them, at least, and so
// many to a place.
constexpr std::int64_t kAddedToTable = 1 << 15, kAddedTimes = 16;
constexpr std::int64_t kOfTable = 1 << 14, kTables = 16, kOfLargeTable = 1 << 20, kLargeTables = 4, kDouble = 1 << 11;
constexpr std::int64_t kLongRun = 16, kStretches = 1 << 14;
constexpr std::int64_t kFewPlaces = 4;  // of a block, for each element that comes: else places are visited one by one
constexpr double kElementNs = 0.3, kRunNs = 10, kStretchedNs = 0.5, kStretchedDirectlyNs = 0.15;

template <std::size_t size>
using WordOf =
    std::conditional_t<size == 1, std::uint8_t,
                       std::conditional_t<size == 2, std::uint16_t,
                                          std::conditional_t<size == 4, std::uint32_t,
                                                             std::conditional_t<size == 8, std::uint64_t, TwoWords>>>>;

template <class T, class How> class Runs {
  using Held = typename How::Held;

 public:
  Runs(const ScatterUpdates& updates, const ScatterStart& start, std::int64_t elements, T* out)
      : updates_(static_cast<const T*>(updates.data)),
        places_of_updates_(updates.places),
        fill_(static_cast<const T*>(updates.fill)),
        elements_(elements),
        past_(elements * static_cast<std::int64_t>(sizeof(T)) >= kPastCache),
        from_(start.from == out ? nullptr : static_cast<const T*>(start.from)),
        is_one_(start.is_one),
        out_(out) {}

  void combine(const RunPlaces& places, void* indices) {
    places_ = &places;
    indices_ = indices;
    length_ = places.length();
    count_ = places.count();
    if (auto stretches = stretches_of_runs(); !stretches.empty())
      return by_stretches(Stretches(std::move(stretches), elements_));
    const std::int64_t most = elements_ <= kOfTable        ? kTables
                              : elements_ <= kOfLargeTable ? kLargeTables
                                                           : 1,
                       added = count_ * length_ / std::max(kAddedToTable, kAddedTimes * elements_);
    if (const std::int64_t tables = std::min({most, count_, added}); How::tables && tables > 1)
      return by_tables(tables);
    // A few float32 numbers are added as well as they are.
    if (count_ <= kFewRuns && std::same_as<How, Added<float>>) return in_order<Folded<T, Plus>>();
    if (How::direct && (count_ <= kFewRuns || count_ * length_ <= kFewElements)) return in_order<How>();
    by_blocks();
  }

  // Each block of the array takes its part of the stretches that reach it, in their order.
  void by_stretches(const Stretches& stretches) const {
    const std::int64_t blocks = stretches.blocks(), each = stretches.block();
    const double work = (from_ ? kElementNs * static_cast<double>(elements_) : 0) +
                        (How::direct ? kStretchedDirectlyNs : kStretchedNs) * static_cast<double>(stretches.elements());
    in_pieces(blocks, work / static_cast<double>(blocks), [&](std::int64_t b, std::int64_t to) {
      HostPtr table;
      if (!How::direct) table = allocate_buffer(static_cast<std::size_t>(std::min(each, elements_)) * sizeof(Held));
      for (; b < to; ++b) {
        const std::int64_t begin = b * each, end = std::min(elements_, begin + each);
        if (How::direct) start(begin, end, false);
        auto take_all = [this, b, begin, end, &stretches](Held* held) {
          stretches.for_each(b, [=, this](const RunPlaces::Stretch& s) { take_part(s, begin, end, held); });
        };
        if constexpr (How::direct) {
          take_all(out_ + begin);
        } else {
          auto* const held = static_cast<Held*>(table->data());
          if constexpr (std::is_arithmetic_v<Held>)  // the library's instructions are wider than the compiler's
            std::memset(static_cast<void*>(held), 0, static_cast<std::size_t>(end - begin) * sizeof(Held));
          else
            std::fill_n(held, end - begin, How::none());
          take_all(held);
          const T* const old = !from_ ? out_ + begin : is_one_ ? from_ : from_ + begin;
          How::give_run(old, from_ && is_one_, held, end - begin, out_ + begin);
        }
      }
    });
  }

 private:
  void start(std::int64_t begin, std::int64_t end, bool past) const {
    if (!from_) return;
    const std::int64_t n = end - begin;
    const T first = *from_;  // of its own, so that the loop need not read it again for each element
    if (is_one_ && past)
      stream_fill(out_ + begin, n, first);
    else if (is_one_)
      std::fill_n(out_ + begin, n, first);
    else if (past)
      stream_copy(reinterpret_cast<const char*>(from_ + begin), n * static_cast<std::int64_t>(sizeof(T)),
                  reinterpret_cast<char*>(out_ + begin));
    else
      std::memcpy(static_cast<void*>(out_ + begin), from_ + begin, static_cast<std::size_t>(n) * sizeof(T));
  }
  void start() const {
    in_pieces(elements_, 0.1 * sizeof(T), [this](std::int64_t begin, std::int64_t end) { start(begin, end, false); });
  }

  template <class Directly> void in_order() const {
    start();
    if constexpr (Directly::direct)
      places_->for_each(indices_, 0, count_, [this](std::int64_t at, std::int64_t run) {
        Directly::take_run(out_ + at, run_at(run), length_);
      });
  }

  // A table for each part of the runs; then all tables of a place. Neighbours do not wait for each other's sum where
  // each has one.
  void by_tables(std::int64_t tables) const {
    if constexpr (How::tables) {
      start();
      const std::int64_t each = How::in_any_order && length_ == 1 && elements_ <= kDouble ? 2 : 1,
                         size = each * elements_;
      const HostPtr all = allocate_buffer(static_cast<std::size_t>(tables * size) * sizeof(Held));
      auto* const held = static_cast<Held*>(all->data());
      in_pieces(tables, 1e6, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t t = begin; t < end; ++t) {
          Held* const mine = held + t * size;
          std::fill_n(mine, size, How::none());
          const std::int64_t first = count_ * t / tables, last = count_ * (t + 1) / tables;
          if (length_ > 1)
            places_->for_each(indices_, first, last,
                              [&](std::int64_t at, std::int64_t run) { take(run_at(run), length_, mine + at); });
          else
            places_->for_each(indices_, first, last,
                              [mine, x = updates_, other = mine + (each > 1 ? elements_ : 0)](
                                  std::int64_t at, std::int64_t run, auto lane) {
                                How::take((lane % 2 ? other : mine)[at], x[run]);
                              });
        }
      });
      in_pieces(elements_, static_cast<double>(tables * each), [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t t = 1; t < tables * each; ++t)
          for (std::int64_t i = begin; i < end; ++i) merge(held[i], held[t * elements_ + i]);
        How::give_run(out_ + begin, held + begin, end - begin);
      });
    }
  }
  static void merge(Held& held, const Held& more) {
    if constexpr (How::direct)
      How::take(held, more);
    else
      held += more;
  }

  // Of single elements that lie one behind the other; of runs that cover the array and may overlap, as rows do not,
  // each is one.
  std::vector<RunPlaces::Stretch> stretches_of_runs() const {
    if (length_ == 1) return places_->stretches(indices_);
    std::vector<RunPlaces::Stretch> out;
    if (length_ < kLongRun || count_ > kStretches || count_ * length_ < elements_) return out;
    bool rows = true, inside = true;
    places_->for_each(indices_, 0, count_, [&](std::int64_t at, std::int64_t run) {
      const std::int64_t element = places_of_updates_ ? places_of_updates_[run] : run * length_;
      out.push_back({at, element, length_});
      rows &= at % length_ == 0;
      inside &= element >= 0;
    });
    if (rows || !inside) out.clear();
    return out;
  }

  // What of a stretch comes to the elements begin to end-1.
  void take_part(const RunPlaces::Stretch& s, std::int64_t begin, std::int64_t end, Held* held) const {
    const std::int64_t from = std::max(begin, s.place), to = std::min(end, s.place + s.count);
    if (from < to) take(updates_ + s.element + (from - s.place), to - from, held + (from - begin));
  }

  void by_blocks() const {
    bool started = false;
    for (std::int64_t first = 0; first < count_ || !started; first += Numbers::kMostRuns) {
      const std::int64_t end = std::min(count_, first + Numbers::kMostRuns);
      if (length_ == 1)
        by_blocks(PlaceBlocks<Word>(*places_, indices_, first, end, elements_, reinterpret_cast<const Word*>(updates_)),
                  first, end, !started);
      else
        by_blocks(Numbers(*places_, indices_, first, end, elements_, nullptr), first, end, !started);
      started = true;
    }
  }
  template <class Blocks>
  void by_blocks(const Blocks& blocks, std::int64_t first, std::int64_t end, bool starts) const {
    const auto work = static_cast<double>(end - first) * (kRunNs + kElementNs * static_cast<double>(length_)) +
                      (from_ ? kElementNs * static_cast<double>(elements_) : 0);
    in_pieces(blocks.count(), work / static_cast<double>(blocks.count()), [&](std::int64_t b, std::int64_t to) {
      HostPtr table, together;
      for (; b < to; ++b)
        combine(Block{blocks.first(b), blocks.first(b + 1), starts}, first, blocks.entries(b, together), table);
      if (past_) processor::finish_streams();
    });
  }

  struct Block {
    std::int64_t begin, end;  // of its elements
    bool starts;              // they are not yet in the result
  };
  Held* held_of(HostPtr& table, std::int64_t n) const {
    if (!table) table = allocate_buffer(static_cast<std::size_t>(n) * sizeof(Held));
    return static_cast<Held*>(table->data());
  }

  // Single elements, which the entries hold.
  using Word = WordOf<sizeof(T)>;
  void combine(const Block& block, std::int64_t, std::span<typename PlaceBlocks<Word>::Entry> entries,
               HostPtr& table) const requires(!std::same_as<Word, std::uint32_t>) {
    combine_elements<PlaceBlocks<Word>>(block, entries, table);
  }
  using Numbers = PlaceBlocks<std::uint32_t>;
  // The others, whose numbers count from `first` on.
  void combine(const Block& block, std::int64_t first, std::span<Numbers::Entry> entries, HostPtr& table) const {
    if (std::same_as<Word, std::uint32_t> && length_ == 1)
      combine_elements<Numbers>(block, entries, table);
    else
      combine_runs(block, first, entries, table);
  }

  template <class Blocks>
  void combine_elements(const Block& block, std::span<typename Blocks::Entry> entries, HostPtr& table) const {
    const std::int64_t n = block.end - block.begin;
    T* const out = out_ + block.begin;
    if (block.starts) start(block.begin, block.end, past_ && entries.empty());
    if (entries.empty()) return;
    auto take_all = [&](Held* held) {
      for (const auto& e : entries) {
        T x;
        std::memcpy(static_cast<void*>(&x), &e.word, sizeof(T));
        How::take(held[e.place], x);
      }
    };
    if constexpr (How::direct) {
      take_all(out);
    } else {
      Held* const held = held_of(table, std::max(n, length_));
      if (static_cast<std::int64_t>(entries.size()) * kFewPlaces > n) {
        std::fill_n(held, n, How::none());
        take_all(held);
        How::give_run(out, held, n);
        return;
      }
      for (const auto& e : entries) held[e.place] = How::none();
      take_all(held);
      for (const auto& e : entries) How::give(out[e.place], std::exchange(held[e.place], How::none()));
    }
  }

  // Runs of several elements, by their numbers.
  void combine_runs(const Block& block, std::int64_t first, std::span<Numbers::Entry> entries, HostPtr& table) const {
    if (entries.empty()) {
      if (block.starts) start(block.begin, block.end, past_);
      return;
    }
    if (length_ >= kLongRun && place_by_place(block, first, entries, table)) return;
    if (block.starts) start(block.begin, block.end, false);
    const std::int64_t n = block.end - block.begin;
    if constexpr (How::direct) {
      take_runs(entries, first, n, out_ + block.begin);
    } else {
      Held* const held = held_of(table, std::max(n, 2 * length_));
      std::fill_n(held, n, How::none());
      take_runs(entries, first, n, held);
      How::give_run(out_ + block.begin, held, n);
    }
  }

  // All that comes to one place while it is in registers or the nearest cache; what lies between is only copied. False,
  // and nothing is done, where runs overlap.
  bool place_by_place(const Block& block, std::int64_t first, std::span<Numbers::Entry> entries, HostPtr& table) const {
    std::vector<Numbers::Entry> room;
    sort_by_place(entries, length_, room);
    for (std::size_t k = 1; k < entries.size(); ++k)
      if (entries[k].place != entries[k - 1].place && entries[k].place < entries[k - 1].place + length_) {
        std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return a.word < b.word; });
        return false;
      }
    const bool past = block.starts && past_;
    Held* const held = held_of(table, std::max(block.end - block.begin, 2 * length_));
    std::vector<const T*> runs;
    std::int64_t done = block.begin;
    for (std::size_t k = 0; k < entries.size();) {
      const std::int64_t place = block.begin + entries[k].place, from = std::max(block.begin, place),
                         to = std::min(block.end, place + length_);
      runs.clear();
      for (const std::int32_t same = entries[k].place; k < entries.size() && entries[k].place == same; ++k) {
        if (k + kRunsAsked < entries.size()) ask_for(run_at(first + entries[k + kRunsAsked].word));
        runs.push_back(run_at(first + entries[k].word) + (from - place));
      }
      if (block.starts) start(done, from, past_);
      done = to;
      T* const result = past ? reinterpret_cast<T*>(held + length_) : out_ + from;
      const T* const old = !block.starts || !from_ ? out_ + from : is_one_ ? from_ : from_ + from;
      How::give_group(runs, old, block.starts && from_ && is_one_, to - from, held, result);
      if (past)
        stream_copy(reinterpret_cast<const char*>(result), (to - from) * static_cast<std::int64_t>(sizeof(T)),
                    reinterpret_cast<char*>(out_ + from));
    }
    if (block.starts) start(done, block.end, past_);
    return true;
  }

  // Into a block of n elements.
  void take_runs(std::span<Numbers::Entry> entries, std::int64_t first, std::int64_t n, Held* held) const {
    for (std::size_t k = 0; k < entries.size(); ++k) {
      const Numbers::Entry& e = entries[k];
      if (k + kRunsAsked < entries.size()) ask_for(run_at(first + entries[k + kRunsAsked].word));
      const std::int64_t from = std::max<std::int64_t>(0, -std::int64_t{e.place}),
                         to = std::min<std::int64_t>(length_, n - e.place);
      take(run_at(first + e.word) + from, to - from, held + e.place + from);
    }
  }
  void ask_for(const T* run) const {
    const auto* at = reinterpret_cast<const char*>(run);
    for (std::int64_t line = 0; line < std::min<std::int64_t>(length_ * sizeof(T), 512); line += 64)
      __builtin_prefetch(at + line);
  }
  const T* run_at(std::int64_t run) const {
    if (!places_of_updates_) return updates_ + run * length_;
    const std::int64_t place = places_of_updates_[run];
    return place < 0 ? fill_ : updates_ + place;
  }
  static void take(const T* x, std::int64_t n, Held* held) { How::take_run(held, x, n); }

  const RunPlaces* places_ = nullptr;
  void* indices_ = nullptr;
  const T* updates_;
  const std::int64_t* places_of_updates_;
  const T* fill_;
  std::int64_t length_ = 1, count_ = 0, elements_;
  bool past_;
  const T* from_;
  bool is_one_;
  T* out_;
};

// Calls f.operator()<T, How>() for the way in which elements are combined.
template <class F> void with_way(ScatterKind kind, DType dtype, F with) {
  auto fold = [&]<class T, class G>() { with.template operator()<T, Folded<T, G>>(); };
  if (kind == ScatterKind::set || dtype.is_key()) switch (dtype.size()) {  // keys have no arithmetic
      case 1: return fold.template operator()<std::uint8_t, Later>();
      case 2: return fold.template operator()<std::uint16_t, Later>();
      case 4: return fold.template operator()<std::uint32_t, Later>();
      case 8: return fold.template operator()<std::uint64_t, Later>();
      default: return fold.template operator()<std::complex<double>, Later>();
    }
  visit_arithmetic_dtype(dtype, [&]<class T>(Stored<T>) {
    if (kind == ScatterKind::add) {
      if constexpr (std::integral<T>)
        fold.template operator()<T, Plus>();
      else
        with.template operator()<T, Added<T>>();
    } else if (kind == ScatterKind::mul) {
      fold.template operator()<T, Times>();
    } else if (kind == ScatterKind::min) {
      fold.template operator()<T, Extremum<true>>();
    } else {
      fold.template operator()<T, Extremum<false>>();
    }
  });
}

}  // namespace

void scatter_runs(ScatterKind kind, DType dtype, const RunPlaces& places, void* indices, const ScatterUpdates& updates,
                  const ScatterStart& start, std::int64_t elements, void* out) {
  if (elements == 0) return;
  with_way(kind, dtype, [&]<class T, class How>() {
    Runs<T, How>(updates, start, elements, static_cast<T*>(out)).combine(places, indices);
  });
}

void add_stretches(DType dtype, const Stretches& stretches, const void* updates, const ScatterStart& start,
                   std::int64_t elements, void* out) {
  with_way(ScatterKind::add, dtype, [&]<class T, class How>() {
    Runs<T, How>({.data = updates}, start, elements, static_cast<T*>(out)).by_stretches(stretches);
  });
}

}  // namespace tutti::cpu

// SPDX-License-Identifier: Apache-2.0
