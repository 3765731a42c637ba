#include "backend/cpu/matrix_library.hpp"

#if TUTTI_ONEDNN
#include <dnnl.h>

#include <algorithm>

#include "backend/cpu/kept_statics.hpp"
#include "backend/cpu/one_thread.hpp"
#include "tutti/base/error.hpp"

namespace tutti::cpu {

void library_product(std::int64_t m, std::int64_t n, std::int64_t k, const Matrix& a, const Matrix& b, float* c,
                     std::int64_t c_row, bool adds) {
  auto layout = [](const Matrix& x, std::int64_t rows, std::int64_t columns, char& trans, dnnl_dim_t& ld) {
    const bool plain = (x.column == 1 || columns == 1) && (rows == 1 || x.row >= columns);
    trans = plain ? 'N' : 'T';
    ld = plain ? (rows == 1 ? columns : x.row) : (columns == 1 ? rows : x.column);
    ld = std::max<dnnl_dim_t>(ld, plain ? columns : rows);
  };
  char ta, tb;
  dnnl_dim_t lda, ldb;
  layout(a, m, k, ta, lda);
  layout(b, k, n, tb, ldb);
  OneThread guard;
  if (dnnl_sgemm(ta, tb, m, n, k, 1.0f, a.data, lda, b.data, ldb, adds ? 1.0f : 0.0f, c, c_row) != dnnl_success)
    throw InternalError("cpu: the matrix library refused a product");
}

void prepare_matrix_library(Isa isa) {
  keep_statics_of(reinterpret_cast<const void*>(&dnnl_version));
  // It refuses when the user's program has run it before; then it stays as it is.
  if (isa != isa_of_processor()) dnnl_set_max_cpu_isa(isa == Isa::avx2 ? dnnl_cpu_isa_avx2 : dnnl_cpu_isa_sse41);
}

}  // namespace tutti::cpu

#else

namespace tutti::cpu {
void library_product(std::int64_t, std::int64_t, std::int64_t, const Matrix&, const Matrix&, float*, std::int64_t,
                     bool) {}
void prepare_matrix_library(Isa) {}
}  // namespace tutti::cpu

#endif

// SPDX-License-Identifier: Apache-2.0
