// Arrays from nested lists: `array({{1, 2}, {3, 4}})`.
#include "array/node.hpp"
#include "numpy/dims.hpp"
#include "tutti/base/call_scope.hpp"
#include "tutti/numpy/movement.hpp"

namespace tutti {
namespace {

// What a list holds, depth first.
struct Contents {
  std::vector<Scalar> scalars;
  bool has_array = false;
};

void collect(const NestedList& l, Contents& out) {
  if (!l.is_list) {
    if (l.is_array && !l.array.has_value())
      raise<ValueError>("array", "an entry of the list is an empty Array: there is no array",
                        "Test has_value() first.");
    if (l.is_array)
      out.has_array = true;
    else
      out.scalars.push_back(l.scalar);
    return;
  }
  for (const NestedList& e : l.list) collect(e, out);
}

// One type stays; of several, the widest kind: bool, integer, floating, complex.
DType dtype_of_numbers(const std::vector<Scalar>& scalars) {
  if (scalars.empty()) return float32;
  DType out = scalars[0].dtype;
  for (const Scalar& s : scalars) {
    if (s.dtype == out) continue;
    if (s.dtype.is_complex() || out.is_complex())
      out = complex_dtype(s.dtype == complex64 && out == complex64 ? complex64 : complex128);
    else if (s.dtype.is_floating() || out.is_floating())
      out = float64;
    else
      out = int64;
  }
  return canonical(out);
}

Shape shape_of(const NestedList& l, Loc loc) {
  if (!l.is_list) return l.array.has_value() ? l.array.shape() : Shape{};
  Shape inner;
  for (std::size_t i = 0; i < l.list.size(); ++i) {
    Shape s = shape_of(l.list[i], loc);
    if (i && s != inner)
      raise<ShapeError>("array", "entries of shapes " + inner.str() + " and " + s.str() + " in one list",
                        "Lists of one level must be equally long.", loc);
    inner = s;
  }
  inner.insert(0, static_cast<std::int64_t>(l.list.size()));
  return inner;
}

// Lists with arrays in them are stacked.
Array stacked(const NestedList& l, DType numbers, Loc loc) {
  if (!l.is_list) return l.is_array ? l.array : array_from_scalar(l.scalar.to(numbers), false);
  std::vector<Array> parts;
  for (const NestedList& e : l.list) parts.push_back(stacked(e, numbers, loc));
  return stack(ArrayList(parts, loc));
}

Array made(const std::initializer_list<NestedList>& list, std::optional<DType> dtype, Loc loc) {
  CallScope scope(loc);
  NestedList all(list);
  Contents contents;
  collect(all, contents);
  Shape shape = shape_of(all, loc);
  DType numbers = canonical(dtype.value_or(dtype_of_numbers(contents.scalars)));
  if (numbers.is_key())
    raise<TypeError>("array", "numbers are no random keys", "Use random::key, or random::wrap_key_data of an array.");
  for (const Scalar& s : contents.scalars) check_fits(s, numbers, loc);
  if (contents.has_array) {
    Array x = stacked(all, numbers, loc);
    return lax::convert_element_type(x, dtype ? numbers : x.dtype());
  }
  // Widest host types first, then one conversion for all.
  if (numbers.is_complex()) {
    std::vector<std::complex<double>> v;
    for (const Scalar& s : contents.scalars) v.push_back(s.as<std::complex<double>>());
    std::vector<char> out(static_cast<std::size_t>(shape.num_elements() * numbers.size()));
    convert_elements(complex128, v.data(), numbers, out.data(), shape.num_elements());
    return array_from_host(out.data(), numbers, shape, loc);
  }
  std::vector<char> out(static_cast<std::size_t>(shape.num_elements() * numbers.size()));
  bool real = false;
  for (const Scalar& s : contents.scalars) real = real || s.dtype.is_floating();
  if (real) {
    std::vector<double> v;
    for (const Scalar& s : contents.scalars) v.push_back(s.as<double>());
    convert_elements(float64, v.data(), numbers, out.data(), shape.num_elements());
  } else {
    std::vector<std::int64_t> v;
    for (const Scalar& s : contents.scalars) v.push_back(s.integer);
    convert_elements(int64, v.data(), numbers, out.data(), shape.num_elements());
  }
  return array_from_host(out.data(), numbers, shape, loc);
}

}  // namespace

Array array(std::initializer_list<NestedList> list, Loc loc) { return made(list, {}, loc); }
Array array(std::initializer_list<NestedList> list, DType dtype, Loc loc) { return made(list, dtype, loc); }

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
