// Arrays: immutable values with shape, dtype and sharding; one handle type for concrete, traced and absent arrays.
#pragma once

#include <array>
#include <cmath>
#include <complex>
#include <concepts>
#include <functional>
#include <iosfwd>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

#include "tutti/array/refusals.hpp"
#include "tutti/base/choice.hpp"
#include "tutti/base/dtype.hpp"
#include "tutti/base/error.hpp"
#include "tutti/base/shape.hpp"
#include "tutti/mesh/sharding.hpp"

// Functions are called so; the standard library takes macros of these names away, too.
#undef max
#undef min

namespace tutti {

struct ArrayNode;
struct Operand;
struct Type;
class Array;
class Index;
class AtIndex;

/// std::complex<float> or std::complex<double>.
template <class T>
concept ComplexNumber = std::same_as<std::remove_cvref_t<T>, std::complex<float>> ||
    std::same_as<std::remove_cvref_t<T>, std::complex<double>>;
/// C++ numbers: arithmetic or complex; never an enum.
template <class T>
concept Number = std::is_arithmetic_v<std::remove_cvref_t<T>> || ComplexNumber<T>;

/// The dtype that holds T without loss: `dtype_of<float>() == float32`, `dtype_of<long>() == int64`.
template <Number T> constexpr DType dtype_of() {
  using U = std::remove_cvref_t<T>;
  if constexpr (std::same_as<U, bool>)
    return bool_;
  else if constexpr (ComplexNumber<U>)
    return sizeof(U) == 8 ? complex64 : complex128;
  else if constexpr (std::floating_point<U>)
    return sizeof(U) == 4 ? float32 : float64;
  else if constexpr (std::signed_integral<U>)
    return sizeof(U) == 1 ? int8 : sizeof(U) == 2 ? int16 : sizeof(U) == 4 ? int32 : int64;
  else
    return sizeof(U) == 1 ? uint8 : sizeof(U) == 2 ? uint16 : sizeof(U) == 4 ? uint32 : uint64;
}

/// One host number with its dtype: integers and bools in `integer`, the others in `real` and `imag`.
struct Scalar {
  DType dtype = float32;
  double real = 0, imag = 0;
  std::int64_t integer = 0;

  Scalar() = default;
  template <Number T> Scalar(T v) : dtype(dtype_of<T>()) {
    if constexpr (ComplexNumber<T>) {
      real = v.real();
      imag = v.imag();
    } else if constexpr (std::floating_point<T>)
      real = v;
    else
      integer = static_cast<std::int64_t>(v);
  }
  /// The value as T, as astype narrows: floats to integers truncate and saturate, NaN is 0.
  template <Number T> T as() const {
    if constexpr (ComplexNumber<T>)
      return dtype.is_inexact() ? T(typename T::value_type(real), typename T::value_type(imag))
                                : T(typename T::value_type(integer), 0);
    else if constexpr (Integer<T>)
      return dtype.is_inexact() ? saturated<T>(real) : static_cast<T>(integer);
    else
      return dtype.is_inexact() ? static_cast<T>(real) : static_cast<T>(integer);
  }
  /// The same number in another dtype (rounded to it).
  Scalar to(DType dtype) const;
  std::string str() const;
  bool operator==(const Scalar& other) const;  // by bits

 private:
  template <class T> static T saturated(double v) {
    using Limits = std::numeric_limits<T>;
    if (!(v > static_cast<double>(Limits::min()))) return v != v ? T(0) : Limits::min();
    return v < std::ldexp(1.0, Limits::digits) ? static_cast<T>(v) : Limits::max();
  }
};

/// A set of axes: an integer, a list `{0, 1}`, or `all`.
/// Threads: many may read one object at once; changing it excludes all others, as of std::vector.
class Axes {
 public:
  Axes() = default;  // all
  Axes(const Axes&);
  Axes(Axes&&) noexcept;
  Axes& operator=(const Axes&);
  Axes& operator=(Axes&&) noexcept;
  ~Axes();
  template <Integer T> Axes(T axis) : Axes(std::initializer_list<Dim>{Dim(axis)}) {}
  Axes(std::initializer_list<Dim> list);
  Axes(std::vector<std::int64_t> list);
  bool is_all() const { return !list_; }
  /// Sorted, non-negative axes of an array of `ndim` dims; IndexError names what is out of range or twice.
  std::vector<int> resolve(int ndim) const;

 private:
  std::optional<std::vector<std::int64_t>> list_;
};

/// An immutable n-dimensional array. Copies of a handle are the same array; an empty handle means "no array here".
/// Threads: as std::shared_ptr. Many may compute with the same array at once, and with copies of a handle; assigning
/// to one handle excludes all other uses of that handle.
class Array {
 public:
  Array() = default;
  /// A weak scalar, as a Python number is in JAX.
  template <Number T> Array(T value) : Array(Scalar(value), Weak{}) {}
  explicit Array(std::shared_ptr<ArrayNode> node) : node_(std::move(node)) {}
  // Not inline: users' functions are full of arrays that come and go, and counting references is much code.
  Array(const Array&) noexcept;
  Array(Array&&) noexcept = default;
  ~Array();
  // A handle is assigned to, not its elements: what `x[1] = 2` means is x = x.at(1).set(2), and it does not compile.
  Array& operator=(const Array&) & noexcept;
  Array& operator=(Array&&) & noexcept;
  template <class T> void operator=(const T&) && { detail::refuse_assignment<T>(); }
  template <class T> void operator=(std::initializer_list<T>) && { detail::refuse_assignment<T>(); }

  bool has_value() const { return node_ != nullptr; }
  const Type& type() const;
  const Shape& shape() const;
  int ndim() const { return shape().ndim(); }
  std::int64_t size() const { return shape().num_elements(); }
  std::int64_t shape(int dim) const;
  DType dtype() const;
  std::int64_t nbytes() const { return size() * dtype().size(); }
  bool weak_type() const;
  /// True inside a transformation, where the array stands for a value of the program being recorded.
  bool is_traced() const;

  Sharding sharding() const;
  /// The devices that hold a part of it; the order of the assignment is sharding().device_list().
  std::set<Device> devices() const;
  bool committed() const;
  bool is_fully_replicated() const;
  bool is_fully_addressable() const;
  std::vector<struct Shard> addressable_shards() const;
  bool is_deleted() const;
  void delete_() const;
  Array copy(Loc loc = Loc::current()) const;
  /// Until the elements are there. On a platform whose calls return when they are enqueued (config::platform), what
  /// went wrong in the call that makes the array, or in one that it depends on, is thrown here and at every read.
  const Array& block_until_ready() const;

  /// The only element (size 1, else ValueError); reads the value.
  template <Number T> T item(Loc loc = Loc::current()) const { return only("item", loc).as<T>(); }
  Scalar item_scalar(Loc loc = Loc::current()) const { return only("item", loc); }
  /// `float(x)`, `if (x)`: size 1, else TypeError (numbers) or ValueError (bool), as in JAX.
  template <Number T> explicit operator T() const {
    return only(std::same_as<T, bool> ? "bool" : "number", {}).as<T>();
  }
  /// Row-major host copy; T must be the dtype or a safe widening of it (TypeError).
  template <Number T> std::vector<T> to_vector(Loc loc = Loc::current()) const {
    std::vector<Element<T>> out(static_cast<std::size_t>(size()));
    copy_to(dtype_of<T>(), out.data(), loc);
    if constexpr (std::same_as<T, bool>)
      return std::vector<bool>(out.begin(), out.end());
    else
      return out;
  }
  /// Writes size() elements of `as`, row-major, to `out`.
  void copy_to(DType as, void* out, Loc loc = Loc::current()) const;

  Array reshape(const Shape& shape, Loc loc = Loc::current()) const;
  template <Extent A> Array reshape(A a, Loc loc = Loc::current()) const { return reshape(Shape{a}, loc); }
  /// The same of any number of extents: x.reshape(b, t, 3, heads, -1).
  template <Extent A, Extent... More> Array reshape(A a, const LocatedDim& b, More... more) const {
    return reshape(Shape{a, b.value, more...}, b.loc);
  }
  Array T(Loc loc = Loc::current()) const;
  Array transpose(Loc loc = Loc::current()) const { return T(loc); }
  Array transpose(const std::vector<int>& permutation, Loc loc = Loc::current()) const;
  /// The same of dims one by one: x.transpose(0, 2, 1).
  template <Integer A, Integer... More> Array transpose(A a, const LocatedDim& b, More... more) const {
    return transpose(std::vector<int>{static_cast<int>(a), static_cast<int>(b.value), static_cast<int>(more)...},
                     b.loc);
  }
  Array astype(DType dtype, Loc loc = Loc::current()) const;
  Array flatten(Loc loc = Loc::current()) const;
  Array sum(const Axes& axes = {}, bool keepdims = false, Loc loc = Loc::current()) const;
  Array mean(const Axes& axes = {}, bool keepdims = false, Loc loc = Loc::current()) const;
  Array prod(const Axes& axes = {}, bool keepdims = false, Loc loc = Loc::current()) const;
  Array max(const Axes& axes = {}, bool keepdims = false, Loc loc = Loc::current()) const;
  Array min(const Axes& axes = {}, bool keepdims = false, Loc loc = Loc::current()) const;
  Array var(const Axes& axes = {}, bool keepdims = false, Loc loc = Loc::current()) const;
  Array std(const Axes& axes = {}, bool keepdims = false, Loc loc = Loc::current()) const;
  Array any(const Axes& axes = {}, bool keepdims = false, Loc loc = Loc::current()) const;
  Array all(const Axes& axes = {}, bool keepdims = false, Loc loc = Loc::current()) const;
  Array argmax(std::optional<int> axis = {}, bool keepdims = false, Loc loc = Loc::current()) const;
  Array argmin(std::optional<int> axis = {}, bool keepdims = false, Loc loc = Loc::current()) const;

  Array operator[](const Index& i) const;
  Array operator()(const Index& a) const;
  Array operator()(const Index& a, const Index& b) const;
  Array operator()(const Index& a, const Index& b, const Index& c) const;
  Array operator()(const Index& a, const Index& b, const Index& c, const Index& d) const;
  Array operator()(const Index& a, const Index& b, const Index& c, const Index& d, const Index& e) const;
  template <class... I>
  Array operator()(const Index& a, const Index& b, const Index& c, const Index& d, const Index& e, const Index& f,
                   const I&... more) const;
  /// The same, of as many entries as there are.
  Array index(const std::vector<Index>& entries) const;
  template <class... I> AtIndex at(const I&... index) const;
  AtIndex at(const std::vector<Index>& entries) const;

  Array& operator+=(const Operand& other) &;
  Array& operator-=(const Operand& other) &;
  Array& operator*=(const Operand& other) &;
  Array& operator/=(const Operand& other) &;
  template <class T> void operator+=(const T&) && { detail::refuse_assignment<T>(); }
  template <class T> void operator-=(const T&) && { detail::refuse_assignment<T>(); }
  template <class T> void operator*=(const T&) && { detail::refuse_assignment<T>(); }
  template <class T> void operator/=(const T&) && { detail::refuse_assignment<T>(); }

  // No range: `for (row : x)` does not compile, and says why.
  template <class V = void> detail::NoIterator begin() const { return detail::refuse_iteration<V>(); }
  template <class V = void> detail::NoIterator end() const { return {}; }

  const std::shared_ptr<ArrayNode>& node() const { return node_; }

 private:
  template <class T> using Element = std::conditional_t<std::same_as<T, bool>, unsigned char, T>;
  struct Weak {};
  Array(Scalar value, Weak);
  Scalar only(const char* what, Loc loc) const;

  std::shared_ptr<ArrayNode> node_;
};

/// One device's part of an array. `data` reads it when asked.
struct Shard {
  Device device;
  std::vector<std::pair<std::int64_t, std::int64_t>> index;  // [start, stop) per dim
  int replica_id = 0;
  Array global;
  Array data() const;
};

/// An argument of an elementwise function: an array or a number, and the caller's line.
struct Operand {
  Array array;
  Loc loc;
  Operand(const Array& x, Loc l = Loc::current()) : array(x), loc(l) {}
  template <Number T> Operand(T x, Loc l = Loc::current()) : array(x), loc(l) {}
};

/// An argument of a function of one array: never a bare number, so that max(1, 2) does not reduce a scalar.
struct In {
  const Array& array;
  Loc loc;
  In(const Array& x, Loc l = Loc::current()) : array(x), loc(l) {}
};

/// Its dtype and shape as errors and programs write them: `float32[8,4]`.
std::string type_text(const Array& x);

/// start:stop:step of an index expression; `none` leaves a bound open.
struct SliceBound {
  std::optional<std::int64_t> value;
  SliceBound(none_t) {}
  template <Integer T> SliceBound(T v) : value(static_cast<std::int64_t>(v)) {}
};
struct Slice {
  SliceBound start, stop, step;
};
inline Slice slice(SliceBound stop) { return {none, stop, none}; }
inline Slice slice(SliceBound start, SliceBound stop, SliceBound step = none) { return {start, stop, step}; }

/// `all`: the index `x(all, 0)`, the default of axes, and the reduction `all(x)`.
struct All {
  operator Axes() const { return {}; }
  Array operator()(const In& x, const Axes& axes = {}, bool keepdims = false) const;
};
inline constexpr All all{};
struct NewAxis {};
inline constexpr NewAxis newaxis{};
struct Ellipsis {};
inline constexpr Ellipsis ellipsis{};

/// One entry of an index expression.
/// Threads: many may read one object at once; changing it excludes all others, as of std::vector.
class Index {
 public:
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"  // of GCC 12: by enumerators, which are in a scope of their own
  enum class Kind { integer, slice, array, all, newaxis, ellipsis };
#pragma GCC diagnostic pop
  template <Integer T>
  Index(T i, Loc l = Loc::current()) : kind(Kind::integer), integer(static_cast<std::int64_t>(i)), loc(l) {}
  Index(const Slice& s, Loc l = Loc::current()) : kind(Kind::slice), slice(s), loc(l) {}
  Index(const Array& a, Loc l = Loc::current()) : kind(Kind::array), array(a), loc(l) {}
  Index(All, Loc l = Loc::current()) : kind(Kind::all), loc(l) {}
  Index(NewAxis, Loc l = Loc::current()) : kind(Kind::newaxis), loc(l) {}
  Index(none_t, Loc l = Loc::current()) : kind(Kind::newaxis), loc(l) {}
  Index(Ellipsis, Loc l = Loc::current()) : kind(Kind::ellipsis), loc(l) {}

  Kind kind;
  std::int64_t integer = 0;
  Slice slice{none, none, none};
  Array array;
  Loc loc;
};

/// How out-of-range indices of x.at(index) are handled. `fill`: left out by updates, read as NaN (the least
/// signed and the greatest unsigned integer, true) or the number given. `clip`: taken as the nearest one in range,
/// which gets the derivative. Without one of them: written as `fill`; read as the nearest one in range, which gets no
/// derivative where an array of indices leads out of range, and gets it where a scalar does. All as in JAX.
enum class AtMode { automatic, fill, drop = fill, clip, promise_in_bounds = clip };
constexpr Choices choices_of(AtMode) { return {"at", "mode", "automatic fill|drop clip|promise_in_bounds"}; }

/// x.at(index): functional updates; each gives a new array.
/// Threads: many may read one object at once; changing it excludes all others, as of std::vector.
class AtIndex {
 public:
  AtIndex(Array x, std::vector<Index> index) : x_(std::move(x)), index_(std::move(index)) {}
  Array get(Loc loc = Loc::current()) const;
  Array get(OneOf<AtMode> mode, const Array& fill_value = {}, Loc loc = Loc::current()) const;
  Array set(const Operand& v, OneOf<AtMode> mode = AtMode::automatic) const;
  Array add(const Operand& v, OneOf<AtMode> mode = AtMode::automatic) const;
  Array subtract(const Operand& v, OneOf<AtMode> mode = AtMode::automatic) const;
  Array mul(const Operand& v, OneOf<AtMode> mode = AtMode::automatic) const;
  Array multiply(const Operand& v, OneOf<AtMode> mode = AtMode::automatic) const { return mul(v, mode); }
  /// A position that occurs twice is divided by both; likewise power. Integers give float32.
  Array divide(const Operand& v, OneOf<AtMode> mode = AtMode::automatic) const;
  Array power(const Operand& v, OneOf<AtMode> mode = AtMode::automatic) const;
  Array min(const Operand& v, OneOf<AtMode> mode = AtMode::automatic) const;
  Array max(const Operand& v, OneOf<AtMode> mode = AtMode::automatic) const;
  /// f of what stands there: x.at(i).apply(sin). Where a position comes twice, f as many times.
  template <class F> Array apply(const F& f, Loc loc = Loc::current()) const {
    return applied([&](const Array& x) { return Array(f(x)); }, loc);
  }
  Array apply(Array (*f)(const In&), Loc loc = Loc::current()) const { return applied(f, loc); }

 private:
  Array applied(const std::function<Array(const Array&)>& f, Loc loc) const;

  Array x_;
  std::vector<Index> index_;
};
template <class... I>
Array Array::operator()(const Index& a, const Index& b, const Index& c, const Index& d, const Index& e, const Index& f,
                        const I&... more) const {
  return index({a, b, c, d, e, f, Index(more)...});
}
template <class... I> AtIndex Array::at(const I&... index) const { return AtIndex(*this, {Index(index)...}); }
inline AtIndex Array::at(const std::vector<Index>& entries) const { return AtIndex(*this, entries); }

/// Nested lists of numbers and arrays: `array({{1, 2}, {3, 4}})`.
/// Threads: many may read one object at once; changing it excludes all others, as of std::vector.
class NestedList {
 public:
  template <Number T> NestedList(T v) : NestedList(Scalar(v), OfScalar{}) {}
  NestedList(const Array& a);
  NestedList(std::initializer_list<NestedList> l);
  NestedList(const NestedList&);
  NestedList(NestedList&&) noexcept;
  NestedList& operator=(const NestedList&);
  NestedList& operator=(NestedList&&) noexcept;
  ~NestedList();
  Scalar scalar;
  Array array;
  std::vector<NestedList> list;
  bool is_list = false, is_array = false;

 private:
  struct OfScalar {};
  NestedList(const Scalar& v, OfScalar);
};

/// Strong arrays from host values. `double` gives float32 and integers int32 while x64 is off; an integer that does not
/// fit is a ValueError. A note says once for each place that a vector or span of doubles became float32; numbers in
/// braces are literals, which have no other spelling.
template <Number T> Array array(T value, Loc loc = Loc::current());
Array array(std::initializer_list<NestedList> list, Loc loc = Loc::current());
Array array(std::initializer_list<NestedList> list, DType dtype, Loc loc = Loc::current());
/// Copies `shape.num_elements()` row-major elements of `dtype` from `data`.
Array array_from_host(const void* data, DType dtype, const Shape& shape, Loc loc = Loc::current());
Array array_from_number(const Scalar& value, Loc loc = Loc::current());
/// A scalar of exactly that dtype, also of one that the user would get narrower.
Array array_from_scalar(const Scalar& value, bool weak, Loc loc = Loc::current());
/// Writes x[i] for every i of `rows`, one after the other, in x's dtype to `out`.
void copy_rows(const Array& x, std::span<const std::int64_t> rows, void* out, Loc loc = Loc::current());
[[noreturn]] void throw_size_mismatch(std::size_t given, const Shape& shape, Loc loc);
template <Number T> Array array(T value, Loc loc) { return array_from_number(Scalar(value), loc); }
template <Number T> Array array(std::span<const T> data, const Shape& shape, Loc loc = Loc::current()) {
  if (static_cast<std::int64_t>(data.size()) != shape.num_elements()) throw_size_mismatch(data.size(), shape, loc);
  if constexpr (dtype_of<T>() == float64 || dtype_of<T>() == complex128)
    detail::note_narrowing(dtype_of<T>(), data.size(), loc);
  return array_from_host(data.data(), dtype_of<T>(), shape, loc);
}
template <Number T> Array array(const std::vector<T>& data, const Shape& shape, Loc loc = Loc::current()) {
  if (static_cast<std::int64_t>(data.size()) != shape.num_elements()) throw_size_mismatch(data.size(), shape, loc);
  if constexpr (std::same_as<T, bool>) {
    std::vector<unsigned char> bytes(data.begin(), data.end());
    return array_from_host(bytes.data(), bool_, shape, loc);
  } else {
    return array(std::span<const T>(data), shape, loc);
  }
}

/// A vector.
template <Number T>
Array array(const std::vector<T>& data, detail::CallersLoc loc = detail::CallersLoc(Loc::current())) {
  return array(data, Shape{static_cast<std::int64_t>(data.size())}, loc);
}
template <Number T> Array array(std::span<const T> data, detail::CallersLoc loc = detail::CallersLoc(Loc::current())) {
  return array(data, Shape{static_cast<std::int64_t>(data.size())}, loc);
}
template <Number T, std::size_t n>
Array array(const std::array<T, n>& data, detail::CallersLoc loc = detail::CallersLoc(Loc::current())) {
  return array(std::span<const T>(data), loc);
}

/// NumPy's text, and JAX's repr: `Array([1., 2.], dtype=float32)`.
std::string str(const Array& x);
std::string repr(const Array& x);
std::ostream& operator<<(std::ostream& out, const Array& x);

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
