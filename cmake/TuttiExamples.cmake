# SPDX-License-Identifier: Apache-2.0
# examples/NAME.cpp is the program NAME; the tests run each of them with the arguments that stand here.
set(tutti_example_args_train_text --steps 3 --batch 64 --width 64)
set(tutti_example_args_train_gpt --steps 3 --batch 8 --width 32 --layers 2 --context 32)
set(tutti_example_args_plan_gpt --devices 64 --layers 2 --context 64)
set(tutti_example_args_generate --steps 20 --batch 8 --width 32 --layers 2 --context 32 --check)

file(GLOB tutti_example_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/examples/*.cpp)
foreach(source ${tutti_example_sources})
  get_filename_component(name ${source} NAME_WE)
  add_executable(${name} ${source})
  target_link_libraries(${name} PRIVATE tutti tutti_flags tutti_example_flags fmt::fmt command_line)
  if(TUTTI_PCH)
    target_precompile_headers(${name} REUSE_FROM tutti_example_pch)
  endif()
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/examples)
  if(TUTTI_TESTS)
    add_test(NAME example.${name} COMMAND ${name} ${tutti_example_args_${name}})
    set_tests_properties(example.${name} PROPERTIES LABELS slow TIMEOUT 300
      WORKING_DIRECTORY ${PROJECT_BINARY_DIR}/examples)
  endif()
endforeach()

if(TUTTI_TESTS)  # README.md shows what the first program prints
  find_package(Python3 COMPONENTS Interpreter REQUIRED)
  add_test(NAME example.first_prints COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/check_readme.py
    $<TARGET_FILE:first>)
  set_tests_properties(example.first_prints PROPERTIES LABELS slow)  # as all examples: sanitizers build none
endif()

# Runs that are killed and resumed print the same losses.
if(TUTTI_TESTS)
  foreach(name train_text train_gpt)
    set(arguments ${tutti_example_args_${name}})
    list(REMOVE_AT arguments 0 1)  # --steps N: the script's own
    add_test(NAME resume.${name} COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tests/examples/resume.py
      $<TARGET_FILE:${name}> ${arguments})
    set_tests_properties(resume.${name} PROPERTIES LABELS slow TIMEOUT 600)
  endforeach()
endif()

# Runs on several processes print the same losses, and are sent what is planned.
if(TUTTI_TESTS AND TARGET tutti_mpi)
  foreach(name train_text train_gpt)
    set(arguments ${tutti_example_args_${name}})
    list(REMOVE_AT arguments 0 1)  # --steps N: the script's own
    add_test(NAME example.${name}_processes COMMAND ${Python3_EXECUTABLE}
      ${PROJECT_SOURCE_DIR}/tests/examples/processes.py ${MPIEXEC_EXECUTABLE} $<TARGET_FILE:${name}> ${arguments})
    set_tests_properties(example.${name}_processes PROPERTIES LABELS slow TIMEOUT 300)
  endforeach()
endif()
