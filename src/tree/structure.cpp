// Structures: how the events of a walk are written as words, read back as text, compared and hashed.
//
// Words of an event: a tag in the low 8 bits with a count above it, then what the tag says.
//   enter   count = n         the NodeType's address
//   key     count = bytes     the bytes, padded to words
//   array   count = 0 or 1    nothing: whether an array is there
//   bits    count = bytes     the ValueType's address, the bytes padded to words (numbers, enums, functions, texts)
//   value   count = index     the ValueType's address, its hash; the value itself is in values_
// Children follow their `enter`; how many is known from it, so nothing marks the end.
#include <charconv>
#include <cstring>
#include <ostream>

#include "tree/structure.hpp"
#include "tutti/array/array.hpp"

namespace tutti::tree {
namespace detail {

enum Tag : std::uint64_t { enter_tag, key_tag, array_tag, bits_tag, value_tag };

namespace {

std::uint64_t mix(std::uint64_t h, std::uint64_t word) {
  h = (h ^ word) * 0x9ddfea08eb382d69u;
  return h ^ (h >> 29);
}
std::size_t words_for(std::size_t bytes) { return (bytes + 7) / 8; }

}  // namespace

void Encoder::push(std::uint64_t word) {
  out_.words_.push_back(word);
  out_.hash_ = mix(out_.hash_, word);
}
void Encoder::bytes(std::string_view s) {
  for (std::size_t i = 0; i < s.size(); i += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, s.data() + i, std::min<std::size_t>(8, s.size() - i));
    push(word);
  }
}
void Encoder::array(Array& leaf) {
  const bool present = leaf.has_value();
  push(array_tag | std::uint64_t(present) << 8);
  out_.present_.push_back(present);
  out_.num_leaves_ += present;
}
void Encoder::value(const void* leaf, const ValueType& type) {
  const auto address = reinterpret_cast<std::uint64_t>(&type);
  if (type.copy) {
    push(value_tag | out_.values_.size() << 8);
    push(address);
    push(type.hash(leaf));
    out_.values_.push_back({&type, type.copy(leaf)});
    return;
  }
  const std::string_view s =
      type.bytes ? type.bytes(leaf) : std::string_view(static_cast<const char*>(leaf), type.size);
  push(bits_tag | s.size() << 8);
  push(address);
  bytes(s);
}
void Encoder::enter(const NodeType& type, std::size_t n) {
  push(enter_tag | n << 8);
  push(reinterpret_cast<std::uint64_t>(&type));
}
void Encoder::key(std::string_view key) {
  push(key_tag | key.size() << 8);
  bytes(key);
}

}  // namespace detail

using detail::NodeType;
using detail::ValueType;

bool operator==(const Structure& a, const Structure& b) {
  if (a.hash_ != b.hash_ || a.words_ != b.words_) return false;
  for (std::size_t i = 0; i < a.values_.size(); ++i) {
    const auto &x = a.values_[i], &y = b.values_[i];
    if (x.data != y.data && !x.type->equal(x.data.get(), y.data.get())) return false;
  }
  return true;
}

namespace {

template <class T> T load(const char* p) {
  T t;
  std::memcpy(&t, p, sizeof(T));
  return t;
}
template <class T> std::string number(T v) {
  char buffer[40];
  return {buffer, std::to_chars(buffer, buffer + sizeof(buffer), v).ptr};
}
std::string text(const ValueType& type, std::string_view b) {
  using Kind = ValueType::Kind;
  const char* p = b.data();
  switch (type.kind) {
    case Kind::boolean: return p[0] ? "True" : "False";
    case Kind::integer:
    case Kind::enumeration:
      return number<std::int64_t>(b.size() == 1   ? load<std::int8_t>(p)
                                  : b.size() == 2 ? load<std::int16_t>(p)
                                  : b.size() == 4 ? load<std::int32_t>(p)
                                                  : load<std::int64_t>(p));
    case Kind::natural:
      return number<std::uint64_t>(b.size() == 1   ? load<std::uint8_t>(p)
                                   : b.size() == 2 ? load<std::uint16_t>(p)
                                   : b.size() == 4 ? load<std::uint32_t>(p)
                                                   : load<std::uint64_t>(p));
    case Kind::real: return b.size() == 4 ? number(load<float>(p)) : number(load<double>(p));
    case Kind::complex:
      return b.size() == 8 ? "(" + number(load<float>(p)) + ", " + number(load<float>(p + 4)) + ")"
                           : "(" + number(load<double>(p)) + ", " + number(load<double>(p + 8)) + ")";
    case Kind::text: return "'" + std::string(b) + "'";
    case Kind::numbers: {
      std::string out = "[";
      for (std::size_t i = 0; i < b.size(); i += type.element->size)
        out += (i ? ", " : "") + text(*type.element, b.substr(i, type.element->size));
      return out + "]";
    }
    default: return "<" + std::string(type.name) + ">";
  }
}

// `Linear` of `{anonymous}::Linear`, `Pair<ns::A>` of `ns::Pair<ns::A>`.
std::string short_name(std::string_view name) {
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t i = 0; i + 1 < name.size(); ++i) {
    if (std::string_view("<({").find(name[i]) != std::string_view::npos) ++depth;
    if (std::string_view(">)}").find(name[i]) != std::string_view::npos) --depth;
    if (depth == 0 && name[i] == ':' && name[i + 1] == ':') begin = i + 2;
  }
  return std::string(name.substr(begin));
}

}  // namespace

// Reads the words back. Every leaf also comes as a token with its path, for `difference`.
class StructureReader {
 public:
  struct Token {
    std::size_t tree;
    Path path;
    std::string text;
    bool value = false;  // of a static leaf
  };

  explicit StructureReader(const Structure& s) : s_(s) {}
  bool done() const { return at_ == s_.words_.size(); }
  /// The next of the trees side by side.
  std::string read() {
    std::string out = one();
    ++tree_;
    return out;
  }
  std::vector<Token> tokens;

 private:
  std::string one() {
    const std::uint64_t head = s_.words_[at_++];
    const std::size_t n = head >> 8;
    switch (head & 0xff) {
      case detail::enter_tag: return node(*reinterpret_cast<const NodeType*>(s_.words_[at_++]), n);
      case detail::array_tag: return leaf(n ? "*" : "None", false);
      case detail::bits_tag: {
        const auto& type = *reinterpret_cast<const ValueType*>(s_.words_[at_++]);
        return leaf(text(type, bytes(n)), true);
      }
      default:  // value
        at_ += 2;
        return leaf(s_.values_[n].type->str(s_.values_[n].data.get()), true);
    }
  }
  std::string_view bytes(std::size_t n) {
    const std::string_view out(reinterpret_cast<const char*>(s_.words_.data() + at_), n);
    at_ += detail::words_for(n);
    return out;
  }
  std::string leaf(std::string text, bool value) {
    tokens.push_back({tree_, Path(path_), text, value});
    return text;
  }
  std::string child(Path::Key key) {
    path_.push_back(std::move(key));
    std::string out = one();
    path_.pop_back();
    return out;
  }
  std::string node(const NodeType& type, std::size_t n) {
    using Kind = NodeType::Kind;
    if (type.kind == Kind::optional) {
      tokens.push_back({tree_, Path(path_), n ? "a value" : "no value"});
      return n ? one() : "None";
    }
    if (type.kind == Kind::variant) {
      tokens.push_back({tree_, Path(path_), "alternative " + std::to_string(n)});
      return one();
    }
    if (type.kind == Kind::frozen) return "Frozen(" + one() + ")";
    const bool record = type.kind == Kind::record, map = type.kind == Kind::map;
    tokens.push_back({tree_, Path(path_),
                      record || type.kind == Kind::tuple ? std::string(type.name) : std::to_string(n) + " elements"});
    std::string out = record ? short_name(type.name) + "(" : map ? "{" : type.kind == Kind::list ? "[" : "(";
    for (std::size_t i = 0; i < n; ++i) {
      if (i) out += ", ";
      Path::Key key{"", std::int64_t(i)};
      if (record) {
        key = {std::string(type.members[i])};
        out += key.name + "=";
      }
      if (map) {
        key = {std::string(bytes(s_.words_[at_++] >> 8))};
        out += "'" + key.name + "': ";
      }
      out += child(std::move(key));
    }
    if (type.kind == Kind::tuple && n == 1) out += ",";
    return out + (map ? "}" : type.kind == Kind::list ? "]" : ")");
  }

  const Structure& s_;
  std::size_t at_ = 0, tree_ = 0;
  std::vector<Path::Key> path_;
};

std::string Structure::str() const {
  std::string out;
  for (StructureReader r(*this); !r.done();) out += (out.empty() ? "" : ", ") + r.read();
  return out;
}
std::ostream& operator<<(std::ostream& out, const Structure& s) { return out << s.str(); }

std::optional<Difference> first_difference(const Structure& a, const Structure& b) {
  if (a == b) return {};
  StructureReader x(a), y(b);
  while (!x.done()) x.read();
  while (!y.done()) y.read();
  for (std::size_t i = 0;; ++i) {
    if (i >= x.tokens.size() || i >= y.tokens.size())
      return Difference{0, {}, std::to_string(x.tokens.size()), std::to_string(y.tokens.size()) + " leaves"};
    const auto &p = x.tokens[i], &q = y.tokens[i];
    if (p.path != q.path) return Difference{p.tree, {}, "key " + p.path.str(), "key " + q.path.str()};
    if (p.text != q.text) return Difference{p.tree, p.path, p.text, q.text, p.value && q.value};
  }
}

std::string difference(const Structure& a, const Structure& b) {
  auto d = first_difference(a, b);
  if (!d) return "";
  return (d->path.empty() ? "" : d->path.str() + ": ") + d->first + " and " + d->second;
}

}  // namespace tutti::tree

// SPDX-License-Identifier: Apache-2.0
