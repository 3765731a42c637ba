#include "backend/cpu/run_places.hpp"

#include <algorithm>

#include "lane/side_by_side.hpp"

namespace tutti::cpu {

using ops::Dims;

RunPlaces::RunPlaces(lax::GatherDims dims, lax::GatherMode mode, Shape sizes, Shape from, Type indices,
                     const Shape& windows)
    : dims_(std::move(dims)),
      mode_(mode),
      sizes_(std::move(sizes)),
      from_(std::move(from)),
      indices_(std::move(indices)),
      ndim_(windows.ndim()),
      outer_(windows) {
  const ops::WindowDims w(dims_, from_.ndim(), ndim_);
  int at = ndim_ - 1, operand = from_.ndim() - 1;
  while (at >= 0 && operand >= 0) {
    auto it = std::find(w.window.begin(), w.window.end(), at);
    if (it == w.window.end() || w.operand[static_cast<std::size_t>(it - w.window.begin())] != operand) break;
    length_ *= windows[at];
    outer_[at] = 1;
    if (windows[at] != from_[operand]) break;
    --at;
    --operand;
  }
  count_ = outer_.num_elements();
  direct_ = std::all_of(w.window.begin(), w.window.end(), [&](std::int64_t d) { return outer_[d] == 1; });
  if (direct_ && indices_.dtype == int32 && from_.ndim() == 1 && length_ == 1 && dims_.start_index_map.size() == 1 &&
      from_[0] <= INT32_MAX)
    numbered_ = from_[0];
  strides_ = ops::row_major_strides(from_);
  const Dims vectors = ops::row_major_strides(indices_.shape);
  const auto entries = static_cast<std::int64_t>(dims_.start_index_map.size());
  for (int d = 0; d < ndim_; ++d) {
    if (outer_[d] == 1) continue;
    auto window = std::find(w.window.begin(), w.window.end(), d);
    if (window != w.window.end())
      walk_.push_back({outer_[d], 0, strides_[w.operand[static_cast<std::size_t>(window - w.window.begin())]]});
    else if (auto batch = std::find(w.batch.begin(), w.batch.end(), d); batch != w.batch.end())
      walk_.push_back(
          {outer_[d], entries ? vectors[static_cast<std::size_t>(batch - w.batch.begin())] / entries : 0, 0});
  }
}

namespace {

using Eight = lane::Side<std::int64_t>::V;
using EightInMemory = lane::Side<std::int64_t>::Unaligned;

// What one entry of each index vector adds to the places: nothing is left of a place (-1) where it is out of range and
// `fill` says that this counts as nothing. An entry has its window's last start in its dim, and the dim's stride.
struct Entry {
  std::int64_t last, stride;
  bool fill, first;
};

template <class I>
[[gnu::always_inline]] inline void add_entry(const I* index, std::int64_t apart, std::int64_t n, const Entry& e,
                                             std::int64_t* places) {
  typedef I Indices __attribute__((vector_size(8 * sizeof(I)))) __attribute__((aligned(sizeof(I))))
  __attribute__((may_alias));
  const Eight none = {};
  const Eight last = none + e.last;
  std::int64_t i = 0;
  for (; i + 8 <= n; i += 8) {
    Eight start;
    if (apart == 1)
      start = __builtin_convertvector(*reinterpret_cast<const Indices*>(index + i), Eight);
    else
      start = Eight{index[i * apart],       index[(i + 1) * apart], index[(i + 2) * apart], index[(i + 3) * apart],
                    index[(i + 4) * apart], index[(i + 5) * apart], index[(i + 6) * apart], index[(i + 7) * apart]};
    auto& to = *reinterpret_cast<EightInMemory*>(places + i);
    Eight inside = start < none ? none : start;
    inside = inside > last ? last : inside;
    Eight place = inside * e.stride;
    if (!e.first) place = to < none ? to : to + place;
    if (e.fill) place = start != inside ? none - 1 : place;
    to = place;
  }
  for (; i < n; ++i) {
    const std::int64_t start = index[i * apart], inside = std::clamp<std::int64_t>(start, 0, e.last);
    const bool gone = (!e.first && places[i] < 0) || (e.fill && start != inside);
    places[i] = gone ? -1 : (e.first ? 0 : places[i]) + inside * e.stride;
  }
}

// Adds first, first + step, first + 2 step, ... to places that there are.
[[gnu::always_inline]] inline void add_steps(std::int64_t first, std::int64_t step, std::int64_t n,
                                             std::int64_t* places) {
  const Eight none = {};
  Eight more = Eight{0, 1, 2, 3, 4, 5, 6, 7} * step + first;
  std::int64_t i = 0;
  for (; i + 8 <= n; i += 8) {
    auto& to = *reinterpret_cast<EightInMemory*>(places + i);
    to = to < none ? to : to + more;
    more += 8 * step;
  }
  for (; i < n; ++i) places[i] += places[i] < 0 ? 0 : first + i * step;
}

}  // namespace

template <class I>
void RunPlaces::of_vectors(const I* rows, std::int64_t begin, std::int64_t end, std::int64_t* places) const {
  lane::with_widest([&]() __attribute__((always_inline)) {
    const auto entries = static_cast<std::int64_t>(dims_.start_index_map.size());
    const std::int64_t n = end - begin;
    if (entries == 0) std::fill_n(places, n, std::int64_t{0});
    for (std::int64_t k = 0; k < entries; ++k) {
      const std::int64_t d = dims_.start_index_map[static_cast<std::size_t>(k)];
      add_entry(rows + begin * entries + k, entries, n,
                Entry{from_[d] - sizes_[d], strides_[static_cast<std::size_t>(d)], fills(), k == 0}, places);
    }
    for (std::size_t b = 0; b < dims_.operand_batching_dims.size(); ++b) {
      const auto dim = static_cast<int>(dims_.start_indices_batching_dims[b]);
      std::int64_t inner = 1;
      for (int d = dim + 1; d + 1 < indices_.ndim(); ++d) inner *= indices_.shape[d];
      const std::int64_t stride = strides_[static_cast<std::size_t>(dims_.operand_batching_dims[b])],
                         extent = indices_.shape[dim];
      // Counted rather than divided: how far in the inner dims, and which element of this one.
      std::int64_t within = begin % inner, element = begin / inner % extent;
      for (std::int64_t i = 0, some; i < n; i += some) {
        some = std::min(inner == 1 ? extent - element : inner - within, n - i);
        add_steps(element * stride, inner == 1 ? stride : 0, some, places + i);
        within = 0;
        element += inner == 1 ? some : 1;
        if (element == extent) element = 0;
      }
    }
  });
}

template <class I>
void RunPlaces::of_runs(const I* rows, std::int64_t begin, std::int64_t end, std::int64_t* places) const {
  if (direct_) return of_vectors(rows, begin, end, places);
  const std::size_t dims = walk_.size();
  const Dim& inner = walk_.back();
  Dims at(dims, 0);
  std::int64_t vector = 0, place = 0, rest = begin;
  for (std::size_t d = dims; d-- > 0; rest /= walk_[d].extent) {
    at[d] = rest % walk_[d].extent;
    vector += at[d] * walk_[d].vector;
    place += at[d] * walk_[d].place;
  }
  for (std::int64_t i = 0; i < end - begin;) {
    const std::int64_t n = std::min(inner.extent - at[dims - 1], end - begin - i);
    std::int64_t* to = places + i;
    if (inner.vector == 0) {  // one window after the other
      of_vectors(rows, vector, vector + 1, to);
      const std::int64_t first = to[0];
      for (std::int64_t k = 0; k < n; ++k) to[k] = first < 0 ? -1 : first + place + k * inner.place;
    } else {
      of_vectors(rows, vector, vector + n, to);
      if (place != 0) lane::with_widest([&]() __attribute__((always_inline)) { add_steps(place, 0, n, to); });
    }
    i += n;
    at[dims - 1] += n;
    vector += n * inner.vector;
    place += n * inner.place;
    for (std::size_t d = dims; d-- > 0 && at[d] == walk_[d].extent;) {
      vector -= at[d] * walk_[d].vector;
      place -= at[d] * walk_[d].place;
      at[d] = 0;
      if (d == 0) break;
      ++at[d - 1];
      vector += walk_[d - 1].vector;
      place += walk_[d - 1].place;
    }
  }
}

std::vector<RunPlaces::Stretch> RunPlaces::stretches(void* indices) const {
  constexpr std::int64_t kLooks = 16, kLook = 16;  // a few runs here and there say what most of them are
  if (count_ < kLooks * kLook) return {};
  std::int64_t places[kAtOnce], counting = 0;
  for (std::int64_t k = 0; k < kLooks; ++k) {
    const std::int64_t first = (count_ - kLook) * k / (kLooks - 1);
    find(indices, first, first + kLook, places);
    for (std::int64_t i = 1; i < kLook; ++i) counting += places[i - 1] >= 0 && places[i] == places[i - 1] + 1;
  }
  if (8 * counting < 7 * kLooks * (kLook - 1)) return {};  // stretches of eight, about
  std::vector<Stretch> out;
  // Windows that are whole in the first dims of the walk: what lies below one step there lies so below all others.
  std::size_t whole = 0;
  std::int64_t repeats = 1;
  if (!direct_)
    for (; whole < walk_.size() && walk_[whole].vector == 0; ++whole) repeats *= walk_[whole].extent;
  const std::int64_t once = count_ / repeats;
  for (std::int64_t first = 0; first < once; first += kAtOnce) {
    const std::int64_t n = std::min(kAtOnce, once - first);
    find(indices, first, first + n, places);
    lane::with_widest([&]() __attribute__((always_inline)) {
      for (std::int64_t i = 0; i < n;) {
        const std::int64_t at = places[i], some = i + 8 <= n && at >= 0 && counts<8>(places + i) ? 8 : 1;
        if (at >= 0 && !out.empty() && out.back().place + out.back().count == at &&
            out.back().element + out.back().count == first + i)
          out.back().count += some;
        else if (at >= 0)
          out.push_back({at, first + i, some});
        i += some;
      }
    });
  }
  out.reserve(out.size() * static_cast<std::size_t>(repeats));
  for (std::int64_t r = 1, size = static_cast<std::int64_t>(out.size()); r < repeats; ++r) {
    std::int64_t place = 0, rest = r;
    for (std::size_t d = whole; d-- > 0; rest /= walk_[d].extent) place += rest % walk_[d].extent * walk_[d].place;
    for (std::int64_t k = 0; k < size; ++k) {
      const Stretch s = out[static_cast<std::size_t>(k)];
      out.push_back({s.place + place, s.element + r * once, s.count});
    }
  }
  return out;
}

void RunPlaces::find(void* indices, std::int64_t begin, std::int64_t end, std::int64_t* places) const {
  // Index vectors in the order in which runs meet them: then each stretch of runs is one of vectors.
  const bool in_order = direct_ || (!walk_.empty() && !dims_.start_index_map.empty() && walk_.back().vector <= 1);
  if (in_order && indices_.dtype == int32)
    return of_runs(static_cast<const std::int32_t*>(indices), begin, end, places);
  if (in_order && indices_.dtype == int64)
    return of_runs(static_cast<const std::int64_t*>(indices), begin, end, places);
  const HostView view{indices_, indices};
  const ops::Windows windows(dims_, mode_, sizes_, from_, view, ndim_);
  Dims index(outer_.size(), 0);
  std::int64_t rest = begin;
  for (int d = outer_.ndim() - 1; d >= 0; rest /= outer_[d--]) index[static_cast<std::size_t>(d)] = rest % outer_[d];
  for (std::int64_t i = 0; i < end - begin; ++i) {
    places[i] = windows.at(index);
    for (int d = outer_.ndim() - 1; d >= 0 && ++index[static_cast<std::size_t>(d)] == outer_[d]; --d)
      index[static_cast<std::size_t>(d)] = 0;
  }
}

}  // namespace tutti::cpu

// SPDX-License-Identifier: Apache-2.0
