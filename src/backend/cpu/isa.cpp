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
  return processor::has_avx512() ? Isa::avx512 : processor::has_avx2() ? Isa::avx2 : Isa::plain;
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
