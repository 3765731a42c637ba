// Fourier transforms and what is done with them.
#include "real.hpp"

namespace bench::real {
namespace {

Array by_two_transforms(const Array& x) { return fft::fft(fft::fft(x, {}, 1), {}, 0); }
Array poisson(const Array& x) {
  const std::int64_t n = x.shape(0);
  const Array kx = fft::fftfreq(n), ky = fft::rfftfreq(n), k2 = expand_dims(kx * kx, 1) + ky * ky;
  const Array inverse = where(k2 > 0, -1 / where(k2 > 0, k2, 1), 0);
  return fft::irfft2(fft::rfft2(x) * inverse);
}
Array filtered(const Array& x, const Array& mask) { return fft::ifftn(fft::fftn(x) * mask); }
// Frame i is added up from sample i * hop on; the last ones go round.
Function overlap_add(std::int64_t samples, std::int64_t hop) {
  return of([=](const Array& frames) {
    const int count = static_cast<int>(frames.shape(0)), size = static_cast<int>(frames.shape(1));
    const Array from = expand_dims(arange(count), 1) * static_cast<int>(hop);
    return zeros({samples}).at((from + arange(size)) % static_cast<int>(samples)).add(frames);
  });
}

}  // namespace

std::vector<Row> transforms(const Extents& at) {
  const std::int64_t n = at(2048, 32), even = at.fixed(2048, 32), n3 = at(256, 16), line = at(1 << 20, 256);
  const std::int64_t samples = at.fixed(1 << 20, 256), frame = at.fixed(512, 8), hop = frame / 4;
  const double block = as_double(n * n * 8) / 8, slab = as_double(n3 * n3 * n3 * 8) / 8;
  // n / 2 + 1 frequencies of real numbers, cut into 8 blocks of as many.
  const double half = as_double(even / 8 * ((even / 2 + 1 + 7) / 8 * 8) * 8);
  const Input square = complex_numbers({n, n}, cut);
  return {
      {"fft2_free",
       "fft2, rows cut, result anywhere",
       d8,
       {square},
       {},
       of([](const Array& x) { return fft::fft2(x); }),
       {all_to_all(8, block), {}, 29360128},
       "E, H"},
      {"fft2_free_by_two",
       "fft along dim 1, then dim 0, result anywhere",
       d8,
       {square},
       {},
       of(by_two_transforms),
       {all_to_all(8, block)},
       "H"},
      {"poisson_rfft2",
       "Poisson: irfft2(rfft2(x) / k2)",
       d8,
       {numbers({even, even}, cut)},
       {cut},
       of(poisson),
       {2 * all_to_all(8, half), {}, 29374464},
       "E"},
      {"fftn_slab",
       "filter in 3 dims: ifftn(fftn(x) * mask), slabs",
       d8,
       {complex_numbers({n3, n3, n3}, cut), numbers({n3, n3, n3}, second)},
       {cut},
       of(filtered),
       {2 * all_to_all(8, slab), {}, 234881024},
       "E"},
      // In four steps: the vector as a matrix, columns, rows, and the order of the result: three transpositions.
      {"fft_vector",
       "fft of one cut vector",
       d8,
       {complex_numbers({line}, cut)},
       {cut},
       of([](const Array& x) { return fft::fft(x); }),
       {3 * all_to_all(8, as_double(line) * 8 / 8), {}, 7340032},
       "E"},
      // What the last three frames of a block add to the next one.
      {"overlap_add",
       "frames added up by scatter at arange * hop",
       d8,
       {numbers({samples / hop, frame}, cut)},
       {cut},
       overlap_add(samples, hop),
       {as_double(frame - hop) * 4, {}, 3670016},
       "L"},
  };
}

}  // namespace bench::real

// SPDX-License-Identifier: Apache-2.0
