// str and repr of arrays: NumPy 2's text in JAX's wrapping. Long arrays are read at their edges only.
#include <algorithm>
#include <functional>
#include <ostream>

#include "array/node.hpp"
#include "array/text_number.hpp"
#include "base/half.hpp"
#include "mesh/places.hpp"
#include "tutti/formatters.hpp"

namespace tutti {
namespace {

constexpr std::int64_t threshold = 1000;  // longer arrays are summarised
constexpr std::int64_t edge = 3;          // with as many items on each side
constexpr std::size_t line_width = 75;

/// The text of the element at a row-major position.
using Item = std::function<std::string(std::int64_t)>;

/// Dense elements on this host.
struct View {
  DType dtype;
  const Shape& shape;
  const void* data;
};

bool summarised(const Shape& s) { return s.num_elements() > threshold; }

// Row-major positions of what will be printed.
void visible(const Shape& s, int dim, std::int64_t at, std::vector<std::int64_t>& out) {
  if (dim == s.ndim()) return out.push_back(at);
  bool cut = summarised(s) && s[dim] > 2 * edge;
  for (std::int64_t i = 0; i < s[dim]; ++i) {
    if (cut && i == edge) i = s[dim] - edge;
    visible(s, dim + 1, at * s[dim] + i, out);
  }
}

template <class T> std::string alone(const T& v, DType dtype) {
  if constexpr (std::is_same_v<T, bool>)
    return v ? "True" : "False";
  else if constexpr (std::is_integral_v<T> || is_small_integer<T>)
    return std::to_string(+v);
  else if constexpr (is_complex_number<T>)
    return text::lone_complex(v.real(), v.imag(), real_dtype(dtype));
  else
    return text::lone_number(static_cast<double>(v), dtype);
}

// One format for all visible elements, made from them.
template <class T> Item formatter(const View& x) {
  const T* data = static_cast<const T*>(x.data);
  std::vector<std::int64_t> shown;
  visible(x.shape, 0, 0, shown);
  auto values = [&](auto part) {
    std::vector<double> out;
    for (std::int64_t i : shown) out.push_back(static_cast<double>(part(data[i])));
    return out;
  };
  if constexpr (std::is_same_v<T, bool>) {
    bool column = x.shape.ndim() > 0;
    return [=](std::int64_t i) -> std::string { return data[i] ? column ? " True" : "True" : "False"; };
  } else if constexpr (std::is_integral_v<T> || is_small_integer<T>) {
    std::size_t width = 0;
    for (std::int64_t i : shown) width = std::max(width, std::to_string(+data[i]).size());
    return [=](std::int64_t i) {
      std::string s = std::to_string(+data[i]);
      return std::string(width - s.size(), ' ') + s;
    };
  } else if constexpr (is_small_float<T> && !std::is_same_v<T, Float16>) {
    return [=](std::int64_t i) { return text::general(data[i]); };
  } else if constexpr (is_complex_number<T>) {
    const DType part = real_dtype(x.dtype);
    text::FloatFormat real(values([](T v) { return v.real(); }), part),
        imag(values([](T v) { return v.imag(); }), part, true);
    return [=](std::int64_t i) {
      std::string s = imag(data[i].imag());
      s.insert(s.find_last_not_of(' ') + 1, "j");  // in front of the columns that line up
      return real(data[i].real()) + s;
    };
  } else {
    text::FloatFormat format(values([](T v) { return v; }), x.dtype);
    return [=](std::int64_t i) { return format(static_cast<double>(data[i])); };
  }
}

class Nested {
 public:
  Nested(const Shape& shape, Item item, std::string separator)
      : shape_(shape), item_(std::move(item)), separator_(std::move(separator)) {
    tight_ = separator_.substr(0, separator_.find_last_not_of(' ') + 1);
  }
  // `indent`: the columns of the lines after the first; `width`: of all.
  std::string text(int dim, std::int64_t at, const std::string& indent, std::size_t width) const {
    if (dim == shape_.ndim()) return item_(at);
    std::int64_t n = shape_[dim];
    bool cut = summarised(shape_) && n > 2 * edge, rows = dim + 1 < shape_.ndim();
    std::string out, line = indent;
    auto add = [&](const std::string& word, bool last) {
      if (rows) {
        out +=
            indent + word + (last ? "" : tight_ + std::string(static_cast<std::size_t>(shape_.ndim() - dim - 1), '\n'));
        return;
      }
      if (line.size() + word.size() > width - 1 &&
          line.size() > indent.size()) {  // one column stays for the bracket or comma
        out += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
        line = indent;
      }
      line += word + (last ? "" : separator_);
    };
    for (std::int64_t i = 0; i < n; ++i) {
      if (cut && i == edge) {
        add("...", false);
        i = n - edge;
      }
      add(text(dim + 1, at * n + i, indent + " ", width - 1), i + 1 == n);
    }
    if (!rows) out += line;
    return "[" + out.substr(indent.size()) + "]";
  }

 private:
  const Shape& shape_;
  Item item_;
  std::string separator_, tight_;
};

// NumPy's text; `prefix` columns stand in front of the first line, and `suffix` behind the last.
std::string array_text(const View& x, const std::string& separator, std::size_t prefix, std::size_t suffix) {
  if (x.shape.num_elements() == 0) return "[]";
  Item item = visit_dtype(x.dtype, [&]<class T>(Stored<T>) { return formatter<T>(x); });
  return Nested(x.shape, item, separator).text(0, 0, std::string(prefix + 1, ' '), line_width - suffix);
}

std::string key_text(const View& x) {
  Shape words = x.shape;
  words.push_back(2);
  return "Array(" + x.shape.str() + ", dtype=" + std::string(x.dtype.name()) + ") overlaying:\n" +
         array_text({uint32, words, x.data}, " ", 0, 0);
}

std::string repr_text(const View& x, bool weak) {
  std::string dtype = "dtype=" + std::string(x.dtype.name()) + (weak ? ", weak_type=True" : "");
  std::string s = x.shape.num_elements() == 0 ? "[], shape=" + x.shape.str() : array_text(x, ", ", 6, 1);
  std::size_t newline = s.rfind('\n');
  std::size_t last = newline == std::string::npos ? s.size() + 2 : s.size() - newline + 1;
  return "Array(" + s + "," + (last + dtype.size() + 2 > line_width ? "      " : " ") + dtype + ")";
}

// The value where there is one, else the type, so that printing never fails while a program is recorded.
std::string text_of(const Array& x, bool represent) {
  if (!x.has_value()) return "None";
  Array value;
  try {
    value = concrete(x, "print");
  } catch (const TracerError&) {
    return "Traced<" + x.type().str() + ">";
  }
  const Type& type = x.type();
  if (held_of(value.node()->sharding, type.shape))
    return "Array(shape=" + type.shape.str() + ", dtype=" + std::string(type.dtype.name()) +
           (type.weak ? ", weak_type=True)" : ")");
  const HostPtr buffer = held_buffer_of(value, "print");
  View view{type.dtype, type.shape, buffer->data()};
  if (type.dtype.is_key()) return key_text(view);
  if (represent) return repr_text(view, type.weak);
  if (type.ndim() > 0) return array_text(view, " ", 0, 0);
  return visit_dtype(type.dtype,
                     [&]<class T>(Stored<T>) { return alone(*static_cast<const T*>(view.data), type.dtype); });
}

}  // namespace

std::string str(const Array& x) { return text_of(x, false); }
std::string repr(const Array& x) { return text_of(x, true); }
std::ostream& operator<<(std::ostream& out, const Array& x) { return out << str(x); }

std::string str(const Shard& s) {
  std::string index;
  for (const auto& [device, ranges] : s.global.sharding().devices_indices_map(s.global.shape()))
    if (device == s.device) index = str(ranges);
  return "Shard(device=" + s.device.str() + ", index=" + index + ", replica_id=" + std::to_string(s.replica_id) +
         ", data=" + str(s.data()) + ")";
}
std::ostream& operator<<(std::ostream& out, const Shard& s) { return out << str(s); }

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
