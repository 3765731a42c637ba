#include "base/stay_loaded.hpp"

#include <dlfcn.h>

namespace tutti {

void stay_loaded() {
  Dl_info here;
  if (dladdr(reinterpret_cast<void*>(&stay_loaded), &here) && here.dli_fname)
    dlopen(here.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);  // null for a program: it stays in any case
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
