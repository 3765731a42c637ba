#pragma once

#include <memory>

#include "backend/cpu/run_places.hpp"
#include "run/executor.hpp"

namespace tutti::cpu {

/// Gather and scatter, run by run instead of element by element. Nothing for other Eqns.
std::unique_ptr<run::Work> window_work(const compile::CallEqn& call);

/// Of a gather.
RunPlaces places_of_gather(const compile::CallEqn& call);
/// Of a gather whose arrays have elements.
std::unique_ptr<run::Work> gather_work(const compile::CallEqn& call);
/// Of a scatter.
std::unique_ptr<run::Work> scatter_work(const compile::CallEqn& call);
/// Of a strided_add. Nothing where its rows are no runs.
std::unique_ptr<run::Work> strided_add_work(const compile::CallEqn& call);

}  // namespace tutti::cpu

// SPDX-License-Identifier: Apache-2.0
