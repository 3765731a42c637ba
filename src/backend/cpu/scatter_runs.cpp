#include "backend/cpu/scatter_runs.hpp"

#include <algorithm>
#include <complex>
#include <vector>

#include "array/buffer.hpp"
#include "backend/cpu/place_blocks.hpp"
#include "backend/cpu/scatter_kinds.hpp"
#include "base/half.hpp"
#include "base/stream.hpp"
#include "base/tasks.hpp"

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
constexpr std::int64_t kStretchedBlocks = 64, kLongRun = 16, kStretches = 1 << 14;
constexpr double kElementNs = 0.3, kRunNs = 10, kStretchedNs = 0.5;

template <class T, class How> class Runs {
  using Held = typename How::Held;

 public:
  Runs(const T* updates, const ScatterStart& start, std::int64_t elements, T* out)
      : updates_(updates),
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
    if (const auto stretches = stretches_of_runs(); !stretches.empty()) return by_stretches(stretches);
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

  // Each block of the array takes its part of all stretches, in their order.
  void by_stretches(const std::vector<RunPlaces::Stretch>& stretches) const {
    const std::int64_t each = std::max(kOfTable, elements_ / kStretchedBlocks), blocks = (elements_ + each - 1) / each;
    double work = from_ ? kElementNs * static_cast<double>(elements_) : 0;
    for (const RunPlaces::Stretch& s : stretches) work += kStretchedNs * static_cast<double>(s.count);
    in_pieces(blocks, work / static_cast<double>(blocks), [&](std::int64_t b, std::int64_t to) {
      BufferPtr table;
      if (!How::direct) table = allocate_buffer(static_cast<std::size_t>(std::min(each, elements_)) * sizeof(Held));
      for (; b < to; ++b) {
        const std::int64_t begin = b * each, end = std::min(elements_, begin + each);
        start(begin, end, false);
        if constexpr (How::direct) {
          take_stretches(stretches, begin, end, out_ + begin);
        } else {
          auto* const held = static_cast<Held*>(table->data());
          std::fill_n(held, end - begin, How::none());
          take_stretches(stretches, begin, end, held);
          How::give_run(out_ + begin, held, end - begin);
        }
      }
    });
  }

 private:
  void start(std::int64_t begin, std::int64_t end, bool past) const {
    if (!from_) return;
    const std::int64_t n = end - begin;
    if (is_one_ && past)
      stream_fill(out_ + begin, n, *from_);
    else if (is_one_)
      std::fill_n(out_ + begin, n, *from_);
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
        const T* x = updates_ + run * length_;
        Directly::take_run(out_ + at, x, length_);
      });
  }

  // A table for each part of the runs; then all tables of a place. Neighbours do not wait for each other's sum where
  // each has one.
  void by_tables(std::int64_t tables) const {
    if constexpr (How::tables) {
      start();
      const std::int64_t each = How::in_any_order && length_ == 1 && elements_ <= kDouble ? 2 : 1,
                         size = each * elements_;
      const BufferPtr all = allocate_buffer(static_cast<std::size_t>(tables * size) * sizeof(Held));
      auto* const held = static_cast<Held*>(all->data());
      in_pieces(tables, 1e6, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t t = begin; t < end; ++t) {
          Held* const mine = held + t * size;
          std::fill_n(mine, size, How::none());
          const std::int64_t first = count_ * t / tables, last = count_ * (t + 1) / tables;
          if (length_ > 1)
            places_->for_each(indices_, first, last,
                              [&](std::int64_t at, std::int64_t run) { take(run, 0, length_, mine + at); });
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

  // Of single elements that lie one behind the other; of runs that overlap, or cover the array, each is one.
  std::vector<RunPlaces::Stretch> stretches_of_runs() const {
    if (length_ == 1) return places_->stretches(indices_);
    std::vector<RunPlaces::Stretch> out;
    if (length_ < kLongRun || count_ > kStretches || count_ * length_ < elements_) return out;
    places_->for_each(indices_, 0, count_, [&](std::int64_t at, std::int64_t run) {
      out.push_back({at, run * length_, length_});
    });
    return out;
  }

  void take_stretches(const std::vector<RunPlaces::Stretch>& stretches, std::int64_t begin, std::int64_t end,
                      Held* held) const {
    for (const RunPlaces::Stretch& s : stretches) {
      const std::int64_t from = std::max(begin, s.place), to = std::min(end, s.place + s.count);
      if (from < to) take(updates_ + s.element + (from - s.place), to - from, held + (from - begin));
    }
  }

  void by_blocks() const {
    bool started = false;
    for (std::int64_t first = 0; first < count_ || !started; first += PlaceBlocks::kMostRuns) {
      const std::int64_t end = std::min(count_, first + PlaceBlocks::kMostRuns);
      const PlaceBlocks blocks(*places_, indices_, first, end, elements_);
      const auto work = static_cast<double>(end - first) * (kRunNs + kElementNs * static_cast<double>(length_)) +
                        (from_ ? kElementNs * static_cast<double>(elements_) : 0);
      in_pieces(blocks.count(), work / static_cast<double>(blocks.count()), [&](std::int64_t b, std::int64_t to) {
        BufferPtr table;
        for (; b < to; ++b) {
          if (b + 1 < to) ask_for_first(blocks.entries(b + 1), updates_ + first * length_);
          combine(blocks.first(b), blocks.first(b + 1), updates_ + first * length_, blocks.entries(b), !started, table);
        }
        if (past_) _mm_sfence();
      });
      started = true;
    }
  }

  using Entries = std::span<PlaceBlocks::Entry>;
  void combine(std::int64_t begin, std::int64_t end, const T* updates, Entries entries, bool starts,
               BufferPtr& table) const {
    const std::int64_t n = end - begin;
    if (entries.empty()) {
      if (starts) start(begin, end, past_);
      return;
    }
    if constexpr (How::direct) {
      if (starts) start(begin, end, false);
      take_all(entries, updates, n, out_ + begin);
    } else {
      const bool few = static_cast<std::int64_t>(entries.size()) * length_ * 4 <= n;
      if (!table) table = allocate_buffer(static_cast<std::size_t>(std::max(n, length_) + length_) * sizeof(Held));
      auto* const held = static_cast<Held*>(table->data());
      if (few && one_by_one(begin, end, updates, entries, starts, held)) return;
      if (starts) start(begin, end, false);
      std::fill_n(held, n, How::none());
      take_all(entries, updates, n, held);
      How::give_run(out_ + begin, held, n);
    }
  }

  // Runs that touch little of a block: place after place, what lies between them never read. False, and nothing is
  // done, where they overlap.
  bool one_by_one(std::int64_t begin, std::int64_t end, const T* updates, Entries entries, bool starts,
                  Held* held) const {
    const std::vector<PlaceBlocks::Entry> ordered = in_order_of_places(entries);
    for (std::size_t k = 1; k < ordered.size(); ++k)
      if (ordered[k].place != ordered[k - 1].place && ordered[k].place < ordered[k - 1].place + length_) return false;
    const bool writes_past = starts && past_ && is_one_;  // sums, too
    T* const sums = reinterpret_cast<T*>(held + length_);
    std::int64_t done = begin;
    for (std::size_t k = 0; k < ordered.size();) {
      const std::int64_t place = ordered[k].place, from = std::max(begin, begin + place),
                         to = std::min(end, begin + place + length_), skipped = from - begin - place;
      if (starts) {
        start(done, from, past_);
        if (!writes_past) start(from, to, false);
      }
      done = to;
      if constexpr (std::same_as<How, Added<float>>)
        if (writes_past && (k + 1 == ordered.size() || ordered[k + 1].place != place)) {
          add_one_run(updates + ordered[k].run * length_ + skipped, to - from, *from_, sums);
          write_past(sums, from, to);
          ++k;
          continue;
        }
      std::fill_n(held, to - from, How::none());
      for (; k < ordered.size() && ordered[k].place == place; ++k) {
        if (k + kRunsAsked < ordered.size()) ask_for(updates + ordered[k + kRunsAsked].run * length_);
        take(updates + ordered[k].run * length_ + skipped, to - from, held);
      }
      if (!writes_past) {
        How::give_run(out_ + from, held, to - from);
        continue;
      }
      std::fill_n(sums, to - from, *from_);
      How::give_run(sums, held, to - from);
      write_past(sums, from, to);
    }
    if (starts) start(done, end, past_);
    return true;
  }
  void write_past(const T* sums, std::int64_t from, std::int64_t to) const {
    stream_copy(reinterpret_cast<const char*>(sums), (to - from) * static_cast<std::int64_t>(sizeof(T)),
                reinterpret_cast<char*>(out_ + from));
  }
  static std::vector<PlaceBlocks::Entry> in_order_of_places(Entries entries) {
    std::vector<PlaceBlocks::Entry> out(entries.begin(), entries.end());
    std::sort(out.begin(), out.end());
    return out;
  }

  // Into a block of n elements.
  void take_all(Entries entries, const T* updates, std::int64_t n, Held* held) const {
    if (length_ == 1) {
      for (const PlaceBlocks::Entry& e : entries) How::take(held[e.place], updates[e.run]);
      return;
    }
    for (std::size_t k = 0; k < entries.size(); ++k) {
      const PlaceBlocks::Entry& e = entries[k];
      if (k + kRunsAsked < entries.size()) ask_for(updates + entries[k + kRunsAsked].run * length_);
      const std::int64_t from = std::max<std::int64_t>(0, -std::int64_t{e.place}),
                         to = std::min<std::int64_t>(length_, n - e.place);
      take(updates + e.run * length_ + from, to - from, held + e.place + from);
    }
  }
  // What the next block begins with comes while this one is combined.
  void ask_for_first(Entries entries, const T* updates) const {
    for (const PlaceBlocks::Entry& e : entries.first(std::min<std::size_t>(entries.size(), kRunsAsked)))
      ask_for(updates + e.run * length_);
  }
  void ask_for(const T* run) const {
    const auto* at = reinterpret_cast<const char*>(run);
    for (std::int64_t line = 0; line < std::min<std::int64_t>(length_ * sizeof(T), 512); line += 64)
      __builtin_prefetch(at + line);
  }
  void take(std::int64_t run, std::int64_t from, std::int64_t n, Held* held) const {
    take(updates_ + run * length_ + from, n, held);
  }
  static void take(const T* x, std::int64_t n, Held* held) { How::take_run(held, x, n); }

  const RunPlaces* places_ = nullptr;
  void* indices_ = nullptr;
  const T* updates_;
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

void scatter_runs(ScatterKind kind, DType dtype, const RunPlaces& places, void* indices, const void* updates,
                  const ScatterStart& start, std::int64_t elements, void* out) {
  if (elements == 0) return;
  with_way(kind, dtype, [&]<class T, class How>() {
    Runs<T, How>(static_cast<const T*>(updates), start, elements, static_cast<T*>(out)).combine(places, indices);
  });
}

void add_stretches(DType dtype, const std::vector<RunPlaces::Stretch>& stretches, const void* updates,
                   const ScatterStart& start, std::int64_t elements, void* out) {
  with_way(ScatterKind::add, dtype, [&]<class T, class How>() {
    Runs<T, How>(static_cast<const T*>(updates), start, elements, static_cast<T*>(out)).by_stretches(stretches);
  });
}

}  // namespace tutti::cpu

// SPDX-License-Identifier: Apache-2.0
