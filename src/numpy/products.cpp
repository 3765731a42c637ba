// NumPy-like products: matmul, dot, tensordot, einsum and their kin, all by dot_general.
#include <algorithm>
#include <map>
#include <set>

#include "numpy/dims.hpp"
#include "numpy/promotion.hpp"
#include "tutti/numpy/movement.hpp"

namespace tutti {

using ops::Dims;

namespace {

std::string operands(const Array& x, const Array& y) { return "lhs " + x.type().str() + " and rhs " + y.type().str(); }
// Checked before the dims are brought together, so that errors show the user's own types.
void check_pair(const char* function, const Array& x, const Array& y, int dx, int dy) {
  std::int64_t a = x.shape()[static_cast<std::size_t>(dx)], b = y.shape()[static_cast<std::size_t>(dy)];
  if (a == b) return;
  bool turned = x.ndim() == 2 && y.ndim() == 2 && y.shape()[static_cast<std::size_t>(1 - dy)] == a;
  raise<ShapeError>(function,
                    "contracting dimensions differ: lhs " + x.type().str() + " dim " + std::to_string(dx) + " is " +
                        std::to_string(a) + ", rhs " + y.type().str() + " dim " + std::to_string(dy) + " is " +
                        std::to_string(b),
                    turned ? "Or did you mean the transpose of rhs? Write .T()." : "The two extents must be equal.");
}
Array product(const Array& x, const Array& y, const lax::DotDims& dims) {
  std::vector<Array> xs = ops::same_dtype({x, y});
  return lax::dot_general(xs[0], xs[1], dims);
}

}  // namespace

Array matmul(const In& x, const In& y) {
  CallScope scope(x.loc);
  Array a = x.array, b = y.array;
  if (a.ndim() == 0 || b.ndim() == 0)
    raise<ShapeError>("matmul", operands(a, b) + ": one is a scalar", "Scalars multiply by *.");
  int na = a.ndim(), nb = b.ndim();
  check_pair("matmul", a, b, na - 1, std::max(nb - 2, 0));
  if (na <= 2 && nb <= 2) return product(a, b, {{na - 1}, {0}, {}, {}});
  if (nb <= 2) return product(a, b, {{na - 1}, {0}, {}, {}});  // the stack's dims are free dims of lhs
  if (na == 1) return product(a, b, {{0}, {nb - 2}, {}, {}});
  Shape left(Dims(a.shape().begin(), a.shape().end() - 2)), right(Dims(b.shape().begin(), b.shape().end() - 2));
  for (int d = 1; d <= std::min(left.ndim(), right.ndim()); ++d) {
    std::int64_t l = left[left.size() - static_cast<std::size_t>(d)],
                 r = right[right.size() - static_cast<std::size_t>(d)];
    if (l != r && l != 1 && r != 1)
      raise<ShapeError>(
          "matmul",
          operands(a, b) + ": the stacks do not broadcast, " + std::to_string(l) + " and " + std::to_string(r),
          "Leading extents must be equal or 1.");
  }
  Shape batch = ops::common_shape("matmul", {left, right});
  auto stacked = [&](const Array& m, const Shape& own) {
    if (own == batch) return m;
    Shape to = batch;
    to.push_back(m.shape()[m.ndim() - 2]);
    to.push_back(m.shape()[m.ndim() - 1]);
    return ops::spread_to(m, to);
  };
  int n = batch.ndim();
  return product(stacked(a, left), stacked(b, right), {{n + 1}, {n}, ops::range(0, n), ops::range(0, n)});
}

Array dot(const Operand& x, const Operand& y) {
  CallScope scope(x.loc);
  Array a = x.array, b = y.array;
  if (a.ndim() == 0 || b.ndim() == 0) return product(a, b, {});
  check_pair("dot", a, b, a.ndim() - 1, std::max(b.ndim() - 2, 0));
  return product(a, b, {{a.ndim() - 1}, {std::max(b.ndim() - 2, 0)}, {}, {}});
}
Array vdot(const In& x, const In& y) {
  CallScope scope(x.loc);
  if (x.array.size() != y.array.size())
    raise<ShapeError>("vdot",
                      operands(x.array, y.array) + " have " + std::to_string(x.array.size()) + " and " +
                          std::to_string(y.array.size()) + " elements",
                      "Both need as many.");
  return dot(ravel(x.array), ravel(y.array));
}
Array inner(const In& x, const In& y) {
  CallScope scope(x.loc);
  if (x.array.ndim() == 0 || y.array.ndim() == 0) return product(x.array, y.array, {});
  check_pair("inner", x.array, y.array, x.array.ndim() - 1, y.array.ndim() - 1);
  return product(x.array, y.array, {{x.array.ndim() - 1}, {y.array.ndim() - 1}, {}, {}});
}
Array outer(const In& x, const In& y) {
  CallScope scope(x.loc);
  return product(ravel(x.array), ravel(y.array), {});
}

Array tensordot(const In& x, const In& y, int n) {
  CallScope scope(x.loc);
  if (n < 0 || n > x.array.ndim() || n > y.array.ndim())
    raise<ShapeError>("tensordot", std::to_string(n) + " dims of " + operands(x.array, y.array),
                      n < 0 ? "Give 0 dims or more." : "Both need that many dims.");
  for (int i = 0; i < n; ++i) check_pair("tensordot", x.array, y.array, x.array.ndim() - n + i, i);
  return product(x.array, y.array, {ops::range(x.array.ndim() - n, x.array.ndim()), ops::range(0, n), {}, {}});
}
Array tensordot(const In& x, const In& y, const std::vector<int>& x_axes, const std::vector<int>& y_axes) {
  CallScope scope(x.loc);
  Dims a, b;
  for (int d : x_axes) a.push_back(ops::normal_axis("tensordot", d, x.array));
  for (int d : y_axes) b.push_back(ops::normal_axis("tensordot", d, y.array));
  if (a.size() != b.size())
    raise<ShapeError>("tensordot",
                      std::to_string(a.size()) + " axes of lhs and " + std::to_string(b.size()) +
                          " of rhs: " + operands(x.array, y.array),
                      "Name as many of either.");
  for (std::size_t i = 0; i < a.size(); ++i)
    check_pair("tensordot", x.array, y.array, static_cast<int>(a[i]), static_cast<int>(b[i]));
  return product(x.array, y.array, {a, b, {}, {}});
}

// --- einsum: operands are folded from the left, two at a time; what later terms and the output need is kept.
namespace {

struct Term {
  Array array;
  std::string labels;  // one a dim
};

[[noreturn]] void wrong(const std::string& subscripts, const std::string& what) {
  raise<ValueError>("einsum", "\"" + subscripts + "\": " + what,
                    "A letter per dim, commas between operands, -> before the result.");
}

// Takes the diagonal over repeated letters and sums away letters that nobody needs.
Term reduced(Term t, const std::set<char>& needed) {
  for (std::size_t i = 0; i < t.labels.size(); ++i) {
    std::size_t j = t.labels.find(t.labels[i], i + 1);
    if (j == std::string::npos) continue;
    const Shape& shape = t.array.shape();
    Array same = lax::eq(lax::iota(int32, shape, static_cast<int>(i)), lax::iota(int32, shape, static_cast<int>(j)));
    t.array =
        lax::reduce_sum(lax::select(same, t.array, ops::zeros(t.array.dtype(), shape)), {static_cast<std::int64_t>(j)});
    t.labels.erase(j, 1);
    --i;
  }
  Dims gone;
  std::string kept;
  for (std::size_t i = 0; i < t.labels.size(); ++i)
    needed.count(t.labels[i]) ? kept.push_back(t.labels[i]) : gone.push_back(static_cast<std::int64_t>(i));
  if (!gone.empty()) t.array = lax::reduce_sum(t.array, gone);
  t.labels = kept;
  return t;
}

Term multiplied(const Term& x, const Term& y, const std::set<char>& needed) {
  lax::DotDims dims;
  std::string batch, left, right;
  for (std::size_t i = 0; i < x.labels.size(); ++i) {
    std::size_t j = y.labels.find(x.labels[i]);
    if (j == std::string::npos) {
      left.push_back(x.labels[i]);
    } else if (needed.count(x.labels[i])) {
      batch.push_back(x.labels[i]);
      dims.lhs_batch.push_back(static_cast<std::int64_t>(i));
      dims.rhs_batch.push_back(static_cast<std::int64_t>(j));
    } else {
      dims.lhs_contract.push_back(static_cast<std::int64_t>(i));
      dims.rhs_contract.push_back(static_cast<std::int64_t>(j));
    }
  }
  for (char c : y.labels)
    if (x.labels.find(c) == std::string::npos) right.push_back(c);
  return {lax::dot_general(x.array, y.array, dims), batch + left + right};
}

// Letters for the dims behind "...": capitals that the user did not use, the last dims first in the pool.
std::string expand(std::string labels, int ndim, const std::string& pool) {
  std::size_t at = labels.find("...");
  if (at == std::string::npos) return labels;
  std::size_t n = ndim >= 0 ? ndim - (labels.size() - 3) : pool.size();
  return labels.substr(0, at) + (n <= pool.size() ? pool.substr(pool.size() - n) : std::string()) +
         labels.substr(at + 3);
}

}  // namespace

Array einsum(const std::string& subscripts, const ArrayList& list) {
  CallScope scope(list.loc);
  std::string text;
  for (char c : subscripts)
    if (c != ' ') text.push_back(c);
  std::size_t arrow = text.find("->");
  for (std::size_t i = 0; i < text.size(); ++i) {
    bool letter = (text[i] >= 'a' && text[i] <= 'z') || (text[i] >= 'A' && text[i] <= 'Z'),
         dots = text.compare(i, 3, "...") == 0;
    if (!letter && !dots && text[i] != ',' && i != arrow)
      wrong(subscripts, std::string("there is a '") + text[i] + "'");
    i += dots ? 2 : i == arrow ? 1 : 0;
  }
  std::string inputs = text.substr(0, arrow);
  std::vector<std::string> parts(1);
  for (char c : inputs) c == ',' ? void(parts.emplace_back()) : parts.back().push_back(c);
  if (parts.size() != list.arrays.size())
    wrong(subscripts, std::to_string(parts.size()) + " terms for " + std::to_string(list.arrays.size()) + " operands");
  int hidden = 0;
  for (std::size_t i = 0; i < parts.size(); ++i)
    if (parts[i].find("...") != std::string::npos)
      hidden = std::max(hidden, list.arrays[i].ndim() - static_cast<int>(parts[i].size()) + 3);
  std::string pool;
  for (char c = 'A'; c <= 'Z' && static_cast<int>(pool.size()) < hidden; ++c)
    if (text.find(c) == std::string::npos) pool.push_back(c);
  std::map<char, std::int64_t> extent;
  std::map<char, int> uses;
  std::vector<Term> terms;
  std::vector<Array> arrays = ops::same_dtype(list.arrays);
  for (std::size_t i = 0; i < parts.size(); ++i) {
    Term t{arrays[i], expand(parts[i], arrays[i].ndim(), pool)};
    if (static_cast<int>(t.labels.size()) != t.array.ndim())
      wrong(subscripts, "\"" + parts[i] + "\" for operand " + std::to_string(i) + ", " + list.arrays[i].type().str());
    // A dim of extent 1 broadcasts against the others of its letter: it is dropped.
    for (std::size_t d = 0; d < t.labels.size(); ++d) {
      std::int64_t& e = extent.emplace(t.labels[d], 1).first->second;
      std::int64_t n = t.array.shape()[d];
      if (n != 1 && e != 1 && n != e)
        wrong(subscripts, "letter " + std::string(1, t.labels[d]) + " is " + std::to_string(e) + " before and " +
                              std::to_string(n) + " in operand " + std::to_string(i) + ", " +
                              list.arrays[i].type().str());
      if (n != 1) e = n;
      ++uses[t.labels[d]];
    }
    terms.push_back(std::move(t));
  }
  std::string output;
  if (arrow != std::string::npos) {
    output = expand(text.substr(arrow + 2), -1, pool);
  } else {
    for (auto [c, n] : uses)
      if (n == 1 && pool.find(c) == std::string::npos) output.push_back(c);
    output = pool + output;
  }
  for (char c : output) {
    if (!extent.count(c)) wrong(subscripts, "letter " + std::string(1, c) + " of the result is in no operand");
    if (std::count(output.begin(), output.end(), c) > 1)
      wrong(subscripts, "letter " + std::string(1, c) + " twice in the result");
  }
  for (Term& t : terms) {  // drop broadcasting dims
    Shape shape;
    std::string labels;
    for (std::size_t d = 0; d < t.labels.size(); ++d)
      if (t.array.shape()[d] == extent[t.labels[d]]) {
        shape.push_back(t.array.shape()[d]);
        labels.push_back(t.labels[d]);
      }
    t = {reshape(t.array, shape), labels};
  }
  auto needed_after = [&](std::size_t i) {
    std::set<char> out(output.begin(), output.end());
    for (std::size_t k = i; k < terms.size(); ++k) out.insert(terms[k].labels.begin(), terms[k].labels.end());
    return out;
  };
  Term all = reduced(terms[0], needed_after(1));
  for (std::size_t i = 1; i < terms.size(); ++i) {
    std::set<char> later = needed_after(i + 1), either = later;
    either.insert(all.labels.begin(), all.labels.end());
    Term next = reduced(terms[i], either);
    all = reduced(multiplied(all, next, later), later);
  }
  all = reduced(all, std::set<char>(output.begin(), output.end()));
  Dims order;
  for (char c : output) {
    order.push_back(static_cast<std::int64_t>(all.labels.find(c)));
  }
  return order == ops::range(0, static_cast<std::int64_t>(order.size())) ? all.array : lax::transpose(all.array, order);
}

}  // namespace tutti
