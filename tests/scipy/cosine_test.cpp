// Cosine transforms beside SciPy (users-3, 9): values recorded by tools/record_scipy.py.
#include "tutti/fft/cosine.hpp"
#include "scipy/check.hpp"

namespace tutti {
namespace {

TEST(Cosine, Transforms) {  // users-3, 9
  const Array x = recorded("x"), m = recorded("m");
  for (const int n : {1, 2, 3, 5, 8, 12})
    for (const std::string norm : {"backward", "ortho", "forward"})
      for (const int type : {2, 3}) {
        const std::string name = "dct " + std::to_string(n) + " " + norm + " " + std::to_string(type);
        expect_recorded(name + " 0", fft::dct(x(slice(0, n)), type, {}, -1, norm));
        expect_recorded(name + " 1", fft::idct(x(slice(0, n)), type, {}, -1, norm));
      }
  const Array five = x(slice(0, 5));
  expect_recorded("dct n 0", fft::dct(five, 2, 3));
  expect_recorded("dct n 1", fft::dct(five, 2, 7));
  expect_recorded("dct n 2", fft::idct(five, 2, 7));
  expect_recorded("dctn 0", fft::dctn(m));
  expect_recorded("dctn 1", fft::dctn(m, {.norm = "ortho"}));
  expect_recorded("dctn 2", fft::idctn(m));
  expect_recorded("dctn 3", fft::dctn(m, {.s = {3}, .axes = {0}}));
  expect_recorded("dctn 4", fft::idctn(m, {.s = {2, 6}}));
  expect_recorded("dct complex", fft::dct(recorded("z")));
  EXPECT_EQ(fft::dct(arange(4)).dtype(), float32);
  // An orthogonal transform: its transpose is its inverse.
  const auto [y, pullback] = vjp([](const Array& v) { return fft::dct(v, 2, {}, -1, "ortho"); }, x);
  expect_close(std::get<0>(pullback(y)), x.to_vector<double>());
  expect_close(jit([](const Array& v) { return fft::idctn(fft::dctn(v)); })(m), m.reshape(-1).to_vector<double>());
}

TEST(Cosine, WrongArguments) {  // users-3, 9
  expect_thrown<ValueError>([] { fft::dct(ones({4}), 1); }, {"dct", "type is 1"});
  expect_thrown<IndexError>([] { fft::dct(ones({4}), 2, {}, 1); }, {"dct", "float32[4]"});
  expect_thrown<ValueError>([] { fft::dct(ones({4}), 2, 0); }, {"length is 0"});
  expect_thrown<ValueError>([] { fft::dctn(ones({4, 4}), {.s = {2}, .axes = {0, 1}}); }, {"1 lengths for 2 axes"});
}

}  // namespace
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
