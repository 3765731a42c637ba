// What libraries do: LAPACK's decompositions by OpenBLAS with its kernels for AVX-512, convolution by oneDNN.
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wuninitialized"  // of GCC 12's own intrinsics
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <dlfcn.h>
#include <immintrin.h>
#include <unistd.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#if TUTTI_ONEDNN
#include <oneapi/dnnl/dnnl.hpp>
#endif

#include "../src/lane/square16.hpp"
#include "by_hand.hpp"

#include "../src/lane/begin_avx512.inc"

namespace bench {
namespace {

// OpenBLAS once more, beside the one that tutti may have loaded: it chooses its kernels when it is loaded, and knows
// newer processors only as those for which it has kernels for AVX2. One thread: two are slower at these sizes.
template <class F> F* lapack(const char* name) {
  static void* const library = [] {
    void* given = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
    void* known = given ? dlsym(given, "ssyevd_") : nullptr;
    Dl_info place{};
    if (!known || !dladdr(known, &place)) throw std::runtime_error("OpenBLAS could not be loaded");
    const auto copy =
        std::filesystem::temp_directory_path() / ("tutti_bench_openblas_" + std::to_string(getpid()) + ".so");
    std::filesystem::copy_file(std::filesystem::canonical(place.dli_fname), copy,
                               std::filesystem::copy_options::overwrite_existing);
    const char* before = std::getenv("OPENBLAS_CORETYPE");
    const std::string core = before ? before : "";
    setenv("OPENBLAS_CORETYPE", "SKYLAKEX", 1);
    void* opened = dlopen(copy.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
    before ? setenv("OPENBLAS_CORETYPE", core.c_str(), 1) : unsetenv("OPENBLAS_CORETYPE");
    std::filesystem::remove(copy);
    if (!opened) throw std::runtime_error("OpenBLAS could not be loaded again");
    if (void* set = dlsym(opened, "openblas_set_num_threads")) reinterpret_cast<void (*)(int)>(set)(1);
    return opened;
  }();
  void* found = dlsym(library, name);
  if (!found) throw std::runtime_error(std::string("OpenBLAS lacks ") + name);
  return reinterpret_cast<F*>(found);
}

using Length = std::size_t;  // of a string, as Fortran passes it
using Syevd = void(const char*, const char*, const int*, float*, const int*, float*, float*, const int*, int*,
                   const int*, int*, Length, Length);
using Gesdd = void(const char*, const int*, const int*, float*, const int*, float*, float*, const int*, float*,
                   const int*, float*, const int*, int*, int*, Length);
using Geqrf = void(const int*, const int*, float*, const int*, float*, float*, const int*, int*);
using Potrf = void(const char*, const int*, float*, const int*, int*, Length);
using Gesv = void(const int*, const int*, float*, const int*, int*, float*, const int*, int*);
using Orgqr = void(const int*, const int*, const int*, float*, const int*, const float*, float*, const int*, int*);

void turn_square(const float* in, std::int64_t n, float* out) {
  for (std::int64_t i = 0; i < n; i += 16)
    for (std::int64_t j = 0; j < n; j += 16) lane::square16<false>(in + i * n + j, n, out + j * n + i, n);
}
std::span<const float> elements(const Block<float>& x, std::int64_t n) {
  return {x.get(), static_cast<std::size_t>(n)};
}
Array matrix(const Block<float>& x, std::int64_t n) {
  return array(std::vector<float>(x.get(), x.get() + n * n), {n, n});
}

Case eigenvalues() {
  return by_hand("eigh_256", [](const Setup& s) -> std::function<void(int)> {
    const int n = 256, most = 1 << 20;
    const Array given = spd(n)(s);
    const Block<float> a = block<float>(given), vectors = block<float>(n * n), space = block<float>(n * n),
                       values = block<float>(n), work = block<float>(most);
    const Block<int> more = block<int>(most);
    auto once = [=, f = lapack<Syevd>("ssyevd_")](int) {
      int info = 0;
      std::copy_n(a.get(), n * n, space.get());
      f("V", "L", &n, space.get(), &n, values.get(), work.get(), &most, more.get(), &most, &info, 1, 1);
      turn_square(space.get(), n, vectors.get());
    };
    once(0);
    const Array v = matrix(vectors, n), w = array(std::vector<float>(values.get(), values.get() + n), {n});
    check_same("eigh_256", elements(values, n), linalg::eigh(given).w, 1e-5);
    check_same("eigh_256", matmul(given, v).to_vector<float>(), v * w, 1e-4);
    return once;
  });
}

// Rows and columns change places: so do U and V, and nothing is turned.
Case singular_values() {
  return by_hand("svd_256", [](const Setup& s) -> std::function<void(int)> {
    const int n = 256, most = 1 << 20;
    const Array given = s.normal({n, n}, P());
    const Block<float> a = block<float>(given), space = block<float>(n * n), u = block<float>(n * n),
                       vh = block<float>(n * n), values = block<float>(n), work = block<float>(most);
    const Block<int> more = block<int>(8 * n);
    auto once = [=, f = lapack<Gesdd>("sgesdd_")](int) {
      int info = 0;
      std::copy_n(a.get(), n * n, space.get());
      f("A", &n, &n, space.get(), &n, values.get(), vh.get(), &n, u.get(), &n, work.get(), &most, more.get(), &info, 1);
    };
    once(0);
    const Array w = array(std::vector<float>(values.get(), values.get() + n), {n});
    check_same("svd_256", elements(values, n), linalg::svd(given).s, 1e-5);
    check_same("svd_256", matmul(matrix(u, n) * w, matrix(vh, n)).to_vector<float>(), given, 1e-4);
    return once;
  });
}

Case orthogonal_factor() {
  return by_hand("qr_512", [](const Setup& s) -> std::function<void(int)> {
    const int n = 512, most = 1 << 20;
    const Array given = s.normal({n, n}, P());
    const Block<float> a = block<float>(given), space = block<float>(n * n), q = block<float>(n * n),
                       r = block<float>(n * n), scales = block<float>(n), work = block<float>(most);
    auto once = [=, f = lapack<Geqrf>("sgeqrf_"), g = lapack<Orgqr>("sorgqr_")](int) {
      int info = 0;
      turn_square(a.get(), n, space.get());
      f(&n, &n, space.get(), &n, scales.get(), work.get(), &most, &info);
      turn_square(space.get(), n, r.get());
      for (std::int64_t i = 1; i < n; ++i) std::fill_n(r.get() + i * n, i, 0.f);
      g(&n, &n, &n, space.get(), &n, scales.get(), work.get(), &most, &info);
      turn_square(space.get(), n, q.get());
    };
    once(0);
    check_same("qr_512", abs(matrix(r, n)).to_vector<float>(), abs(linalg::qr(given).r), 1e-4);
    check_same("qr_512", matmul(matrix(q, n), matrix(r, n)).to_vector<float>(), given, 1e-4);
    return once;
  });
}

// The lower factor is the upper one of what LAPACK sees, which is the same matrix.
Case triangular_factor() {
  return by_hand("cholesky_1024", [](const Setup& s) -> std::function<void(int)> {
    const int n = 1024;
    const Array given = spd(n)(s);
    const Block<float> a = block<float>(given), to[2] = {block<float>(n * n), block<float>(n * n)};
    auto once = [=, f = lapack<Potrf>("spotrf_")](int k) {
      int info = 0;
      float* const out = to[k].get();
      for (std::int64_t i = 0; i < n; ++i) {
        std::copy_n(a.get() + i * n, i + 1, out + i * n);
        std::fill_n(out + i * n + i + 1, n - i - 1, 0.f);
      }
      f("U", &n, out, &n, &info, 1);
    };
    once(0);
    check_same("cholesky_1024", elements(to[0], n * n), linalg::cholesky(given), 1e-5);
    return once;
  });
}

Case linear_systems() {
  return by_hand("solve_1024", [](const Setup& s) -> std::function<void(int)> {
    const int n = 1024, sides = 16;
    const Array given = s.normal({n, n}, P()), right = s.normal({n, sides}, P());
    const Block<float> a = block<float>(given), b = block<float>(right), space = block<float>(n * n),
                       side = block<float>(n * sides), x = block<float>(n * sides);
    const Block<int> swaps = block<int>(n);
    auto once = [=, f = lapack<Gesv>("sgesv_")](int) {
      int info = 0;
      turn_square(a.get(), n, space.get());
      for (std::int64_t i = 0; i < n; i += sides) lane::square16<false>(b.get() + i * sides, sides, side.get() + i, n);
      f(&n, &sides, space.get(), &n, swaps.get(), side.get(), &n, &info);
      for (std::int64_t i = 0; i < n; i += sides) lane::square16<false>(side.get() + i, n, x.get() + i * sides, sides);
    };
    once(0);
    const Array found = array(std::vector<float>(x.get(), x.get() + n * sides), {n, sides});
    // What rounding leaves is as large as the terms that are added up, n products with the solution.
    const double most = 1e-6 * n * max(abs(found)).item<float>() / max(abs(right)).item<float>();
    check_same("solve_1024", matmul(given, found).to_vector<float>(), right, most);
    return once;
  });
}

#if TUTTI_ONEDNN
Case convolution() {
  return by_hand("conv3x3_fwd_b64_32_64", [](const Setup& s) -> std::function<void(int)> {
    using dnnl::memory;
    const std::int64_t images = 64, size = 32, channels = 64, n = images * size * size * channels;
    const Array given = s.normal({images, size, size, channels}, P()),
                kernel = s.normal({3, 3, channels, channels}, P());
    const Block<float> x = block<float>(given), w = block<float>(kernel), to[2] = {block<float>(n), block<float>(n)};
    const dnnl::engine engine(dnnl::engine::kind::cpu, 0);
    const memory::dims dims{images, channels, size, size}, taps{channels, channels, 3, 3}, one{1, 1};
    const memory::desc image(dims, memory::data_type::f32, memory::format_tag::nhwc),
        any(taps, memory::data_type::f32, memory::format_tag::any),
        plain(taps, memory::data_type::f32, memory::format_tag::hwio);
#if DNNL_VERSION_MAJOR >= 3
    const dnnl::convolution_forward::primitive_desc how(engine, dnnl::prop_kind::forward_inference,
                                                        dnnl::algorithm::convolution_direct, image, any, image, one,
                                                        one, one);
#else
    const dnnl::convolution_forward::primitive_desc how(
        {dnnl::prop_kind::forward_inference, dnnl::algorithm::convolution_direct, image, any, image, one, one, one},
        engine);
#endif
    const dnnl::convolution_forward f(how);
    dnnl::stream stream(engine);
    const memory packed(how.weights_desc(), engine);
    memory in(image, engine, nullptr), weights(plain, engine, nullptr), out(image, engine, nullptr);
    const dnnl::reorder pack(weights, packed);
    auto once = [=](int k) mutable {
      in.set_data_handle(x.get());
      weights.set_data_handle(w.get());
      out.set_data_handle(to[k].get());
      pack.execute(stream, {{DNNL_ARG_FROM, weights}, {DNNL_ARG_TO, packed}});
      f.execute(stream, {{DNNL_ARG_SRC, in}, {DNNL_ARG_WEIGHTS, packed}, {DNNL_ARG_DST, out}});
      stream.wait();
    };
    once(0);
    check_same(
        "conv3x3_fwd_b64_32_64", elements(to[0], n),
        lax::conv_general_dilated(given, kernel, {.padding = "SAME", .dimension_numbers = {"NHWC", "HWIO", "NHWC"}}),
        1e-5);
    return once;
  });
}
#endif

}  // namespace

std::vector<Case> libraries_by_hand() {
  std::vector<Case> all{eigenvalues(), singular_values(), orthogonal_factor(), triangular_factor(), linear_systems()};
#if TUTTI_ONEDNN
  all.push_back(convolution());
#endif
  return all;
}

}  // namespace bench

#include "../src/lane/end_target.inc"

// SPDX-License-Identifier: Apache-2.0
