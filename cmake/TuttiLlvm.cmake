# SPDX-License-Identifier: Apache-2.0
# LLVM: the newest of the versions below that is there, or the one in -D LLVM_DIR=FOLDER. With TUTTI_LLVM=static
# the parts that tutti calls become a library of tutti's own, tutti_llvm.
set(TUTTI_LLVM shared CACHE STRING "shared: programs load LLVM's shared library. static: LLVM becomes a part of tutti")
set_property(CACHE TUTTI_LLVM PROPERTY STRINGS shared static)
if(NOT TUTTI_LLVM MATCHES "^(shared|static)$")
  message(FATAL_ERROR "TUTTI_LLVM is '${TUTTI_LLVM}'. Use shared or static.")
endif()
set(tutti_llvm_newest 22)
set(tutti_llvm_oldest 16)

if(LLVM_DIR)
  find_package(LLVM CONFIG REQUIRED)
else()
  foreach(version RANGE ${tutti_llvm_newest} ${tutti_llvm_oldest} -1)
    set(minor 0)
    if(version GREATER_EQUAL 18)  # releases are numbered from N.1 since
      set(minor 1)
    endif()
    find_package(LLVM ${version}.${minor} CONFIG QUIET PATHS /usr/lib/llvm-${version})
    if(LLVM_FOUND)
      break()
    endif()
  endforeach()
endif()
if(NOT LLVM_FOUND)
  message(FATAL_ERROR "tutti needs LLVM ${tutti_llvm_oldest} to ${tutti_llvm_newest} (Debian: llvm-19-dev). \
Where it is installed elsewhere, say so: -D LLVM_DIR=FOLDER_OF_LLVMConfig.cmake")
endif()
if(LLVM_VERSION_MAJOR LESS tutti_llvm_oldest)
  message(FATAL_ERROR "tutti needs LLVM ${tutti_llvm_oldest} or newer; ${LLVM_DIR} is LLVM ${LLVM_PACKAGE_VERSION}")
elseif(LLVM_VERSION_MAJOR GREATER tutti_llvm_newest)
  message(WARNING "tutti was never built with LLVM ${LLVM_PACKAGE_VERSION}; the newest tried is ${tutti_llvm_newest}")
endif()

set(TUTTI_LLVM_VERSION ${LLVM_VERSION_MAJOR})

# The parts of LLVM that tutti_cpu calls, linked into one object: dependents need no LLVM, and what LLVM would link
# beside them (Z3, libxml2, curses, libedit) is not asked for. Its destructors never run: __cxa_atexit is another
# function there (backend/cpu/kept_statics.cpp).
function(tutti_add_static_llvm objects)
  file(GLOB archives ${LLVM_LIBRARY_DIR}/libLLVM*.a)
  if(NOT archives)
    message(FATAL_ERROR "TUTTI_LLVM=static: there are no libLLVM*.a in ${LLVM_LIBRARY_DIR}. Install LLVM's static \
libraries, or use -D TUTTI_LLVM=shared.")
  endif()
  set(object ${PROJECT_BINARY_DIR}/llvm.o)
  set(tool ${PROJECT_SOURCE_DIR}/cmake/link_llvm.cmake)
  file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/llvm_objects.txt CONTENT "$<JOIN:${objects},\n>")
  list(JOIN archives "\n" archive_lines)
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/llvm_archives.txt CONTENT "${archive_lines}\n")
  add_custom_command(OUTPUT ${object} DEPENDS ${objects} ${tool} ${archives} COMMAND_EXPAND_LISTS VERBATIM
    COMMAND ${CMAKE_COMMAND} -D NM=${CMAKE_NM} -D LD=${CMAKE_LINKER} -D OBJCOPY=${CMAKE_OBJCOPY}
      -D FOLDER=${PROJECT_BINARY_DIR} -D OUTPUT=${object} -P ${tool}
    COMMENT "Linking the parts of LLVM ${LLVM_PACKAGE_VERSION} that are called")
  add_library(tutti_llvm STATIC ${object})
  set_target_properties(tutti_llvm PROPERTIES LINKER_LANGUAGE CXX)
  set_source_files_properties(${object} PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)
  # Its functions are sections of their own, of which a program needs two thirds; and relocations of tables of pointers
  # take 2 MB of 50 unless they are packed (glibc 2.36, binutils 2.38).
  include(CheckLinkerFlag)
  check_linker_flag(CXX "LINKER:-z,pack-relative-relocs" TUTTI_PACKS_RELOCATIONS)
  target_link_options(tutti_llvm INTERFACE LINKER:--gc-sections)
  if(TUTTI_PACKS_RELOCATIONS)
    target_link_options(tutti_llvm INTERFACE LINKER:-z,pack-relative-relocs)
  endif()
  # Compression of debug information, which tutti does not ask for, but LLVM refers to.
  target_link_libraries(tutti_llvm INTERFACE tutti::z tutti::zstd)
endfunction()
