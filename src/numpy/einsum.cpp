// Einstein sums: operands are folded from the left, two at a time; what later terms and the result need is kept.
#include <algorithm>
#include <map>
#include <set>

#include "numpy/dims.hpp"
#include "tutti/lax/reductions.hpp"
#include "tutti/numpy/numpy.hpp"

namespace tutti {
namespace {

using ops::Dims;
using Letters = std::set<char>;

struct Term {
  Array array;
  std::string labels;  // one a dim
};

[[noreturn]] void wrong(const std::string& subscripts, const std::string& what) {
  raise<ValueError>("einsum", "\"" + subscripts + "\": " + what,
                    "A letter per dim, commas between operands, -> before the result.");
}

// "bij,bjk->bik" taken apart.
struct Subscripts {
  std::string given;
  std::vector<std::string> terms;
  std::optional<std::string> result;
  std::string hidden;  // letters for the dims behind "...": capitals that nobody used; the last dims have the last
};

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

// One term: letters, and "..." at most once.
void check_term(const Subscripts& s, const std::string& term) {
  std::string letters = term;
  if (std::size_t dots = term.find("..."); dots != term.npos) letters.erase(dots, 3);
  for (char c : letters)
    if (!is_letter(c)) wrong(s.given, std::string("there is a '") + c + "'");
}

Subscripts parsed(const std::string& given) {
  Subscripts s{given, {""}, {}, {}};
  std::string text;
  for (char c : given)
    if (c != ' ') text.push_back(c);
  const std::size_t arrow = text.find("->");
  if (arrow != text.npos) s.result = text.substr(arrow + 2);
  for (char c : text.substr(0, arrow)) {
    if (c == ',')
      s.terms.emplace_back();
    else
      s.terms.back().push_back(c);
  }
  for (const std::string& term : s.terms) check_term(s, term);
  if (s.result) check_term(s, *s.result);
  return s;
}

// How many dims stand behind "..." at most, and so which letters they get.
void name_hidden_dims(Subscripts& s, const std::vector<Array>& arrays) {
  int most = 0;
  for (std::size_t i = 0; i < s.terms.size(); ++i)
    if (s.terms[i].find("...") != std::string::npos)
      most = std::max(most, arrays[i].ndim() - static_cast<int>(s.terms[i].size()) + 3);
  for (char c = 'A'; c <= 'Z' && static_cast<int>(s.hidden.size()) < most; ++c)
    if (s.given.find(c) == std::string::npos) s.hidden.push_back(c);
}

// `labels` with letters for "...": for so many dims, or for all hidden ones.
std::string expanded(const Subscripts& s, std::string labels, std::optional<int> ndim) {
  const std::size_t at = labels.find("...");
  if (at == std::string::npos) return labels;
  const std::size_t letters = labels.size() - 3;
  std::size_t n = s.hidden.size();
  if (ndim) n = static_cast<std::size_t>(*ndim) >= letters ? static_cast<std::size_t>(*ndim) - letters : 0;
  return labels.replace(at, 3, s.hidden.substr(s.hidden.size() - std::min(n, s.hidden.size())));
}

std::vector<Term> labelled(const Subscripts& s, const std::vector<Array>& given) {
  std::vector<Array> arrays = ops::same_dtype(given);
  std::vector<Term> out;
  for (std::size_t i = 0; i < arrays.size(); ++i) {
    out.push_back({arrays[i], expanded(s, s.terms[i], arrays[i].ndim())});
    if (static_cast<int>(out[i].labels.size()) != arrays[i].ndim())
      wrong(s.given, "\"" + s.terms[i] + "\" for operand " + std::to_string(i) + ", " + given[i].type().str());
  }
  return out;
}

// The extent of each letter. A dim of extent 1 broadcasts against the others of its letter.
std::map<char, std::int64_t> extents_of(const Subscripts& s, const std::vector<Term>& terms) {
  std::map<char, std::int64_t> out;
  for (std::size_t i = 0; i < terms.size(); ++i)
    for (std::size_t d = 0; d < terms[i].labels.size(); ++d) {
      const char letter = terms[i].labels[d];
      const std::int64_t n = terms[i].array.shape()[d];
      std::int64_t& extent = out.emplace(letter, 1).first->second;
      if (n != 1 && extent != 1 && n != extent)
        wrong(s.given, "letter " + std::string(1, letter) + " is " + std::to_string(extent) + " before and " +
                           std::to_string(n) + " in operand " + std::to_string(i) + ", " + terms[i].array.type().str());
      if (n != 1) extent = n;
    }
  return out;
}

// What the result's dims are: as said, or the hidden dims and every letter that stands once, in alphabetical order.
std::string result_labels(const Subscripts& s, const std::vector<Term>& terms) {
  std::map<char, int> uses;
  for (const Term& t : terms)
    for (char c : t.labels) ++uses[c];
  std::string out;
  if (s.result) {
    out = expanded(s, *s.result, {});
  } else {
    out = s.hidden;
    for (auto [c, n] : uses)
      if (n == 1 && s.hidden.find(c) == std::string::npos) out.push_back(c);
  }
  for (char c : out) {
    if (!uses.count(c)) wrong(s.given, "letter " + std::string(1, c) + " of the result is in no operand");
    if (std::count(out.begin(), out.end(), c) > 1)
      wrong(s.given, "letter " + std::string(1, c) + " twice in the result");
  }
  return out;
}

Term without_broadcast_dims(const Term& t, const std::map<char, std::int64_t>& extents) {
  Shape shape;
  std::string labels;
  for (std::size_t d = 0; d < t.labels.size(); ++d) {
    if (t.array.shape()[d] != extents.at(t.labels[d])) continue;
    shape.push_back(t.array.shape()[d]);
    labels.push_back(t.labels[d]);
  }
  return {reshape(t.array, shape), labels};
}

Array summed(const Array& x, const Dims& dims) {
  return x.dtype().is_bool() ? lax::reduce_or(x, dims) : lax::reduce_sum(x, dims);
}

// The diagonal over two dims of one letter, the second of which goes.
Array diagonal(const Array& x, std::size_t first, std::size_t second) {
  const DType dtype = ops::position_dtype(x.shape());
  Array same = lax::eq(ops::positions(dtype, x.shape(), static_cast<int>(first)),
                       ops::positions(dtype, x.shape(), static_cast<int>(second)));
  return summed(lax::select(same, x, ops::zeros(x.dtype(), x.shape())), {static_cast<std::int64_t>(second)});
}

// Takes the diagonal over repeated letters and sums away letters that nobody needs, in the dtype that holds both the
// elements and what is preferred.
Term reduced(Term t, const Letters& needed, std::optional<DType> preferred) {
  for (std::size_t i = 0; i < t.labels.size(); ++i)
    for (std::size_t j; (j = t.labels.find(t.labels[i], i + 1)) != std::string::npos;) {
      t.array = diagonal(t.array, i, j);
      t.labels.erase(j, 1);
    }
  Dims gone;
  std::string kept;
  for (std::size_t i = 0; i < t.labels.size(); ++i) {
    if (needed.count(t.labels[i]))
      kept.push_back(t.labels[i]);
    else
      gone.push_back(static_cast<std::int64_t>(i));
  }
  if (gone.empty()) return {t.array, kept};
  if (preferred && promote_types(t.array.dtype(), *preferred) != t.array.dtype())
    t.array = lax::convert_element_type(t.array, *preferred);
  return {summed(t.array, gone), kept};
}

Term multiplied(const Term& x, const Term& y, const Letters& needed, std::optional<DType> preferred) {
  lax::DotDims dims;
  std::string batch, left, right;
  for (std::size_t i = 0; i < x.labels.size(); ++i) {
    const std::size_t j = y.labels.find(x.labels[i]);
    if (j == std::string::npos) {
      left.push_back(x.labels[i]);
      continue;
    }
    const bool kept = needed.count(x.labels[i]);
    if (kept) batch.push_back(x.labels[i]);
    (kept ? dims.lhs_batch : dims.lhs_contract).push_back(static_cast<std::int64_t>(i));
    (kept ? dims.rhs_batch : dims.rhs_contract).push_back(static_cast<std::int64_t>(j));
  }
  for (char c : y.labels)
    if (x.labels.find(c) == std::string::npos) right.push_back(c);
  return {lax::dot_general(x.array, y.array, dims, preferred), batch + left + right};
}

// All terms in one, whose letters are those of the result in any order.
Term contracted(const std::vector<Term>& terms, const std::string& result, std::optional<DType> preferred) {
  // The last term that has a letter; those of the result are needed behind all.
  std::map<char, std::size_t> last;
  for (std::size_t i = 0; i < terms.size(); ++i)
    for (char c : terms[i].labels) last[c] = i;
  for (char c : result) last[c] = terms.size();
  // Those of some letters that the result or a term from `from` on has.
  auto needed = [&](const std::string& labels, std::size_t from) {
    Letters out;
    for (char c : labels)
      if (last.at(c) >= from) out.insert(c);
    return out;
  };
  Term all = reduced(terms[0], needed(terms[0].labels, 1), preferred);
  for (std::size_t i = 1; i < terms.size(); ++i) {
    const Letters later = needed(all.labels + terms[i].labels, i + 1);
    Letters either = needed(terms[i].labels, i + 1);
    either.insert(all.labels.begin(), all.labels.end());
    Term next = reduced(terms[i], either, preferred);
    if (preferred && next.array.dtype() != all.array.dtype()) {  // one of them is a sum, or a product of others
      next.array = lax::convert_element_type(next.array, *preferred);
      all.array = lax::convert_element_type(all.array, *preferred);
    }
    all = reduced(multiplied(all, next, later, preferred), later, preferred);
  }
  return all;
}

}  // namespace

Array einsum(const std::string& subscripts, const ArrayList& list, std::optional<DType> preferred) {
  CallScope scope(list.loc);
  Subscripts s = parsed(subscripts);
  if (s.terms.size() != list.arrays.size())
    wrong(subscripts,
          std::to_string(s.terms.size()) + " terms for " + std::to_string(list.arrays.size()) + " operands");
  name_hidden_dims(s, list.arrays);
  std::vector<Term> terms = labelled(s, list.arrays);
  const std::map<char, std::int64_t> extents = extents_of(s, terms);
  const std::string result = result_labels(s, terms);
  for (Term& t : terms) t = without_broadcast_dims(t, extents);
  Term all = contracted(terms, result, preferred);
  if (preferred) all.array = lax::convert_element_type(all.array, *preferred);
  Dims order;
  for (char c : result) order.push_back(static_cast<std::int64_t>(all.labels.find(c)));
  return order == ops::range(0, all.array.ndim()) ? all.array : lax::transpose(all.array, order);
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
