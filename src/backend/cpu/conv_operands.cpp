// The operands of a block of terms, as tiles read them: where they lie, or copies.
#include <algorithm>
#include <cstring>
#include <numeric>

#include "backend/cpu/conv_copy.hpp"
#include "backend/cpu/conv_task.hpp"

namespace tutti::cpu {
namespace {

// How far apart neighbours of a dim lie that rows and terms meet.
std::int64_t unit_of(const ConvDim& d, std::int64_t rows, std::int64_t terms) {
  return std::gcd(rows > 1 ? d.row_step : 0, terms > 1 ? d.term_step : 0) + (rows <= 1 && terms <= 1);
}

}  // namespace

// Where all that a block meets lies in the array, and as tiles like it, it is read there; else a copy with its zeros.
template <class T>
typename ConvLoops<T>::Operand ConvLoops<T>::left(const ConvArrays<T>& arrays, const Block& b,
                                                  const std::vector<Range>& terms, Room& room) const {
  const std::size_t n = s_.dims.size();
  Operand out{arrays.left + b.left, std::vector<std::int64_t>(n), std::vector<std::int64_t>(n),
              b_.columns == ConvColumns::groups || b_.columns == ConvColumns::places ? b_.panel : 0, 0};
  std::vector<std::int64_t> first(n), size(n), unit(n);
  bool inside = true;
  for (std::size_t d = 0; d < n; ++d) {
    const ConvDim& x = s_.dims[d];
    const Range &r = b.rows[d], &t = terms[d];
    unit[d] = unit_of(x, r.count, t.count);
    first[d] = x.base + r.begin * x.row_step + t.begin * x.term_step;
    size[d] = ((r.count - 1) * x.row_step + (t.count - 1) * x.term_step) / unit[d] + 1;
    inside = inside && first[d] >= 0 && first[d] + (size[d] - 1) * unit[d] < x.extent;
  }
  const ConvDim& innermost = s_.dims[static_cast<std::size_t>(order_[0])];
  const bool whole = b.columns.count == b.padded;
  bool usable = innermost.stride == 1;
  if (b_.columns == ConvColumns::groups) usable = whole && b_.column.left == 1;
  if (b_.columns == ConvColumns::places)
    usable = whole && innermost.stride * unit[static_cast<std::size_t>(order_[0])] == 1;
  if (inside && usable) {
    for (std::size_t d = 0; d < n; ++d) {
      out.at += first[d] * s_.dims[d].stride;
      out.row[d] = s_.dims[d].row_step * s_.dims[d].stride;
      out.term[d] = s_.dims[d].term_step * s_.dims[d].stride;
    }
    return out;
  }
  const std::int64_t group = b_.columns == ConvColumns::groups ? b.padded : 1;
  std::int64_t elements = group;
  for (std::size_t d = 0; d < n; ++d) elements *= size[d];
  T* const to = Room::of(room.left, elements);
  if (!inside || !whole) std::memset(to, 0, static_cast<std::size_t>(elements) * sizeof(T));
  std::vector<CopyDim> copied;
  if (group > 1) copied.push_back({b.columns.count, b_.column.left, 1});
  const T* from = out.at;
  T* at = to;
  std::int64_t stride = group;
  for (int k : order_) {
    const auto d = static_cast<std::size_t>(k);
    const ConvDim& x = s_.dims[d];
    out.row[d] = x.row_step / unit[d] * stride;
    out.term[d] = x.term_step / unit[d] * stride;
    // Of its elements those that are in the array.
    const std::int64_t skipped = first[d] < 0 ? blocks_of(-first[d], unit[d]) : 0,
                       end = first[d] >= x.extent ? 0 : std::min(size[d], (x.extent - 1 - first[d]) / unit[d] + 1);
    copied.push_back({std::max<std::int64_t>(0, end - skipped), unit[d] * x.stride, stride});
    from += (first[d] + skipped * unit[d]) * x.stride;
    at += skipped * stride;
    stride *= size[d];
  }
  copy_dims(from, at, std::span<const CopyDim>(copied));
  out.at = to;
  return out;
}

template <class T>
typename ConvLoops<T>::Operand ConvLoops<T>::right(const ConvArrays<T>& arrays, const Block& b,
                                                   const std::vector<Range>& terms, Room& room) const {
  const std::size_t n = s_.dims.size();
  Operand out{arrays.right + b.right, {}, std::vector<std::int64_t>(n), b_.panel, s_.outs.right};
  if (b_.right_once) {
    out.at = arrays.panels + (b.outer * panels_ + b.columns.begin / b_.panel) * panel_size_;
    out.term = panel_terms_;
    out.panel = panel_size_;
  } else {
    for (std::size_t d = 0; d < n; ++d) out.term[d] = s_.dims[d].term_right;
  }
  for (std::size_t d = 0; d < n; ++d) out.at += terms[d].begin * out.term[d];
  if (b_.columns == ConvColumns::places) out.panel = 0;
  const bool one_panel = b.columns.count <= b_.panel;
  if (b_.right_once || b_.columns == ConvColumns::places ||
      (b_.column.right == 1 && one_panel && b.columns.count == b.padded))
    return out;
  std::vector<CopyDim> copied{{b.columns.count, b_.column.right, 1}};
  std::int64_t stride = b.padded;
  for (int k : order_) {
    const auto d = static_cast<std::size_t>(k);
    copied.push_back({terms[d].count, out.term[d], stride});
    out.term[d] = stride;
    stride *= terms[d].count;
  }
  if (b_.columns == ConvColumns::groups) {
    copied.push_back({s_.outs.count, out.outs, stride});
    out.outs = stride;
    stride *= s_.outs.count;
  }
  T* const to = Room::of(room.right, stride);
  if (b.columns.count < b.padded) std::memset(to, 0, static_cast<std::size_t>(stride) * sizeof(T));
  copy_dims(out.at, to, std::span<const CopyDim>(copied));
  out.at = to;
  return out;
}

template <class T> void ConvLoops<T>::make_panel(const ConvArrays<T>& arrays, T* panels, std::int64_t panel) const {
  const std::int64_t first = panel % panels_ * b_.panel, columns = std::min(b_.panel, b_.column.count - first);
  T* const to = panels + panel * panel_size_;
  if (columns < b_.panel) std::memset(to, 0, static_cast<std::size_t>(panel_size_) * sizeof(T));
  std::vector<CopyDim> dims{
      {columns, b_.column.right, b_.columns == ConvColumns::terms ? panel_size_ / s_.outs.count : 1}};
  for (std::size_t d = 0; d < s_.dims.size(); ++d)
    dims.push_back({s_.dims[d].terms, s_.dims[d].term_right, panel_terms_[d]});
  copy_dims(arrays.right + s_.right + panel / panels_ * b_.outer.right + first * b_.column.right, to,
            std::span<const CopyDim>(dims));
}

// Not the whole class: conv_task.cpp has the others.
template ConvLoops<float>::Operand ConvLoops<float>::left(const ConvArrays<float>&, const Block&,
                                                          const std::vector<Range>&, Room&) const;
template ConvLoops<float>::Operand ConvLoops<float>::right(const ConvArrays<float>&, const Block&,
                                                           const std::vector<Range>&, Room&) const;
template void ConvLoops<float>::make_panel(const ConvArrays<float>&, float*, std::int64_t) const;
template ConvLoops<double>::Operand ConvLoops<double>::left(const ConvArrays<double>&, const Block&,
                                                            const std::vector<Range>&, Room&) const;
template ConvLoops<double>::Operand ConvLoops<double>::right(const ConvArrays<double>&, const Block&,
                                                             const std::vector<Range>&, Room&) const;
template void ConvLoops<double>::make_panel(const ConvArrays<double>&, double*, std::int64_t) const;

}  // namespace tutti::cpu

// SPDX-License-Identifier: Apache-2.0
