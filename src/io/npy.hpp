// .npy as bytes: what .npy files and the members of .npz archives have in common.
#pragma once

#include <string>

#include "io/content.hpp"
#include "io/npy_header.hpp"

namespace tutti::io::detail {

/// The header that belongs before content.bytes(). TypeError for elements that NumPy does not have; `path` is named.
std::string npy_text_for(const std::string& path, const Content& content);

/// The array of the elements behind `header`, in any order of bytes and elements.
Array npy_array(const NpyHeader& header, const ReadAt& read);

}  // namespace tutti::io::detail

// SPDX-License-Identifier: Apache-2.0
