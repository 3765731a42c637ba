# SPDX-License-Identifier: Apache-2.0
# cmake -D SOURCE=src -D OUTPUT=all_ops.cpp -P list_ops.cmake: writes all_ops(), the list of the operations that the
# homes in SOURCE/ops and SOURCE/regions define, by file and in the order in which they stand there.
file(GLOB_RECURSE homes ${SOURCE}/ops/*.cpp ${SOURCE}/regions/*.cpp)
list(SORT homes)
set(names)
foreach(home ${homes})
  file(STRINGS ${home} lines REGEX "(^|[^n]) *const(init const)? Home ")
  foreach(line ${lines})
    if(NOT line MATCHES "^constinit const Home ([a-z0-9_]+) =")
      message(FATAL_ERROR "${home}: an operation is defined by `constinit const Home name = ...`, not by `${line}`")
    endif()
    list(APPEND names ${CMAKE_MATCH_1})
  endforeach()
endforeach()
list(JOIN names ", " declared)
list(JOIN names ", &ops::" addresses)
file(CONFIGURE OUTPUT ${OUTPUT} @ONLY CONTENT [[
// Made by cmake/list_ops.cmake from the homes in src/ops and src/regions.
#include "ir/home.hpp"

namespace tutti {
namespace ops {

extern const Home @declared@;

}  // namespace ops

const std::vector<const Op*>& all_ops() {
  static const auto& list = *new std::vector<const Op*>{&ops::@addresses@};
  return list;
}

}  // namespace tutti
]])
