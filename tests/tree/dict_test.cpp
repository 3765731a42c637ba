// Dict and Path.
#include "tutti/dict.hpp"

#include <gtest/gtest.h>

#include "tree/leaf.hpp"
#include "tutti/tree.hpp"

namespace tutti {
namespace {

TEST(Path, MatchesPatterns) {
  const tree::Path p({{"layers"}, {"", 2}, {"attn"}, {"weight"}});
  EXPECT_EQ(p.str(), "layers[2].attn.weight");
  for (const char* yes : {"layers[2].attn.weight", "layers.2.attn.weight", "layers.*.attn.weight", "layers[*].attn.weight",
                          "**", "**.weight", "layers.**", "layers.**.weight", "l*s.?.*.w??ght", "**.attn.**",
                          "**.layers[2].attn.weight.**", "*.*.*.*"})
    EXPECT_TRUE(p.matches(yes)) << yes;
  for (const char* no : {"", "layers", "layers.*.weight", "*", "weight", "layers[3].attn.weight", "**.bias", "*.*.*.*.*"})
    EXPECT_FALSE(p.matches(no)) << no;
  EXPECT_TRUE(tree::Path().matches("**") && tree::Path().matches("") && !tree::Path().matches("*"));
}

TEST(Path, QuotesKeysThatWouldReadAsSeveralSteps) {
  const tree::Path p({{"a"}, {"b.c"}, {"d"}});
  EXPECT_EQ(p.str(), "a['b.c'].d");
  EXPECT_TRUE(p.matches(p.str()) && p.matches("a.*.d") && !p.matches("a.b.c.d"));
}

TEST(Dict, HoldsArraysByKey) {
  const Array w = leaf(), b = leaf();
  Dict d;
  d["params"]["kernel"] = w;
  d["params"]["bias"] = b;
  d["step"] = leaf(int32);
  const Dict& c = d;
  const Array& as_array = c["params"]["kernel"];
  EXPECT_TRUE(same(as_array, w) && same(Array(d["params"]["kernel"]), w));
  EXPECT_EQ(c["params"].keys(), (std::vector<std::string>{"bias", "kernel"}));
  EXPECT_EQ(c.size(), 2);
  EXPECT_TRUE(c.contains("step") && !c.contains("stop"));
  std::vector<std::string> keys;
  for (const auto& [key, value] : c) keys.push_back(key);
  EXPECT_EQ(keys, d.keys());
  EXPECT_EQ(tree::structure(c).str(), "{'params': {'bias': *, 'kernel': *}, 'step': *}");
  EXPECT_THROW(d["step"]["x"], TypeError);
  EXPECT_THROW(c["step"]["x"], TypeError);
  try {
    c["params"]["kernl"];
    FAIL();
  } catch (const IndexError& e) {
    EXPECT_EQ(std::string(e.what()).find("Dict: there is no key 'kernl'; there are 'bias', 'kernel'."), 0u) << e.what();
  }
}

TEST(Dict, CopiesAreIndependent) {
  Dict d{{"a", leaf()}};
  Dict e = d;
  e["a"] = leaf();
  EXPECT_FALSE(same(d["a"], e["a"]));
  d["b"] = d["a"];   // a reference into the map that grows
  EXPECT_TRUE(same(d["a"], d["b"]));
  d = Dict(d["a"]);
  EXPECT_TRUE(d.is_array());
}

TEST(Dict, KeepsItsKeysWhenLeavesGo) {
  const Dict d{{"a", leaf()}, {"b", leaf(int32)}};
  const auto [kept, rest] = tree::partition(d, is_inexact_array);
  EXPECT_EQ(tree::structure(kept).str(), "{'a': *, 'b': None}");
  EXPECT_TRUE(same(tree::leaves(tree::combine(kept, rest)), tree::leaves(d)));
}

}  // namespace
}  // namespace tutti
