// Dict and Path.
#include "tutti/tree/dict.hpp"

#include <gtest/gtest.h>

#include "tree/leaf.hpp"
#include "tutti/tree/tree.hpp"

namespace tutti {
namespace {

TEST(Path, MatchesPatterns) {
  const tree::Path p({{"layers"}, {"", 2}, {"attn"}, {"weight"}});
  EXPECT_EQ(p.str(), "layers[2].attn.weight");
  for (const char* yes : {"layers[2].attn.weight", "layers.2.attn.weight", "layers.*.attn.weight",
                          "layers[*].attn.weight", "**", "**.weight", "layers.**", "layers.**.weight", "l*s.?.*.w??ght",
                          "**.attn.**", "**.layers[2].attn.weight.**", "*.*.*.*"})
    EXPECT_TRUE(p.matches(yes)) << yes;
  for (const char* no :
       {"", "layers", "layers.*.weight", "*", "weight", "layers[3].attn.weight", "**.bias", "*.*.*.*.*"})
    EXPECT_FALSE(p.matches(no)) << no;
  EXPECT_TRUE(tree::Path().matches("**") && tree::Path().matches("") && !tree::Path().matches("*"));
}

TEST(Path, MatchesPatternsOfManyStarsInTime) {
  std::string stars, steps;
  std::vector<tree::Path::Key> keys;
  for (int i = 0; i < 40; ++i) {
    stars += "*a";
    steps += "**.a.";
    keys.push_back({std::string(60, 'a')});
  }
  EXPECT_FALSE(tree::Path({keys[0]}).matches(stars + "b"));
  EXPECT_TRUE(tree::Path({keys[0]}).matches(stars));
  EXPECT_FALSE(tree::Path(keys).matches(steps));
}

TEST(Patterns, TheFirstThatMatchesCounts) {
  const tree::Patterns some({"a.b", "*.c", "a.c", "a[0]", "**", "a.b"});
  auto first = [&](std::vector<tree::Path::Key> keys) { return some.first_match(tree::Path(std::move(keys))); };
  EXPECT_EQ(first({{"a"}, {"b"}}), 0);
  EXPECT_EQ(first({{"a"}, {"c"}}), 1);  // before the one that names it
  EXPECT_EQ(first({{"a"}, {"", 0}}), 3);
  EXPECT_EQ(first({{"z"}}), 4);
  EXPECT_EQ(some.match_any({tree::Path({{"a"}, {"b"}})}), (std::vector<bool>{true, false, false, false, true, true}));
  EXPECT_EQ(tree::Patterns().first_match(tree::Path()), -1);
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
  d["b"] = d["a"];  // a reference into the map that grows
  EXPECT_TRUE(same(d["a"], d["b"]));
  d = Dict(d["a"]);
  EXPECT_TRUE(d.is_array());
}

TEST(Dict, EntriesComeByAssignment) {
  Dict d{{"a", leaf()}};
  const Dict& c = d;
  const std::string before = tree::structure(d).str();
  // Asking leaves it as it was: for reading, for copies, for loops and walks.
  Dict& p = d["params"]["dense"];
  EXPECT_THROW(p.shape(), IndexError);
  EXPECT_THROW(p.keys(), IndexError);
  EXPECT_THROW(p.size(), IndexError);
  EXPECT_THROW(str(p), IndexError);
  EXPECT_THROW(static_cast<void>(Dict(d["params"])), IndexError);
  EXPECT_THROW(d["b"] = d["params"], IndexError);
  EXPECT_THROW(std::as_const(p)["kernel"], IndexError);
  EXPECT_TRUE(p.empty() && !p.has_value() && !p.is_array() && !p.contains("kernel") && !d.erase("params"));
  EXPECT_TRUE(d.size() == 1 && !d.contains("params") && d.keys().size() == 1u);
  EXPECT_EQ(tree::structure(d).str(), before);
  EXPECT_EQ(tree::structure(Dict(d)).str(), before);
  EXPECT_THROW(c["params"], IndexError);
  // A place holds: what is put there later is seen by all who look.
  Dict& q = d["params"]["dense"];
  const Array w = leaf();
  q["kernel"] = w;
  EXPECT_TRUE(same(c["params"]["dense"]["kernel"], w));
  EXPECT_EQ(tree::structure(d).str(), "{'a': *, 'params': {'dense': {'kernel': *}}}");
  Array& array = d["b"];  // also as an Array
  array = w;
  EXPECT_TRUE(c.contains("b") && same(c["b"], w));
  std::tie(d["x"], d["y"]) = std::pair(w, w);
  EXPECT_EQ(c.size(), 5);
  // An entry whose last entry goes stays, as one that is assigned nothing; moves take everything along.
  EXPECT_TRUE(d["params"]["dense"].erase("kernel"));
  EXPECT_TRUE(c["params"].contains("dense"));
  d["z"] = Dict();
  EXPECT_TRUE(c.contains("z") && !c["z"].has_value());
  d["missing"];
  Dict moved = std::move(d);
  EXPECT_EQ(moved.size(), 6);
  moved = Dict(moved["params"]);
  EXPECT_EQ(tree::structure(moved).str(), "{'dense': None}");
  Dict nested{{"a", Dict{{"b", w}}}};
  nested = std::move(nested["a"]);
  EXPECT_TRUE(same(nested["b"], w));
}

TEST(Dict, NamesTheFirstKeyThatIsNotThere) {
  Dict d{{"params", Dict{{"layers_0", leaf()}, {"layers_1", leaf()}}}};
  auto said = [](auto read) -> std::string {
    try {
      read();
    } catch (const IndexError& e) {
      return e.what();
    }
    return "nothing";
  };
  const std::string text = "Dict: there is no key 'layer_0'; there are 'layers_0', 'layers_1'.";
  EXPECT_EQ(said([&] { Dict copy = d["params"]["layer_0"]["dense"]["kernel"]; }).find(text), 0u);
  EXPECT_EQ(said([&] { Dict copy = std::as_const(d)["params"]["layer_0"]["dense"]; }).find(text), 0u);
  EXPECT_EQ(said([&] { Dict copy = d["parms"]; }).find("Dict: there is no key 'parms'; there are 'params'."), 0u);
  EXPECT_EQ(said([&] { Dict copy = Dict()["x"]; }).find("Dict: there is no key 'x'; it has none."), 0u);
  // Later it is told anew: the keys are those of now.
  d["params"]["layers_2"] = leaf();
  EXPECT_EQ(said([&] {
              Dict copy = d["params"]["layer_0"];
            }).find("Dict: there is no key 'layer_0'; there are 'layers_0', 'layers_1', 'layers_2'."),
            0u);
}

TEST(Dict, KeepsItsKeysWhenLeavesGo) {
  const Dict d{{"a", leaf()}, {"b", leaf(int32)}};
  const auto [kept, rest] = tree::partition(d, is_inexact_array);
  EXPECT_EQ(tree::structure(kept).str(), "{'a': *, 'b': None}");
  EXPECT_TRUE(same(tree::leaves(tree::combine(kept, rest)), tree::leaves(d)));
}

// Nests go without a call for each level (hostile-3, L10).
TEST(Dict, EndsHoweverDeepItIs) {
  Dict d{{"x", leaf()}};
  for (int k = 0; k < 200000; ++k) {
    Dict outer;
    outer["inner"] = std::move(d);
    d = std::move(outer);
  }
  EXPECT_TRUE(d.contains("inner"));
}

}  // namespace
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
