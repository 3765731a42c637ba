# What every target of this repository is compiled with. Not exported: a user's own code keeps the user's flags.
# No fused multiply-add by contraction and no -march: the same source gives the same bits on every machine.
add_library(tutti_flags INTERFACE)
target_compile_features(tutti_flags INTERFACE cxx_std_20)
target_compile_options(tutti_flags INTERFACE -Wall -Wextra -Wno-missing-field-initializers -ffp-contract=off $<$<CONFIG:Release>:-O2>)
if(TUTTI_PCH AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  target_compile_options(tutti_flags INTERFACE -fpch-preprocess)  # what ccache needs
endif()
if(TUTTI_SANITIZE)
  target_compile_options(tutti_flags INTERFACE -fsanitize=${TUTTI_SANITIZE} -fno-omit-frame-pointer)
  target_link_options(tutti_flags INTERFACE -fsanitize=${TUTTI_SANITIZE})
endif()

# Tests are compiled more often than they run: linked behind tutti_flags.
add_library(tutti_test_flags INTERFACE)
target_compile_options(tutti_test_flags INTERFACE $<$<CONFIG:Release>:-O1>)
