# SPDX-License-Identifier: Apache-2.0
# The libraries that tutti links. Read by this build and, installed, by find_package(tutti).
include(CMakeFindDependencyMacro)
find_dependency(Threads)
find_dependency(fmt CONFIG)

# One imported target for a library that is found by file name.
function(tutti_import target)
  cmake_parse_arguments(arg "" "" "NAMES;HINTS;SUFFIXES" ${ARGN})
  if(NOT TARGET ${target})
    string(MAKE_C_IDENTIFIER ${target}_LIBRARY variable)
    find_library(${variable} NAMES ${arg_NAMES} HINTS ${arg_HINTS} PATH_SUFFIXES ${arg_SUFFIXES} REQUIRED)
    mark_as_advanced(${variable})
    add_library(${target} UNKNOWN IMPORTED)
    set_target_properties(${target} PROPERTIES IMPORTED_LOCATION ${${variable}})
  endif()
endfunction()

if(TUTTI_HAS_ONEDNN)
  tutti_import(tutti::dnnl NAMES dnnl)
endif()
tutti_import(tutti::zip NAMES zip)
if(TUTTI_LLVM STREQUAL "shared")
  tutti_import(tutti::llvm NAMES LLVM-${TUTTI_LLVM_VERSION} LLVM HINTS ${LLVM_LIBRARY_DIR}
    SUFFIXES llvm-${TUTTI_LLVM_VERSION}/lib)
else()  # by their run-time names too: neither headers nor -dev packages are needed
  tutti_import(tutti::z NAMES z libz.so.1)
  tutti_import(tutti::zstd NAMES zstd libzstd.so.1)
endif()
