// A local static of a library is made at its first use, inside one of our calls, and registered with __cxa_atexit then:
// so it would be destroyed before all that was registered earlier, the user's static objects among them. The calls of
// __cxa_atexit in such shared libraries are led here, by the entries of their tables that hold its address, and
// register nothing. What was made when the libraries were loaded is destroyed after everything of the program anyway.
#include "backend/cpu/kept_statics.hpp"

#include <cxxabi.h>
#include <link.h>
#include <llvm/Support/ErrorHandling.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <mutex>

#include "base/processor.hpp"

// What an LLVM that is linked into tutti calls in place of __cxa_atexit, from its first initialization on: nobody else
// uses it, so it is never destroyed (cmake/link_llvm.cmake).
extern "C" int tutti_at_exit_of_static_llvm(void (*)(void*), void*, void*) { return 0; }

namespace tutti::cpu {

int at_exit_of_llvm(void (*f)(void*), void* object, void* library) {
  return InLlvm::inside.load(std::memory_order_relaxed) > 0 ? 0 : abi::__cxa_atexit(f, object, library);
}

namespace {

int at_exit_of_kept(void (*)(void*), void*, void*) { return 0; }

using AtExit = int (*)(void (*)(void*), void*, void*);
using Address = ElfW(Addr);
#if TUTTI_X86
constexpr auto kSlot = R_X86_64_JUMP_SLOT, kData = R_X86_64_GLOB_DAT;
#else
constexpr auto kSlot = R_AARCH64_JUMP_SLOT, kData = R_AARCH64_GLOB_DAT;
#endif

struct Change {
  Address inside;  // the library that holds this address
  AtExit replacement;
};

template <class T> T* pointer(Address a) { return reinterpret_cast<T*>(a); }

const ElfW(Phdr) * segment_with(const dl_phdr_info& library, ElfW(Word) type, Address a) {
  for (int k = 0; k < library.dlpi_phnum; ++k) {
    const ElfW(Phdr)& s = library.dlpi_phdr[k];
    const Address begin = library.dlpi_addr + s.p_vaddr;
    if (s.p_type == type && a >= begin && a < begin + s.p_memsz) return &s;
  }
  return nullptr;
}

void set_entry(const dl_phdr_info& library, Address entry, AtExit value) {
  const auto page = static_cast<Address>(sysconf(_SC_PAGESIZE));
  void* const begin = pointer<void>(entry / page * page);
  const bool read_only = segment_with(library, PT_GNU_RELRO, entry);
  if (read_only && mprotect(begin, page, PROT_READ | PROT_WRITE) != 0)
    return;  // then as if there were no such function
  __atomic_store_n(pointer<AtExit>(entry), value, __ATOMIC_RELAXED);
  if (read_only) mprotect(begin, page, PROT_READ);
}

// Every entry for __cxa_atexit among the relocations of the library, whose dynamic section says where these are.
void set_entries(const dl_phdr_info& library, const ElfW(Dyn) * dynamic, AtExit value) {
  Address symbols = 0, texts = 0, tables[2] = {0, 0};
  std::size_t sizes[2] = {0, 0};
  for (const ElfW(Dyn)* d = dynamic; d->d_tag != DT_NULL; ++d) {
    if (d->d_tag == DT_SYMTAB) symbols = d->d_un.d_ptr;
    if (d->d_tag == DT_STRTAB) texts = d->d_un.d_ptr;
    if (d->d_tag == DT_JMPREL) tables[0] = d->d_un.d_ptr;
    if (d->d_tag == DT_PLTRELSZ) sizes[0] = d->d_un.d_val;
    if (d->d_tag == DT_RELA) tables[1] = d->d_un.d_ptr;
    if (d->d_tag == DT_RELASZ) sizes[1] = d->d_un.d_val;
  }
  if (!symbols || !texts) return;
  for (int t = 0; t < 2; ++t)
    for (std::size_t k = 0; tables[t] && k < sizes[t] / sizeof(ElfW(Rela)); ++k) {
      const auto& r = pointer<const ElfW(Rela)>(tables[t])[k];
      const auto kind = ELF64_R_TYPE(r.r_info);
      if (kind != kSlot && kind != kData) continue;
      const auto& symbol = pointer<const ElfW(Sym)>(symbols)[ELF64_R_SYM(r.r_info)];
      if (std::strcmp(pointer<const char>(texts) + symbol.st_name, "__cxa_atexit") == 0)
        set_entry(library, library.dlpi_addr + r.r_offset, value);
    }
}

int change_library(dl_phdr_info* library, std::size_t, void* what) {
  const Change& change = *static_cast<const Change*>(what);
  if (!segment_with(*library, PT_LOAD, change.inside)) return 0;
  // Linked into the same object as ourselves it shares its entries with the user's code.
  if (segment_with(*library, PT_LOAD, reinterpret_cast<Address>(&change_library))) return 1;
  for (int k = 0; k < library->dlpi_phnum; ++k)
    if (library->dlpi_phdr[k].p_type == PT_DYNAMIC)
      set_entries(*library, pointer<const ElfW(Dyn)>(library->dlpi_addr + library->dlpi_phdr[k].p_vaddr),
                  change.replacement);
  return 1;
}

void keep_statics_of(const void* inside, AtExit replacement) {
  Change change{reinterpret_cast<Address>(inside), replacement};
  dl_iterate_phdr(change_library, &change);
}

}  // namespace

InLlvm::InLlvm() {
  static std::once_flag once;
  std::call_once(once, [] {
    keep_statics_of(reinterpret_cast<const void*>(&llvm::install_bad_alloc_error_handler), at_exit_of_llvm);
  });
  inside.fetch_add(1, std::memory_order_relaxed);
}

void keep_statics_of(const void* inside) { keep_statics_of(inside, at_exit_of_kept); }

}  // namespace tutti::cpu

// SPDX-License-Identifier: Apache-2.0
