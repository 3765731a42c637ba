#include "backend/cpu/isa.hpp"

#include <algorithm>
#include <string>

#include "backend/cpu/matrix_library.hpp"
#include "base/environment.hpp"
#include "tutti/base/call_scope.hpp"

namespace tutti::cpu {
namespace {

Isa wanted() {
  const std::string name = environment::value(environment::cpu_isa);
  if (name.empty() || name == "avx512") return Isa::avx512;
  if (name == "avx2") return Isa::avx2;
  if (name == "plain") return Isa::plain;
  raise<ValueError>("TUTTI_CPU_ISA", "the environment names the instructions '" + name + "'",
                    "Use avx512, avx2 or plain, or leave it unset.");
}

}  // namespace

Isa isa_of_processor() {
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl"))
    return Isa::avx512;
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") ? Isa::avx2 : Isa::plain;
}

Isa isa() {
  static const Isa chosen = [] {
    const Isa isa = std::min(isa_of_processor(), wanted());
    prepare_matrix_library(isa);  // nobody calls it without having asked here
    return isa;
  }();
  return chosen;
}

}  // namespace tutti::cpu

// SPDX-License-Identifier: Apache-2.0
