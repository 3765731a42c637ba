# What `cmake --install` lays down, and the package file that find_package(tutti) reads.
include(CMakePackageConfigHelpers)
set(tutti_package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/tutti)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/tutti-config-version.cmake COMPATIBILITY SameMinorVersion)
install(TARGETS tutti EXPORT tutti-targets)
if(TARGET tutti_mpi)
  # A module, loaded when it is needed; a build of some targets, as `./dev demo` makes it, may be without.
  install(TARGETS tutti_mpi LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} OPTIONAL)
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/tutti DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(FILES ${PROJECT_SOURCE_DIR}/tools/tsan.supp DESTINATION ${CMAKE_INSTALL_DATADIR}/tutti)
install(EXPORT tutti-targets NAMESPACE tutti:: DESTINATION ${tutti_package_dir})
install(FILES ${PROJECT_SOURCE_DIR}/cmake/tutti-config.cmake ${PROJECT_SOURCE_DIR}/cmake/TuttiDependencies.cmake
              ${PROJECT_BINARY_DIR}/tutti-config-version.cmake
        DESTINATION ${tutti_package_dir})
