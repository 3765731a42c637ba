#include "backend/cpu/isa.hpp"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>

#include "tutti/tutti.hpp"

namespace tutti::test {
namespace {

// The choice is made once in a process, so each test makes one of its own.
class isa : public testing::Test {
 protected:
  isa() { GTEST_FLAG_SET(death_test_style, "threadsafe"); }
};

// 1 + 2 e + e^2 without its last bit when it is rounded before it is added.
float square_of_rounded(int n) {
  const float e = 0x1p-12f;
  Array a = zeros({n, n}), b = zeros({n, n});
  a = a.at(all, 0).set(-1.f).at(all, 1).set(1 + e);
  b = b.at(0, all).set(1 + 2 * e).at(1, all).set(1 + e);
  return matmul(a, b)(n - 1, n - 1).item<float>();
}

[[noreturn]] void run_plain() {
  setenv("TUTTI_CPU_ISA", "plain", 1);
  bool good = square_of_rounded(4) == 0 && square_of_rounded(32) == 0 && square_of_rounded(300) == 0;  // three ways
  Array x = arange(64.f * 48).reshape(64, 48);
  good &= bool(array_equal(jit([](const Array& x) { return x.T().copy(); })(x), transpose(x)));
  good &=
      bool(array_equal(matmul(x.astype(bfloat16), ones({48, 1}, bfloat16)).astype(float32) > 0, ones({64, 1}, bool_)));
  std::exit(good && cpu::isa() == cpu::Isa::plain ? 0 : 1);
}

[[noreturn]] void run_unknown() {
  setenv("TUTTI_CPU_ISA", "avx3", 1);
  try {
    arange(4.f).sum().item<float>();
  } catch (const ValueError& e) {
    std::fputs(e.what(), stderr);
    std::exit(3);
  }
  std::exit(0);
}

}  // namespace

TEST_F(isa, plain_reaches_the_hand_written_code) {
  if (!TUTTI_X86) GTEST_SKIP() << "what is plain on other processors may fuse products with sums";
  EXPECT_EXIT(run_plain(), testing::ExitedWithCode(0), "");
}

TEST_F(isa, an_unknown_name_is_an_error) {
  EXPECT_EXIT(run_unknown(), testing::ExitedWithCode(3), "names the instructions 'avx3'.*avx512, avx2 or plain");
}

}  // namespace tutti::test

// SPDX-License-Identifier: Apache-2.0
