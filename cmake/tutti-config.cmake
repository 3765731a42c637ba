# SPDX-License-Identifier: Apache-2.0
# find_package(tutti): the target tutti::tutti and what it links.
include(${CMAKE_CURRENT_LIST_DIR}/TuttiDependencies.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/tutti-targets.cmake)
