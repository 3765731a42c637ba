// The few least words of a row, where the processor has instructions for it.
#pragma once

#include <cstdint>
#include <vector>

namespace tutti::kernels {

/// Finds the `kept` least of rows of n 32-bit words. Of the least words in each of many columns the one of rank `kept`
/// bounds what can be among them: few words pass.
class LeastOfRow {
 public:
  static bool takes(std::int64_t n, std::int64_t kept);
  LeastOfRow(std::int64_t n, std::int64_t kept);

  /// Room for the words of a row.
  std::uint32_t* words() { return words_.data(); }
  /// The positions of the least of them, in order, equal ones in the order of the row (`backwards`: the last first);
  /// nothing where too many words are about as small.
  const std::int32_t* least(bool backwards);

 private:
  std::int64_t n_, kept_;
  std::vector<std::uint32_t> words_, passed_, places_;
  std::vector<std::uint64_t> pairs_;
  std::vector<std::int32_t> positions_;
};

}  // namespace tutti::kernels

// SPDX-License-Identifier: Apache-2.0
