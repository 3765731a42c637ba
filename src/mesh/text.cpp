#include "mesh/text.hpp"

#include <cctype>

namespace tutti::text {

std::string join(const std::vector<std::string>& items, const std::string& separator) {
  std::string out;
  for (std::size_t i = 0; i < items.size(); ++i) out += (i ? separator : std::string()) + items[i];
  return out;
}

std::string quoted(const std::string& name) { return "'" + name + "'"; }

std::string tuple(const std::vector<std::string>& items) {
  return "(" + join(items, ", ") + (items.size() == 1 ? ",)" : ")");
}

std::string names(const std::vector<std::string>& items) {
  std::vector<std::string> quotes;
  for (const std::string& item : items) quotes.push_back(quoted(item));
  return tuple(quotes);
}

std::string platform_name(const Device& device) {
  std::string out(device.platform() == "simulated" ? "sim" : device.platform());
  for (char& c : out) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return out;
}

namespace {

struct Nested {
  const Shape& shape;
  const std::function<std::string(std::int64_t)>& item;
  int width;

  // `first` is the row-major number of the first element, `column` where the text of this level starts.
  std::string print(int dim, std::int64_t first, int column) const {
    if (dim == shape.ndim()) return item(first);
    std::string pad(static_cast<std::size_t>(column) + 1, ' ');
    std::string out = "[";
    if (dim + 1 == shape.ndim()) {
      int limit = width - shape.ndim();  // room for the closing brackets
      int at = column + 1;
      for (std::int64_t i = 0; i < shape.back(); ++i) {
        std::string word = item(first + i);
        if (i && at + 1 + static_cast<int>(word.size()) > limit) {
          out += "\n" + pad;
          at = column + 1;
        } else if (i) {
          out += ' ';
          ++at;
        }
        out += word;
        at += static_cast<int>(word.size());
      }
      return out + "]";
    }
    std::int64_t step = 1;
    for (int d = dim + 1; d < shape.ndim(); ++d) step *= shape[static_cast<std::size_t>(d)];
    std::string gap(static_cast<std::size_t>(shape.ndim() - dim - 1), '\n');
    for (std::int64_t i = 0; i < shape[static_cast<std::size_t>(dim)]; ++i)
      out += (i ? gap + pad : std::string()) + print(dim + 1, first + i * step, column + 1);
    return out + "]";
  }
};

}  // namespace

std::string nested(const Shape& shape, const std::function<std::string(std::int64_t)>& item, int indent, int width) {
  return Nested{shape, item, width}.print(0, 0, indent);
}

}  // namespace tutti::text

// SPDX-License-Identifier: Apache-2.0
