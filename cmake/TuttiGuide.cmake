# SPDX-License-Identifier: Apache-2.0
# Each page of docs/guide is a program (tools/guide.py): built, run, and what it prints compared with the page.
find_package(Python3 COMPONENTS Interpreter REQUIRED)
set(tool ${PROJECT_SOURCE_DIR}/tools/guide.py)
file(GLOB pages CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/docs/guide/*.md)
add_custom_target(guide_pages)
foreach(page ${pages})
  get_filename_component(name ${page} NAME_WE)
  file(STRINGS ${page} listings REGEX "^```cpp" LIMIT_COUNT 1)
  if(NOT listings)
    continue()
  endif()
  set(source ${PROJECT_BINARY_DIR}/guide/${name}.cpp)
  file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/guide)
  add_custom_command(OUTPUT ${source} DEPENDS ${page} ${tool}
    COMMAND ${Python3_EXECUTABLE} ${tool} extract ${page} ${source})
  add_executable(guide_${name} ${source})
  target_link_libraries(guide_${name} PRIVATE tutti tutti_flags tutti_test_flags)
  if(TUTTI_PCH)
    target_link_libraries(guide_${name} PRIVATE GTest::gtest)  # for the definitions of the precompiled header
    target_precompile_headers(guide_${name} REUSE_FROM tutti_test_pch)
  endif()
  set_target_properties(guide_${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/guide)
  add_test(NAME guide.${name} COMMAND ${Python3_EXECUTABLE} ${tool} check ${page} $<TARGET_FILE:guide_${name}>)
  # As listings are run, nothing is recorded twice: of debug builds TUTTI_CHECK=captures is the default.
  set_tests_properties(guide.${name} PROPERTIES LABELS slow ENVIRONMENT TUTTI_CHECK=passes)
  # ./dev guide: put what is printed now into the pages.
  add_custom_target(update_${name} DEPENDS guide_${name}
    COMMAND ${Python3_EXECUTABLE} ${tool} update ${page} $<TARGET_FILE:guide_${name}>)
  add_dependencies(guide_pages update_${name})
endforeach()
