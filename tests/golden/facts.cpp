// The facts of an error message: what it says about the user's input. JAX's words are not ours; these facts must be in
// both texts.
#include <algorithm>
#include <cctype>
#include <regex>

#include "golden/golden.hpp"

namespace golden {
namespace {

// Messages that JAX did not write for its user: Python's own, and those of JAX's inner functions about values that the
// user never saw.
const std::regex internal_message("object is not iterable|safe_zip|cannot select an axis to squeeze out");

// Parts that are no facts. In this order: apostrophes (they look like quotes), names of Python functions and
// parameters, which C++ cannot know, positions in their argument lists, texts of Python objects, code, names that JAX
// made up itself, counts of differences, and sentences of advice.
const std::vector<std::regex> not_facts = {
    std::regex("'s parameter '[^']*'"),
    std::regex("(the function|adapting|modify) '[^']*'"),
    std::regex("args\\[\\d+\\]"),
    std::regex("<[^>]*>"),
    std::regex("`[^`]*`"),
    std::regex("'_\\w*'"),
    std::regex("\\(\\d+ found\\)"),
    std::regex("(Check |Consider |Either |For scalar|To fix|You can|Alternatively|In particular|Entries in|Array "
               "arguments|If so|If not)[^\\n]*?(\\.(?=\\s|$)|\\n|$)"),
    std::regex("\\b[a-z]+'[st]\\b|\\b[a-z]+s'(?= )"),
};

std::string without_spaces(std::string s) {
  s.erase(std::remove(s.begin(), s.end(), ' '), s.end());
  return s;
}

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

// Whether `fact` stands in `text` with no letter or digit that goes on.
bool stands_in(const std::string& text, const std::string& fact) {
  bool digits = std::all_of(fact.begin(), fact.end(), [](unsigned char c) { return std::isdigit(c) || c == ','; });
  for (std::size_t at = text.find(fact); at != std::string::npos; at = text.find(fact, at + 1)) {
    char before = at ? text[at - 1] : ' ', after = at + fact.size() < text.size() ? text[at + fact.size()] : ' ';
    // `arg0` says the number 0; `16` does not say 6.
    bool starts = digits ? !std::isdigit(static_cast<unsigned char>(before)) : !is_word(before) || !is_word(fact[0]);
    bool ends = digits ? !std::isdigit(static_cast<unsigned char>(after)) : !is_word(after) || !is_word(fact.back());
    if (starts && ends) return true;
  }
  return false;
}

const char* const dtype_name = "\\b(?:float|int|uint|bfloat|complex|bool|key)\\d*(?:_|<\\w+>)?";

}  // namespace

std::vector<std::string> facts_of(const std::string& message) {
  if (std::regex_search(message, internal_message)) return {};
  std::string rest = message;
  for (const std::regex& r : not_facts) rest = std::regex_replace(rest, r, " ");
  std::vector<std::string> out;
  // Takes all matches of `pattern` out of the text; the fact is group 1.
  auto take = [&](const std::regex& pattern) {
    for (auto at = std::sregex_iterator(rest.begin(), rest.end(), pattern); at != std::sregex_iterator(); ++at)
      out.push_back(without_spaces((*at)[1]));
    rest = std::regex_replace(rest, pattern, " ");
  };
  take(std::regex(std::string("(") + dtype_name + "\\[[\\d, ]*\\])"));  // float32[8,5]
  take(std::regex("[\\[({]\\s*(\\d+(?:, ?\\d+)+),?\\s*[\\])}]"));       // (8, 5), [0, 1, 2], {4, 5}
  take(std::regex("'([A-Za-z]\\w*)'"));                                 // 'x'
  take(std::regex("Resource axis: (\\w+)"));
  take(std::regex("unbound axis name: (\\w+)"));
  take(std::regex("(?:^|[^\\w.])(\\d+)(?![\\w.]*\\w)"));  // numbers that belong to no word
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

void check_facts(const std::string& message, const std::string& text) {
  std::string words = text, packed = std::regex_replace(text, std::regex(", +"), ",");  // as facts are
  // Numbers in names of dtypes and of source lines are no facts.
  std::string bare =
      std::regex_replace(std::regex_replace(words, std::regex("\\S+\\.[ch]pp:\\d+"), " "), std::regex(dtype_name), " ");
  for (const std::string& fact : facts_of(message)) {
    bool number = std::all_of(fact.begin(), fact.end(), [](unsigned char c) { return std::isdigit(c); });
    bool name = !number && std::all_of(fact.begin(), fact.end(), is_word);
    if (!stands_in(number ? bare : name ? words : packed, fact))
      throw Mismatch("the fact " + fact + " of JAX's message\n" + message + "\nis not in\n" + text);
  }
}

}  // namespace golden

// SPDX-License-Identifier: Apache-2.0
