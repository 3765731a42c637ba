#include "backend/cpu/scatter_sums.hpp"

#include <immintrin.h>

#include <algorithm>
#include <memory>
#include <vector>

#include "base/half.hpp"
#include "base/tasks.hpp"

namespace tutti::cpu {
namespace {

constexpr std::int64_t kRunsAtOnce = 512;  // runs whose places are found together
// Each worker has sums of its own where so many numbers are added to them, at least, and so many to a place.
constexpr std::int64_t kAddedToTable = 1 << 15, kAddedTimes = 16;
constexpr std::int64_t kSmallTable = 1 << 14, kTables = 16, kLargeTables = 4;

template <class T> struct Adding { using Sum = std::conditional_t<std::integral<T>, std::uint64_t, double>; };

// Calls f(place, number of the run) for the runs begin to end-1 that are inside.
template <class F>
void for_each_run(const RunPlaces& places, void* indices, std::int64_t begin, std::int64_t end, F&& f) {
  if (const std::int64_t elements = places.numbered(); elements > 0) {
    const auto* at = static_cast<const std::int32_t*>(indices);
    for (std::int64_t i = begin; i < end; ++i)
      if (static_cast<std::uint32_t>(at[i]) < elements) f(std::int64_t{at[i]}, i);
    return;
  }
  std::int64_t at[kRunsAtOnce];
  for (std::int64_t first = begin; first < end; first += kRunsAtOnce) {
    const std::int64_t n = std::min(kRunsAtOnce, end - first);
    places.find(indices, first, first + n, at);
    for (std::int64_t i = 0; i < n; ++i)
      if (at[i] >= 0) f(at[i], first + i);
  }
}

template <class T> void round_to(T& place, typename Adding<T>::Sum sum) {
  if constexpr (std::integral<T>) {
    place = static_cast<T>(static_cast<std::uint64_t>(place) + sum);
  } else {
    if (sum == 0) return;  // nothing came, or nothing that counts: -0 stays
    const double all = static_cast<double>(place) + sum;
    if constexpr (std::floating_point<T>)
      place = static_cast<T>(all);
    else
      place = T(static_cast<float>(all));
  }
}

template <class T> class RunsAdded {
  using Sum = typename Adding<T>::Sum;

 public:
  RunsAdded(const RunPlaces& places, void* indices, const T* updates, std::int64_t elements, T* out)
      : places_(places),
        indices_(indices),
        updates_(updates),
        length_(places.length()),
        count_(places.count()),
        elements_(elements),
        out_(out) {}

  void add() const {
    const std::int64_t most = elements_ <= kSmallTable ? kTables : kLargeTables;
    const std::int64_t tables =
        std::min({most, count_, count_ * length_ / std::max(kAddedToTable, kAddedTimes * elements_)});
    if (tables > 1)
      by_tables(tables);
    else
      in_order();
  }

 private:
  // A table of sums for each part of the runs; then all tables of a place.
  void by_tables(std::int64_t tables) const {
    std::vector<std::unique_ptr<Sum[]>> sums(static_cast<std::size_t>(tables));
    in_pieces(tables, 1e6, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t t = begin; t < end; ++t) {
        auto mine = std::make_unique<Sum[]>(static_cast<std::size_t>(elements_));
        for_each_run(places_, indices_, count_ * t / tables, count_ * (t + 1) / tables,
                     [&](std::int64_t at, std::int64_t run) { add_run(mine.get() + at, run); });
        sums[t] = std::move(mine);
      }
    });
    in_pieces(elements_, static_cast<double>(tables), [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) {
        Sum all = 0;
        for (const auto& table : sums) all += table[i];
        round_to(out_[i], all);
      }
    });
  }

  void in_order() const {
    if constexpr (std::integral<T>) {
      for_each_run(places_, indices_, 0, count_, [&](std::int64_t at, std::int64_t run) {
        const T* x = updates_ + run * length_;
        for (std::int64_t i = 0; i < length_; ++i) round_to(out_[at + i], static_cast<Sum>(x[i]));
      });
    } else {
      ops::PlaceSums<T> sums(elements_, count_, length_);
      for_each_run(places_, indices_, 0, count_,
                   [&](std::int64_t at, std::int64_t run) { sums.add(at, updates_ + run * length_); });
      sums.add_to(out_);
    }
  }

  void add_run(Sum* sums, std::int64_t run) const {
    const T* x = updates_ + run * length_;
    std::int64_t i = 0;
    if constexpr (std::same_as<T, float>)
      for (; i + 4 <= length_; i += 4) {
        const __m128 four = _mm_loadu_ps(x + i);
        _mm_storeu_pd(sums + i, _mm_add_pd(_mm_loadu_pd(sums + i), _mm_cvtps_pd(four)));
        const __m128d upper = _mm_cvtps_pd(_mm_movehl_ps(four, four));
        _mm_storeu_pd(sums + i + 2, _mm_add_pd(_mm_loadu_pd(sums + i + 2), upper));
      }
    for (; i < length_; ++i) sums[i] += static_cast<Sum>(x[i]);
  }

  const RunPlaces& places_;
  void* indices_;
  const T* updates_;
  std::int64_t length_, count_, elements_;
  T* out_;
};

}  // namespace

bool adds_runs(DType dtype) { return dtype.is_integer() || dtype.is_floating(); }

void add_runs(DType dtype, const RunPlaces& places, void* indices, const void* updates, std::int64_t elements,
              void* out) {
  visit_arithmetic_dtype(dtype, [&]<class T>(Stored<T>) {
    if constexpr (!std::same_as<T, bool> && !is_complex_number<T>)
      RunsAdded<T>(places, indices, static_cast<const T*>(updates), elements, static_cast<T*>(out)).add();
  });
}

}  // namespace tutti::cpu
