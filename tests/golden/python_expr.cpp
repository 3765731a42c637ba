#include "golden/python_expr.hpp"

#include <cctype>
#include <cstdlib>

#include "golden/golden.hpp"

namespace golden::python {
namespace {

using Kind = Node::Kind;

class Parser {
 public:
  explicit Parser(const std::string& text) : text_(text) {}
  NodePtr whole() {
    NodePtr out = expression();
    skip();
    if (at_ < text_.size()) fail();
    return out;
  }

 private:
  [[noreturn]] void fail() { throw Unknown("expression, at \"" + text_.substr(at_, 30) + "\" of \"" + text_ + "\""); }
  void skip() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
  }
  char peek() {
    skip();
    return at_ < text_.size() ? text_[at_] : '\0';
  }
  bool take(const std::string& token) {
    skip();
    if (text_.compare(at_, token.size(), token) != 0) return false;
    at_ += token.size();
    return true;
  }
  void need(const std::string& token) {
    if (!take(token)) fail();
  }
  static NodePtr node(Node n) { return std::make_shared<const Node>(std::move(n)); }
  static bool letter(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

  std::string word() {
    skip();
    std::size_t from = at_;
    while (at_ < text_.size() && letter(text_[at_])) ++at_;
    if (from == at_) fail();
    return text_.substr(from, at_ - from);
  }
  NodePtr expression() {
    std::size_t start = at_;
    skip();
    if (letter(peek()) && !std::isdigit(static_cast<unsigned char>(peek())) && word() == "lambda") {
      Node n{Kind::lambda};
      while (peek() != ':') {
        n.parameters.push_back(word());
        if (!take(",")) break;
      }
      need(":");
      n.children = {expression()};
      return node(std::move(n));
    }
    at_ = start;
    return comparison();
  }
  NodePtr binary(const std::string& op, NodePtr a, NodePtr b) {
    return node({.kind = Kind::binary, .text = op, .children = {std::move(a), std::move(b)}});
  }
  NodePtr comparison() {
    NodePtr out = bits();
    for (const char* op : {"==", "!=", "<=", ">=", "<", ">"})
      if (take(op)) return binary(op, out, bits());
    return out;
  }
  // One left-associative level: operands of `next`, joined by one of `ops`.
  template <class Next> NodePtr level(std::initializer_list<const char*> ops, Next next) {
    NodePtr out = next();
    for (bool more = true; more;) {
      more = false;
      for (const char* op : ops)
        if (!more && joined_by(op)) {
          out = binary(op, out, next());
          more = true;
        }
    }
    return out;
  }
  bool joined_by(const std::string& op) {
    skip();
    if (op == "*" && text_.compare(at_, 2, "**") == 0) return false;
    return take(op);
  }
  NodePtr bits() {
    return level({"|", "^", "&", "<<", ">>"}, [&] { return sum(); });
  }
  NodePtr sum() {
    return level({"+", "-"}, [&] { return product(); });
  }
  NodePtr product() {
    return level({"*", "//", "/", "%", "@"}, [&] { return signed_(); });
  }
  NodePtr signed_() {
    if (take("-")) return node({.kind = Kind::negative, .children = {signed_()}});
    NodePtr out = postfix();
    return take("**") ? binary("**", out, signed_()) : out;
  }
  // A value, and what is called, indexed or asked of it.
  NodePtr postfix() {
    NodePtr out = primary();
    for (;;) {
      if (take("(")) {
        Node n{.kind = Kind::apply, .children = {out}};
        out = arguments(std::move(n));
      } else if (take("[")) {
        Node n{.kind = Kind::subscript, .children = {out}};
        do n.children.push_back(index());
        while (take(",") && peek() != ']');
        need("]");
        out = node(std::move(n));
      } else if (out->kind != Kind::integer && out->kind != Kind::real && take(".")) {
        out = node({.kind = Kind::attribute, .text = word(), .children = {out}});
      } else {
        return out;
      }
    }
  }
  NodePtr index() {
    const NodePtr nothing = node({.kind = Kind::none});
    auto bound = [&] {
      const char c = peek();
      return c == ':' || c == ',' || c == ']' ? nothing : expression();
    };
    NodePtr first = bound();
    if (!take(":")) return first;
    Node n{.kind = Kind::slice, .children = {first, bound(), nothing}};
    if (take(":")) n.children[2] = bound();
    return node(std::move(n));
  }
  NodePtr primary() {
    if (take("...")) return node({.kind = Kind::ellipsis});
    char c = peek();
    if (std::isdigit(static_cast<unsigned char>(c)) || c == '.') return number();
    if (c == '\'' || c == '"') return quoted(c);
    if (take("(")) {
      if (take(")")) return node({.kind = Kind::list});
      NodePtr first = expression();
      if (take(")")) return first;
      Node n{.kind = Kind::list, .children = {first}};  // a tuple
      while (take(",") && peek() != ')') n.children.push_back(expression());
      need(")");
      return node(std::move(n));
    }
    if (take("[")) return elements({.kind = Kind::list}, "]", false);
    if (take("{")) return elements({.kind = Kind::dict}, "}", true);
    if (!letter(c)) fail();
    std::string name = word();
    while (peek() == '.' && text_.compare(at_, 3, "...") != 0 && take(".")) name += "." + word();
    if (name == "True" || name == "False") return node({.kind = Kind::boolean, .number = name == "True" ? 1. : 0.});
    if (name == "None") return node({.kind = Kind::none});
    if (take("(")) return arguments({.kind = Kind::call, .text = name});
    return node({.kind = Kind::name, .text = name});
  }
  NodePtr number() {
    const char* from = text_.c_str() + at_;
    char* end = nullptr;
    double value = std::strtod(from, &end);
    std::string digits(from, static_cast<std::size_t>(end - from));
    at_ += digits.size();
    if (at_ < text_.size() && text_[at_] == 'j') {
      ++at_;
      return node({.kind = Kind::imaginary, .number = value});
    }
    bool whole = digits.find_first_of(".eE") == std::string::npos;
    return node({.kind = whole ? Kind::integer : Kind::real, .number = value});
  }
  NodePtr quoted(char quote) {
    std::size_t end = text_.find(quote, at_ + 1);
    if (end == std::string::npos) fail();
    Node n{.kind = Kind::text, .text = text_.substr(at_ + 1, end - at_ - 1)};
    at_ = end + 1;
    return node(std::move(n));
  }
  NodePtr elements(Node n, const std::string& close, bool pairs) {
    while (!take(close)) {
      n.children.push_back(expression());
      if (pairs) {
        need(":");
        n.children.push_back(expression());
      }
      if (!take(",")) {
        need(close);
        break;
      }
    }
    return node(std::move(n));
  }
  NodePtr arguments(Node n) {
    while (!take(")")) {
      if (take("*")) {
        n.children.push_back(node({.kind = Kind::star, .children = {expression()}}));
        if (!take(",")) {
          need(")");
          break;
        }
        continue;
      }
      std::size_t start = at_;
      if (letter(peek()) && !std::isdigit(static_cast<unsigned char>(peek()))) {
        std::string name = word();
        if (peek() == '=' && text_.compare(at_, 2, "==") != 0) {
          ++at_;
          n.named.emplace_back(name, expression());
        } else {
          at_ = start;
        }
      }
      if (at_ == start) n.children.push_back(expression());
      if (!take(",")) {
        need(")");
        break;
      }
    }
    return node(std::move(n));
  }

  const std::string& text_;
  std::size_t at_ = 0;
};

}  // namespace

NodePtr parse(const std::string& text) { return Parser(text).whole(); }

}  // namespace golden::python

// SPDX-License-Identifier: Apache-2.0
