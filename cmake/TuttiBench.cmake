# SPDX-License-Identifier: Apache-2.0
# bench/*.cpp is one driver.
file(GLOB tutti_bench_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/bench/*.cpp)
if(tutti_bench_sources)
  # FFTW is what transforms are compared with where it happens to be installed: its licence (GPL) keeps it out of the
  # library and of what has to be there.
  find_library(TUTTI_FFTW NAMES fftw3f)
  mark_as_advanced(TUTTI_FFTW)
  if(NOT TUTTI_FFTW)
    list(FILTER tutti_bench_sources EXCLUDE REGEX by_hand_transforms)
  endif()
  add_executable(tutti_bench ${tutti_bench_sources})
  if(TUTTI_FFTW)
    target_link_libraries(tutti_bench PRIVATE ${TUTTI_FFTW})
    target_compile_definitions(tutti_bench PRIVATE TUTTI_FFTW)
  endif()
  tutti_compile_in_batches(tutti_bench)
  # What tutti is measured against is compiled as well as it can be; the rest of the driver only calls.
  file(GLOB tutti_by_hand_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/bench/by_hand*.cpp)
  set_source_files_properties(${tutti_by_hand_sources} PROPERTIES
    COMPILE_OPTIONS -O3 SKIP_UNITY_BUILD_INCLUSION ON SKIP_PRECOMPILE_HEADERS ON)
  set_source_files_properties(${PROJECT_SOURCE_DIR}/bench/by_hand_libraries.cpp PROPERTIES
    COMPILE_DEFINITIONS TUTTI_ONEDNN=$<BOOL:${TUTTI_HAS_ONEDNN}>)
  # Its vectors, for kernels by hand; tasks of stages, for predictions.
  target_include_directories(tutti_bench PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(tutti_bench PRIVATE
    tutti tutti_flags tutti_example_flags fmt::fmt command_line nlohmann_json::nlohmann_json)
  if(TUTTI_PCH)
    target_precompile_headers(tutti_bench REUSE_FROM tutti_example_pch)
  endif()
  target_compile_definitions(tutti_bench PRIVATE TUTTI_JAX_SIDE="${PROJECT_SOURCE_DIR}/bench/jax_side.py"
    TUTTI_JAX_PROCESSES="${PROJECT_SOURCE_DIR}/bench/jax_processes.py")
  # The same driver for machines without packages, with LLVM inside: tools/carry_bench puts other libraries beside it.
  file(GLOB tutti_llvm_archives ${LLVM_LIBRARY_DIR}/libLLVM*.a)
  if(tutti_llvm_archives AND NOT BUILD_SHARED_LIBS AND NOT TUTTI_SANITIZE)
    add_executable(tutti_bench_carried EXCLUDE_FROM_ALL $<TARGET_OBJECTS:tutti_bench>)
    add_dependencies(tutti_bench_carried tutti command_line)
    find_library(TUTTI_ZSTD NAMES zstd)
    if(NOT TUTTI_ZSTD)
      set(TUTTI_ZSTD -l:libzstd.so.1 CACHE STRING "what LLVM decompresses with" FORCE)
    endif()
    mark_as_advanced(TUTTI_ZSTD)
    target_link_libraries(tutti_bench_carried PRIVATE $<TARGET_FILE:command_line> $<TARGET_FILE:tutti>
      -Wl,--start-group ${tutti_llvm_archives} -Wl,--end-group fmt::fmt Threads::Threads
      ${tutti_matrix_library} tutti::zip
      $<$<BOOL:${TUTTI_FFTW}>:${TUTTI_FFTW}> z ${TUTTI_ZSTD} ${CMAKE_DL_LIBS})
    target_link_options(tutti_bench_carried PRIVATE -Wl,--gc-sections -Wl,--disable-new-dtags,-rpath,$ORIGIN/../lib)
  endif()
  find_package(benchmark CONFIG QUIET)
  if(benchmark_FOUND)
    target_link_libraries(tutti_bench PRIVATE benchmark::benchmark)
  endif()
endif()

# bench/partition/*.cpp counts what the partitioner does: it looks at the stages themselves.
file(GLOB tutti_partition_sources CONFIGURE_DEPENDS
  ${PROJECT_SOURCE_DIR}/bench/partition/*.cpp ${PROJECT_SOURCE_DIR}/bench/partition/real/*.cpp)
add_executable(tutti_partition_bench ${tutti_partition_sources})
tutti_compile_in_batches(tutti_partition_bench)
target_include_directories(tutti_partition_bench PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR}/examples)
target_link_libraries(tutti_partition_bench PRIVATE tutti tutti_flags tutti_test_flags fmt::fmt command_line
  nlohmann_json::nlohmann_json)
