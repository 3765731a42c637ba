#include "backend/cpu/window_moves.hpp"

#include <algorithm>

#include "ops/movement/gather.hpp"
#include "ops/movement/scatter.hpp"

namespace tutti::cpu {
namespace {

using ops::Dims;
using Kind = WindowMoves::Kind;

// The last dims of the windows' array, as far as their elements lie side by side in the array too, are one run.
void take_runs(WindowMoves& m) {
  std::int64_t dense = 1;
  while (!m.dims.empty()) {
    const WindowMoves::Dim& d = m.dims.back();
    if (d.extent != 1 && (d.array != dense || d.indices != 0 || d.windows != dense)) break;
    dense *= d.extent;
    m.dims.pop_back();
  }
  m.length = dense;
  std::erase_if(m.dims, [](const WindowMoves::Dim& d) { return d.extent == 1; });
}

// A box: a start for each dim.
WindowMoves box(const compile::CallEqn& c) {
  WindowMoves m;
  const bool reads = c.eqn.op->window == Op::Window::read_box;
  m.kind = reads ? Kind::read : Kind::write;
  m.array = c.operand_types[0];
  m.windows_operand = reads ? -1 : 1;
  const Shape& windows = reads ? c.result_types[0].shape : c.operand_types[1].shape;
  const Dims array = ops::row_major_strides(m.array.shape), dense = ops::row_major_strides(windows);
  const int first = reads ? 1 : 2;
  for (int d = 0; d < windows.ndim(); ++d) {
    const auto k = static_cast<std::size_t>(d);
    m.dims.push_back({windows[d], dense[k], array[k], 0});
    const auto operand = static_cast<std::size_t>(first + d);
    m.starts.push_back({first + d, 0, c.operand_types[operand].dtype, m.array.shape[d] - windows[d], array[k]});
  }
  take_runs(m);
  return m;
}

lax::GatherDims dims_of(const compile::CallEqn& c) {
  if (c.eqn.op->window == Op::Window::read) return c.eqn.params.get<ops::Gather>().dims;
  const lax::ScatterDims& d = c.eqn.params.get<ops::Scatter>().dims;
  return {d.update_window_dims, d.inserted_window_dims, d.scatter_dims_to_operand_dims, d.operand_batching_dims,
          d.scatter_indices_batching_dims};
}

WindowMoves many(const compile::CallEqn& c) {
  WindowMoves m;
  const bool reads = c.eqn.op->window == Op::Window::read;
  m.kind = reads ? Kind::read : c.eqn.op->window == Op::Window::add ? Kind::add : Kind::write;
  m.array = c.operand_types[0];
  m.windows_operand = reads ? -1 : 2;
  m.leaves_out =
      (reads ? c.eqn.params.get<ops::Gather>().mode : c.eqn.params.get<ops::Scatter>().mode) == lax::GatherMode::fill;
  const lax::GatherDims g = dims_of(c);
  const Type& indices = c.operand_types[1];
  const Shape& windows = reads ? c.result_types[0].shape : c.operand_types[2].shape;
  const ops::WindowDims w(g, m.array.ndim(), windows.ndim());
  const Dims array = ops::row_major_strides(m.array.shape), dense = ops::row_major_strides(windows),
             rows = ops::row_major_strides(indices.shape);
  for (int d = 0; d < windows.ndim(); ++d) m.dims.push_back({windows[d], dense[static_cast<std::size_t>(d)], 0, 0});
  Dims sizes(m.array.shape.size(), 1);
  for (std::size_t i = 0; i < w.window.size(); ++i) {
    m.dims[static_cast<std::size_t>(w.window[i])].array = array[static_cast<std::size_t>(w.operand[i])];
    sizes[static_cast<std::size_t>(w.operand[i])] = windows[static_cast<int>(w.window[i])];
  }
  for (std::size_t i = 0; i < w.batch.size(); ++i) m.dims[static_cast<std::size_t>(w.batch[i])].indices = rows[i];
  for (std::size_t i = 0; i < g.operand_batching_dims.size(); ++i) {
    const std::int64_t dim = w.batch[static_cast<std::size_t>(g.start_indices_batching_dims[i])];
    m.dims[static_cast<std::size_t>(dim)].array += array[static_cast<std::size_t>(g.operand_batching_dims[i])];
  }
  for (std::size_t k = 0; k < g.start_index_map.size(); ++k) {
    const auto d = static_cast<std::size_t>(g.start_index_map[k]);
    m.starts.push_back(
        {1, static_cast<std::int64_t>(k), indices.dtype, m.array.shape[static_cast<int>(d)] - sizes[d], array[d]});
  }
  take_runs(m);
  return m;
}

// Whether there is one window: places of several may be the same one.
bool is_one(const WindowMoves& m) {
  return std::all_of(m.dims.begin(), m.dims.end(), [](const WindowMoves::Dim& d) { return d.indices == 0; });
}

}  // namespace

std::optional<WindowMoves> window_moves(const compile::CallEqn& c) {
  if (c.gather) return std::nullopt;
  using Window = Op::Window;
  const Window window = c.eqn.op->window;
  if (window == Window::none || window == Window::other || c.spread) return std::nullopt;
  for (const Type& t : c.operand_types)
    if (t.num_elements() == 0) return std::nullopt;
  if (c.result_types[0].num_elements() == 0) return std::nullopt;
  if (window == Window::read_box || window == Window::write_box) return box(c);
  WindowMoves m = many(c);
  if (m.kind == Kind::add && m.array.dtype.is_key()) m.kind = Kind::write;  // keys have no arithmetic
  const DType d = m.array.dtype;
  const bool adds = d == float32 || d == float64 || (d.is_integer() && arithmetic_dtype(d) == d);
  if (m.kind == Kind::add && (!adds || !is_one(m))) return std::nullopt;
  return m;
}

std::vector<char> fill_element(const compile::CallEqn& c) {
  const auto& p = c.eqn.params.get<ops::Gather>();
  const Type x{c.operand_types[0].dtype, {1}, false, {}}, index{int32, {1, 1}, false, {}},
      result{x.dtype, {1, 1}, false, {}};
  std::int32_t outside = 5;
  std::int64_t element[2] = {}, filled[2] = {};
  const Params params = ops::Gather{{{1}, {}, {0}, {}, {}}, {1}, lax::GatherMode::fill, p.zero_fill};
  const std::vector<ProgramPtr> none;
  const HostView in[] = {{x, element}, {index, &outside}}, out[] = {{result, filled}};
  c.eqn.op->eval(Call{*c.eqn.op, params, {x, index}, none}, in, out);
  const char* bytes = reinterpret_cast<const char*>(filled);
  return {bytes, bytes + x.dtype.size()};
}

}  // namespace tutti::cpu

// SPDX-License-Identifier: Apache-2.0
