#include "backend/cpu/dot_work.hpp"

#include <algorithm>
#include <limits>
#include <type_traits>
#include <vector>

#include "backend/cpu/gemm.hpp"
#include "backend/cpu/gemm64.hpp"
#include "backend/cpu/matvec.hpp"
#include "backend/cpu/packed_product.hpp"
#include "backend/cpu/product_cut.hpp"
#include "backend/cpu/shared_product.hpp"
#include "backend/cpu/small_product.hpp"
#include "backend/cpu/thin_product.hpp"
#include "base/half.hpp"
#include "tutti/base/error.hpp"

namespace tutti::cpu {
namespace {

using compile::Dot;

constexpr std::int64_t kPiece = 128;                        // floats, side by side
constexpr std::int64_t kManyTasks = 64, kFewestLines = 64;  // of a batch in parts
constexpr double kLeastPart = 2e6;                          // operations
constexpr double kTaskWork = 1e6;                           // operations of a task of a batch, some 10 us
constexpr double kTaskNs = 10e3;                            // of a batch of thin products
constexpr std::int64_t kFineLines = 12;                     // rows of a task for many threads, twice as many columns
constexpr double kFineWork = 2.5e5;                         // operations of it: threads that share a job meet quickly
constexpr double kToRead = 200e3;  // bytes of a matrix that one thread reads in about the time in which two are woken

// Tasks: (batch element, tile of rows or columns), chosen by extents alone.
class DotWork final : public run::Work {
 public:
  DotWork(const Dot& d, bool whole) : d_(d) {
    batches_ = compile::product(d.batch);
    const double work = 2.0 * static_cast<double>(d.m) * static_cast<double>(d.n) * static_cast<double>(d.k);
    const double rate = d.dtype == float64 ? 0.04 : 0.01;  // ns per floating point operation
    cost_ns = static_cast<double>(batches_) * (work * rate + 300);
    // A matrix times a vector takes as long as the matrix is read.
    const bool is_vector = (d.m == 1 || d.n == 1) && d.dtype.size() == 4;
    if (is_vector) {
      together_ = products_side_by_side(d);
      const double bytes = 2 * work;
      cost_ns = static_cast<double>(batches_) * (bytes * 0.02 + 100);
      if (batches_ == 1 && bytes > kToRead && !whole) parts_ = 2;
    }
    by_rows_ = d.m >= d.n || whole;
    unit_ = by_rows_ ? 16 : 64;
    const std::int64_t extent = by_rows_ ? d.m : d.n;
    if (!is_vector && !whole) parts_ = parts(extent, work);
    tile_ = ((extent + parts_ - 1) / parts_ + unit_ - 1) / unit_ * unit_;
    parts_ = std::max<std::int64_t>(1, (extent + tile_ - 1) / tile_);
    const double of_task = is_vector ? kToRead / (2 * work + 1) : kTaskWork / (work + 1);
    per_task_ = parts_ > 1 ? 1 : std::clamp<std::int64_t>(static_cast<std::int64_t>(of_task), 1, batches_);
    per_task_ = (per_task_ + together_ - 1) / together_ * together_;
    if (batches_ > 1 && parts_ == 1 && !is_vector && d.dtype == float32 && d.result == float32 && !d.mask && !d.panel)
      if ((thin_ = thin_product(d.n, d.k))) {
        const double ns = work * rate + 10;  // nothing is looked at again for each of them
        cost_ns = static_cast<double>(batches_) * ns;
        per_task_ = std::clamp<std::int64_t>(static_cast<std::int64_t>(kTaskNs / ns), 1, batches_);
      }
    tasks = static_cast<int>(parts_ > 1 ? batches_ * parts_ : (batches_ + per_task_ - 1) / per_task_);
    if (!is_vector) cut_finely();
  }

  void run(char* const* at, int task) const override {
    if (parts_ > 1) return one(at, task / parts_, task % parts_);
    const std::int64_t end = std::min(batches_, (task + 1) * per_task_);
    for (std::int64_t b = task * per_task_; b < end; b += together_) thin_ ? thin(at, b) : one(at, b, 0);
  }
  void run_fine(char* const* at, int task) const override {
    const std::int64_t part = task / fine_of_part_, row = task % fine_of_part_ * fine_rows_;
    one(at, part / parts_, part % parts_, row, row + fine_rows_);
  }

 private:
  // Each part packs the other operand, where it is packed at all: one product is cut in few of them.
  std::int64_t parts(std::int64_t extent, double work) const {
    if (batches_ == 1) return work <= 4e6 ? 1 : work < 2e10 ? 2 : work < 2e11 ? 4 : 8;
    const auto most = std::min(static_cast<double>(extent / kFewestLines), work / kLeastPart);
    return std::max<std::int64_t>(1, std::min((kManyTasks + batches_ - 1) / batches_, static_cast<std::int64_t>(most)));
  }
  // Rows of one task for many threads: such products are added up element by element, however many rows there are.
  void cut_finely() {
    const std::int64_t rows = by_rows_ ? tile_ : d_.m, columns = by_rows_ ? d_.n : tile_;
    if (together_ > 1 || thin_ || d_.dtype != float32 || d_.result != float32 || thin_product(d_.n, d_.k)) return;
    const Matrix a{nullptr, d_.a_m, d_.a_k}, b{nullptr, d_.panel ? d_.panel : d_.b_k, d_.panel ? 1 : d_.b_n};
    if (!is_small_product(rows, d_.panel ? d_.panel : columns, d_.k, a, b, d_.mask.has_value())) return;
    const double of_row = 2.0 * static_cast<double>(columns) * static_cast<double>(d_.k);
    const auto worth = std::max<std::int64_t>(1, static_cast<std::int64_t>(kFineWork / of_row));
    fine_rows_ = std::min(rows, (std::max(worth, kFineLines) + kFineLines - 1) / kFineLines * kFineLines);
    if (rows % fine_rows_ == 1) fine_rows_ = rows;  // one row alone is another kind of product
    fine_of_part_ = (rows + fine_rows_ - 1) / fine_rows_;
    if (fine_of_part_ > 1) fine_tasks = static_cast<int>(batches_ * parts_ * fine_of_part_);
  }
  // How many neighbours in a batch of products with a vector are done together, because the rows of their matrices lie
  // one behind the other: as many as make a piece of memory worth going for.
  static std::int64_t products_side_by_side(const Dot& d) {
    if (d.batch.empty() || d.dtype != float32 || d.result != float32) return 1;
    const bool left = d.n == 1;  // the matrix
    const std::int64_t row = left ? d.a_m : d.b_n, column = left ? d.a_k : d.b_k, most = d.batch.back(),
                       apart = left ? d.a_batch.back() : d.b_batch.back();
    if (std::min(row, column) != 1 || apart <= 0 || apart >= std::max(row, column)) return 1;
    std::int64_t n = std::min(most, (kPiece + apart - 1) / apart);
    while (most % n != 0) ++n;
    return n;
  }
  void vectors(char* const* at, std::int64_t a, std::int64_t b, std::int64_t c) const {
    const float *lhs = reinterpret_cast<const float*>(at[d_.a]) + a,
                *rhs = reinterpret_cast<const float*>(at[d_.b]) + b;
    float* const out = reinterpret_cast<float*>(at[d_.c]) + c;
    const std::int64_t lhs_next = d_.a_batch.back(), rhs_next = d_.b_batch.back(), next = d_.c_batch.back();
    if (d_.n == 1)
      matvec(d_.m, d_.k, {lhs, d_.a_m, d_.a_k}, {rhs, d_.b_k, out, d_.c_m}, {together_, lhs_next, rhs_next, next});
    else
      matvec(d_.n, d_.k, {rhs, d_.b_n, d_.b_k}, {lhs, d_.a_k, out, 1}, {together_, rhs_next, lhs_next, next});
  }
  // Where a product of the batch begins, in elements.
  struct Place {
    std::int64_t a, b, c, seen;
  };
  Place place(std::int64_t batch) const {
    Place p{d_.a_offset, d_.b_offset, d_.c_offset, d_.mask ? d_.mask->offset : 0};
    for (std::size_t i = d_.batch.size(); i-- > 0;) {
      const std::int64_t rest = i > 0 ? batch / d_.batch[i] : 0, x = batch - rest * d_.batch[i];
      p.a += x * d_.a_batch[i];
      p.b += x * d_.b_batch[i];
      p.c += x * d_.c_batch[i];
      if (d_.mask) p.seen += x * d_.mask->batch[i];
      batch = rest;
    }
    return p;
  }
  void thin(char* const* at, std::int64_t batch) const {
    const Place p = place(batch);
    thin_(d_.m, d_.k, {reinterpret_cast<const float*>(at[d_.a]) + p.a, d_.a_m, d_.a_k},
          {reinterpret_cast<const float*>(at[d_.b]) + p.b, d_.b_k, d_.b_n}, reinterpret_cast<float*>(at[d_.c]) + p.c,
          d_.c_m, sums());
  }
  // Of a part, rows first..end-1; there may be less.
  void one(char* const* at, std::int64_t batch, std::int64_t part, std::int64_t first = 0,
           std::int64_t end = std::numeric_limits<std::int64_t>::max()) const {
    auto [a, b, c, seen] = place(batch);
    std::int64_t m = d_.m, n = d_.n;
    if (together_ > 1) return vectors(at, a, b, c);
    const std::int64_t from = part * tile_;
    if (by_rows_) {
      m = std::min(tile_, m - from);
      a += from * d_.a_m;
      c += from * d_.c_m;
      if (d_.mask) seen += from * d_.mask->m;
    } else {
      n = std::min(tile_, n - from);
      b += from * d_.b_n;
      c += from;
      seen += from;
    }
    m = std::min(m, end) - first;
    a += first * d_.a_m;
    c += first * d_.c_m;
    if (d_.mask) seen += first * d_.mask->m;
    if (m <= 0) return;
    auto product = [&]<class T, class R>() {
      if constexpr (std::is_same_v<T, float> && std::is_same_v<R, float>) {
        if (d_.panel) return panels(at, m, a, c);
        if (d_.mask && masked(at, m, n, a, b, c, seen)) return;
        gemm(m, n, d_.k, {reinterpret_cast<const float*>(at[d_.a]) + a, d_.a_m, d_.a_k},
             {reinterpret_cast<const float*>(at[d_.b]) + b, d_.b_k, d_.b_n}, reinterpret_cast<float*>(at[d_.c]) + c,
             d_.c_m, sums());
      } else if constexpr (std::is_same_v<T, double>) {
        plain(m, n, reinterpret_cast<const double*>(at[d_.a]) + a, reinterpret_cast<const double*>(at[d_.b]) + b,
              reinterpret_cast<R*>(at[d_.c]) + c);
      } else if constexpr (sizeof(T) == 2 && (std::is_same_v<R, T> || std::is_same_v<R, float>)) {
        PackedResult<T> result{nullptr, d_.c_m};
        if constexpr (std::is_same_v<R, float>)
          result.c = reinterpret_cast<float*>(at[d_.c]) + c;
        else
          result.rounded = reinterpret_cast<T*>(at[d_.c]) + c;
        packed_product<T>(m, n, d_.k, ProductCut::even(d_.k, tiles<T>().deep, 4),
                          {reinterpret_cast<const T*>(at[d_.a]) + a, d_.a_m, d_.a_k},
                          {reinterpret_cast<const T*>(at[d_.b]) + b, d_.b_k, d_.b_n}, result, sums());
      } else {
        widened(m, n, reinterpret_cast<const T*>(at[d_.a]) + a, reinterpret_cast<const T*>(at[d_.b]) + b,
                reinterpret_cast<R*>(at[d_.c]) + c);
      }
    };
    auto with_result = [&]<class T>() {
      if (d_.result == float32)
        product.template operator()<T, float>();
      else if (d_.result == float64)
        product.template operator()<T, double>();
      else if (d_.result == bfloat16)
        product.template operator()<T, BFloat16>();
      else
        product.template operator()<T, Float16>();
    };
    if (d_.dtype == float32)
      with_result.template operator()<float>();
    else if (d_.dtype == float64)
      with_result.template operator()<double>();
    else if (d_.dtype == bfloat16)
      with_result.template operator()<BFloat16>();
    else
      with_result.template operator()<Float16>();
  }

  Sums sums() const { return d_.adds ? Sums::added : d_.plus_zero ? Sums::plus_zero : Sums::plain; }

  bool masked(char* const* at, std::int64_t m, std::int64_t n, std::int64_t a, std::int64_t b, std::int64_t c,
              std::int64_t seen) const {
    const Seen mask{reinterpret_cast<const std::uint8_t*>(at[d_.mask->storage]) + seen, d_.mask->m, d_.mask->seen};
    return small_product(m, n, d_.k, {reinterpret_cast<const float*>(at[d_.a]) + a, d_.a_m, d_.a_k},
                         {reinterpret_cast<const float*>(at[d_.b]) + b, d_.b_k, d_.b_n},
                         reinterpret_cast<float*>(at[d_.c]) + c, d_.c_m, sums(), &mask);
  }

  // Each panel is a matrix of its own, whose rows are read in order.
  void panels(char* const* at, std::int64_t m, std::int64_t a, std::int64_t c) const {
    const float *lhs = reinterpret_cast<const float*>(at[d_.a]) + a, *rhs = reinterpret_cast<const float*>(at[d_.b]);
    float* const out = reinterpret_cast<float*>(at[d_.c]) + c;
    for (std::int64_t j = 0; j < d_.n; j += d_.panel) {
      const Matrix left{lhs, d_.a_m, d_.a_k}, right{rhs + j * d_.k, d_.panel, 1};
      const float* const then = j + d_.panel < d_.n ? right.data + d_.panel * d_.k : nullptr;
      if (!small_product(m, d_.panel, d_.k, left, right, out + j, d_.c_m, sums(), nullptr, then))
        gemm(m, d_.panel, d_.k, left, right, out + j, d_.c_m, sums());
    }
  }

  template <class R> void plain(std::int64_t m, std::int64_t n, const double* a, const double* b, R* c) const {
    if constexpr (std::is_same_v<R, double>)
      return gemm64(m, n, d_.k, {a, d_.a_m, d_.a_k}, {b, d_.b_k, d_.b_n}, c, d_.c_m);
    std::vector<double> row(static_cast<std::size_t>(n));
    for (std::int64_t i = 0; i < m; ++i) {
      std::fill(row.begin(), row.end(), 0.0);
      for (std::int64_t l = 0; l < d_.k; ++l) {
        const double s = a[i * d_.a_m + l * d_.a_k];
        const double* y = b + l * d_.b_k;
        for (std::int64_t j = 0; j < n; ++j) row[j] += s * y[j * d_.b_n];
      }
      for (std::int64_t j = 0; j < n; ++j)
        c[i * d_.c_m + j] =
            static_cast<R>(static_cast<std::conditional_t<std::is_same_v<R, double>, double, float>>(row[j]));
    }
  }

  // Another type of result: copies in float32, one product, rounded once.
  template <class T, class R> void widened(std::int64_t m, std::int64_t n, const T* a, const T* b, R* c) const {
    const std::int64_t k = d_.k;
    HostPtr scratch = allocate_buffer(static_cast<std::size_t>((m * k + k * n + m * n) * 4));
    float *x = static_cast<float*>(scratch->data()), *y = x + m * k, *z = y + k * n;
    for (std::int64_t i = 0; i < m; ++i)
      for (std::int64_t l = 0; l < k; ++l) x[i * k + l] = static_cast<float>(a[i * d_.a_m + l * d_.a_k]);
    for (std::int64_t l = 0; l < k; ++l)
      for (std::int64_t j = 0; j < n; ++j) y[l * n + j] = static_cast<float>(b[l * d_.b_k + j * d_.b_n]);
    gemm(m, n, k, {x, k, 1}, {y, n, 1}, z, n);
    for (std::int64_t i = 0; i < m; ++i)
      for (std::int64_t j = 0; j < n; ++j) c[i * d_.c_m + j] = static_cast<R>(z[i * n + j]);
  }

  Dot d_;
  std::int64_t batches_ = 1, parts_ = 1, tile_ = 0, unit_ = 1, per_task_ = 1, together_ = 1;
  std::int64_t fine_rows_ = 0, fine_of_part_ = 1;  // of a task for many threads; how many of these a part has
  bool by_rows_ = true;
  ThinProduct thin_ = nullptr;
};

}  // namespace

std::unique_ptr<run::Work> dot_work(const Dot& dot, bool whole) {
  if (!whole)
    if (auto shared = shared_product(dot)) return shared;
  return std::make_unique<DotWork>(dot, whole);
}

}  // namespace tutti::cpu

// SPDX-License-Identifier: Apache-2.0
