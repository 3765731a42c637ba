# SPDX-License-Identifier: Apache-2.0
# oneDNN, which multiplies some matrices; without it tutti's own products do (backend/cpu/packed_product.cpp).
# TUTTI_HAS_ONEDNN says whether it is linked.
set(TUTTI_ONEDNN auto CACHE STRING
  "auto: oneDNN multiplies some matrices on x86-64 where it is found. on: it has to be found. off: it is not used")
set_property(CACHE TUTTI_ONEDNN PROPERTY STRINGS auto on off)
string(TOLOWER "${TUTTI_ONEDNN}" tutti_onednn)
if(NOT tutti_onednn MATCHES "^(auto|on|off)$")
  message(FATAL_ERROR "TUTTI_ONEDNN is '${TUTTI_ONEDNN}'. Use auto, on or off.")
endif()
find_library(tutti__dnnl_LIBRARY NAMES dnnl)
find_path(TUTTI_ONEDNN_HEADERS NAMES dnnl.hpp)
mark_as_advanced(tutti__dnnl_LIBRARY TUTTI_ONEDNN_HEADERS)
set(tutti_found_onednn OFF)
if(tutti__dnnl_LIBRARY AND TUTTI_ONEDNN_HEADERS)
  set(tutti_found_onednn ON)
endif()
if(tutti_onednn STREQUAL "on" AND NOT tutti_found_onednn)
  message(FATAL_ERROR "TUTTI_ONEDNN=on: oneDNN was not found (Debian: libdnnl-dev). \
Install it, or use -D TUTTI_ONEDNN=off.")
endif()
set(TUTTI_HAS_ONEDNN ${tutti_found_onednn})
# Elsewhere its products of float32 are plain loops.
if(tutti_onednn STREQUAL "off" OR (tutti_onednn STREQUAL "auto" AND NOT TUTTI_X86))
  set(TUTTI_HAS_ONEDNN OFF)
endif()
