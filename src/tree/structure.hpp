// The visitor that writes a tree's structure.
#pragma once

#include "tutti/tree/structure.hpp"

namespace tutti::tree::detail {

class Encoder final : public Visitor {
 public:
  explicit Encoder(Structure& out) : out_(out) {}
  void array(Array& leaf) override;
  void value(const void* leaf, const ValueType& type) override;
  void enter(const NodeType& type, std::size_t n) override;
  void child(std::size_t) override {}
  void key(std::string_view key) override;
  void exit() override {}

 private:
  void push(std::uint64_t word);
  void bytes(std::string_view s);
  Structure& out_;
};

}  // namespace tutti::tree::detail

// SPDX-License-Identifier: Apache-2.0
