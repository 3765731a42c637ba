// Running what the pipeline made, on arrays.
#pragma once

#include <span>
#include <vector>

#include "api/pipeline.hpp"
#include "array/pinned.hpp"
#include "tutti/array/array.hpp"

namespace tutti {

/// Runs on concrete inputs. donated[i] (empty: none): input i has been given up by its owner, and is deleted by by[i].
std::vector<Array> execute(const Prepared& prepared, std::span<const Array> inputs, std::span<const bool> donated = {},
                           const Takers& by = {});
Placement placement_of(const Array& x);

/// How many programs this thread has run, how many plans the process keeps, how many eager operations this thread.
std::size_t programs_run();
std::size_t plans_kept();
std::size_t operations_kept();

/// The executable of the present backend for `program`: the same one for equal programs, for the whole process.
std::shared_ptr<Executable> compiled(const LocalProgram& program, const std::vector<bool>& donatable);

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
