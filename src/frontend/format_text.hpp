// Texts with fields whose arrays become known later.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "tutti/debug/format_text.hpp"

namespace tutti::detail {

class TextWithFields {
 public:
  /// ValueError of the call `what` where fields and values do not agree, or a brace has no other.
  TextWithFields(const char* what, const FormatText& format, std::vector<TextValue> values);
  /// The arrays of all values, in order; and the text once they are known.
  std::vector<Array> arrays() const;
  std::string str(std::span<const Array> arrays) const;

 private:
  struct Piece {
    std::string text;  // before the field; of a field: its format
    int value = -1;    // the field's, -1: there is none
  };
  void parse(const char* what, const FormatText& format);
  void try_formats(const char* what, const FormatText& format) const;

  std::vector<Piece> pieces_;
  std::vector<TextValue> values_;
};

/// To std::cout, whole lines from several threads.
void print_line(const std::string& line);

}  // namespace tutti::detail

// SPDX-License-Identifier: Apache-2.0
