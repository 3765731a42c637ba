# SPDX-License-Identifier: Apache-2.0
# What every target of this repository is compiled with. Not exported: a user's own code keeps the user's flags.
# No -march, and no fused multiply-add by contraction: what the compiler makes of a source is the same everywhere, and
# runs on every x86-64. Which instructions generated and hand-written loops use is decided at run time
# (backend/cpu/isa.hpp); docs/internals.md names the bits that depend on it.
add_library(tutti_flags INTERFACE)
target_compile_features(tutti_flags INTERFACE cxx_std_20)
# psabi: vectors are handed between functions that are inlined, all of them.
target_compile_options(tutti_flags INTERFACE
  -Wall -Wextra -Wno-missing-field-initializers -Wno-psabi -ffp-contract=off $<$<CONFIG:Release>:-O2>)
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  target_compile_options(tutti_flags INTERFACE -Wno-deprecated-declarations)  # of libstdc++ 12 in its own stable_sort
endif()

# What ccache needs to store files that use a precompiled header. The header itself is made without: GCC would read the
# header of the build before in its place.
if(TUTTI_PCH AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(tutti_flags INTERFACE -fpch-preprocess)
  foreach(target tutti tutti_cpu tutti_test_pch tutti_example_pch)
    set_source_files_properties(${PROJECT_BINARY_DIR}/CMakeFiles/${target}.dir/cmake_pch.hxx.cxx PROPERTIES
      COMPILE_OPTIONS -fno-pch-preprocess)
  endforeach()
elseif(TUTTI_PCH)
  target_compile_options(tutti_flags INTERFACE "SHELL:-Xclang -fno-pch-timestamp")
endif()

# Left out of "undefined" are null and vptr, where AddressSanitizer sees the access, and object-size and alignment,
# which would double the time that GCC takes.
if(TUTTI_SANITIZE)
  target_compile_options(tutti_flags INTERFACE
    -fsanitize=${TUTTI_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all -D_GLIBCXX_ASSERTIONS)
  target_link_options(tutti_flags INTERFACE -fsanitize=${TUTTI_SANITIZE})
  if(TUTTI_SANITIZE MATCHES "undefined")
    target_compile_options(tutti_flags INTERFACE
      -fsanitize=float-cast-overflow -fno-sanitize=null,vptr,object-size,alignment)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")  # it reads a type in front of a function; generated ones have none
      target_compile_options(tutti_flags INTERFACE -fno-sanitize=function)
    endif()
  endif()
endif()

# GCC's own memory, of a source: the default collects garbage that is not there, which takes a tenth of its time.
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(tutti_flags INTERFACE --param=ggc-min-heapsize=1048576)  # KiB
endif()

# GNU ld takes a second of processor time for each of the programs, gold and lld a quarter.
include(CheckLinkerFlag)
foreach(linker lld gold)
  check_linker_flag(CXX -fuse-ld=${linker} TUTTI_LINKS_WITH_${linker})
  if(TUTTI_LINKS_WITH_${linker})
    target_link_options(tutti_flags INTERFACE -fuse-ld=${linker})
    break()
  endif()
endforeach()

# The sources of a program are compiled a few together, since most of what one costs are headers and templates that its
# neighbours need too. So what they define in unnamed namespaces has to have different names.
function(tutti_compile_in_batches target)
  if(TUTTI_UNITY)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 8)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")  # it takes a source that is included for a header
      target_compile_options(${target} PRIVATE -Wno-subobject-linkage)
    endif()
  endif()
endfunction()

# Tests, examples, benchmarks and the guide's pages are compiled more often than they run, and the time goes into the
# library: linked behind tutti_flags. Cross: what tools/aarch64 builds.
add_library(tutti_test_flags INTERFACE)
target_compile_options(tutti_test_flags INTERFACE $<$<CONFIG:Release,Cross>:-O0>)
add_library(tutti_example_flags INTERFACE)
target_compile_options(tutti_example_flags INTERFACE $<$<CONFIG:Release,Cross>:-O1>)
if(TUTTI_SANITIZE)
  target_compile_options(tutti_test_flags INTERFACE -O0)
  target_compile_options(tutti_example_flags INTERFACE -O0)
endif()
