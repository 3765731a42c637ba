# SPDX-License-Identifier: Apache-2.0
# The library: every src/**/*.cpp. src/backend/cpu is a group of its own, the only one that sees LLVM's headers.
find_package(nlohmann_json CONFIG REQUIRED)

file(GLOB_RECURSE tutti_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/*.cpp)
file(GLOB_RECURSE tutti_headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/include/*.hpp)
list(FILTER tutti_sources EXCLUDE REGEX "/src/backend/mpi/")
set(tutti_cpu_sources ${tutti_sources})
list(FILTER tutti_cpu_sources INCLUDE REGEX "/src/backend/cpu/")
list(FILTER tutti_sources EXCLUDE REGEX "/src/backend/cpu/")

set(tutti_homes ${tutti_sources})
list(FILTER tutti_homes INCLUDE REGEX "/src/(ops|regions)/")
set(tutti_all_ops ${PROJECT_BINARY_DIR}/all_ops.cpp)
add_custom_command(OUTPUT ${tutti_all_ops}
  COMMAND ${CMAKE_COMMAND} -D SOURCE=${PROJECT_SOURCE_DIR}/src -D OUTPUT=${tutti_all_ops}
    -P ${PROJECT_SOURCE_DIR}/cmake/list_ops.cmake
  DEPENDS ${tutti_homes} ${PROJECT_SOURCE_DIR}/cmake/list_ops.cmake
  COMMENT "Listing the operations")

# Sources of one folder are compiled a dozen together: half of what a small file costs are headers and templates that
# its neighbours need too. So what the sources of a folder define in unnamed namespaces has to have different names
# (infer_gather, infer_slice). Not together are the hand-written kernels.
function(tutti_compile_together target)
  if(NOT TUTTI_UNITY)
    return()
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")  # it takes a source that is included for a header
    target_compile_options(${target} PRIVATE -Wno-subobject-linkage)
  endif()
  foreach(source ${ARGN})
    cmake_path(GET source PARENT_PATH folder)
    cmake_path(RELATIVE_PATH folder BASE_DIRECTORY ${PROJECT_SOURCE_DIR}/src)
    string(MAKE_C_IDENTIFIER ${folder} folder)
    math(EXPR group "${${folder}_count} + 0")
    math(EXPR ${folder}_count "${group} + 1")
    math(EXPR group "${group} / 12")
    set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${folder}_${group})
  endforeach()
endfunction()

add_library(tutti ${tutti_sources} ${tutti_headers} ${tutti_all_ops})
add_library(tutti::tutti ALIAS tutti)
set_target_properties(tutti PROPERTIES  # of a shared library: before 1.0 a new minor version may change the interface
  VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
  DEFINE_SYMBOL "")  # the objects of a shared library are those of a static one
if(BUILD_SHARED_LIBS)
  set(tutti_exports ${PROJECT_SOURCE_DIR}/cmake/exports.map)
  target_link_options(tutti PRIVATE -Wl,--version-script=${tutti_exports})
  set_target_properties(tutti PROPERTIES LINK_DEPENDS ${tutti_exports})
endif()
target_compile_features(tutti PUBLIC cxx_std_20)
# Linked with --gc-sections, as with a static LLVM, programs leave out what they do not call.
target_compile_options(tutti PRIVATE -ffunction-sections -fdata-sections)
target_include_directories(tutti
  PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
  PRIVATE ${PROJECT_SOURCE_DIR}/src)
set_source_files_properties(${PROJECT_SOURCE_DIR}/src/checkpoint/checkpoint.cpp PROPERTIES  # what manifests name
  COMPILE_DEFINITIONS TUTTI_VERSION="${PROJECT_VERSION}")
set_source_files_properties(${PROJECT_SOURCE_DIR}/src/backend/cpu/product_tiles.cpp
  ${PROJECT_SOURCE_DIR}/src/backend/cpu/narrow_tiles.cpp PROPERTIES
  COMPILE_OPTIONS "-ffp-contract=fast;-O3" SKIP_UNITY_BUILD_INCLUSION ON SKIP_PRECOMPILE_HEADERS ON)
set(tutti_llvm tutti::llvm)
if(TUTTI_LLVM STREQUAL "static")
  set(tutti_llvm tutti_llvm)
endif()
set(tutti_matrix_library)
if(TUTTI_HAS_ONEDNN)
  set(tutti_matrix_library tutti::dnnl gomp)  # gomp: its threads
endif()
target_link_libraries(tutti PRIVATE
  $<BUILD_INTERFACE:tutti_flags> $<BUILD_INTERFACE:nlohmann_json::nlohmann_json>
  fmt::fmt Threads::Threads ${tutti_llvm} ${tutti_matrix_library} tutti::zip ${CMAKE_DL_LIBS})

tutti_compile_together(tutti ${tutti_sources})

if(TUTTI_PCH)
  target_precompile_headers(tutti PRIVATE <algorithm> <functional> <map> <memory> <optional> <set> <string> <vector>
    ${PROJECT_SOURCE_DIR}/src/ir/op.hpp)
endif()

if(tutti_cpu_sources)
  add_library(tutti_cpu OBJECT ${tutti_cpu_sources})
  target_include_directories(tutti_cpu PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
  target_include_directories(tutti_cpu SYSTEM PRIVATE ${LLVM_INCLUDE_DIRS})
  target_compile_definitions(tutti_cpu PRIVATE TUTTI_ONEDNN=$<BOOL:${TUTTI_HAS_ONEDNN}>)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 16)
    # LLVM 19 includes <ciso646>, which libstdc++ 16 warns about, in system headers too.
    target_compile_options(tutti_cpu PRIVATE -Wno-cpp)
  endif()
  target_link_libraries(tutti_cpu PRIVATE tutti_flags fmt::fmt nlohmann_json::nlohmann_json)
  set(tutti_neighbours ${tutti_cpu_sources})
  list(FILTER tutti_neighbours EXCLUDE REGEX "/(gemm|matvec|small_product|pair_tiles|narrow_tiles)\\.cpp$")
  tutti_compile_together(tutti_cpu ${tutti_neighbours})
  if(TUTTI_PCH)
    target_precompile_headers(tutti_cpu PRIVATE ${PROJECT_SOURCE_DIR}/src/backend/cpu/frame.hpp)
  endif()
  target_sources(tutti PRIVATE $<TARGET_OBJECTS:tutti_cpu>)
  if(TUTTI_LLVM STREQUAL "static")
    tutti_add_static_llvm($<TARGET_OBJECTS:tutti_cpu>)
  endif()
endif()

# Messages between processes: a module that distributed::initialize loads, so that a program needs no MPI unless it is
# started as several processes, and then the one that is there.
find_package(MPI COMPONENTS CXX QUIET)
set_source_files_properties(${PROJECT_SOURCE_DIR}/src/distributed/initialize.cpp PROPERTIES
  SKIP_UNITY_BUILD_INCLUSION ON
  COMPILE_DEFINITIONS "TUTTI_MODULE_FOLDER=\"${CMAKE_INSTALL_FULL_LIBDIR}\"")
if(MPI_CXX_FOUND)
  file(GLOB tutti_mpi_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/backend/mpi/*.cpp)
  add_library(tutti_mpi MODULE ${tutti_mpi_sources})
  set_target_properties(tutti_mpi PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
  target_include_directories(tutti_mpi PRIVATE ${PROJECT_SOURCE_DIR}/include ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(tutti_mpi PRIVATE tutti_flags MPI::MPI_CXX)
endif()
