// Convolutions, trends and spectra beside JAX and SciPy (users-3, 9): values recorded by tools/record_scipy.py.
#include "tutti/scipy/signal.hpp"
#include "scipy/check.hpp"

namespace tutti {
namespace {

const char* modes[] = {"full", "same", "valid"};

TEST(Signal, ConvolutionsAndCorrelations) {  // users-3, 9
  const Array x = recorded("x"), y = recorded("y"), m = recorded("m"), k = recorded("k"), z = recorded("z");
  for (const std::string mode : modes) {
    for (const char* method : {"auto", "direct", "fft"}) {
      expect_recorded("convolve " + mode + " 0", signal::convolve(x, y, mode, method));
      if (mode != "same" || std::string(method) != "fft")
        expect_recorded("convolve " + mode + " 1", signal::convolve(y, x, mode, method));
      expect_recorded("correlate " + mode + " 0", signal::correlate(x, y, mode, method));
    }
    expect_recorded("correlate " + mode + " 1", signal::correlate(y, x, mode));
    expect_recorded("convolve2d " + mode + " 0", signal::convolve2d(m, k, mode));
    expect_recorded("convolve2d " + mode + " 1", signal::convolve2d(k, m, mode));
    expect_recorded("correlate2d " + mode + " 0", signal::correlate2d(m, k, mode));
    expect_recorded("correlate2d " + mode + " 1", signal::correlate2d(k, m, mode));
    expect_recorded("fftconvolve " + mode + " 0", signal::fftconvolve(m, k, mode));
    expect_recorded("fftconvolve " + mode + " 1", signal::fftconvolve(m, m(slice(0, 2)), mode, 0));
  }
  expect_recorded("correlate complex", signal::correlate(z, std::complex<float>(0, 1) * z(slice(0, 2))));
  EXPECT_EQ(signal::convolve(arange(4), arange(2)).dtype(), float32);
  expect_close(signal::convolve(ones({3, 2, 2}), ones({2, 1, 2})), {4, 2, 3},
               {1, 2, 1, 1, 2, 1, 2, 4, 2, 2, 4, 2, 2, 4, 2, 2, 4, 2, 1, 2, 1, 1, 2, 1});
  // The derivative of a convolution is a correlation.
  const Array g = grad([&](const Array& a) { return sum(signal::convolve(a, y) * arange(14.f)); })(x);
  expect_close(g, signal::correlate(arange(14.f), y, "valid").to_vector<double>());
}

TEST(Signal, Trends) {  // users-3, 9
  const Array m = recorded("m"), x = recorded("x");
  expect_recorded("detrend 0", signal::detrend(m));
  expect_recorded("detrend 1", signal::detrend(m, {.axis = 0, .type = "constant"}));
  expect_recorded("detrend 2", signal::detrend(x, {.bp = {5, 9}}));
}

TEST(Signal, Windows) {  // users-3, 9
  for (const std::string name :
       {"hamming", "blackman", "bartlett", "boxcar", "cosine", "nuttall", "blackmanharris", "flattop", "hann"}) {
    expect_recorded("window " + name + " 0", signal::get_window(name, 5), 1e-7);
    expect_recorded("window " + name + " 1", signal::get_window(name, 6, false), 1e-7);
  }
  expect_thrown<ValueError>([] { signal::get_window("han", 5); }, {"'han'", "hann"});
}

void expect_stft(const std::string& name, const signal::Stft& s) {
  expect_recorded(name + " 0", s.frequencies);
  expect_recorded(name + " 1", s.times);
  expect_recorded(name + " 2", s.values);
}

TEST(Signal, ShortTimeFourierTransforms) {  // users-3, 9
  const Array s = recorded("s"), two = stack({s, 2 * s});
  expect_stft("stft", signal::stft(s, {.fs = 4, .nperseg = 8}));
  expect_stft("stft even", signal::stft(two, {.fs = 4,
                                              .nperseg = 8,
                                              .noverlap = 6,
                                              .nfft = 10,
                                              .detrend = "linear",
                                              .boundary = "even",
                                              .padded = false}));
  expect_stft("stft complex", signal::stft(std::complex<float>(0, 1) * s,
                                           {.nperseg = 8, .return_onesided = false, .boundary = "none"}));
  expect_stft("stft odd", signal::stft(s, {.window = "hamming", .nperseg = 8, .boundary = "odd"}));
  expect_stft("stft axis", signal::stft(two.T(), {.nperseg = 8, .boundary = "constant", .axis = 0}));
  const signal::Stft by_numbers = signal::stft(s, {.fs = 4, .window = signal::get_window("hann", 8)});
  expect_recorded("stft 2", by_numbers.values);
  auto f = jit([](const Array& s) { return signal::stft(s, {.fs = 4, .nperseg = 8}).values; });
  expect_recorded("stft 2", f(s));
}

TEST(Signal, BackFromSpectra) {  // users-3, 9
  const Array s = recorded("s"), two = stack({s, 2 * s});
  for (const int overlap : {4, 6, 5}) {
    const Array z = signal::stft(two, {.nperseg = 8, .noverlap = overlap}).values;
    const signal::Signal back = signal::istft(z, {.nperseg = 8, .noverlap = overlap});
    ASSERT_GE(back.values.shape(-1), 40);
    EXPECT_LT(float(max(abs(back.values(all, slice(0, 40)) - two))), 3e-6f) << overlap;
    EXPECT_EQ(back.times.shape(), (Shape{back.values.shape(-1)}));
  }
  const Array turned = transpose(signal::stft(two, {.window = "hamming", .nperseg = 9}).values, {2, 0, 1});
  const signal::Signal back =
      signal::istft(turned, {.fs = 2, .window = "hamming", .nperseg = 9, .nfft = 9, .time_axis = 0, .freq_axis = 2});
  EXPECT_LT(float(max(abs(back.values(slice(0, 40)) - two.T()))), 3e-6f);
  EXPECT_EQ(float(back.times[3]), 1.5f);
  const Array whole = signal::stft(std::complex<float>(1, 1) * s, {.nperseg = 8, .return_onesided = false}).values;
  const Array z = signal::istft(whole, {.input_onesided = false}).values;
  EXPECT_LT(float(max(abs(z(slice(0, 40)) - std::complex<float>(1, 1) * s))), 3e-6f);
}

TEST(Signal, PowerSpectra) {  // users-3, 9
  const Array s = recorded("s");
  const signal::Spectrum w = signal::welch(s, {.fs = 2, .nperseg = 16});
  expect_recorded("welch 0", w.frequencies);
  expect_recorded("welch 1", w.values);
  const signal::SpectrumOptions median{
      .fs = 2, .nperseg = 10, .detrend = "linear", .scaling = "spectrum", .average = "median"};
  expect_recorded("welch median 1", signal::welch(s, median).values);
  expect_recorded("welch rows 1", signal::welch(stack({s, s * s}, 1), {.nperseg = 9, .axis = 0}).values);
  expect_recorded("csd 1", signal::csd(s, flip(s)(slice(0, 30)), {.nperseg = 16}).values);
  expect_recorded("csd median 1", signal::csd(s, square(flip(s)), {.nperseg = 15, .average = "median"}).values);
  const Array rows = stack({s, s});
  EXPECT_EQ(jit([](const Array& x) { return signal::welch(x, {.nperseg = 16}).values; })(rows).shape(), (Shape{2, 9}));
  const Array g = grad([](const Array& x) { return sum(signal::welch(x, {.nperseg = 16}).values); })(s);
  EXPECT_TRUE(bool(all(isfinite(g))));
}

TEST(Signal, WrongArguments) {  // users-3, 9
  const Array x = ones({3, 8}), v = ones({8});
  expect_thrown<ShapeError>([&] { signal::convolve(x, v); }, {"convolve", "float32[3,8]", "float32[8]"});
  expect_thrown<ShapeError>([&] { signal::convolve2d(v, v); }, {"convolve2d", "float32[8]"});
  expect_thrown<ShapeError>([&] { signal::convolve(x, x.T(), "valid"); }, {"float32[8,3]"});
  expect_thrown<ShapeError>([&] { signal::fftconvolve(x, x.T(), "full", 0); }, {"fftconvolve", "float32[8,3]"});
  expect_thrown<ValueError>([&] { signal::convolve(v, v, "half"); }, {"'full', 'same', 'valid'"});
  expect_thrown<IndexError>([&] { signal::detrend(x, {.axis = 2}); }, {"detrend", "float32[3,8]"});
  expect_thrown<ValueError>([&] { signal::detrend(v, {.bp = {9}}); }, {"break point"});
  expect_thrown<ValueError>([&] { signal::stft(v, {.nperseg = 4, .noverlap = 4}); }, {"stft", "noverlap is 4"});
  expect_thrown<ValueError>([&] { signal::stft(v, {.nperseg = 4, .nfft = 3}); }, {"stft", "nfft is 3"});
  expect_thrown<ValueError>([&] { signal::stft(v, {.nperseg = 0}); }, {"nperseg is 0"});
  expect_thrown<ShapeError>([&] { signal::stft(v, {.window = ones({9})}); }, {"float32[9]"});
  expect_thrown<ShapeError>([&] { signal::csd(x, v); }, {"csd", "float32[8]"});
  expect_thrown<ShapeError>([&] { signal::istft(v); }, {"istft", "float32[8]"});
}

}  // namespace
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
