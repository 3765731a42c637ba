#pragma once

namespace tutti {

/// Keeps the shared object that holds this library, if it is in one, in memory until the process ends: dlclose() must
/// not take the code of threads that run, and of what they have to do at their end.
void stay_loaded();

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
