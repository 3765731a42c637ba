// jax.numpy's making, moving, joining, cutting and contracting of arrays, and their lax counterparts, by their Python
// names.
#include "golden/python_values.hpp"
#include "tutti/numpy/numpy.hpp"

namespace golden::python {
namespace {

using namespace tutti;
using A = Arguments;

Shape shape_at(const A& a, std::size_t p, const char* name) { return Shape(a.at(p, name).integers()); }
std::vector<int> ints_at(const A& a, std::size_t p, const char* name) {
  std::vector<int> out;
  for (std::int64_t i : a.at(p, name).integers()) out.push_back(static_cast<int>(i));
  return out;
}
DType dtype_or(const A& a, std::size_t p, DType otherwise) { return a.dtype(p, "dtype").value_or(otherwise); }

// --- making

Scalar scalar_of(const Value& v) {
  if (const auto* i = v.get<std::int64_t>()) return Scalar(static_cast<int>(*i));
  return Scalar(v.number());
}
Value arange_of(const A& a) {
  Value start = 0, stop = a.at(0, "start"), step = a.has(2, "step") ? a.at(2, "step") : Value(1);
  if (a.has(1, "stop")) {
    start = stop;
    stop = a.at(1, "stop");
  }
  return arange_from(scalar_of(start), scalar_of(stop), scalar_of(step), a.dtype(3, "dtype"), Loc::current());
}
Value full_of(const A& a) {
  const Array value = a.array(1, "fill_value");
  return a.has(2, "dtype") ? full(shape_at(a, 0, "shape"), value, *a.dtype(2, "dtype"))
                           : full(shape_at(a, 0, "shape"), value);
}
Value full_like_of(const A& a) {
  if (!a.has(0, "a")) return full_of(a);  // the file has the shape
  return a.has(2, "dtype") ? full_like(a.array(0, "a"), a.array(1, "fill_value"), *a.dtype(2, "dtype"))
                           : full_like(a.array(0, "a"), a.array(1, "fill_value"));
}
Value array_of_values(const A& a) {
  Array x = a.array(0, "object");
  if (const auto d = a.dtype(1, "dtype")) {
    if (const auto* i = a.at(0, "object").get<std::int64_t>()) return array_from_scalar(Scalar(*i), false).astype(*d);
    return lax::convert_element_type(x, *d);
  }
  return lax::convert_element_type(x, x.dtype());
}

// --- shapes

Value reshape_of(const A& a) {
  Values rest = a.positional;
  const Array x = a.array(0, "a");
  Shape shape = a.positional.size() > 2 && a.positional[1].get<std::int64_t>()
                    ? Shape(Value(Values(rest.begin() + 1, rest.end())).integers())
                    : shape_at(a, 1, "shape");
  if (a.text(9, "order", "C") == "F") {
    std::vector<std::int64_t> dims(shape.begin(), shape.end());
    return transpose(reshape(transpose(x), Shape(std::vector<std::int64_t>(dims.rbegin(), dims.rend()))));
  }
  return reshape(x, shape);
}
Value moveaxis_of(const A& a) {
  return moveaxis(a.array(0, "a"), static_cast<int>(a.integer(1, "source", 0)),
                  static_cast<int>(a.integer(2, "destination", 0)));
}
Value split_of(const A& a) {
  const Value& at = a.at(1, "indices_or_sections");
  const int axis = static_cast<int>(a.integer(2, "axis", 0));
  if (at.get<std::int64_t>()) return split(a.array(0, "ary"), static_cast<int>(at.integer()), axis);
  return split(a.array(0, "ary"), at.integers(), axis);
}
// A list of arrays, or all positional arguments.
std::vector<Array> list_of(const A& a, const char* name) {
  if (a.positional.empty() || a.positional[0].get<Values>()) return a.at(0, name).arrays();
  std::vector<Array> out;
  for (const Value& v : a.positional) out.push_back(v.array());
  return out;
}
int axis_after(const A& a, const char* name) {
  const bool list = !a.positional.empty() && a.positional[0].get<Values>();
  return static_cast<int>(a.integer(list ? 1 : 99, name, 0));
}

std::vector<lax::PadDim> pad_config(const A& a) {
  std::vector<lax::PadDim> out;
  for (const Value& d : a.at(2, "padding_config").list()) {
    const auto v = d.integers();
    out.push_back({v.at(0), v.at(1), v.at(2)});
  }
  return out;
}
Value dynamic_slice_of(const A& a) {
  std::vector<Array> starts;
  if (a.positional.size() > 1 && a.positional[1].get<Values>()) {
    starts = a.positional[1].arrays();
    return lax::dynamic_slice(a.array(0, "x"), starts, shape_at(a, 2, "slice_sizes"));
  }
  for (std::size_t i = 1; i < a.positional.size(); ++i) starts.push_back(a.positional[i].array());
  return lax::dynamic_slice(a.array(0, "x"), starts, shape_at(a, 99, "slice_sizes"));
}
Value dynamic_update_slice_of(const A& a) {
  std::vector<Array> starts;
  if (a.positional.at(2).get<Values>()) starts = a.positional[2].arrays();
  for (std::size_t i = 2; i < a.positional.size() && starts.empty() + (i > 2) > 0; ++i)
    starts.push_back(a.positional[i].array());
  return lax::dynamic_update_slice(a.array(0, "x"), a.array(1, "update"), starts);
}
Value gather_of(const A& a) {
  lax::GatherDims dims;
  auto list = [&](const char* name) { return a.has(99, name) ? a.at(99, name).integers() : lax::Dims(); };
  dims.offset_dims = list("offset_dims");
  dims.collapsed_slice_dims = list("collapsed_slice_dims");
  dims.start_index_map = list("start_index_map");
  return lax::gather(a.array(0, "x"), a.array(1, "i"), dims, shape_at(a, 99, "slice_sizes"),
                     a.text(99, "mode", "fill") == "clip" ? lax::GatherMode::clip : lax::GatherMode::fill);
}
Function scatter_of(lax::ScatterKind kind, bool negative = false) {
  return [=](const A& a) {
    lax::ScatterDims dims;
    if (const Value& d = a.at(3, "dimension_numbers"); d.get<Values>()) {
      dims.update_window_dims = d.list().at(0).integers();
      dims.inserted_window_dims = d.list().at(1).integers();
      dims.scatter_dims_to_operand_dims = d.list().at(2).integers();
    } else {
      dims.update_window_dims = a.at(99, "update_window_dims").integers();
      dims.inserted_window_dims = a.at(99, "inserted_window_dims").integers();
      dims.scatter_dims_to_operand_dims = a.at(99, "scatter_dims_to_operand_dims").integers();
    }
    const Array u = a.array(2, "updates");
    return lax::scatter(a.array(0, "x"), a.array(1, "indices"), negative ? -u : u, dims, kind);
  };
}

// --- indices

// The case's form: an array, and `index`.
std::vector<Index> index_entries(const Value& list) {
  std::vector<Index> out;
  for (const Value& v : list.list()) {
    if (const std::string* s = v.get<std::string>()) {
      out.push_back(*s == "..." ? Index(ellipsis) : Index(newaxis));
    } else if (const SliceOf* s = v.get<SliceOf>()) {
      auto bound = [](const std::optional<std::int64_t>& b) { return b ? SliceBound(*b) : SliceBound(none); };
      out.push_back(slice(bound(s->start), bound(s->stop), bound(s->step)));
    } else if (const auto* i = v.get<std::int64_t>()) {
      out.push_back(*i);
    } else {
      out.push_back(v.array());
    }
  }
  return out;
}
AtMode at_mode(const A& a) {
  const std::string mode = a.text(99, "mode", "");
  return mode == "clip" ? AtMode::clip : mode == "fill" || mode == "drop" ? AtMode::fill : AtMode::automatic;
}
using Update = Array (AtIndex::*)(const Operand&, OneOf<AtMode>) const;
Function update_case(Update f) {
  return [f](const A& a) {
    return (AtIndex(a.array(0, "x"), index_entries(a.at(99, "index"))).*f)(a.positional.back().array(), at_mode(a));
  };
}
Function update_method(Update f) {
  return [f](const A& a) {
    const At& at = *a.positional.at(0).get<At>();
    return (AtIndex(at.array, at.index).*f)(a.array(1, "values"), at_mode(a));
  };
}
Value get_of(const Array& x, const std::vector<Index>& index, const A& a) {
  const AtIndex at(x, index);
  return a.has(99, "mode") ? at.get(at_mode(a), a.maybe_array(99, "fill_value")) : at.get();
}
Value apply_of(const A& a) {
  const At& at = *a.positional.at(0).get<At>();
  return AtIndex(at.array, at.index).apply([&](const Array& x) { return a.at(1, "func")({x}).array(); });
}

// --- products

Value matmul_of(const A& a) {
  const auto preferred = a.dtype(99, "preferred_element_type");
  return preferred ? matmul_with(a.array(0, "a"), a.array(1, "b"), *preferred)
                   : matmul(a.array(0, "a"), a.array(1, "b"));
}
Value dot_of(const A& a) {
  const auto preferred = a.dtype(99, "preferred_element_type");
  return preferred ? dot_with(a.array(0, "a"), a.array(1, "b"), *preferred) : dot(a.array(0, "a"), a.array(1, "b"));
}
Value einsum_of(const A& a) {
  std::vector<Array> xs;
  for (const Value& v : a.positional)
    if (!v.get<std::string>()) xs.push_back(v.array());
  return einsum(a.has(99, "formula") ? a.text(99, "formula", "") : a.text(0, "subscripts", ""), xs,
                a.dtype(99, "preferred_element_type"));
}
Value tensordot_of(const A& a) {
  const Value& axes = a.has(2, "axes") ? a.at(2, "axes") : Value(2);
  if (axes.get<std::int64_t>()) return tensordot(a.array(0, "a"), a.array(1, "b"), static_cast<int>(axes.integer()));
  A lists{axes.list(), {}};
  return tensordot(a.array(0, "a"), a.array(1, "b"), ints_at(lists, 0, ""), ints_at(lists, 1, ""));
}
Value dot_general_of(const A& a) {
  lax::DotDims dims;
  Value contract = a.at(99, "contract"), batch = a.at(99, "batch");
  if (contract.is_none()) {
    const Values& both = a.at(2, "dimension_numbers").list();
    contract = both.at(0);
    batch = both.at(1);
  }
  dims.lhs_contract = contract.list().at(0).integers();
  dims.rhs_contract = contract.list().at(1).integers();
  dims.lhs_batch = batch.list().at(0).integers();
  dims.rhs_batch = batch.list().at(1).integers();
  return lax::dot_general(a.array(0, "lhs"), a.array(1, "rhs"), dims, a.dtype(99, "preferred_element_type"));
}

Value lax_pad_of(const A& a) {
  const Array x = a.array(0, "x");
  return lax::pad(x, lax::convert_element_type(a.array(1, "value"), x.dtype()), pad_config(a));
}

const Functions functions({
    {"jnp.arange", arange_of},
    {"jnp.zeros", [](const A& a) { return zeros(shape_at(a, 0, "shape"), dtype_or(a, 1, float64)); }},
    {"jnp.ones", [](const A& a) { return ones(shape_at(a, 0, "shape"), dtype_or(a, 1, float64)); }},
    {"jnp.full", full_of},
    {"jnp.full_like", full_like_of},
    {"jnp.array", array_of_values},
    {"jnp.asarray", array_of_values},
    {"jnp.eye",
     [](const A& a) {
       const std::int64_t n = a.integer(0, "n", 0);
       return eye(n, a.integer(1, "m", n), static_cast<int>(a.integer(2, "k", 0)), dtype_or(a, 3, float64));
     }},
    {"jnp.tri",
     [](const A& a) {
       const std::int64_t n = a.integer(0, "n", 0);
       return tri(n, a.integer(1, "m", n), static_cast<int>(a.integer(2, "k", 0)), dtype_or(a, 3, float32));
     }},
    {"lax.iota", [](const A& a) { return lax::iota(*a.dtype(0, "dtype"), Shape{a.integer(1, "size", 0)}, 0); }},
    {"lax.broadcasted_iota",
     [](const A& a) {
       return lax::iota(*a.dtype(0, "dtype"), shape_at(a, 1, "shape"), static_cast<int>(a.integer(2, "dimension", 0)));
     }},
    {"jnp.reshape", reshape_of},
    {"method.reshape", reshape_of},
    {"jnp.transpose",
     [](const A& a) {
       return a.has(1, "axes") ? transpose(a.array(0, "a"), ints_at(a, 1, "axes")) : transpose(a.array(0, "a"));
     }},
    {"jnp.swapaxes",
     [](const A& a) {
       return swapaxes(a.array(0, "a"), static_cast<int>(a.integer(1, "axis1", 0)),
                       static_cast<int>(a.integer(2, "axis2", 0)));
     }},
    {"jnp.moveaxis", moveaxis_of},
    {"jnp.broadcast_to", [](const A& a) { return broadcast_to(a.array(0, "a"), shape_at(a, 1, "shape")); }},
    {"lax.broadcast_in_dim",
     [](const A& a) {
       return lax::broadcast_in_dim(a.array(0, "a"), shape_at(a, 1, "shape"),
                                    a.at(2, "broadcast_dimensions").integers());
     }},
    {"jnp.expand_dims", [](const A& a) { return expand_dims(a.array(0, "a"), ints_at(a, 1, "axis")); }},
    {"jnp.squeeze", [](const A& a) { return squeeze(a.array(0, "a"), a.axes(1, "axis")); }},
    {"jnp.concatenate", [](const A& a) { return concatenate(list_of(a, "arrays"), axis_after(a, "axis")); }},
    {"jnp.stack", [](const A& a) { return stack(list_of(a, "arrays"), axis_after(a, "axis")); }},
    {"jnp.vstack", [](const A& a) { return vstack(list_of(a, "tup")); }},
    {"jnp.hstack", [](const A& a) { return hstack(list_of(a, "tup")); }},
    {"jnp.split", split_of},
    {"case.pad", lax_pad_of},
    {"lax.pad", lax_pad_of},
    {"lax.slice",
     [](const A& a) {
       return lax::slice(a.array(0, "x"), a.at(1, a.has(99, "start") ? "start" : "start_indices").integers(),
                         a.at(2, a.has(99, "limit") ? "limit" : "limit_indices").integers(),
                         a.has(3, "strides") ? a.at(3, "strides").integers() : lax::Dims());
     }},
    {"lax.dynamic_slice", dynamic_slice_of},
    {"lax.dynamic_update_slice", dynamic_update_slice_of},
    {"lax.gather", gather_of},
    {"lax.scatter", scatter_of(lax::ScatterKind::set)},
    {"lax.scatter_add", scatter_of(lax::ScatterKind::add)},
    {"lax.scatter_sub", scatter_of(lax::ScatterKind::add, true)},
    {"lax.scatter_mul", scatter_of(lax::ScatterKind::mul)},
    {"lax.scatter_min", scatter_of(lax::ScatterKind::min)},
    {"lax.scatter_max", scatter_of(lax::ScatterKind::max)},
    {"lax.ScatterDimensionNumbers", [](const A& a) { return Value(a.positional); }},
    {"lax.rev", [](const A& a) { return lax::rev(a.array(0, "x"), a.at(1, "dimensions").integers()); }},
    {"jnp.flip", [](const A& a) { return flip(a.array(0, "m"), a.axes(1, "axis")); }},
    {"jnp.tile", [](const A& a) { return tile(a.array(0, "A"), shape_at(a, 1, "reps")); }},
    {"jnp.tril", [](const A& a) { return tril(a.array(0, "m"), static_cast<int>(a.integer(1, "k", 0))); }},
    {"jnp.triu", [](const A& a) { return triu(a.array(0, "m"), static_cast<int>(a.integer(1, "k", 0))); }},
    {"jnp.diag", [](const A& a) { return diag(a.array(0, "v"), static_cast<int>(a.integer(1, "k", 0))); }},
    {"jnp.take_along_axis",
     [](const A& a) {
       return take_along_axis(a.array(0, "arr"), a.array(1, "i"), static_cast<int>(a.integer(2, "axis", -1)));
     }},
    {"case.index", [](const A& a) { return a.array(0, "x").index(index_entries(a.at(99, "index"))); }},
    {"case.at_get",
     [](const A& a) {
       return get_of(a.array(0, "x"),
                     a.has(99, "index") ? index_entries(a.at(99, "index")) : std::vector<Index>{a.array(1, "i")}, a);
     }},
    {"case.at_set", update_case(&AtIndex::set)},
    {"case.at_add", update_case(&AtIndex::add)},
    {"case.at_subtract", update_case(&AtIndex::subtract)},
    {"case.at_multiply", update_case(&AtIndex::mul)},
    {"case.at_divide", update_case(&AtIndex::divide)},
    {"case.at_power", update_case(&AtIndex::power)},
    {"case.at_min", update_case(&AtIndex::min)},
    {"case.at_max", update_case(&AtIndex::max)},
    {"method.set", update_method(&AtIndex::set)},
    {"method.add", update_method(&AtIndex::add)},
    {"method.subtract", update_method(&AtIndex::subtract)},
    {"method.multiply", update_method(&AtIndex::mul)},
    {"method.divide", update_method(&AtIndex::divide)},
    {"method.power", update_method(&AtIndex::power)},
    {"method.min", update_method(&AtIndex::min)},
    {"method.max", update_method(&AtIndex::max)},
    {"method.apply", apply_of},
    {"method.get",
     [](const A& a) { return get_of(a.positional.at(0).get<At>()->array, a.positional[0].get<At>()->index, a); }},
    {"jnp.matmul", matmul_of},
    {"jnp.dot", dot_of},
    {"jnp.einsum", einsum_of},
    {"jnp.tensordot", tensordot_of},
    {"lax.dot_general", dot_general_of},
});

}  // namespace
}  // namespace golden::python

// SPDX-License-Identifier: Apache-2.0
