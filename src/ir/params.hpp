// Parameters of an Eqn, type-erased. Equality, hash and text derive from the fields of the parameter struct.
#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <typeinfo>
#include <utility>
#include <vector>

#include "tutti/array/array.hpp"
#include "tutti/base/dtype.hpp"
#include "tutti/base/error.hpp"
#include "tutti/base/shape.hpp"
#include "tutti/mesh/sharding.hpp"
#include "tutti/tree/reflect.hpp"

namespace tutti {

inline std::size_t hash_combine(std::size_t h, std::size_t v) {
  return h ^ (v + 0x9e3779b97f4a7c15ull + (h << 6) + (h >> 2));
}

namespace field {  // hash and text of what a parameter struct may hold

inline std::size_t hash(bool v) { return v; }
template <std::integral T> std::size_t hash(T v) { return std::hash<T>{}(v); }
inline std::size_t hash(double v) { return std::hash<double>{}(v); }
inline std::size_t hash(const std::string& v) { return std::hash<std::string>{}(v); }
inline std::size_t hash(DType v) { return static_cast<std::size_t>(v.kind()); }
inline std::size_t hash(const Scalar& v) {
  return hash_combine(hash(v.real), hash_combine(hash(v.imag), hash(v.integer)));
}
inline std::size_t hash(const Sharding& v) { return v.hash(); }
inline std::size_t hash(const Mesh& v) { return v.hash(); }
template <class E>
requires std::is_enum_v<E> std::size_t hash(E v) { return static_cast<std::size_t>(v); }
template <class T> std::size_t hash(const std::vector<T>& v);
template <class A, class B> std::size_t hash(const std::pair<A, B>& v);
template <class T> std::size_t hash(const std::optional<T>& v);
inline std::size_t hash(const Shape& v) { return hash(v.dims()); }
inline std::size_t hash(const Names& v) { return hash(v.list()); }
template <class T>
requires reflect::Aggregate<T> std::size_t hash(const T& v);

inline std::string text(bool v) { return v ? "true" : "false"; }
template <std::integral T> std::string text(T v) { return std::to_string(v); }
std::string text(double v);
inline std::string text(const std::string& v) { return v; }
inline std::string text(DType v) { return std::string(v.name()); }
inline std::string text(const Scalar& v) { return v.str(); }
inline std::string text(const Sharding& v) { return v.str(); }
inline std::string text(const Mesh& v) { return v.str(); }
template <class E>
requires std::is_enum_v<E> std::string text(E v) { return std::to_string(static_cast<int>(v)); }
template <class T> std::string text(const std::vector<T>& v);
template <class A, class B> std::string text(const std::pair<A, B>& v);
template <class T> std::string text(const std::optional<T>& v);
inline std::string text(const Shape& v) { return text(v.dims()); }
inline std::string text(const Names& v) { return text(v.list()); }
template <class T>
requires reflect::Aggregate<T> std::string text(const T& v);

template <class T> std::size_t hash(const std::vector<T>& v) {
  std::size_t h = v.size();
  for (const auto& e : v) h = hash_combine(h, hash(static_cast<const T&>(e)));
  return h;
}
template <class A, class B> std::size_t hash(const std::pair<A, B>& v) {
  return hash_combine(hash(v.first), hash(v.second));
}
template <class T> std::size_t hash(const std::optional<T>& v) { return v ? hash_combine(1, hash(*v)) : 0; }
template <class T>
requires reflect::Aggregate<T> std::size_t hash(const T& v) {
  std::size_t h = 0;
  reflect::for_each(v, [&](std::string_view, const auto& member) { h = hash_combine(h, hash(member)); });
  return h;
}
template <class T> std::string text(const std::vector<T>& v) {
  std::string out = "(";
  for (std::size_t i = 0; i < v.size(); ++i) out += (i ? ", " : "") + text(static_cast<const T&>(v[i]));
  return out + ")";
}
template <class A, class B> std::string text(const std::pair<A, B>& v) { return text(v.first) + ":" + text(v.second); }
template <class T> std::string text(const std::optional<T>& v) { return v ? text(*v) : "none"; }
template <class T>
requires reflect::Aggregate<T> std::string text(const T& v) {
  std::string out;
  reflect::for_each(v, [&](std::string_view name, const auto& member) {
    if constexpr (std::is_same_v<decltype(member), const bool&>)  // a flag says something where it is set
      if (!member) return;
    out += (out.empty() ? "" : " ") + std::string(name) + "=" + text(member);
  });
  return out;
}

}  // namespace field

/// The parameters of one Eqn: an immutable aggregate struct with a defaulted ==.
class Params {
 public:
  Params() = default;
  template <class P>
  requires reflect::Aggregate<P> Params(P params) : held_(std::make_shared<Held<P>>(std::move(params))) {}

  template <class P> const P& get() const {
    const auto* h = dynamic_cast<const Held<P>*>(held_.get());
    if (!h) raise_not_of_type(typeid(P));
    return h->value;
  }
  bool empty() const { return !held_; }
  std::size_t hash() const { return held_ ? held_->hash() : 0; }
  std::string str() const { return held_ ? held_->str() : ""; }
  friend bool operator==(const Params& a, const Params& b) {
    return a.held_ == b.held_ || (a.held_ && b.held_ && a.held_->equal(*b.held_));
  }

 private:
  [[noreturn]] static void raise_not_of_type(const std::type_info& type);

  struct Base {
    virtual ~Base() = default;
    virtual std::size_t hash() const = 0;
    virtual std::string str() const = 0;
    virtual bool equal(const Base&) const = 0;
  };
  template <class P> struct Held final : Base {
    explicit Held(P p) : value(std::move(p)) {}
    std::size_t hash() const override { return field::hash(value); }
    std::string str() const override { return field::text(value); }
    bool equal(const Base& other) const override {
      const auto* o = dynamic_cast<const Held*>(&other);
      return o && o->value == value;
    }
    P value;
  };
  std::shared_ptr<const Base> held_;
};

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
