#include "tutti/array/dlpack.hpp"

#include <algorithm>
#include <cstring>
#include <memory>

#include "array/node.hpp"
#include "tutti/array/host.hpp"
#include "tutti/base/call_scope.hpp"

namespace tutti {
namespace {

using dlpack::Code, dlpack::Copy, dlpack::Element, dlpack::ManagedTensor, dlpack::Place, dlpack::Tensor,
    dlpack::VersionedTensor;

constexpr int kMaxDims = 64;  // NumPy's bound; more is a damaged struct

struct Kind {
  DType dtype;
  Code code;
};
constexpr Kind kinds[] = {
    {bool_, Code::boolean},       {int8, Code::signed_int},     {int16, Code::signed_int},
    {int32, Code::signed_int},    {int64, Code::signed_int},    {uint8, Code::unsigned_int},
    {uint16, Code::unsigned_int}, {uint32, Code::unsigned_int}, {uint64, Code::unsigned_int},
    {bfloat16, Code::bfloat},     {float16, Code::floating},    {float32, Code::floating},
    {float64, Code::floating},    {complex64, Code::complex},   {complex128, Code::complex},
};

DType dtype_of(const Element& e) {
  if (e.lanes == 1)
    for (const Kind& k : kinds)
      if (k.code == e.code && k.dtype.size() * 8 == e.bits) return k.dtype;
  raise<TypeError>("from_dlpack",
                   "no dtype is like elements of code " + std::to_string(static_cast<int>(e.code)) + ", " +
                       std::to_string(e.bits) + " bits and " + std::to_string(e.lanes) + " lanes",
                   "Convert them where they come from.");
}

Shape shape_of(const Tensor& t) {
  if (t.ndim < 0 || t.ndim > kMaxDims || (t.ndim > 0 && !t.shape))
    raise<ShapeError>("from_dlpack", std::to_string(t.ndim) + " dims" + (t.shape ? "" : " without extents"),
                      "The tensor is damaged.");
  Shape shape;
  std::int64_t bytes = 8;
  for (int d = 0; d < t.ndim; ++d) {
    shape.push_back(t.shape[d]);
    bytes = extent::mul(bytes, std::max<std::int64_t>(t.shape[d], 1));
    if (t.shape[d] < 0 || bytes > extent::most)
      raise<ShapeError>("from_dlpack", "extent " + std::to_string(d) + " is " + std::to_string(t.shape[d]),
                        "There is no memory of that shape.");
  }
  return shape;
}

/// Whether elements follow each other in row-major order.
bool is_dense(const Tensor& t) {
  if (!t.strides) return true;
  std::int64_t stride = 1;
  for (int d = t.ndim; d-- > 0; stride *= t.shape[d])
    if (t.shape[d] > 1 && t.strides[d] != stride) return false;
  return true;
}

/// Elements of `size` bytes at any strides, row-major.
void gather(const Tensor& t, const char* from, std::int64_t size, int dim, char*& to) {
  if (dim == t.ndim) {
    std::memcpy(to, from, static_cast<std::size_t>(size));
    to += size;
    return;
  }
  for (std::int64_t i = 0; i < t.shape[dim]; ++i) gather(t, from + i * t.strides[dim] * size, size, dim + 1, to);
}

Array copied(const Tensor& t, const char* from, DType dtype, const Shape& shape, Loc loc) {
  const std::int64_t n = shape.num_elements();
  if (n == 0 || (is_dense(t) && is_aligned(from, dtype))) return array_from_host(from, dtype, shape, loc);
  const HostPtr dense = allocate_buffer(static_cast<std::size_t>(n * dtype.size()));
  char* to = static_cast<char*>(dense->data());
  if (is_dense(t))
    std::memcpy(to, from, static_cast<std::size_t>(n * dtype.size()));
  else
    gather(t, from, dtype.size(), 0, to);
  return array_from_host(dense->data(), dtype, shape, loc);
}

/// Why the memory cannot be adopted as it is; nullptr when it can.
const char* reason_to_copy(const Tensor& t, const char* data, DType dtype, std::int64_t n) {
  if (canonical(dtype) != dtype) return "64-bit elements are stored in 32 bits without enable_x64(true)";
  if (n == 0) return nullptr;
  if (!is_dense(t)) return "the strides are not those of a row-major array";
  if (!is_aligned(data, dtype)) return "the address is not a multiple of an element's size";
  if (dtype.is_bool() && std::any_of(data, data + n, [](char c) { return c != 0 && c != 1; }))
    return "some bools are neither 0 nor 1";
  return nullptr;
}

/// Calls the deleter of a tensor at the end, unless somebody else has taken that over.
template <class Managed> class Owner {
 public:
  explicit Owner(Managed* m) : managed_(m) {}
  Owner(const Owner&) = delete;
  ~Owner() { finish(managed_); }
  static void finish(Managed* m) {
    if (m && m->deleter) m->deleter(m);
  }
  void disown() { managed_ = nullptr; }

 private:
  Managed* managed_;
};

template <class Managed> Array imported(Managed* managed, Copy copy, Loc loc) {
  CallScope scope(loc, {"", "from_dlpack", 0});
  if (!managed) raise<ValueError>("from_dlpack", "there is no tensor", "Give one that was not taken before.");
  Owner<Managed> owner(managed);
  if constexpr (std::is_same_v<Managed, VersionedTensor>)
    if (managed->version.major != dlpack::major_version)
      raise<UnsupportedError>("from_dlpack", "the tensor is of version " + std::to_string(managed->version.major),
                              "Ask its owner for version 1 (max_version in Python).");
  const Tensor& t = managed->tensor;
  const Place place = t.device.place;
  if (place != Place::cpu && place != Place::cuda_host && place != Place::rocm_host)
    raise<DeviceError>(
        "from_dlpack",
        "the memory is on a device of type " + std::to_string(static_cast<int>(place)) + ", which the host cannot read",
        "Copy it to the host first.");
  const DType dtype = dtype_of(t.element);
  const Shape shape = shape_of(t);
  const std::int64_t n = shape.num_elements();
  if (n && !t.data) raise<ValueError>("from_dlpack", "the tensor has no memory", "The tensor is damaged.");
  const char* data = t.data ? static_cast<const char*>(t.data) + t.byte_offset : nullptr;
  const char* reason = reason_to_copy(t, data, dtype, n);
  if (reason && copy == Copy::never)
    raise<ValueError>("from_dlpack", std::string("a copy is needed: ") + reason, "Allow it: Copy::if_needed.");
  if (reason || copy == Copy::always) return copied(t, data, dtype, shape, loc);
  HostPtr buffer =
      lent_buffer(data, static_cast<std::size_t>(n * dtype.size()), [managed] { Owner<Managed>::finish(managed); });
  owner.disown();
  return make_array(Type{dtype, shape, false, {}}, std::move(buffer));
}

/// What an exported tensor points to, in one piece with it.
template <class Managed> struct Export {
  Managed managed;
  HostPtr memory;  // a share of our own: deletion of the array takes nothing from it
  std::vector<std::int64_t> shape, strides;
};

template <class Managed> Managed* exported(const Array& x, bool copy, Loc loc) {
  CallScope scope(loc, {"", "to_dlpack", 0});
  const detail::HostMemory memory = detail::host_memory(x, x.dtype(), x.ndim(), "to_dlpack", loc);
  const Kind* kind =
      std::find_if(std::begin(kinds), std::end(kinds), [&](const Kind& k) { return k.dtype == x.dtype(); });
  if (kind == std::end(kinds))
    raise<TypeError>("to_dlpack", "other libraries know no " + std::string(x.dtype().name()),
                     x.dtype().is_key()
                         ? "Give them random::key_data(key)."
                         : "Convert it: astype(" + std::string(arithmetic_dtype(x.dtype()).name()) + ").");
  auto out = std::make_unique<Export<Managed>>();
  if (copy) {
    const auto bytes = static_cast<std::size_t>(x.nbytes());
    out->memory = allocate_buffer(bytes);
    if (bytes) std::memcpy(out->memory->data(), memory.data, bytes);
  } else {
    out->memory = whole_buffer_of(x, "to_dlpack");
  }
  out->shape = x.shape().dims();
  out->strides.resize(out->shape.size());
  std::int64_t stride = 1;
  for (std::size_t d = out->shape.size(); d-- > 0; stride *= out->shape[d]) out->strides[d] = stride;
  Managed& m = out->managed;
  m.tensor.data = out->memory->data();
  m.tensor.ndim = x.ndim();
  m.tensor.element = {kind->code, static_cast<std::uint8_t>(kind->dtype.size() * 8), 1};
  m.tensor.shape = out->shape.data();
  m.tensor.strides = out->strides.data();
  if constexpr (std::is_same_v<Managed, VersionedTensor>) m.flags = copy ? dlpack::is_copied : dlpack::read_only;
  m.context = out.get();
  m.deleter = [](Managed* self) { delete static_cast<Export<Managed>*>(self->context); };
  return &out.release()->managed;
}

}  // namespace

Array from_dlpack(VersionedTensor* tensor, Copy copy, Loc loc) { return imported(tensor, copy, loc); }
Array from_dlpack(ManagedTensor* tensor, Copy copy, Loc loc) { return imported(tensor, copy, loc); }
VersionedTensor* to_dlpack(const Array& x, bool copy, Loc loc) { return exported<VersionedTensor>(x, copy, loc); }
ManagedTensor* to_dlpack_unversioned(const Array& x, bool copy, Loc loc) {
  return exported<ManagedTensor>(x, copy, loc);
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
