#include "golden/golden.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace golden {

using namespace tutti;

DType dtype_of(const std::string& name) {
  for (DType d : {bool_, int8, int16, int32, int64, uint8, uint16, uint32, uint64, bfloat16, float16, float32, float64,
                  complex64, complex128})
    if (d.name() == name) return d;
  throw Unknown("dtype " + name);
}

Shape shape_of(const json& list) {
  Shape out;
  for (const json& d : list) out.push_back(d.get<std::int64_t>());
  return out;
}

double number_of(const json& v) {
  if (!v.is_string()) return v.is_boolean() ? v.get<bool>() : v.get<double>();
  const std::string& s = v.get_ref<const std::string&>();
  if (s == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (s == "inf") return std::numeric_limits<double>::infinity();
  if (s == "-inf") return -std::numeric_limits<double>::infinity();
  throw Unknown("number " + s);
}

Array array_of(const json& a) {
  DType dtype = dtype_of(a.at("dtype"));
  Shape shape = shape_of(a.at("shape"));
  const json& data = a.at("data");
  Array x;
  if (dtype.is_complex()) {
    std::vector<std::complex<double>> v;
    for (std::size_t i = 0; i + 1 < data.size(); i += 2) v.emplace_back(number_of(data[i]), number_of(data[i + 1]));
    if (dtype == complex128) return array(v, shape);
    return array(std::vector<std::complex<float>>(v.begin(), v.end()), shape);
  }
  if (dtype.is_floating()) {
    std::vector<double> v;
    for (const json& e : data) v.push_back(number_of(e));
    if (dtype == float64) return array(v, shape);
    return lax::convert_element_type(array(std::vector<float>(v.begin(), v.end()), shape), dtype);
  }
  if (dtype == uint64) {
    std::vector<std::uint64_t> v;
    for (const json& e : data) v.push_back(e.get<std::uint64_t>());
    return array(v, shape);
  }
  if (dtype == uint32) {
    std::vector<std::uint32_t> v;
    for (const json& e : data) v.push_back(e.get<std::uint32_t>());
    return array(v, shape);
  }
  std::vector<std::int64_t> v;
  for (const json& e : data) v.push_back(e.is_boolean() ? e.get<bool>() : e.get<std::int64_t>());
  if (dtype == int64) return array(v, shape);
  return lax::convert_element_type(array(std::vector<std::int32_t>(v.begin(), v.end()), shape), dtype);
}

json of_this_process(const json& per_device, const Array& x) {
  const std::vector<Device>& devices = x.sharding().device_list();
  json out = json::array();
  for (const Shard& s : x.addressable_shards())
    out.push_back(
        per_device.at(static_cast<std::size_t>(std::find(devices.begin(), devices.end(), s.device) - devices.begin())));
  return out;
}

void expect_equal(const Array& here, const json& want, Tolerance t) {
  const Array got = here.is_fully_addressable() ? here : multihost::process_allgather(here);
  Shape shape = shape_of(want.at("shape"));
  std::string dtype = want.at("dtype");
  if (got.shape() != shape) throw Mismatch("shape " + got.shape().str() + ", expected " + shape.str());
  if (got.dtype().name() != dtype) throw Mismatch("dtype " + std::string(got.dtype().name()) + ", expected " + dtype);
  if (want.value("weak_type", false) != got.weak_type())
    throw Mismatch(got.weak_type() ? "the type is weak" : "the type is not weak");
  const json& data = want.at("data");
  std::size_t n = static_cast<std::size_t>(got.size());
  auto differs = [&](std::size_t i, const std::string& a, const std::string& b) {
    throw Mismatch(fmt::format("element {} of {}: {}, expected {}", i, n, a, b));
  };
  if (got.dtype().is_inexact()) {
    std::vector<double> v;
    if (got.dtype().is_complex()) {
      for (std::complex<double> c : got.to_vector<std::complex<double>>()) v.insert(v.end(), {c.real(), c.imag()});
    } else if (got.dtype() == float64) {
      v = got.to_vector<double>();
    } else {
      for (float f : lax::convert_element_type(got, float32).to_vector<float>()) v.push_back(f);
    }
    bool single = real_dtype(got.dtype()) != float64;
    for (std::size_t i = 0; i < v.size(); ++i) {
      double w = number_of(data.at(i));
      if (single) w = static_cast<float>(w);
      bool same =
          (std::isnan(v[i]) && std::isnan(w)) || (v[i] == w && (w != 0 || std::signbit(v[i]) == std::signbit(w))) ||
          (v[i] != w && std::isfinite(v[i]) && std::isfinite(w) && std::abs(v[i] - w) <= t.atol + t.rtol * std::abs(w));
      if (!same) differs(i, fmt::format("{:.9g}", v[i]), fmt::format("{:.9g}", w));
    }
    if (v.size() != data.size()) throw Mismatch(fmt::format("{} elements, expected {}", v.size(), data.size()));
    return;
  }
  if (got.dtype() == uint64) {
    std::vector<std::uint64_t> v = got.to_vector<std::uint64_t>();
    for (std::size_t i = 0; i < n; ++i)
      if (v[i] != data.at(i).get<std::uint64_t>()) differs(i, std::to_string(v[i]), data[i].dump());
    return;
  }
  std::vector<std::int64_t> v;
  switch (got.dtype().kind()) {
    case DType::Kind::bool_:
      for (bool b : got.to_vector<bool>()) v.push_back(b);
      break;
    case DType::Kind::int64: v = got.to_vector<std::int64_t>(); break;
    case DType::Kind::uint32:
      for (std::uint32_t u : got.to_vector<std::uint32_t>()) v.push_back(u);
      break;
    case DType::Kind::uint16:
      for (std::uint16_t u : got.to_vector<std::uint16_t>()) v.push_back(u);
      break;
    case DType::Kind::uint8:
      for (std::uint8_t u : got.to_vector<std::uint8_t>()) v.push_back(u);
      break;
    case DType::Kind::int8:
      for (std::int8_t u : got.to_vector<std::int8_t>()) v.push_back(u);
      break;
    case DType::Kind::int16:
      for (std::int16_t u : got.to_vector<std::int16_t>()) v.push_back(u);
      break;
    default:
      for (std::int32_t u : got.to_vector<std::int32_t>()) v.push_back(u);
  }
  for (std::size_t i = 0; i < n; ++i) {
    std::int64_t w = data.at(i).is_boolean() ? data[i].get<bool>() : data[i].get<std::int64_t>();
    if (v[i] != w) differs(i, std::to_string(v[i]), std::to_string(w));
  }
}

double largest_magnitude(const json& array) {
  double m = 0;
  for (const json& v : array.at("data"))
    if (!v.is_boolean())
      if (double d = std::abs(number_of(v)); std::isfinite(d)) m = std::max(m, d);
  return m;
}

Tolerance tolerance_of(const json& want, double rtol) {
  std::string dtype = want.at("dtype");
  if (dtype == "bfloat16") rtol = 0x1p-7;
  if (dtype == "float16") rtol = 0x1p-10;
  return {rtol, rtol * largest_magnitude(want)};
}

namespace {

template <class... Class> bool is_any(const std::exception& e) { return (dynamic_cast<const Class*>(&e) || ...); }

// JAX's classes and their counterparts. A ShapeError is right also where JAX says TypeError.
bool counterpart(const std::string& type, const std::string& message, const std::exception& e) {
  // An axis out of range is both in NumPy, ValueError and IndexError.
  if (type == "ValueError" && message.find("is out of bounds for array of dimension") != std::string::npos &&
      is_any<IndexError>(e))
    return true;
  if (type == "ValueError" || type == "IndivisibleError" || type == "DuplicateSpecError") return is_any<ValueError>(e);
  if (type == "TypeError") return is_any<TypeError, ShapeError>(e);
  if (type == "IndexError") return is_any<IndexError>(e);
  if (type == "NameError") return is_any<NameError>(e);
  if (type == "RuntimeError") return is_any<DeletedError>(e);
  if (type == "NotImplementedError") return is_any<UnsupportedError>(e);
  if (type == "AssertionError" && message.empty()) return is_any<NameError>(e);  // an axis name that is not bound
  if (type == "AssertionError" && is_any<IndexError>(e))
    return message.find("match the axis size") != std::string::npos;  // a position out of range
  if (type == "AssertionError" || type == "ZeroDivisionError" || type == "OverflowError" || type == "JaxRuntimeError")
    return is_any<ValueError>(e);
  if (type == "AttributeError") return is_any<TypeError>(e);
  if (type == "TracerBoolConversionError" || type == "ConcretizationTypeError" ||
      type == "NonConcreteBooleanIndexError" || type == "UnexpectedTracerError")
    return is_any<TracerError>(e);
  throw Unknown("error class " + type);
}

}  // namespace

void check_error_class(const json& error, const std::exception& thrown) {
  std::string type = error.at("type");
  if (!counterpart(type, error.value("message", ""), thrown))
    throw Mismatch("another class of error than " + type + ": " + thrown.what());
}

void expect_jax_refuses(const json& test, const std::string& type) {
  if (!test.contains("error") || test["error"].is_null()) throw Mismatch("JAX accepts it");
  if (test["error"].at("type") != type)
    throw Mismatch("JAX's error is " + test["error"]["type"].dump() + ", not " + type);
  if (!test["error"].at("message").is_string()) throw Unknown("an error without a message");
}

Handler not_in_cpp(const std::string& reason) {
  if (reason.empty()) throw std::logic_error("not_in_cpp: no reason");
  return [](const json& test) {
    if (!test.contains("error") || test["error"].is_null()) throw Mismatch("JAX accepts it");
    static const std::set<std::string> classes = {"TypeError",     "ValueError",   "AttributeError",
                                                  "OverflowError", "RuntimeError", "NotImplementedError"};
    if (!classes.count(test["error"].at("type"))) throw Unknown("error class " + test["error"]["type"].dump());
  };
}

}  // namespace golden

// SPDX-License-Identifier: Apache-2.0
