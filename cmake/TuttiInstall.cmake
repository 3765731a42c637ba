# SPDX-License-Identifier: Apache-2.0
# What `cmake --install` lays down, and the package file that find_package(tutti) reads.
include(CMakePackageConfigHelpers)
set(tutti_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/tutti)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/tutti-config-version.cmake COMPATIBILITY SameMinorVersion)
set(tutti_is_shared ${BUILD_SHARED_LIBS})
configure_file(${PROJECT_SOURCE_DIR}/cmake/tutti-config.cmake.in ${PROJECT_BINARY_DIR}/tutti-config.cmake @ONLY)
install(TARGETS tutti EXPORT tutti-targets ARCHIVE COMPONENT dev
  LIBRARY COMPONENT runtime NAMELINK_COMPONENT dev)
if(TARGET tutti_llvm AND NOT BUILD_SHARED_LIBS)
  install(TARGETS tutti_llvm EXPORT tutti-targets ARCHIVE COMPONENT dev)
endif()
if(TARGET tutti_mpi)
  # A module, loaded when it is needed; a build of some targets, as `./dev demo` makes it, may be without.
  install(TARGETS tutti_mpi LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT mpi OPTIONAL)
endif()

# pkg-config: the libraries beneath are for all programs where libtutti is static, private where it is shared.
if(TARGET tutti_llvm)
  set(tutti_pc_llvm "-ltutti_llvm -Wl,--gc-sections -l:libz.so.1 -l:libzstd.so.1")
  if(TUTTI_PACKS_RELOCATIONS)
    string(PREPEND tutti_pc_llvm "-Wl,-z,pack-relative-relocs ")
  endif()
else()
  set(tutti_pc_llvm "$<TARGET_FILE:tutti::llvm>")
endif()
set(tutti_pc_matrices)
if(TUTTI_HAS_ONEDNN)
  set(tutti_pc_matrices " -ldnnl -lgomp")
endif()
set(tutti_pc_beneath " ${tutti_pc_llvm}${tutti_pc_matrices} -lzip -lfmt -ldl -lpthread")
if(BUILD_SHARED_LIBS)
  set(tutti_pc_libs "")
  set(tutti_pc_private "${tutti_pc_beneath}")
else()
  set(tutti_pc_libs "${tutti_pc_beneath}")
  set(tutti_pc_private "")
endif()
file(RELATIVE_PATH tutti_pc_prefix /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)  # wherever it is installed
configure_file(${PROJECT_SOURCE_DIR}/cmake/tutti.pc.in ${PROJECT_BINARY_DIR}/tutti.pc.in @ONLY)
file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/tutti.pc INPUT ${PROJECT_BINARY_DIR}/tutti.pc.in)
install(FILES ${PROJECT_BINARY_DIR}/tutti.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT dev)

install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/tutti DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT dev)
# gdb's printers: `source` them, or, where the library is a shared one, gdb finds them by its name (under /usr at once,
# elsewhere after `add-auto-load-scripts-directory PREFIX/share/gdb/auto-load`).
install(FILES ${PROJECT_SOURCE_DIR}/tools/tutti_gdb.py DESTINATION ${CMAKE_INSTALL_DATADIR}/tutti COMPONENT dev)
if(BUILD_SHARED_LIBS)  # the folder is named by the prefix that it is installed to
  install(CODE "
    cmake_path(ABSOLUTE_PATH CMAKE_INSTALL_PREFIX OUTPUT_VARIABLE prefix)
    file(INSTALL \"${PROJECT_SOURCE_DIR}/tools/tutti_gdb.py\" RENAME libtutti.so.${PROJECT_VERSION}-gdb.py
      DESTINATION \"\${prefix}/${CMAKE_INSTALL_DATADIR}/gdb/auto-load\${prefix}/${CMAKE_INSTALL_LIBDIR}\")"
    COMPONENT dev)
endif()
install(FILES ${PROJECT_SOURCE_DIR}/tools/tsan.supp DESTINATION ${CMAKE_INSTALL_DATADIR}/tutti COMPONENT dev)
install(EXPORT tutti-targets NAMESPACE tutti:: DESTINATION ${tutti_package_dir} COMPONENT dev)
install(FILES ${PROJECT_BINARY_DIR}/tutti-config.cmake ${PROJECT_SOURCE_DIR}/cmake/TuttiDependencies.cmake
              ${PROJECT_BINARY_DIR}/tutti-config-version.cmake
        DESTINATION ${tutti_package_dir} COMPONENT dev)
