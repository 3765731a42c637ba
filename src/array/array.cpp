#include "tutti/array/array.hpp"
#include "tutti/base/call_scope.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>

#include "array/copy_box.hpp"
#include "array/node.hpp"
#include "array/runtime.hpp"
#include "base/copy.hpp"
#include "base/half.hpp"
#include "base/per_thread.hpp"
#include "base/say.hpp"
#include "base/tasks.hpp"
#include "device/client.hpp"
#include "mesh/checks.hpp"
#include "mesh/places.hpp"
#include "tree/absent.hpp"

namespace tutti {
namespace {

const ArrayNode& checked(const Array& x, const char* what) {
  refuse_absent(x);
  if (!x.has_value()) raise<ValueError>(what, "the array is empty (no array here)", "Test has_value() first.");
  return *x.node();
}

Loc running_or(Loc loc) { return current_loc() ? current_loc() : loc; }

// Members that take a Loc call this with their own names.
Loc named(const char* function) { return {"", function, 0}; }

// The number as the fields of a Scalar of its dtype.
template <class T> void set_number(Scalar& out, const T& v) {
  if constexpr (is_complex_number<T>) {
    out.real = v.real();
    out.imag = v.imag();
  } else if constexpr (is_small_float<T>) {
    out.real = static_cast<float>(v);
  } else if constexpr (std::is_floating_point_v<T>) {
    out.real = v;
  } else {
    out.integer = static_cast<std::int64_t>(v);
  }
}

}  // namespace

Array::Array(const Array&) noexcept = default;
Array::~Array() = default;
Array& Array::operator=(const Array&) & noexcept = default;
Array& Array::operator=(Array&&) & noexcept = default;

Axes::Axes(const Axes&) = default;
Axes::Axes(Axes&&) noexcept = default;
Axes& Axes::operator=(const Axes&) = default;
Axes& Axes::operator=(Axes&&) noexcept = default;
Axes::~Axes() = default;
Axes::Axes(std::initializer_list<Dim> list) : list_(std::vector<std::int64_t>(list.begin(), list.end())) {}
Axes::Axes(std::vector<std::int64_t> list) : list_(std::move(list)) {}

NestedList::NestedList(const NestedList&) = default;
NestedList::NestedList(NestedList&&) noexcept = default;
NestedList& NestedList::operator=(const NestedList&) = default;
NestedList& NestedList::operator=(NestedList&&) noexcept = default;
NestedList::~NestedList() = default;
NestedList::NestedList(const Scalar& v, OfScalar) : scalar(v) {}
NestedList::NestedList(const Array& a) : array(a), is_array(true) {}
NestedList::NestedList(std::initializer_list<NestedList> l) : list(l), is_list(true) {}

Scalar Scalar::to(DType target) const {
  Scalar out;
  out.dtype = target;
  visit_dtype(dtype, [&]<class F>(Stored<F>) {
    F from;
    if constexpr (is_complex_number<F>)
      from = F(typename F::value_type(real), typename F::value_type(imag));
    else if constexpr (is_small_float<F>)
      from = F(float(real));
    else if constexpr (std::is_floating_point_v<F>)
      from = static_cast<F>(real);
    else
      from = static_cast<F>(integer);
    visit_dtype(target, [&]<class T>(Stored<T>) { set_number(out, convert_number<T>(from)); });
  });
  return out;
}

std::string Scalar::str() const {
  if (dtype.is_bool()) return integer ? "true" : "false";
  if (dtype.is_unsigned()) return std::to_string(static_cast<std::uint64_t>(integer));
  if (!dtype.is_inexact()) return std::to_string(integer);
  auto number = [&](double v) {
    char buffer[64];
    char* end = real_dtype(dtype) == float64 ? std::to_chars(buffer, buffer + 64, v).ptr
                                             : std::to_chars(buffer, buffer + 64, static_cast<float>(v)).ptr;
    std::string s(buffer, end);
    return s.find_first_of(".en") == std::string::npos ? s + ".0" : s;
  };
  return dtype.is_complex() ? number(real) + "+" + number(imag) + "i" : number(real);
}

bool Scalar::operator==(const Scalar& o) const {
  return dtype == o.dtype && std::memcmp(&real, &o.real, 8) == 0 && std::memcmp(&imag, &o.imag, 8) == 0 &&
         integer == o.integer;
}

Array make_array(Type type, BufferPtr buffer, Sharding sharding, bool committed) {
  auto n = std::make_shared<ArrayNode>();
  n->type = std::move(type);
  n->memory.set(std::move(buffer));
  n->sharding = std::move(sharding);
  n->committed = committed;
  return Array(std::move(n));
}

Array make_array(Type type, HostPtr buffer, Sharding sharding, bool committed) {
  Client* const client = client_of(sharding);
  if (!client) return make_array(std::move(type), BufferPtr(std::move(buffer)), std::move(sharding), committed);
  const Sharding where = sharding.has_value() ? sharding : SingleDeviceSharding(tutti::devices()[0]);
  BufferPtr there =
      client->put(std::move(buffer), type.dtype, type.shape, mesh_of(where), layout_of(where, type.ndim()));
  return make_array(std::move(type), std::move(there), std::move(sharding), committed);
}

Array moved_to(const Array& x, const Sharding& sharding, bool committed, const char* what) {
  BufferPtr buffer = buffer_of(x, what);
  const Type& type = x.type();
  if (!buffer->memory) return make_array(type, host_share(std::move(buffer)), sharding, committed);
  const bool there = x.node()->sharding == sharding && sharding.has_value();
  if (there) return make_array(type, std::move(buffer), sharding, committed);
  return make_array(type, fetched(buffer, type.dtype, type.shape), sharding, committed);
}

void check_fits(const Scalar& value, DType dtype, Loc loc) {
  if (!value.dtype.is_integer() || !dtype.is_integer()) return;
  const Scalar there = value.to(dtype);
  const bool negative = !value.dtype.is_unsigned() && value.integer < 0;
  if (there.integer == value.integer && (negative ? !dtype.is_unsigned() : there.integer >= 0 || dtype.is_unsigned()))
    return;
  raise<ValueError>(call_name("array"), "the integer " + value.str() + " does not fit " + std::string(dtype.name()),
                    dtype.size() == 4 ? "Call enable_x64(true) for 64-bit integers." : "Ask for a wider dtype.", loc);
}

Array array_from_number(const Scalar& value, Loc loc) {
  const DType dtype = canonical(value.dtype);
  check_fits(value, dtype, running_or(loc));
  return array_from_scalar(value.to(dtype), false);
}

Array array_from_scalar(const Scalar& value, bool weak, Loc) {
  auto n = std::make_shared<ArrayNode>();
  n->literal = value;
  n->type.dtype = n->literal->dtype;
  n->type.weak = weak && !n->type.dtype.is_bool();
  return Array(std::move(n));
}

// A C++ number: every integer is a weak int32, every float a weak float32 (wider ones under x64), bool is strong.
Array::Array(Scalar value, Weak) {
  DType dtype = value.dtype;
  if (dtype.is_integer())
    dtype = canonical(int64);
  else if (dtype.is_floating())
    dtype = canonical(float64);
  if (value.dtype.is_integer() && dtype == int32 && value.integer != static_cast<std::int32_t>(value.integer) &&
      !(value.dtype.is_unsigned() && value.integer == static_cast<std::uint32_t>(value.integer)))
    raise<ValueError>(call_name("Array"), "the integer " + value.str() + " does not fit int32",
                      "Call enable_x64(true) for 64-bit integers.");
  auto n = std::make_shared<ArrayNode>();
  n->literal = value.to(dtype);
  n->type.dtype = dtype;
  n->type.weak = !dtype.is_bool();
  node_ = std::move(n);
}

void throw_size_mismatch(std::size_t given, const Shape& shape, Loc loc) {
  if (shape.num_elements() > extent::most)
    raise<ShapeError>("array", "the shape " + shape.str() + " has more elements than any memory",
                      "Give the extents of the data.", running_or(loc));
  raise<ShapeError>("array",
                    std::to_string(given) + " elements for the shape " + shape.str() + ", which has " +
                        std::to_string(shape.num_elements()),
                    "Give as many elements as the product of the extents.", running_or(loc));
}

void detail::note_narrowing(DType dtype, std::size_t size, Loc loc) {
  if ((dtype != float64 && dtype != complex128) || size == 0 || x64_enabled()) return;
  if (current_loc() || !notes_are_wanted() || !first_time("narrowing", loc)) return;
  const bool complex = dtype.is_complex();
  say(Message::Kind::note,
      "tutti: array (" + loc.str() + "): " + std::to_string(size) +
          (complex ? " complex numbers of double" : " doubles") + " are stored as " +
          std::string(canonical(dtype).name()) +
          ", the default: 24 bits of precision.\n  Call enable_x64(true) before, or config::Scope scope({.x64 = true}) "
          "in this block, to keep " +
          std::string(dtype.name()) +
          "; give\n  floats to say that this is meant. (Once for each place. config::notes(false), or TUTTI_LOG=quiet, "
          "turns notes off.)\n");
}

Array array_from_host(const void* data, DType dtype, const Shape& shape, Loc loc) {
  std::int64_t bytes = 8;  // of the widest element
  for (std::int64_t d : shape)
    if (bytes = extent::mul(bytes, std::max<std::int64_t>(d, 1)); d < 0 || bytes > extent::most)
      raise<ShapeError>(
          "array",
          "the shape " + shape.str() + (d < 0 ? " has a negative extent" : " has more elements than any memory"),
          "Give the extents of the data.", running_or(loc));
  Type type{canonical(dtype), shape, false, {}};
  if (type.dtype != dtype && dtype.is_integer())
    for (std::int64_t i = 0, n = type.num_elements(); i < n; ++i) {
      Scalar value(static_cast<const std::int64_t*>(data)[i]);
      value.dtype = dtype;
      check_fits(value, type.dtype, running_or(loc));
    }
  HostPtr buffer = allocate_buffer(static_cast<std::size_t>(type.nbytes()));
  convert_elements(dtype, data, type.dtype, buffer->data(), type.num_elements());
  return make_array(std::move(type), std::move(buffer));
}

void convert_elements(DType from, const void* in, DType to, void* out, std::int64_t n) {
  if (n == 0) return;
  if (from.is_bool()) {  // bytes from outside may be neither 0 nor 1
    const unsigned char* source = static_cast<const unsigned char*>(in);
    visit_dtype(to, [&]<class T>(Stored<T>) {
      for (std::int64_t i = 0; i < n; ++i) static_cast<T*>(out)[i] = convert_number<T>(source[i] != 0);
    });
    return;
  }
  if (from == to) {
    copy_bytes(out, in, static_cast<std::size_t>(n * from.size()));
    return;
  }
  visit_dtype(from, [&]<class F>(Stored<F>) {
    visit_dtype(to, [&]<class T>(Stored<T>) {
      const F* source = static_cast<const F*>(in);
      T* target = static_cast<T*>(out);
      in_pieces(n, 0.5, [&](std::int64_t begin, std::int64_t end) {  // by the workers who will read them
        for (std::int64_t i = begin; i < end; ++i) target[i] = convert_number<T>(source[i]);
      });
    });
  });
}

std::string type_text(const Array& x) { return x.type().str(); }
const Type& Array::type() const { return checked(*this, "type").type; }
const Shape& Array::shape() const { return checked(*this, "shape").type.shape; }
DType Array::dtype() const { return checked(*this, "dtype").type.dtype; }
bool Array::weak_type() const { return checked(*this, "weak_type").type.weak; }
bool Array::is_traced() const { return node_ && node_->traced(); }
bool Array::is_deleted() const { return checked(*this, "is_deleted").memory.gone(); }

std::int64_t Array::shape(int dim) const {
  const Shape& s = shape();
  int d = dim < 0 ? dim + s.ndim() : dim;
  if (d < 0 || d >= s.ndim())
    raise<IndexError>("shape", "dimension " + std::to_string(dim) + " of an array of shape " + s.str(),
                      s.ndim()
                          ? "Give one from " + std::to_string(-s.ndim()) + " to " + std::to_string(s.ndim() - 1) + "."
                          : "A scalar has no dims.");
  return s[static_cast<std::size_t>(d)];
}

// Where an array that is committed nowhere lies; the default device for one that has no memory yet.
static Device device_of_uncommitted(const ArrayNode& n) {
  if (n.literal || n.memory.gone() || !n.memory.pin()) return tutti::devices()[0];
  const Buffer* const buffer = n.memory.buffer();
  Client* const client = buffer->memory ? buffer->memory->client() : nullptr;
  const Device out = client ? static_cast<const ShardedBuffer*>(buffer)->mesh.device_list()[0] : Device(0);
  n.memory.unpin();
  return out;
}

Sharding Array::sharding() const {
  const ArrayNode& n = checked(*this, "sharding");
  if (n.traced())
    raise<TracerError>("sharding", n.type.str() + " is being recorded, its sharding is decided later",
                       "Use debug::inspect_array_sharding inside jit.");
  return n.sharding.has_value() ? n.sharding : SingleDeviceSharding(device_of_uncommitted(n));
}
std::set<Device> Array::devices() const {
  std::set<Device> out = sharding().device_set();
  if (node_->memory.gone()) buffer_of(*this, "devices");  // it lies nowhere: the error says so
  return out;
}
bool Array::committed() const { return checked(*this, "committed").committed; }
bool Array::is_fully_replicated() const { return sharding().is_fully_replicated(); }
bool Array::is_fully_addressable() const { return sharding().is_fully_addressable(); }

void Array::delete_() const {
  ArrayNode& n = const_cast<ArrayNode&>(checked(*this, "delete_"));
  if (n.traced())
    raise<TracerError>("delete_", n.type.str() + " is being recorded, it has no memory to give back",
                       "Delete arrays outside of transformations.");
  static const auto& by = *new auto(std::make_shared<const std::string>("delete_()"));
  n.memory.remove(by);
}

const Array& Array::block_until_ready() const {
  if (!is_traced()) wait_for(buffer_of(*this, "block_until_ready"));
  return *this;
}

Scalar Array::only(const char* what, Loc loc) const {
  CallScope scope(loc, named(what));
  const ArrayNode& n = checked(*this, what);
  if (n.type.num_elements() != 1) {
    std::string_view name = what;
    if (name == "bool")
      raise<ValueError>(what, "only an array of one element is true or false, this one is " + n.type.str(),
                        "Use any(x) or all(x).");
    std::string problem = "only an array of size 1 is a number, this one is " + n.type.str() + ", of rank " +
                          std::to_string(n.type.shape.ndim());
    const char* advice = "Index it, reduce it, or use to_vector.";
    if (name == "number") raise<TypeError>(what, problem, advice);
    raise<ValueError>(what, problem, advice);
  }
  if (n.literal && !n.traced() && !n.memory.gone()) return *n.literal;
  Array value = concrete(*this, what);
  HostPtr buffer = whole_buffer_of(value, what);
  const void* data = buffer->data();
  Scalar out;
  out.dtype = n.type.dtype;
  visit_dtype(out.dtype, [&]<class T>(Stored<T>) { set_number(out, *static_cast<const T*>(data)); });
  return out;
}

void Array::copy_to(DType as, void* out, Loc loc) const {
  CallScope scope(loc, named("to_vector"));
  const ArrayNode& n = checked(*this, "to_vector");
  DType from = n.type.dtype;
  bool widening = from == as || as == arithmetic_dtype(from) || (from.is_bool() && as.size() >= 1) ||
                  (from.is_floating() && as.is_floating() && as.size() > from.size()) ||
                  (from.is_signed() && as.is_signed() && as.size() > from.size()) ||
                  (from.is_unsigned() && as.is_integer() && as.size() > from.size()) ||
                  (from.is_integer() && as == float64 && from.size() <= 4) ||
                  (from.is_floating() && as.is_complex() && from.size() <= as.size() / 2) ||
                  (from.is_complex() && as.is_complex() && as.size() > from.size()) || (from.is_key() && as == uint64);
  if (!widening)
    raise<TypeError>("to_vector",
                     "elements of " + n.type.str() + " do not fit " + std::string(as.name()) + " without loss",
                     "Use astype(" + std::string(as.name()) + ") first.");
  Array value = concrete(*this, "to_vector");
  convert_elements(from, whole_buffer_of(value, "to_vector")->data(), as, out, n.type.num_elements());
}

void copy_rows(const Array& x, std::span<const std::int64_t> rows, void* out, Loc loc) {
  CallScope scope(loc, named("copy_rows"));
  const Type& t = checked(x, "copy_rows").type;
  const std::int64_t count = t.ndim() ? t.shape[0] : 0;
  const std::size_t bytes = count ? static_cast<std::size_t>(t.nbytes() / count) : 0;
  Array value = concrete(x, "copy_rows");
  const char* all = static_cast<const char*>(whole_buffer_of(value, "copy_rows")->data());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i] < 0 || rows[i] >= count)
      raise<IndexError>("copy_rows", "row " + std::to_string(rows[i]) + " of " + t.str(),
                        "Rows count from 0 along the first dim.");
    if (bytes) std::memcpy(static_cast<char*>(out) + i * bytes, all + static_cast<std::size_t>(rows[i]) * bytes, bytes);
  }
}

std::vector<Shard> Array::addressable_shards() const {
  buffer_of(*this, "addressable_shards");
  std::vector<Shard> out;
  const auto all = sharding().devices_indices_map(shape());
  const auto here = addressable_indices(sharding(), shape());
  for (std::size_t i = 0, next = 0; i < all.size() && next < here.size(); ++i) {
    if (all[i].first != here[next].first) continue;
    ++next;
    Shard s;
    s.device = all[i].first;
    for (const IndexRange& r : all[i].second) s.index.emplace_back(r.start, r.stop);
    for (std::size_t j = 0; j < i; ++j) s.replica_id += all[j].second == all[i].second;
    s.global = *this;
    out.push_back(std::move(s));
  }
  return out;
}

Array Shard::data() const {
  HostPtr all = held_buffer_of(global, "Shard::data");
  const Type& type = global.type();
  const std::optional<Held> held = held_of(global.node()->sharding, type.shape);
  Type part{type.dtype, {}, type.weak, {}};
  std::vector<std::int64_t> at;
  for (int d = 0; d < type.ndim(); ++d) {
    part.shape.push_back(index[d].second - index[d].first);
    at.push_back(index[d].first - (held ? held->box.start[d] : 0));
    if (held && part.shape[d] > 0 && (at[d] < 0 || index[d].second > held->box.stop[d]))
      raise<UnsupportedError>("Shard::data",
                              "the shard of " + device.str() + " is partly in another process: " + type.str() +
                                  " under " + global.sharding().str(),
                              "Name the axes of a dim in the order of the mesh, and let its extent divide.");
  }
  Sharding here = SingleDeviceSharding(device);
  const Shape& extents = held ? held->block : type.shape;
  if (part.shape == extents) return make_array(std::move(part), all, here, true);
  HostPtr out = allocate_buffer(static_cast<std::size_t>(part.nbytes()));
  copy_box(part.shape, type.dtype.size(), {extents, at}, all->data(),
           {part.shape, std::vector<std::int64_t>(at.size(), 0)}, out->data());
  return make_array(std::move(part), std::move(out), here, true);
}

std::vector<int> Axes::resolve(int ndim) const {
  std::vector<int> out;
  if (!list_) {
    for (int d = 0; d < ndim; ++d) out.push_back(d);
    return out;
  }
  for (std::int64_t a : *list_) {
    std::int64_t d = a < 0 ? a + ndim : a;
    if (d < 0 || d >= ndim)
      raise<IndexError>(
          call_name("axes"),
          "axis " + std::to_string(a) + " is out of range for an array of " + std::to_string(ndim) + " dims",
          ndim > 0 ? "Axes go from " + std::to_string(-ndim) + " to " + std::to_string(ndim - 1) + "."
                   : "A scalar has no axes: leave them out.");
    for (int seen : out)
      if (seen == d)
        raise<ValueError>(call_name("axes"), "axis " + std::to_string(a) + " is given twice", "Name each axis once.");
    out.push_back(static_cast<int>(d));
  }
  std::sort(out.begin(), out.end());
  return out;
}

// For debuggers, which call it in the process: tools/tutti_gdb.py. Nothing is computed or awaited, and nothing thrown.
namespace detail {
struct DebugText {
  std::string text;
};
[[gnu::used]] const char* debug_text(const void* array) noexcept {
  try {
    std::string& text = per_thread<DebugText>().text;
    const Array& x = *static_cast<const Array*>(array);
    if (!x.has_value()) return "no array";
    const ArrayNode& n = *x.node();
    text = n.type.str();
    if (n.traced())
      text += " of a program being recorded";
    else if (n.memory.gone())
      text += ", deleted by " + std::string(n.memory.taken_by());
    else if (n.type.num_elements() == 0)
      text += " []";
    else if (n.stand_in)
      text += " without elements";
    else if (!x.is_fully_addressable())
      text += " on several processes";
    else
      text += " " + str(x);
    if (n.sharding.has_value()) text += " " + n.sharding.str();
    return text.c_str();
  } catch (...) {
    return "an array that cannot be read now";
  }
}
}  // namespace detail

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
