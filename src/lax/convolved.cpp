#include "lax/convolved.hpp"

#include <algorithm>
#include <vector>

#include "lax/windows.hpp"
#include "ops/movement/movement.hpp"

namespace tutti::lax {
namespace {

// What each window sees: places * in features, batch and windows (where features are last: these behind); feature
// groups have a dim for them in front, batch groups one behind the features.
Array patches(const Convolution& c) {
  const std::int64_t ins = c.ins();
  Shape view = c.features_last      ? Shape{c.batch()}
               : c.groups > 1       ? Shape{c.groups, ins, c.batch()}
               : c.batch_groups > 1 ? Shape{ins, c.batch_groups, c.batch()}
                                    : Shape{ins, c.batch()};
  for (std::int64_t n : c.count) view.push_back(n);
  if (c.features_last) view.push_back(ins);
  const int rows = c.features_last ? view.ndim() - 1 : c.groups > 1 ? 1 : 0;
  if (ops::contains(c.count, 0) || ops::contains(c.window, 0)) {
    view[static_cast<std::size_t>(rows)] *= Shape(c.window).num_elements();
    return ops::zeros(c.lhs.dtype(), view);
  }
  std::vector<Array> views = shifted_views(c.lhs, c.window, c.strides, c.dilation, c.count, c.behind());
  for (Array& v : views)
    if (v.shape() != view) v = lax::reshape(v, view);
  return views.size() == 1 ? views[0] : lax::concatenate(views, rows);
}

// Out features, batch and windows; or batch, windows and out features.
Array product(const Convolution& c, const Array& columns, const std::optional<DType>& preferred) {
  const std::int64_t outs = c.outs(), all = c.groups * c.batch_groups;
  const std::int64_t places = Shape(c.window).num_elements() * c.ins();
  if (c.features_last)
    return lax::dot_general(columns, lax::reshape(c.rhs, Shape{places, outs}), {{columns.ndim() - 1}, {0}, {}, {}},
                            preferred);
  Array kernel = lax::reshape(c.rhs, all == 1 ? Shape{outs, places} : Shape{all, outs / all, places});
  const DotDims dims = all == 1       ? DotDims{{1}, {0}, {}, {}}
                       : c.groups > 1 ? DotDims{{2}, {1}, {0}, {0}}
                                      : DotDims{{2}, {0}, {0}, {1}};
  Shape result{outs, c.batch()};
  for (std::int64_t n : c.count) result.push_back(n);
  Array y = lax::dot_general(kernel, columns, dims, preferred);
  return y.shape() == result ? y : lax::reshape(y, result);
}

// Of one feature for each: what the window sees, element by element, times its weights, in one loop.
Array weighed(const Convolution& c, const std::optional<DType>& preferred) {
  const DType result = preferred.value_or(c.lhs.dtype());
  const DType sums = result.is_floating() && result.size() < 4 ? float32 : result;
  const std::int64_t outs = c.outs(), places = Shape(c.window).num_elements();
  if (places == 0 || ops::contains(c.count, 0)) {
    Shape none = c.lhs.shape();
    std::copy(c.count.begin(), c.count.end(), none.end() - static_cast<std::ptrdiff_t>(c.count.size() + c.behind()));
    return ops::zeros(result, none);
  }
  const std::vector<Array> seen = shifted_views(c.lhs, c.window, c.strides, c.dilation, c.count, c.behind());
  const Array weights = lax::reshape(c.rhs, c.features_last ? Shape{places, outs} : Shape{outs, places});
  const std::int64_t features = c.features_last ? c.lhs.ndim() - 1 : 0;
  Array y;
  for (std::int64_t k = 0; k < places; ++k) {
    const Array x = lax::convert_element_type(seen[static_cast<std::size_t>(k)], sums);
    const Array w = c.features_last ? lax::slice(weights, {k, 0}, {k + 1, outs}, {1, 1})
                                    : lax::slice(weights, {0, k}, {outs, k + 1}, {1, 1});
    const Array term = lax::mul(
        x, lax::broadcast_in_dim(lax::convert_element_type(lax::reshape(w, {outs}), sums), x.shape(), {features}));
    y = k ? lax::add(y, term) : term;
  }
  return lax::convert_element_type(y, result);
}

}  // namespace

Array convolved(const Convolution& c, const std::optional<DType>& preferred) {
  const std::int64_t places = Shape(c.window).num_elements();
  const bool one_by_one = c.ins() == 1 && c.outs() == c.features() && c.batch_groups == 1 && places <= kMostWeights &&
                          !c.lhs.dtype().is_complex();
  return one_by_one ? weighed(c, preferred) : product(c, patches(c), preferred);
}

}  // namespace tutti::lax
