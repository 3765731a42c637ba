#pragma once

#include <memory>

#include "run/executor.hpp"

namespace tutti::cpu {

/// The tasks of one contraction.
std::unique_ptr<run::Work> dot_work(const compile::Dot& dot);

}  // namespace tutti::cpu
