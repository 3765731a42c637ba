# Read by ctest as it starts: one ctest test for each GoogleTest suite of `program`, named folder.Suite. A process for
# each suite, not for each test: compiled kernels stay cached among tests that need the same ones.
if(NOT EXISTS ${program})
  add_test(${folder}.not_built ${program})
  set_tests_properties(${folder}.not_built PROPERTIES LABELS ${label})
  return()
endif()
execute_process(COMMAND ${program} --gtest_list_tests OUTPUT_VARIABLE listing RESULT_VARIABLE failed)
if(failed)
  add_test(${folder}.not_listed ${program} --gtest_list_tests)
  return()
endif()
string(REGEX MATCHALL "(^|\n)[A-Za-z0-9_/]+\\." suites "${listing}")
foreach(suite ${suites})
  string(REGEX REPLACE "[\n.]" "" suite "${suite}")
  add_test(${folder}.${suite} ${program} --gtest_filter=${suite}.* --gtest_brief=1)
  set_tests_properties(${folder}.${suite} PROPERTIES LABELS ${label} WORKING_DIRECTORY ${directory} TIMEOUT 900
    ENVIRONMENT TUTTI_CHECK=passes)
endforeach()
