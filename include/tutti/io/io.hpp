// Files: NumPy's, safetensors, and whole trees in one line. Checkpoints: tutti/checkpoint/checkpoint.hpp.
#pragma once

#include "tutti/io/file_error.hpp"
#include "tutti/io/npy.hpp"
#include "tutti/io/safetensors.hpp"
#include "tutti/io/tree_file.hpp"

// SPDX-License-Identifier: Apache-2.0
