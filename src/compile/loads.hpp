// What the loops of a program read, numbered: equal readings have one number.
#pragma once

#include <unordered_map>
#include <vector>

#include "compile/fuse.hpp"
#include "ir/index.hpp"

namespace tutti::compile {

class Loads {
 public:
  Loads(const Program& program, const ProgramIndex& index, const Fusion& fusion)
      : p_(program), index_(index), f_(fusion) {}
  /// What an Eqn that runs in a loop reads, ascending. Without literals.
  std::vector<int> of(int eqn);
  /// The Eqn whose result a load reads; -1: an input, or no memory at all.
  int maker(int load) const { return makers_[load]; }
  /// How many elements it reads, each once.
  std::int64_t elements(int load) const { return elements_[load]; }

 private:
  int number(const Reading& reading, const Extents& over, DType dtype);

  struct Hash {
    std::size_t operator()(const Extents& key) const;
  };
  const Program& p_;
  const ProgramIndex& index_;
  const Fusion& f_;
  std::unordered_map<Extents, int, Hash> numbers_;  // by base, dtype, offset and steps
  std::vector<int> makers_;
  std::vector<std::int64_t> elements_;
};

}  // namespace tutti::compile

// SPDX-License-Identifier: Apache-2.0
