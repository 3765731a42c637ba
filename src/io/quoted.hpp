// Names from files in the text of an error.
#pragma once

#include <string>
#include <string_view>

namespace tutti::io::detail {

/// The name in single quotes: control characters as `\x00`, and of a long one the beginning and how long it is. An
/// error's text is a C string, and a name may be as long as a file allows.
std::string quoted_name(std::string_view name);
/// The same without the quotes.
std::string printable(std::string_view name);

}  // namespace tutti::io::detail

// SPDX-License-Identifier: Apache-2.0
