// Errors of trees and of Dict.
#include "errors/expect_error.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

struct Layers {
  std::vector<Array> layers;
  Dict extra;
};
Array first(const Array& x, const Array&) { return x; }

TEST(ErrorsOfTrees, Mapping) {
  Layers two{{ones({2}), ones({3})}, {}}, one{{ones({2})}, {}};
  expect_error<ValueError>("tree::map", {"tree 1 and tree 2", "layers", "2 and 1 elements"},
                           [&] { tree::map(first, two, one); });
  auto with_path = [](const tree::Path&, const Array& x, const Array&) { return x; };
  expect_error<ValueError>("tree::map_with_path", {"layers", "2 and 1"},
                           [&] { tree::map_with_path(with_path, two, one); });
  expect_error<ValueError>("tree::combine", {"layers", "2 and 1"}, [&] { tree::combine(two, one); });
  Dict a{{"w", ones({2})}}, b{{"b", ones({2})}}, deep{{"w", Dict{{"v", ones({2})}}}},
      more{{"w", ones({2})}, {"x", ones({1})}};
  expect_error<ValueError>("tree::map", {"different keys", "w and b"}, [&] { tree::map(first, a, b); });
  expect_error<ValueError>("tree::map", {"at w in one", "at w.v in the other"}, [&] { tree::map(first, a, deep); });
  expect_error<ValueError>("tree::map", {"1 and 2 elements"}, [&] { tree::map(first, a, more); });
  expect_error<ValueError>("tree::map", {"tree 1 and tree 2"}, [&] { tree::map(first, Dict(), a); });
  auto third = [](const Array& x, const Array&, const Array&) { return x; };
  expect_error<ValueError>("tree::map", {"tree 1 and tree 3", "w and b"}, [&] { tree::map(third, a, a, b); });
  EXPECT_TRUE(tree::map(first, Dict(), Dict()).empty()) << "trees without arrays are no error";
}

TEST(ErrorsOfTrees, Rebuilding) {
  Dict a{{"w", ones({2})}, {"b", Dict()}};
  std::vector<Array> three(3, ones({1}));
  expect_error<ValueError>("tree::rebuild", {"3 arrays", "2 places", "1 of them filled"},
                           [&] { tree::rebuild(a, std::span<const Array>(three)); });
  expect_error<ValueError>("tree::unflatten", {"3 arrays"},
                           [&] { tree::unflatten(tree::structure(a), std::span<const Array>(three)); });
  expect_error<ValueError>("tree::unflatten", {"0 arrays"},
                           [&] { tree::unflatten(tree::structure(a), std::span<const Array>()); });
}

TEST(ErrorsOfDict, KeysAndLeaves) {
  Dict d{{"w", ones({2, 3})}};
  const Dict& c = d;
  expect_error<IndexError>("Dict", {"'v'", "there are 'w'"}, [&] { (void)c["v"]; });
  expect_error<IndexError>("Dict", {"'v'", "none"}, [] { (void)std::as_const(*std::make_unique<Dict>())["v"]; });
  expect_error<TypeError>("Dict", {"'v'", "float32", "array"}, [&] { (void)c["w"]["v"]; });
  expect_error<TypeError>("Dict", {"'v'", "float32", "array"}, [&] { d["w"]["v"] = ones({1}); });
  expect_error<ValueError>("Dict", {"'w'", "twice"}, [] { Dict{{"w", 1}, {"w", 2}}; });
}

}  // namespace
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
