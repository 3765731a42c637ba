# SPDX-License-Identifier: Apache-2.0
# tests/FOLDER/**.cpp is one program, test_FOLDER; ctest runs it suite by suite. Headers in tests/ are found as
# "FOLDER/file.hpp". Some folders are not like that: golden, fuzz and sweep (programs of their own), consumer (a
# user's project), debugger (a program, and what gdb prints of it), compile_fail (files that must not compile), headers
# (files that must), exchange (a module for Python) and ends (what tests of run start). Tests with the label "slow" are
# left out by `./dev test --sanitize`, and so are programs that have no others.
find_package(GTest CONFIG REQUIRED)
find_package(Python3 COMPONENTS Interpreter REQUIRED)
set(tutti_tests ${PROJECT_SOURCE_DIR}/tests)
# These take minutes to compile or to run under sanitizers, as golden, the guide's pages and the examples do, and others
# go through the same code.
set(tutti_slow_tests errors examples inventory linen nn optim)
set(tutti_slow_suites api.LeftOut transform.Compose backend.large_loops backend.random_programs
  # What the threads held that a child has not is a leak to the address sanitizer;
  run.fork data.LoaderFork device.SimulatedForks
  # the same objects in a program and its plugin are an error to it.
  run.OfPlugins/Ends)
add_custom_target(quick_tests)

# How sanitizers behave in a test is compiled into it.
add_library(tutti_sanitizer_options OBJECT EXCLUDE_FROM_ALL ${tutti_tests}/sanitizer_options.cpp)

# Precompiled for all of them: GoogleTest and the public headers, but for those that care about what came before them.
if(TUTTI_PCH)
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/tests_pch.cpp CONTENT "int main() {}\n")
  add_executable(tutti_test_pch ${PROJECT_BINARY_DIR}/tests_pch.cpp)  # compiled as the tests are: -fPIE
  target_link_libraries(tutti_test_pch PRIVATE tutti tutti_flags tutti_test_flags GTest::gtest)
  target_precompile_headers(tutti_test_pch PRIVATE <gtest/gtest.h> <algorithm> <functional> <map> <optional> <random>
    <set> <sstream> <string> <vector> <tutti/tutti.hpp>)
endif()

file(GLOB tutti_test_folders CONFIGURE_DEPENDS LIST_DIRECTORIES true RELATIVE ${tutti_tests} ${tutti_tests}/*)
list(REMOVE_ITEM tutti_test_folders golden consumer compile_fail debugger distributed ends exchange faults fuzz headers
  sweep)
foreach(folder ${tutti_test_folders})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${tutti_tests}/${folder}/*.cpp)
  if(NOT sources)
    continue()
  endif()
  set(name test_${folder})
  add_executable(${name} ${sources})
  tutti_compile_in_batches(${name})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/src ${tutti_tests})
  target_link_libraries(${name} PRIVATE
    tutti tutti_flags tutti_test_flags fmt::fmt nlohmann_json::nlohmann_json GTest::gtest_main)
  if(TUTTI_SANITIZE)
    target_link_libraries(${name} PRIVATE tutti_sanitizer_options)
  endif()
  set(label slow)
  if(NOT folder IN_LIST tutti_slow_tests)
    set(label quick)
    add_dependencies(quick_tests ${name})
  endif()
  if(TUTTI_PCH)
    target_precompile_headers(${name} REUSE_FROM tutti_test_pch)
  endif()
  if(folder STREQUAL "examples")
    target_link_libraries(${name} PRIVATE command_line)
  endif()
  if(folder STREQUAL "backend")
    target_include_directories(${name} SYSTEM PRIVATE ${LLVM_INCLUDE_DIRS})
  endif()
  set(stub ${PROJECT_BINARY_DIR}/${name}.ctest.cmake)
  file(CONFIGURE OUTPUT ${stub} @ONLY CONTENT [[
set(folder @folder@)
set(label @label@)
set(slow_suites @tutti_slow_suites@)
set(program "@PROJECT_BINARY_DIR@/@name@")
set(directory "@PROJECT_SOURCE_DIR@")
include("@PROJECT_SOURCE_DIR@/cmake/discover_suites.cmake")
]])
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
  set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY TEST_INCLUDE_FILES ${stub})
endforeach()

# Processes that compute until their very end, and a plugin that they load; beside test_run, which starts them.
add_library(ends_plugin MODULE ${tutti_tests}/ends/plugin.cpp)
add_executable(ends_job ${tutti_tests}/ends/job.cpp ${tutti_tests}/ends/other.cpp)
foreach(target ends_plugin ends_job)
  target_include_directories(${target} PRIVATE ${tutti_tests})
  target_link_libraries(${target} PRIVATE tutti tutti_flags tutti_test_flags)
  set_target_properties(${target} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}
    RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
  if(TUTTI_SANITIZE)
    target_link_libraries(${target} PRIVATE tutti_sanitizer_options)
  endif()
endforeach()
add_dependencies(test_run ends_job ends_plugin)

# In debug builds functions are recorded at each call, to find captures that change, while TUTTI_CHECK is not set: tests
# are about calls as they are.
set(tutti_plain_calls)
if(NOT CMAKE_BUILD_TYPE STREQUAL "Release")
  set(tutti_plain_calls TUTTI_CHECK=passes)
endif()

# Of several processes: the program is started by mpirun, with 1, 2 and 4 of them, a thread each.
if(TARGET tutti_mpi)
  set(tutti_mpi_environment ${tutti_plain_calls} TUTTI_NUM_THREADS=1 TUTTI_COLLECTIVE_TIMEOUT=20
    OMPI_ALLOW_RUN_AS_ROOT=1
    OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_btl=self,vader OMPI_MCA_oob_tcp_if_include=lo
    # in place of an option, which MPICH's mpiexec does not know; of OpenMPI up to 4, of 5 and since 6
    OMPI_MCA_rmaps_base_oversubscribe=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe
    PRTE_MCA_mapby=:oversubscribe)
  file(GLOB sources CONFIGURE_DEPENDS ${tutti_tests}/distributed/*.cpp)
  add_executable(test_distributed ${sources})
  tutti_compile_in_batches(test_distributed)
  add_dependencies(test_distributed tutti_mpi)
  set_target_properties(test_distributed PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
  target_include_directories(test_distributed PRIVATE ${PROJECT_SOURCE_DIR}/src ${tutti_tests})
  target_link_libraries(test_distributed PRIVATE tutti tutti_flags tutti_test_flags GTest::gtest)
  if(TUTTI_PCH)
    target_precompile_headers(test_distributed REUSE_FROM tutti_test_pch)
  endif()
  if(TUTTI_SANITIZE)
    target_link_libraries(test_distributed PRIVATE tutti_sanitizer_options)
  endif()
  add_dependencies(quick_tests test_distributed)
  foreach(processes 1 2 4)
    set(label quick)
    if(processes EQUAL 4)
      set(label slow)
    endif()
    add_test(NAME distributed.mpi_${processes} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
      COMMAND ${MPIEXEC_EXECUTABLE} -n ${processes} ${PROJECT_BINARY_DIR}/test_distributed)
    set(environment ${tutti_mpi_environment})
    if(processes GREATER 1)  # OpenMPI and the plugins that it unloads leave memory behind
      list(APPEND environment ASAN_OPTIONS=detect_leaks=0)
    endif()
    set_tests_properties(distributed.mpi_${processes} PROPERTIES LABELS ${label} TIMEOUT 300
      ENVIRONMENT "${environment}")
  endforeach()
  # Where the memory of other processes must not be read, MPI copies.
  add_test(NAME distributed.mpi_2_copies WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
    COMMAND ${MPIEXEC_EXECUTABLE} -n 2 ${PROJECT_BINARY_DIR}/test_distributed
      --gtest_filter=Transport.*:LargeBlocks.*:Messages.*)
  set_tests_properties(distributed.mpi_2_copies PROPERTIES LABELS quick TIMEOUT 300
    ENVIRONMENT "${tutti_mpi_environment};ASAN_OPTIONS=detect_leaks=0;OMPI_MCA_btl_vader_single_copy_mechanism=none")
  # Without the optional passes between processes: all but the test that counts what one of them saves.
  add_test(NAME distributed.mpi_2_without_passes WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
    COMMAND ${MPIEXEC_EXECUTABLE} -n 2 ${PROJECT_BINARY_DIR}/test_distributed
      --gtest_filter=-Messages.SmallSumsTravelTogether)
  set_tests_properties(distributed.mpi_2_without_passes PROPERTIES LABELS slow TIMEOUT 300 ENVIRONMENT
    "${tutti_mpi_environment};ASAN_OPTIONS=detect_leaks=0;TUTTI_PASSES=-send_early,-combine,-send_early_again,-live")
  add_executable(fault_job ${tutti_tests}/faults/job.cpp)
  target_link_libraries(fault_job PRIVATE tutti tutti_flags tutti_test_flags)
  add_test(NAME distributed.faults
    COMMAND ${Python3_EXECUTABLE} ${tutti_tests}/faults/faults.py ${MPIEXEC_EXECUTABLE} $<TARGET_FILE:fault_job>)
  foreach(job children divergence)
    add_executable(fault_${job} ${tutti_tests}/faults/${job}.cpp)
    target_link_libraries(fault_${job} PRIVATE tutti tutti_flags tutti_test_flags)
    add_dependencies(fault_${job} tutti_mpi)
    set_target_properties(fault_${job} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
    add_test(NAME distributed.${job}
      COMMAND ${Python3_EXECUTABLE} ${tutti_tests}/faults/${job}.py ${MPIEXEC_EXECUTABLE} $<TARGET_FILE:fault_${job}>)
    set_tests_properties(distributed.${job} PROPERTIES LABELS slow TIMEOUT 600)
  endforeach()
  add_executable(checkpoint_job ${tutti_tests}/faults/checkpoint_job.cpp)
  target_link_libraries(checkpoint_job PRIVATE tutti tutti_flags tutti_test_flags)
  add_dependencies(checkpoint_job tutti_mpi)
  set_target_properties(checkpoint_job PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR})
  add_test(NAME distributed.checkpoints
    COMMAND ${Python3_EXECUTABLE} ${tutti_tests}/faults/checkpoints.py ${MPIEXEC_EXECUTABLE}
      $<TARGET_FILE:checkpoint_job>)
  set_tests_properties(distributed.faults distributed.checkpoints PROPERTIES LABELS slow TIMEOUT 300)
  if(TUTTI_BENCH)
    add_test(NAME distributed.killed_bench
      COMMAND ${Python3_EXECUTABLE} ${tutti_tests}/faults/killed_bench.py $<TARGET_FILE:tutti_bench>)
    set_tests_properties(distributed.killed_bench PROPERTIES LABELS slow TIMEOUT 120)
  endif()
endif()
if(TUTTI_BENCH)  # all of them: `./dev bench --bits`
  string(CONCAT cases "dot_256|dot_bf16_1024|mlp_grad_dp_w(64|512)|equinox|fori_heat|gru|gpt_step_d64|attention_b1_h12|"
    "mobile|conv_network|sort_1M|segment_sum|sum_4096|softmax_4096|cumsum|nbody|black_scholes|fft2_1024|cholesky|svd")
  add_test(NAME bench.bits COMMAND tutti_bench --bits --filter "${cases}")
  set_tests_properties(bench.bits PROPERTIES LABELS slow TIMEOUT 300 ENVIRONMENT "${tutti_plain_calls}")
endif()
if(TARGET tutti_partition_bench)  # programs of many trades: `./dev bench partition --programs real`
  add_test(NAME bench.real_programs COMMAND tutti_partition_bench --programs real
    --check ${PROJECT_SOURCE_DIR}/bench/partition/real/recorded.txt)
  string(CONCAT cases "^(lap_edge|fdtd|redblack_strided|mg_restrict2|conv2cut|conv_stride2|fft2_free|linrec_assoc|beam|"
    "scatter_add_cut|pick_labels|kmeans_seg|nbody42|tsqr|flip_slice) ")
  add_test(NAME bench.real_programs_run COMMAND tutti_partition_bench --programs real --run --filter "${cases}")
  add_test(NAME bench.real_programs_uneven
    COMMAND tutti_partition_bench --programs real --run --uneven --filter "${cases}")
  add_test(NAME bench.real_programs_by_hand COMMAND tutti_partition_bench --programs real --by-hand --run)
  set_tests_properties(bench.real_programs bench.real_programs_run bench.real_programs_uneven
    bench.real_programs_by_hand PROPERTIES TIMEOUT 300
    ENVIRONMENT "${tutti_plain_calls}")
endif()

file(GLOB sources CONFIGURE_DEPENDS ${tutti_tests}/golden/*.cpp)
if(sources)
  add_executable(golden_runner EXCLUDE_FROM_ALL ${sources})  # `./dev test` and `./dev golden` ask for it
  tutti_compile_in_batches(golden_runner)
  target_include_directories(golden_runner PRIVATE ${PROJECT_SOURCE_DIR}/src ${tutti_tests})
  target_link_libraries(golden_runner PRIVATE
    tutti tutti_flags tutti_test_flags fmt::fmt command_line nlohmann_json::nlohmann_json
    GTest::gtest)  # for the definitions that the precompiled header was compiled with
  if(TUTTI_PCH)
    target_precompile_headers(golden_runner REUSE_FROM tutti_test_pch)
  endif()
  # Cases of another seed, the small ones, so that the tests need no files from elsewhere.
  file(GLOB small CONFIGURE_DEPENDS ${tutti_tests}/golden/small/*.json)
  if(small)
    add_test(NAME golden.small COMMAND golden_runner ${small})
    set_tests_properties(golden.small PROPERTIES LABELS slow ENVIRONMENT "${tutti_plain_calls}")
    if(TARGET tutti_mpi)
      foreach(processes 2 4)
        add_test(NAME golden.mpi_${processes} COMMAND ${MPIEXEC_EXECUTABLE} -n ${processes}
          $<TARGET_FILE:golden_runner> ${tutti_tests}/golden/small/collectives.json
          ${tutti_tests}/golden/small/shardings.json)
        set_tests_properties(golden.mpi_${processes} PROPERTIES LABELS slow TIMEOUT 600
          ENVIRONMENT "${tutti_mpi_environment}")
      endforeach()
    endif()
  endif()
endif()

# Random programs: `./dev fuzz`. Of the three tests the last is quick.
file(GLOB sources CONFIGURE_DEPENDS ${tutti_tests}/fuzz/*.cpp)
add_executable(tutti_fuzz ${sources})
tutti_compile_in_batches(tutti_fuzz)
target_include_directories(tutti_fuzz PRIVATE ${PROJECT_SOURCE_DIR}/src ${tutti_tests})
target_link_libraries(tutti_fuzz PRIVATE
  tutti tutti_flags tutti_test_flags fmt::fmt command_line
  GTest::gtest)  # for the definitions that the precompiled header was compiled with
if(TUTTI_PCH)
  target_precompile_headers(tutti_fuzz REUSE_FROM tutti_test_pch)
endif()
add_dependencies(quick_tests tutti_fuzz)
add_test(NAME fuzz.programs COMMAND tutti_fuzz --seed 1 --programs 300)
add_test(NAME fuzz.many COMMAND tutti_fuzz --seed 2 --programs 2000 --axes 2)
set_tests_properties(fuzz.programs fuzz.many PROPERTIES LABELS slow TIMEOUT 900 ENVIRONMENT "${tutti_plain_calls}")
# Of programs with many steps one is left.
add_test(NAME fuzz.shrinks COMMAND tutti_fuzz --seed 1 --programs 40 --pretend cumsum)
set_tests_properties(fuzz.shrinks PROPERTIES
  PASS_REGULAR_EXPRESSION "Array v0 = (lax::)?cumsum.in.0., 0(, true)?..[ \n]*return Arrays")

# Special functions beside recorded values: `./dev sweep special`.
add_executable(tutti_sweep EXCLUDE_FROM_ALL ${tutti_tests}/sweep/sweep.cpp
  ${tutti_tests}/special/functions.cpp ${tutti_tests}/special/gamma_functions.cpp
  ${tutti_tests}/special/other_functions.cpp ${tutti_tests}/special/distributions.cpp ${tutti_tests}/special/points.cpp)
target_include_directories(tutti_sweep PRIVATE ${PROJECT_SOURCE_DIR}/src ${tutti_tests})
target_link_libraries(tutti_sweep PRIVATE
  tutti tutti_flags tutti_test_flags fmt::fmt command_line
  GTest::gtest)  # for the definitions that the precompiled header was compiled with
if(TUTTI_PCH)
  target_precompile_headers(tutti_sweep REUSE_FROM tutti_test_pch)
endif()

# What runs no code of ours is not repeated under sanitizers.
if(TUTTI_SANITIZE)
  return()
endif()

# A file that must not compile says in its first line what the compiler has to complain about: `// error: TEXT`.
file(GLOB sources CONFIGURE_DEPENDS ${tutti_tests}/compile_fail/*.cpp)
set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${sources})
foreach(source ${sources})
  get_filename_component(name ${source} NAME_WE)
  file(STRINGS ${source} expected LIMIT_COUNT 1)
  string(REGEX REPLACE "^// error: *" "" expected "${expected}")
  add_test(NAME compile_fail.${name}
    COMMAND ${CMAKE_CXX_COMPILER} -std=c++20 -fsyntax-only -I${PROJECT_SOURCE_DIR}/include ${source})
  set_tests_properties(compile_fail.${name} PROPERTIES PASS_REGULAR_EXPRESSION "${expected}")
endforeach()

add_test(NAME run.no_destructors
  COMMAND ${Python3_EXECUTABLE} ${tutti_tests}/run/no_destructors.py $<TARGET_FILE:tutti>)
set_tests_properties(run.no_destructors PROPERTIES SKIP_RETURN_CODE 77)

# The headers in other people's builds: macros that came before, options and warnings (users-3, 7 and 8). No system
# headers here, where warnings would be left out. clang 16 is the oldest clang that reads them (and its clangd): skipped
# where it is not.
function(tutti_reads_headers name source)
  add_test(NAME headers.${name} COMMAND ${ARGN} -std=c++20 -I${PROJECT_SOURCE_DIR}/include -I${tutti_tests}
    ${tutti_tests}/headers/${source}.cpp)
  set_tests_properties(headers.${name} PROPERTIES LABELS slow SKIP_RETURN_CODE 77)
endfunction()
set(tutti_strict -O3 -Wall -Wextra -Wshadow -Wsign-conversion -Werror)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  list(APPEND tutti_strict -Wrestrict)
endif()
tutti_reads_headers(macros macros ${CMAKE_CXX_COMPILER} -fsyntax-only)
tutti_reads_headers(no_rtti plain ${CMAKE_CXX_COMPILER} -fsyntax-only -fno-rtti)
tutti_reads_headers(warnings plain ${CMAKE_CXX_COMPILER} ${tutti_strict} -c -o ${PROJECT_BINARY_DIR}/headers.o)
tutti_reads_headers(modules modules ${CMAKE_CXX_COMPILER} ${tutti_strict} -fno-rtti -c
  -o ${PROJECT_BINARY_DIR}/header_modules.o)
find_program(TUTTI_CLANG_16 clang++-16)
if(TUTTI_CLANG_16)
  tutti_reads_headers(clang_16 plain ${TUTTI_CLANG_16} -fsyntax-only -Wall -Wextra -Werror)
else()
  add_test(NAME headers.clang_16
    COMMAND ${Python3_EXECUTABLE} -c "import sys; print('clang++-16 is not installed'); sys.exit(77)")
  set_tests_properties(headers.clang_16 PROPERTIES LABELS slow SKIP_RETURN_CODE 77)
endif()

# Arrays to and from NumPy, in a Python that loads the library; 77: it has no NumPy.
if(NOT TUTTI_SANITIZE)  # Python is not sanitized
  add_library(test_exchange MODULE ${tutti_tests}/exchange/exchange.cpp)
  target_link_libraries(test_exchange PRIVATE tutti tutti_flags tutti_test_flags)
  find_program(TUTTI_NUMPY_PYTHON python3 HINTS /usr/bin)  # that of Debian's python3-numpy
  add_test(NAME exchange.numpy
    COMMAND ${TUTTI_NUMPY_PYTHON} ${tutti_tests}/exchange/numpy_exchange.py $<TARGET_FILE:test_exchange>)
  set_tests_properties(exchange.numpy PROPERTIES SKIP_RETURN_CODE 77)
endif()

# What gdb prints of arrays; skipped where there is no gdb.
add_executable(debugged ${tutti_tests}/debugger/program.cpp)
target_link_libraries(debugged PRIVATE tutti tutti_flags)
# Options of a source come behind those of the flags' target.
set_source_files_properties(${tutti_tests}/debugger/program.cpp PROPERTIES COMPILE_OPTIONS "-O0;-g")
find_program(TUTTI_GDB gdb)
mark_as_advanced(TUTTI_GDB)
add_test(NAME debugger.printers COMMAND ${Python3_EXECUTABLE} ${tutti_tests}/debugger/printers.py
  ${TUTTI_GDB} $<TARGET_FILE:debugged> ${PROJECT_SOURCE_DIR}/tools/tutti_gdb.py)
set_tests_properties(debugger.printers PROPERTIES LABELS slow SKIP_RETURN_CODE 77)

# Each tools/check_NAME.py; 77: it lacks a tool of the system and says which.
file(GLOB checks CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/tools/check_*.py)
foreach(check ${checks})
  string(REGEX REPLACE ".*/check_(.*)\\.py" "\\1" name ${check})
  add_test(NAME lint.${name} COMMAND ${Python3_EXECUTABLE} ${check})
  set_tests_properties(lint.${name} PROPERTIES SKIP_RETURN_CODE 77)
endforeach()

foreach(way find_package pkg_config add_subdirectory)
  add_test(NAME consumer.${way} COMMAND ${CMAKE_COMMAND}
    -D WAY=${way} -D SOURCE=${PROJECT_SOURCE_DIR} -D BUILD=${PROJECT_BINARY_DIR} -D BUILD_TYPE=${CMAKE_BUILD_TYPE}
    -D CXX=${CMAKE_CXX_COMPILER} -D GENERATOR=${CMAKE_GENERATOR}
    -P ${tutti_tests}/consumer/run.cmake)
  set_tests_properties(consumer.${way} PROPERTIES TIMEOUT 1500 SKIP_REGULAR_EXPRESSION "there is no pkg-config here")
endforeach()
