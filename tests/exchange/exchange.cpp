// A module for other languages: takes their DLPack tensors, gives tutti's. numpy_exchange.py calls it.
#include <cstring>
#include <string>

#include <tutti/tutti.hpp>

using namespace tutti;

namespace {

std::string problem;

template <class F> auto told(F f) -> decltype(f()) {
  problem.clear();
  try {
    return f();
  } catch (const std::exception& e) {
    problem = e.what();
    return {};
  }
}

dlpack::Copy copying(int mode) { return static_cast<dlpack::Copy>(mode); }

}  // namespace

extern "C" {

/// What went wrong in the last call; empty: nothing.
const char* exchange_problem() { return problem.c_str(); }

/// A handle of an array over a tensor, which is taken over. `copy`: a dlpack::Copy.
Array* exchange_import(dlpack::VersionedTensor* t, int copy) {
  return told([&] { return new Array(from_dlpack(t, copying(copy))); });
}
Array* exchange_import_unversioned(dlpack::ManagedTensor* t, int copy) {
  return told([&] { return new Array(from_dlpack(t, copying(copy))); });
}
/// Where the elements lie.
const void* exchange_address(const Array* x) { return host_bytes(*x).data(); }
/// Reads as float32, compiled: the sum of the elements, each by its place.
float exchange_weighted(const Array* x) {
  auto f = jit([](const Array& a) { return (a.reshape(-1).astype(float32) * arange(1.0, 1.0 + a.size())).sum(); });
  return told([&] { return f(*x).item<float>(); });
}
dlpack::VersionedTensor* exchange_export(const Array* x, int copy) {
  return told([&] { return to_dlpack(*x, copy != 0); });
}
dlpack::ManagedTensor* exchange_export_unversioned(const Array* x, int copy) {
  return told([&] { return to_dlpack_unversioned(*x, copy != 0); });
}
void exchange_free(Array* x) { delete x; }
}

// SPDX-License-Identifier: Apache-2.0
