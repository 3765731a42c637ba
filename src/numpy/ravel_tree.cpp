#include "numpy/promotion.hpp"
#include "tutti/numpy/numpy.hpp"
#include "tutti/tree/ravel.hpp"

namespace tutti::detail {

Array ravel_arrays(const std::vector<Array>& arrays) {
  if (arrays.empty()) return zeros({0}, float32);
  std::vector<Array> flat = ops::same_dtype(arrays);
  for (Array& x : flat) x = ravel(x);
  return flat.size() == 1 ? flat[0] : concatenate(flat);
}

Pieces::Pieces(const std::vector<Array>& like) {
  std::vector<Type> types;
  for (const Array& x : like) types.push_back(x.type());
  types_ = std::make_shared<const std::vector<Type>>(std::move(types));
}

std::vector<Array> Pieces::of(const Array& flat, Loc loc) const {
  const std::vector<Type>& like = *types_;
  CallScope scope(loc, {"", "unravel", 0});
  std::int64_t all = 0;
  bool one_dtype = true;
  DType dtype = like.empty() ? DType(float32) : like[0].dtype;
  for (const Type& t : like) {
    all += t.shape.num_elements();
    one_dtype = one_dtype && t.dtype == like[0].dtype;
    dtype = promote_types(dtype, t.dtype);
  }
  if (flat.ndim() != 1 || flat.size() != all)
    raise<ShapeError>("unravel",
                      type_text(flat) + " for a tree of " + std::to_string(all) + " elements in " +
                          std::to_string(like.size()) + " arrays",
                      "Give a vector of as many elements.");
  if (!one_dtype && flat.dtype() != dtype)
    raise<TypeError>("unravel",
                     "the vector is " + type_text(flat) + ", that of ravel_pytree was " + std::string(dtype.name()),
                     "The arrays of the tree have several dtypes: convert the vector first.");
  std::vector<Array> out;
  std::int64_t at = 0;
  for (const Type& t : like) {
    const std::int64_t n = t.shape.num_elements();
    const Array piece = reshape(flat(slice(at, at + n)), t.shape);
    out.push_back(one_dtype ? piece : piece.astype(t.dtype));
    at += n;
  }
  return out;
}

}  // namespace tutti::detail

// SPDX-License-Identifier: Apache-2.0
