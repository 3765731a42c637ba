// Which instructions generated and hand-written code may use.
#pragma once

#include "base/processor.hpp"

namespace tutti::cpu {

/// Each holds those before it. `plain` is what every x86-64 has, and all there is on other processors.
enum class Isa { plain, avx2, avx512 };

/// The most that this processor has.
Isa isa_of_processor();

/// What may be used: the most that this processor has, or what the environment variable TUTTI_CPU_ISA (avx512, avx2,
/// plain) narrows it to: for tests, and for the same bits on different machines. Throws ValueError when it names
/// something else.
Isa isa();

/// Whether lane::square16 and lane::part16 run.
inline bool has_square16() { return !TUTTI_X86 || isa() == Isa::avx512; }

}  // namespace tutti::cpu

// SPDX-License-Identifier: Apache-2.0
