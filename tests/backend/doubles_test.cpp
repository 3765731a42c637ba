// Products of doubles in every layout, against sums in order.
#include <gtest/gtest.h>

#include <array>
#include <random>
#include <vector>

#include "backend/cpu/gemm64.hpp"

namespace tutti::test {
namespace {

TEST(doubles, products_in_every_layout) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> real(-1, 1);
  for (const auto& [m, n, k] : {std::array{1, 1, 1},
                                {5, 1, 37},
                                {64, 1, 64},
                                {1, 9, 30},
                                {1, 64, 64},
                                {3, 5, 7},
                                {17, 33, 8},
                                {4, 16, 300},
                                {9, 31, 513}})
    for (int layout = 0; layout < 4; ++layout) {
      std::vector<double> a(static_cast<std::size_t>(m * k)), b(static_cast<std::size_t>(k * n));
      for (double& x : a) x = real(random);
      for (double& x : b) x = real(random);
      const cpu::Matrix64 left = layout & 1 ? cpu::Matrix64{a.data(), 1, m} : cpu::Matrix64{a.data(), k, 1},
                          right = layout & 2 ? cpu::Matrix64{b.data(), 1, k} : cpu::Matrix64{b.data(), n, 1};
      const int apart = n + 2;  // rows of the result; what lies between stays
      std::vector<double> c(static_cast<std::size_t>(m * apart), 7);
      cpu::gemm64(m, n, k, left, right, c.data(), apart);
      for (int i = 0; i < m; ++i)
        for (int j = 0; j < apart; ++j) {
          double sum = 0;
          for (int l = 0; l < k && j < n; ++l)
            sum += left.data[i * left.row + l * left.column] * right.data[l * right.row + j * right.column];
          ASSERT_NEAR(c[static_cast<std::size_t>(i * apart + j)], j < n ? sum : 7, 1e-13 * k)
              << m << ' ' << n << ' ' << k << " layout " << layout << " at " << i << ", " << j;
        }
    }
}

}  // namespace
}  // namespace tutti::test

// SPDX-License-Identifier: Apache-2.0
