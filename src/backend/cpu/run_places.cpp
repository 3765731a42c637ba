#include "backend/cpu/run_places.hpp"

#include <algorithm>

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
}

template <class I>
void RunPlaces::find_direct(const I* rows, std::int64_t begin, std::int64_t end, std::int64_t* places) const {
  const Dims strides = ops::row_major_strides(from_);
  const std::size_t entries = dims_.start_index_map.size();
  const bool fill = mode_ == lax::GatherMode::fill;
  std::fill_n(places, end - begin, std::int64_t{0});
  if (entries == 1) {  // rows of a table
    const std::int64_t d = dims_.start_index_map[0], last = from_[d] - sizes_[d], stride = strides[d];
    for (std::int64_t i = 0; i < end - begin; ++i) {
      const auto start = static_cast<std::int64_t>(rows[begin + i]);
      const std::int64_t inside = std::clamp<std::int64_t>(start, 0, last);
      places[i] = fill && start != inside ? -1 : inside * stride;
    }
  }
  for (std::size_t k = 0; entries > 1 && k < entries; ++k) {
    const std::int64_t d = dims_.start_index_map[k], last = from_[d] - sizes_[d], stride = strides[d];
    const I* index = rows + begin * static_cast<std::int64_t>(entries) + k;
    for (std::int64_t i = 0; i < end - begin; ++i) {
      const auto start = static_cast<std::int64_t>(index[i * static_cast<std::int64_t>(entries)]);
      const std::int64_t inside = std::clamp<std::int64_t>(start, 0, last);
      places[i] = places[i] < 0 || (fill && start != inside) ? -1 : places[i] + inside * stride;
    }
  }
  for (std::size_t b = 0; b < dims_.operand_batching_dims.size(); ++b) {
    const auto dim = static_cast<int>(dims_.start_indices_batching_dims[b]);
    std::int64_t inner = 1;
    for (int d = dim + 1; d + 1 < indices_.ndim(); ++d) inner *= indices_.shape[d];
    const std::int64_t stride = strides[dims_.operand_batching_dims[b]], extent = indices_.shape[dim];
    for (std::int64_t i = 0; i < end - begin; ++i)
      if (places[i] >= 0) places[i] += (begin + i) / inner % extent * stride;
  }
}

void RunPlaces::find(void* indices, std::int64_t begin, std::int64_t end, std::int64_t* places) const {
  if (direct_ && indices_.dtype == int32)
    return find_direct(static_cast<const std::int32_t*>(indices), begin, end, places);
  if (direct_ && indices_.dtype == int64)
    return find_direct(static_cast<const std::int64_t*>(indices), begin, end, places);
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
