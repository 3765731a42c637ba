// Arrays over memory that is there already, and views of the memory of arrays: nothing here copies.
//
//     std::vector<float> samples = read();
//     Array x = from_host(std::move(samples), {1000, 3});          // the array owns the vector
//     Array y = from_host(std::span(device_memory, n), {n}, [=] { device_free(device_memory); });
//
//     for (float v : host_data<float>(x)) ...                      // as long as x is there
//     HostSpan<float, 2> rows = host_span<float, 2>(x);            // keeps the memory itself
//     float z = rows(7, 2);
#pragma once

#include <array>
#include <compare>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "tutti/array/array.hpp"

namespace tutti {

namespace detail {
/// Memory of an array, and what keeps it.
struct HostMemory {
  const void* data = nullptr;
  std::shared_ptr<const void> keeper;
};
Array adopt(const void* data, std::size_t size, DType dtype, const Shape& shape, std::function<void()> release,
            Loc loc);
const void* host_data(const Array& x, DType dtype, const char* what, Loc loc);
HostMemory host_memory(const Array& x, DType dtype, int ndim, const char* what, Loc loc);
[[noreturn]] void throw_outside(int dim, std::int64_t index, std::int64_t extent, Loc loc);
}  // namespace detail

/// An array over `data`, row-major, without a copy. `release` is called when the last array and view over it is gone,
/// on whichever thread that is; it must not throw. Until then nobody may write there. tutti never does, not even where
/// the array is donated. Where devices have memories of their own the elements are copied there, and `release` is
/// called when they are.
///
/// Any address that a T may have will do; loops run fastest over one that is a multiple of 64.
/// Throws, and then has not called `release`: ShapeError when `data` are not as many as the shape says; TypeError for
/// 64-bit elements without enable_x64(true), which tutti stores in 32 bits: array() converts.
template <Number T, std::size_t N>
Array from_host(std::span<T, N> data, const Shape& shape, std::function<void()> release, Loc loc = Loc::current()) {
  return detail::adopt(data.data(), data.size(), dtype_of<T>(), shape, std::move(release), loc);
}
/// The same of a vector, which the array owns from now on.
template <Number T>
requires(!std::same_as<T, bool>) Array from_host(std::vector<T>&& data, const Shape& shape, Loc loc = Loc::current()) {
  auto owned = std::make_shared<std::vector<T>>();
  const std::span<const T> items(data);  // moving keeps the address
  Array out = from_host(
      items, shape, [owned] {}, loc);
  *owned = std::move(data);
  return out;
}

/// The elements of x, row-major, where they lie. Waits until they are there. The span is good until x is deleted or
/// donated, or its last handle is gone; host_span keeps the memory itself.
/// Throws TypeError when T is not exactly the dtype (astype converts; 16-bit floats and keys: host_bytes), TracerError
/// inside a transformation, DeletedError, and UnsupportedError when parts of x lie in other processes.
template <Number T> std::span<const T> host_data(const Array& x, Loc loc = Loc::current()) {
  return {static_cast<const T*>(detail::host_data(x, dtype_of<T>(), "host_data", loc)),
          static_cast<std::size_t>(x.size())};
}
template <Number T> std::span<const T> host_data(Array&& x, Loc loc = {}) = delete;  // it would outlive the memory
/// The bytes of an array of any dtype.
std::span<const std::byte> host_bytes(const Array& x, Loc loc = Loc::current());
std::span<const std::byte> host_bytes(Array&& x, Loc loc = {}) = delete;

/// A read-only view of N dims, with a stride in elements for each, that keeps the memory it shows: also when the array
/// goes, is deleted, or is donated (whose result then takes other memory).
/// Threads: many may read one object at once; assigning to it excludes all others. Nothing of tutti writes to the
/// memory while a view of it lives.
template <class T, int N> class HostSpan {
  static_assert(N >= 1);

 public:
  using Extents = std::array<std::int64_t, std::size_t{N}>;
  /// An item of the first dim: an element, or a view of one dim less.
  using Item = std::conditional_t<N == 1, T, HostSpan<T, N == 1 ? 1 : N - 1>>;

  HostSpan() = default;
  /// Over any memory: element (i, j, ...) is data[i * strides[0] + j * strides[1] + ...].
  HostSpan(const T* data, const Extents& extents, const Extents& strides, std::shared_ptr<const void> keeper = {})
      : data_(data), extents_(extents), strides_(strides), keeper_(std::move(keeper)) {}

  static constexpr int ndim() { return N; }
  const T* data() const { return data_; }
  std::int64_t extent(int dim) const { return extents_[static_cast<std::size_t>(dim)]; }
  std::int64_t stride(int dim) const { return strides_[static_cast<std::size_t>(dim)]; }
  const Extents& extents() const { return extents_; }
  /// Elements of all dims.
  std::int64_t size() const {
    std::int64_t n = 1;
    for (std::int64_t e : extents_) n *= e;
    return n;
  }

  /// One element; not checked.
  template <Integer... I>
  requires(sizeof...(I) == N) const T& operator()(I... index) const {
    return data_[offset(Extents{static_cast<std::int64_t>(index)...})];
  }
  /// One element; IndexError outside of the extents.
  template <Integer... I>
  requires(sizeof...(I) == N) const T& at(I... index) const {
    const Extents place{static_cast<std::int64_t>(index)...};
    for (int d = 0; d < N; ++d)
      if (const std::int64_t i = place[static_cast<std::size_t>(d)]; i < 0 || i >= extent(d))
        detail::throw_outside(d, i, extent(d), {});
    return data_[offset(place)];
  }
  /// Item i of the first dim; not checked.
  Item operator[](std::int64_t i) const {
    if constexpr (N == 1) {
      return data_[i * strides_[0]];
    } else {
      std::array<std::int64_t, std::size_t{N} - 1> extents, strides;
      for (std::size_t d = 1; d < N; ++d) {
        extents[d - 1] = extents_[d];
        strides[d - 1] = strides_[d];
      }
      return {data_ + i * strides_[0], extents, strides, keeper_};
    }
  }
  /// Items first, first + step, ... below last of one dim; not checked.
  HostSpan slice(int dim, std::int64_t first, std::int64_t last, std::int64_t step = 1) const {
    HostSpan out = *this;
    const auto d = static_cast<std::size_t>(dim);
    out.data_ += first * strides_[d];
    out.extents_[d] = extent::ceil_div(last - first, step);
    out.strides_[d] *= step;
    return out;
  }
  /// The dims in another order: dim d of the result is dim order[d] of this.
  HostSpan transposed(const std::array<int, std::size_t{N}>& order) const {
    HostSpan out = *this;
    for (std::size_t d = 0; d < N; ++d) {
      out.extents_[d] = extents_[static_cast<std::size_t>(order[d])];
      out.strides_[d] = strides_[static_cast<std::size_t>(order[d])];
    }
    return out;
  }

  /// Over the items of the first dim: std::random_access_iterator, and for C++17's algorithms one where N is 1 (views
  /// of rows are made as they are asked for). Holds no memory: the view, or a copy of it, must stay while one iterates.
  class Iterator {
   public:
    using iterator_concept = std::random_access_iterator_tag;
    using iterator_category = std::conditional_t<N == 1, std::random_access_iterator_tag, std::input_iterator_tag>;
    using value_type = Item;
    using difference_type = std::ptrdiff_t;
    using reference = std::conditional_t<N == 1, const T&, Item>;
    using pointer = std::conditional_t<N == 1, const T*, void>;
    Iterator() = default;
    Iterator(const HostSpan* span, std::int64_t at) : span_(span), at_(at) {}
    reference operator*() const { return span_->item(at_); }
    reference operator[](difference_type n) const { return span_->item(at_ + n); }
    pointer operator->() const requires(N == 1) { return &span_->item(at_); }
    Iterator& operator++() { return *this += 1; }
    Iterator& operator--() { return *this -= 1; }
    Iterator operator++(int) { return std::exchange(*this, *this + 1); }
    Iterator operator--(int) { return std::exchange(*this, *this - 1); }
    Iterator& operator+=(difference_type n) {
      at_ += n;
      return *this;
    }
    Iterator& operator-=(difference_type n) { return *this += -n; }
    friend Iterator operator+(Iterator i, difference_type n) { return i += n; }
    friend Iterator operator+(difference_type n, Iterator i) { return i += n; }
    friend Iterator operator-(Iterator i, difference_type n) { return i -= n; }
    friend difference_type operator-(const Iterator& a, const Iterator& b) { return a.at_ - b.at_; }
    friend bool operator==(const Iterator& a, const Iterator& b) { return a.at_ == b.at_; }
    friend auto operator<=>(const Iterator& a, const Iterator& b) { return a.at_ <=> b.at_; }

   private:
    const HostSpan* span_ = nullptr;
    std::int64_t at_ = 0;
  };
  Iterator begin() const { return {this, 0}; }
  Iterator end() const { return {this, extents_[0]}; }
  /// All elements as one stretch, where they lie so (is_contiguous): for std::span's and contiguous ranges' sake.
  /// Empty where they do not.
  std::span<const T> flat() const {
    return is_contiguous() ? std::span<const T>(data_, static_cast<std::size_t>(size())) : std::span<const T>();
  }
  /// Whether the elements lie row-major without gaps.
  bool is_contiguous() const {
    std::int64_t dense = 1;
    for (std::size_t d = N; d-- > 0; dense *= extents_[d])
      if (extents_[d] != 1 && strides_[d] != dense) return size() == 0;
    return true;
  }

 private:
  std::conditional_t<N == 1, const T&, Item> item(std::int64_t i) const {
    if constexpr (N == 1)
      return data_[i * strides_[0]];
    else
      return (*this)[i];
  }
  std::int64_t offset(const Extents& index) const {
    std::int64_t at = 0;
    for (std::size_t d = 0; d < N; ++d) at += index[d] * strides_[d];
    return at;
  }
  const T* data_ = nullptr;
  Extents extents_{}, strides_{};
  std::shared_ptr<const void> keeper_;
};

/// The memory of x as a view of N dims. Throws as host_data, and ShapeError when x has not N dims.
template <Number T, int N> HostSpan<T, N> host_span(const Array& x, Loc loc = Loc::current()) {
  detail::HostMemory memory = detail::host_memory(x, dtype_of<T>(), N, "host_span", loc);
  typename HostSpan<T, N>::Extents extents, strides;
  std::int64_t stride = 1;
  for (std::size_t d = N; d-- > 0; stride *= extents[d]) {
    extents[d] = x.shape()[d];
    strides[d] = stride;
  }
  return {static_cast<const T*>(memory.data), extents, strides, std::move(memory.keeper)};
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
