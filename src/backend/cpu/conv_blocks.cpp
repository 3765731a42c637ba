#include "backend/cpu/conv_blocks.hpp"

#include <algorithm>
#include <numeric>

namespace tutti::cpu {
namespace {

constexpr std::int64_t kRegion = std::int64_t{384} << 10;  // bytes of the left operand that a block looks at
constexpr std::int64_t kResults = std::int64_t{256} << 10, kPanelBytes = std::int64_t{256} << 10;  // bytes
constexpr std::int64_t kFewestConvRows = 16, kWorthTiles = 48, kManyTasks = 16, kVeryMany = 128;
constexpr std::int64_t kParts = std::int64_t{8} << 20;  // bytes of sums that are added up apart
constexpr double kConvTask = 4e6;                       // operations

class Cutting {
 public:
  Cutting(const ConvSums& s, std::int64_t lanes, std::int64_t vectors, std::int64_t size)
      : s_(s), lanes_(lanes), vectors_(vectors), size_(size) {}

  ConvBlocks run(bool fine) {
    for (const ConvDim& d : s_.dims) {
      b_.rows.push_back(d.rows);
      b_.terms.push_back(d.terms);
    }
    all_rows_ = product(b_.rows);
    all_terms_ = product(b_.terms);
    is_long_ = all_terms_ > all_rows_;
    choose_columns();
    b_.panel = std::min(vectors_, blocks_of(b_.column.count, lanes_)) * lanes_;
    if (b_.columns == ConvColumns::terms) b_.panel = b_.column.count;
    b_.width = b_.columns == ConvColumns::groups ? b_.panel : up(b_.column.count);
    b_.right_once = b_.columns == ConvColumns::terms;
    if (b_.columns == ConvColumns::outs && !is_long_)
      b_.right_once = !(b_.column.right == 1 && b_.column.count <= b_.panel && b_.column.count % lanes_ == 0);
    if (all_terms_ > 0) is_long_ ? cut_long() : cut_short();
    count();
    share_out(fine);
    return b_;
  }

 private:
  static std::int64_t product(const std::vector<std::int64_t>& v) {
    return std::accumulate(v.begin(), v.end(), std::int64_t{1}, std::multiplies<>());
  }
  std::int64_t up(std::int64_t columns) const { return blocks_of(columns, b_.panel) * b_.panel; }
  bool has_out_columns() const { return b_.columns == ConvColumns::outs || b_.columns == ConvColumns::terms; }
  // Of in features: whole vectors.
  void halve_terms() { b_.terms[1] = blocks_of((b_.terms[1] + 1) / 2, lanes_) * lanes_; }
  static void halve(std::int64_t& n) { n = (n + 1) / 2; }

  // The part of the machine's rate that tiles reach: how full vectors are, how well rows share what is loaded, and how
  // often an element is used that was turned into its place.
  double filled(std::int64_t columns) const {
    return static_cast<double>(columns) / static_cast<double>(blocks_of(columns, lanes_) * lanes_);
  }
  static double sharing(std::int64_t rows) { return rows >= 6 ? 1 : rows >= 4 ? 0.9 : rows >= 2 ? 0.6 : 0.4; }
  double rate_of_places(const ConvDim& d) const {
    const std::int64_t uses = all_terms_ / std::max<std::int64_t>(1, s_.dims[1].terms) * s_.outs.count;
    const double turned = d.stride * d.row_step == 1 ? 0 : static_cast<double>(lanes_) / static_cast<double>(uses);
    return 1 / (1 / (filled(d.rows) * sharing(s_.outs.count)) + turned);
  }

  void choose_columns() {
    constexpr double of_pairs = 0.6, of_dots = 0.7;  // both factors of a product are loaded
    b_.column = s_.outs;
    b_.outer = s_.groups;
    double best = filled(s_.outs.count) * sharing(all_rows_);
    // Vectors of terms are added up in the end.
    if (const std::int64_t ins = s_.dims[1].terms;
        !is_long_ && s_.dims[1].stride == 1 && ins > 0 && ins % lanes_ == 0) {
      const auto terms = static_cast<double>(all_terms_), in_the_end = static_cast<double>(8 * lanes_);
      if (const double rate = of_dots * terms / (terms + in_the_end); rate > best) {
        best = rate;
        b_.columns = ConvColumns::terms;
      }
    }
    if (s_.groups.count > 1)
      if (const double rate = of_pairs * filled(s_.groups.count); rate > best) {
        best = rate;
        b_.columns = ConvColumns::groups;
        b_.column = s_.groups;
        b_.outer = {};
      }
    for (std::size_t d = 0; d < s_.dims.size() && b_.columns != ConvColumns::groups; ++d) {
      const ConvDim& x = s_.dims[d];
      if (x.row_step != 1 && x.terms != 1) continue;
      if (const double rate = rate_of_places(x); rate > best) {
        best = rate;
        b_.columns = ConvColumns::places;
        b_.column = {x.rows, 0, 0, x.row_out};
        b_.column_dim = static_cast<int>(d);
        b_.outer = s_.groups;
      }
    }
  }

  // Bytes of the left operand that a block of results needs for a block of terms.
  std::int64_t region() const {
    std::int64_t n = size_ * (b_.columns == ConvColumns::groups ? b_.width : 1);
    for (std::size_t d = 0; d < s_.dims.size(); ++d) {
      const ConvDim& x = s_.dims[d];
      const std::int64_t r = (b_.rows[d] - 1) * x.row_step, t = (b_.terms[d] - 1) * x.term_step;
      n *= r == 0 ? b_.terms[d] : t == 0 ? b_.rows[d] : r + t + 1;
    }
    return n;
  }
  std::int64_t results() const {
    return product(b_.rows) * size_ * (has_out_columns() ? 1 : s_.outs.count) *
           (b_.columns == ConvColumns::places ? 1 : b_.width);
  }

  // The first spatial dim that may be cut, outermost first.
  static std::int64_t* first_long(std::vector<std::int64_t>& blocks, std::int64_t most = 1) {
    for (std::size_t d = 2; d < blocks.size(); ++d)
      if (blocks[d] > most) return &blocks[d];
    return nullptr;
  }

  // Many terms for few results: gradients of kernels.
  void cut_long() {
    while (results() > kResults && b_.rows[0] > kFewestConvRows && b_.column_dim != 0) halve(b_.rows[0]);
    while (results() > kResults && b_.width > b_.panel) b_.width = up((b_.width + 1) / 2);
    while (region() > kRegion) {
      if (b_.terms[1] > 1)
        halve(b_.terms[1]);
      else if (std::int64_t* n = first_long(b_.terms))
        halve(*n);
      else if (b_.rows[0] > kFewestConvRows)
        halve(b_.rows[0]);
      else
        break;
    }
  }

  void cut_short() {
    while (all_terms_ / s_.dims[1].terms * b_.terms[1] * b_.panel * size_ > kPanelBytes &&
           b_.terms[1] > kFewestConvRows)
      halve_terms();
    while (region() > kRegion) {
      if (b_.rows[0] > 1)
        halve(b_.rows[0]);
      else if (std::int64_t* n = first_long(b_.rows))
        halve(*n);
      else if (b_.terms[1] > kFewestConvRows)
        halve_terms();
      else
        break;
    }
  }

  void count() {
    b_.row_blocks = b_.term_blocks = 1;
    for (std::size_t d = 0; d < s_.dims.size(); ++d) {
      b_.row_blocks *= blocks_of(s_.dims[d].rows, b_.rows[d]);
      b_.term_blocks *= s_.dims[d].terms ? blocks_of(s_.dims[d].terms, b_.terms[d]) : 1;
    }
    b_.column_blocks = b_.columns == ConvColumns::places ? 1 : blocks_of(b_.column.count, b_.width);
  }
  std::int64_t tasks() const { return b_.outer.count * b_.row_blocks * b_.column_blocks * b_.parts; }

  // So many tasks that no thread waits long for another.
  void share_out(bool fine) {
    const double operations = 2.0 * static_cast<double>(all_rows_) * static_cast<double>(all_terms_) *
                              static_cast<double>(s_.outs.count) * static_cast<double>(s_.groups.count);
    const auto worth = static_cast<std::int64_t>(operations / kConvTask);
    const std::int64_t wanted = std::min(kManyTasks, worth);
    if (is_long_ && tasks() < wanted && all_terms_ > 0) {
      const std::int64_t bytes = b_.outer.count * all_rows_ * size_ * (has_out_columns() ? 1 : s_.outs.count) *
                                 (b_.columns == ConvColumns::places ? 1 : up(b_.column.count));
      const std::int64_t most = std::max<std::int64_t>(1, kParts / bytes), each = blocks_of(wanted, tasks());
      while (b_.term_blocks < std::min(most, each)) {
        std::int64_t* n = b_.terms[1] > 1 ? &b_.terms[1] : first_long(b_.terms);
        if (!n) break;
        halve(*n);
        count();
      }
      b_.parts = std::clamp<std::int64_t>(std::min(most, each), 1, b_.term_blocks);
    }
    while (tasks() < (fine ? std::min(kVeryMany, worth) : wanted)) {
      std::int64_t* n = b_.rows[0] > 1 && b_.column_dim != 0 ? &b_.rows[0] : first_long(b_.rows, 2);
      if (n == &b_.rows[0] || (n && product(b_.rows) > 2 * kWorthTiles))
        halve(*n);
      else if (b_.width > b_.panel)
        b_.width = up((b_.width + 1) / 2);
      else
        break;
      count();
    }
  }

  const ConvSums& s_;
  std::int64_t lanes_, vectors_, size_, all_rows_ = 1, all_terms_ = 1;
  bool is_long_ = false;
  ConvBlocks b_;
};

}  // namespace

ConvBlocks conv_blocks(const ConvSums& sums, std::int64_t lanes, std::int64_t vectors, std::int64_t size, bool fine) {
  return Cutting(sums, lanes, vectors, size).run(fine);
}

}  // namespace tutti::cpu

// SPDX-License-Identifier: Apache-2.0
