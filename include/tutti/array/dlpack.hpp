// Arrays to and from other libraries (NumPy, PyTorch, JAX, CuPy, ...) without copies, by DLPack.
//
//     dlpack::VersionedTensor* out = to_dlpack(x);           // reinterpret_cast to their DLManagedTensorVersioned*
//     Array y = from_dlpack(out);                            // takes it over
//
// The structs below are our own declaration of DLPack's binary interface, version 1 (github.com/dmlc/dlpack); no header
// of theirs is needed, and a pointer to one may be cast to the other.
#pragma once

#include <cstddef>
#include <cstdint>

#include "tutti/array/array.hpp"

namespace tutti {

namespace dlpack {

inline constexpr std::uint32_t major_version = 1, minor_version = 0;

/// Kinds of memory, by DLPack's numbers.
enum class Place : std::int32_t { cpu = 1, cuda = 2, cuda_host = 3, rocm = 10, rocm_host = 11 };
struct Device {
  Place place = Place::cpu;
  std::int32_t id = 0;
};

enum class Code : std::uint8_t {
  signed_int = 0,
  unsigned_int = 1,
  floating = 2,
  opaque = 3,
  bfloat = 4,
  complex = 5,
  boolean = 6
};
/// `lanes` numbers of `bits` bits each make an element.
struct Element {
  Code code = Code::floating;
  std::uint8_t bits = 32;
  std::uint16_t lanes = 1;
};

/// Memory that somebody else keeps. Element (i, j, ...) lies at data + byte_offset + (i * strides[0] + ...) elements;
/// without strides they are row-major.
struct Tensor {
  void* data = nullptr;
  Device device;
  std::int32_t ndim = 0;
  Element element;
  std::int64_t* shape = nullptr;
  std::int64_t* strides = nullptr;
  std::uint64_t byte_offset = 0;
};

/// The form before version 1: DLManagedTensor.
struct ManagedTensor {
  Tensor tensor;
  void* context = nullptr;  // the owner's
  void (*deleter)(ManagedTensor* self) = nullptr;
};

struct Version {
  std::uint32_t major = major_version, minor = minor_version;
};
enum Flags : std::uint64_t { read_only = 1, is_copied = 2, subbyte_padded = 4 };
/// DLManagedTensorVersioned.
struct VersionedTensor {
  Version version;
  void* context = nullptr;
  void (*deleter)(VersionedTensor* self) = nullptr;
  std::uint64_t flags = 0;
  Tensor tensor;
};

static_assert(sizeof(Tensor) == 48 && offsetof(Tensor, device) == 8 && offsetof(Tensor, ndim) == 16 &&
              offsetof(Tensor, element) == 20 && offsetof(Tensor, shape) == 24 && offsetof(Tensor, byte_offset) == 40);
static_assert(sizeof(ManagedTensor) == 64 && offsetof(ManagedTensor, context) == 48);
static_assert(sizeof(VersionedTensor) == 80 && offsetof(VersionedTensor, deleter) == 16 &&
              offsetof(VersionedTensor, flags) == 24 && offsetof(VersionedTensor, tensor) == 32);

/// When from_dlpack copies: where it must, always, or never (then it refuses).
enum class Copy { if_needed, always, never };

}  // namespace dlpack

/// An array over the memory of `tensor`, which is taken over whatever happens: its deleter is called exactly once, when
/// the last array and view over the memory is gone, or, after a copy or an error, before this returns. tutti never
/// writes to the memory, not even where the array is donated; whoever else can write there must not.
///
/// A copy is needed where elements are not dense and row-major or not aligned as their dtype is, for bools that are
/// neither 0 nor 1, and for 64-bit elements without enable_x64(true), which are stored in 32 bits.
/// Throws DeviceError for memory that the host cannot read; TypeError for elements that no dtype is like, or of several
/// lanes; UnsupportedError for another major version (of such a tensor nothing but the deleter is used); ValueError
/// where a copy is needed and `copy` is `never`, and for null pointers; ShapeError for extents that are none.
Array from_dlpack(dlpack::VersionedTensor* tensor, dlpack::Copy copy = dlpack::Copy::if_needed,
                  Loc loc = Loc::current());
Array from_dlpack(dlpack::ManagedTensor* tensor, dlpack::Copy copy = dlpack::Copy::if_needed, Loc loc = Loc::current());

/// The memory of x, marked as read-only: it is kept until the consumer calls the deleter, whatever becomes of x. Or,
/// with `copy`, memory of the consumer's own, which it may write. Waits until the elements are there. Throws TypeError
/// for random keys (random::key_data gives their words), and otherwise as host_bytes.
dlpack::VersionedTensor* to_dlpack(const Array& x, bool copy = false, Loc loc = Loc::current());
/// The same for consumers that know the old form only, which cannot say that the memory is read-only.
dlpack::ManagedTensor* to_dlpack_unversioned(const Array& x, bool copy = false, Loc loc = Loc::current());

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
