// Trees: the laws of taking apart and putting together, for one tree of every kind of node.
#include "tutti/tree/tree.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <sstream>

#include "tree/leaf.hpp"
#include "tutti/tree/dict.hpp"

namespace tutti {
namespace {

enum class Mode { train, test };
int twice(int x) { return 2 * x; }

struct Linear {
  Array weight = leaf(), bias = leaf();
};
struct Node {  // a type that contains itself
  Array value = leaf();
  std::vector<Node> children;
};
struct Activation {
  int (*function)(int) = &twice;
  Array slope = leaf();
  int operator()(int x) const { return function(x); }
};
class Hidden {
 public:
  Hidden(int width) : width_(width) {}
  int width() const { return width_; }

 private:
  friend struct tree_traits<Hidden>;
  int width_;
  Array w_ = leaf(), b_;
};
struct Model {
  std::vector<Linear> layers{2};
  std::array<Array, 2> pair{leaf(), leaf()};
  std::tuple<Array, int> tuple{leaf(), 3};
  std::pair<std::string, Array> named{"n", leaf()};
  std::optional<Linear> head, tail = Linear{};
  std::variant<int, Array> choice = leaf();
  std::map<std::string, Array> table{{"b", leaf()}, {"a", leaf()}};
  Dict dict{{"sub", Dict{{"kernel", leaf()}}}, {"step", leaf(int32)}};
  Frozen<Linear> frozen;
  Hidden hidden{4};
  Node node{leaf(), {Node{}, Node{}}};
  Activation act;
  Array absent, ints = leaf(int32);
  int width = 3;
  float rate = 0.5f;
  Mode mode = Mode::train;
  std::vector<double> numbers{1, 2};
  std::vector<bool> mask{true, false};
  std::string name = "model";
  DType dtype = float32;
  Shape shape{2, 3};
  PartitionSpec spec{"x", none};
  Static<std::vector<int*>> pointers;
};

}  // namespace

template <> struct tree_traits<Hidden> { static constexpr auto members = std::tuple{&Hidden::w_, &Hidden::b_}; };

namespace {

const std::vector<std::string> model_paths{"layers[0].weight",
                                           "layers[0].bias",
                                           "layers[1].weight",
                                           "layers[1].bias",
                                           "pair[0]",
                                           "pair[1]",
                                           "tuple[0]",
                                           "named[1]",
                                           "tail.weight",
                                           "tail.bias",
                                           "choice",
                                           "table.a",
                                           "table.b",
                                           "dict.step",
                                           "dict.sub.kernel",
                                           "frozen.weight",
                                           "frozen.bias",
                                           "hidden.w_",
                                           "node.value",
                                           "node.children[0].value",
                                           "node.children[1].value",
                                           "act.slope",
                                           "ints"};

TEST(Tree, LeavesHavePathsInOrder) {
  const Model m;
  std::vector<std::string> paths;
  std::vector<Array> arrays;
  for (const auto& [path, x] : tree::leaves_with_path(m)) {
    paths.push_back(path.str());
    arrays.push_back(x);
  }
  EXPECT_EQ(paths, model_paths);
  EXPECT_TRUE(same(arrays, tree::leaves(m)));
}

TEST(Tree, RebuildIsTheInverseOfFlatten) {
  const Model m;
  const tree::Flat flat = tree::flatten(m);
  EXPECT_EQ(flat.leaves.size(), model_paths.size());
  EXPECT_EQ(flat.structure.num_leaves(), model_paths.size());
  std::vector<Array> fresh;
  for (std::size_t i = 0; i < flat.leaves.size(); ++i) fresh.push_back(leaf());
  const Model n = tree::rebuild(m, fresh);
  EXPECT_TRUE(same(tree::leaves(n), fresh));
  EXPECT_TRUE(same(tree::leaves(m), flat.leaves)) << "rebuild must leave its model alone";
  EXPECT_EQ(tree::structure(n), tree::structure(m));
  EXPECT_EQ(std::hash<tree::Structure>{}(tree::structure(n)), flat.structure.hash());
  EXPECT_TRUE(same(tree::leaves(tree::unflatten(tree::structure(m), fresh)), fresh));
  EXPECT_THROW(tree::rebuild(m, std::vector<Array>(3)), ValueError);
  EXPECT_THROW(tree::unflatten(tree::structure(m), std::vector<Array>(3)), ValueError);
}

TEST(Tree, RebuildRemovesAndAddsArrays) {
  const Linear both;
  const Linear one = tree::rebuild(both, std::vector<Array>{both.weight, Array()});
  EXPECT_TRUE(same(one.weight, both.weight));
  EXPECT_FALSE(one.bias.has_value());
  EXPECT_FALSE(tree::flatten(one).structure == tree::flatten(both).structure);
  EXPECT_TRUE(same(tree::leaves(tree::rebuild(one, tree::leaves(both))), tree::leaves(both))) << "one array a place";
  EXPECT_TRUE(same(tree::rebuild(one, tree::leaves(one)).weight, both.weight)) << "one array for each that is there";
}

TEST(Tree, StructureHoldsNoArrays) {
  Linear x;
  const auto s = tree::structure(x);
  EXPECT_EQ(x.weight.node().use_count(), 1);
  EXPECT_EQ(s.present(), (std::vector<bool>{true, true}));
}

TEST(Tree, FlattensSeveralTreesAtOnce) {
  const Linear a, b;
  const tree::Flat flat = tree::flatten(a, 3, b);
  EXPECT_TRUE(same(flat.leaves, {a.weight, a.bias, b.weight, b.bias}));
  EXPECT_EQ(flat.structure.str(), "Linear(weight=*, bias=*), 3, Linear(weight=*, bias=*)");
  EXPECT_FALSE(flat.structure == tree::flatten(a, 4, b).structure);
}

TEST(Tree, MarksFrozenLeaves) {
  const std::tuple<Array, Frozen<std::vector<Linear>>, Array> t{leaf(), std::vector<Linear>(1), leaf()};
  EXPECT_EQ(tree::flatten(t).frozen, (std::vector<bool>{false, true, true, false}));
}

TEST(Structure, TellsApartWhatDiffers) {
  const Model m;
  const tree::Structure s = tree::structure(m);
  const auto differs = [&](auto change, const std::string& text) {
    Model other = m;
    change(other);
    const tree::Structure t = tree::structure(other);
    EXPECT_FALSE(s == t) << text;
    EXPECT_EQ(tree::difference(s, t), text);
  };
  EXPECT_EQ(tree::difference(s, tree::structure(Model(m))), "");
  differs([](Model& x) { x.width = 4; }, "width: 3 and 4");
  differs([](Model& x) { x.rate = 0.25f; }, "rate: 0.5 and 0.25");
  differs([](Model& x) { x.mode = Mode::test; }, "mode: 0 and 1");
  differs([](Model& x) { x.name = "other"; }, "name: 'model' and 'other'");
  differs([](Model& x) { x.numbers[1] = 3; }, "numbers: [1, 2] and [1, 3]");
  differs([](Model& x) { x.layers.pop_back(); }, "layers: 2 elements and 1 elements");
  differs([](Model& x) { x.layers[1].bias = Array(); }, "layers[1].bias: * and None");
  differs([](Model& x) { x.absent = leaf(); }, "absent: None and *");
  differs([](Model& x) { x.tail.reset(); }, "tail: a value and no value");
  differs([](Model& x) { x.choice = 1; }, "choice: alternative 1 and alternative 0");
  differs([](Model& x) { x.table["c"] = leaf(); }, "table: 2 elements and 3 elements");
  differs(
      [](Model& x) {
        x.dict["step"];
        x.dict.erase("step");
        x.dict["stop"] = leaf();
      },
      "key dict.step and key dict.stop");
  differs([](Model& x) { x.shape = Shape{3, 2}; }, "shape: (2, 3) and (3, 2)");
  differs([](Model& x) { x.spec = PartitionSpec("y", none); }, "spec: P('x', None) and P('y', None)");
  differs([](Model& x) { std::get<1>(x.tuple) = 9; }, "tuple[1]: 3 and 9");
  for (auto change : {+[](Model& x) { x.mask[0] = false; }, +[](Model& x) { x.dtype = int32; },
                      +[](Model& x) { x.act.function = [](int i) { return i; }; },
                      +[](Model& x) { x.pointers = std::vector<int*>{nullptr}; }}) {
    Model other = m;
    change(other);
    EXPECT_FALSE(s == tree::structure(other));
  }
}

TEST(Structure, ComparesFloatsByBits) {
  const auto of = [](auto x) { return tree::flatten(x).structure; };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_TRUE(of(nan) == of(nan));
  EXPECT_FALSE(of(0.0) == of(-0.0));
  EXPECT_FALSE(of(1.0f) == of(1.0));
  EXPECT_FALSE(of(1) == of(1u));
}

TEST(Structure, CoversTypes) {
  struct A {
    Array x, y;
  };
  struct B {
    Array x, y;
  };
  EXPECT_FALSE(tree::flatten(A{}).structure == tree::flatten(B{}).structure);
  EXPECT_FALSE(tree::flatten(std::vector<Array>(2)).structure == tree::flatten(std::array<Array, 2>{}).structure);
  auto one = [](int x) { return x; };
  auto two = [](int x) { return x + 1; };
  EXPECT_TRUE(tree::flatten(one).structure == tree::flatten(one).structure);
  EXPECT_FALSE(tree::flatten(one).structure == tree::flatten(two).structure);
}

TEST(Structure, StaticComparesByValueOrIdentity) {
  struct NoEquality {
    int* p;
    NoEquality() : p(nullptr) {}
  };
  const Static<NoEquality> a, b, c = a;
  EXPECT_TRUE(tree::flatten(a).structure == tree::flatten(c).structure);
  EXPECT_FALSE(tree::flatten(a).structure == tree::flatten(b).structure);
  EXPECT_TRUE(tree::flatten(Static<std::string>("x")).structure == tree::flatten(Static<std::string>("x")).structure);
}

TEST(Structure, Prints) {
  const std::tuple<std::optional<Array>, std::vector<Linear>, std::map<std::string, Array>, Frozen<Array>,
                   std::tuple<int>>
      t{{}, {Linear{leaf(), Array()}}, {{"k", leaf()}}, leaf(), 1};
  std::ostringstream out;
  out << tree::structure(t);
  EXPECT_EQ(out.str(), "(None, [Linear(weight=*, bias=None)], {'k': *}, Frozen(*), (1,))");
}

TEST(TreeMap, CallsFnWhereEveryTreeHasAnArray) {
  Model a, b = a, c = a;
  b.layers[0].bias = Array();
  c.ints = Array();
  std::vector<Array> seen;
  const Array fresh = leaf();
  const Model out = tree::map(
      [&](const Array& x, const Array& y, const Array& z) {
        EXPECT_TRUE(same(x, y) && same(y, z));
        seen.push_back(x);
        return fresh;
      },
      a, b, c);
  EXPECT_EQ(seen.size(), model_paths.size() - 2);
  EXPECT_TRUE(same(out.layers[0].bias, a.layers[0].bias));
  EXPECT_TRUE(same(out.ints, a.ints));
  EXPECT_TRUE(same(out.layers[1].bias, fresh));
  EXPECT_FALSE(out.absent.has_value());
}

TEST(TreeMap, GivesPaths) {
  std::vector<std::string> paths;
  tree::map_with_path(
      [&](const tree::Path& p, const Array& x) {
        paths.push_back(p.str());
        return x;
      },
      Model{});
  EXPECT_EQ(paths, model_paths);
}

TEST(TreeMap, NamesThePlaceWhereTreesDiffer) {
  const auto error = [](const auto& a, const auto& b) -> std::string {
    try {
      tree::map([](const Array& x, const Array&) { return x; }, a, b);
    } catch (const ValueError& e) {
      return std::string(e.what()).substr(0, std::string(e.what()).find('\n'));
    }
    return "";
  };
  Model a, b = a;
  b.node.children.pop_back();
  EXPECT_EQ(error(a, b), "tree::map: tree 1 and tree 2 differ at node.children: 2 and 1 elements.");
  EXPECT_EQ(error(Dict{{"a", leaf()}}, Dict{{"b", leaf()}}),
            "tree::map: tree 1 and tree 2 have different keys: a and b.");
  EXPECT_EQ(error(Dict{{"a", leaf()}}, Dict{{"a", Dict{{"b", leaf()}}}}),
            "tree::map: tree 1 and tree 2 differ: an array is at a in one, at a.b in the other.");
  Model c = a;
  c.width = 99;
  EXPECT_EQ(error(a, c), "") << "static leaves need not agree";
}

TEST(Tree, CombineUndoesPartition) {
  const Model m;
  for (auto pred : {+[](const Array& x) { return is_inexact_array(x); }, +[](const Array&) { return true; },
                    +[](const Array&) { return false; }}) {
    const auto [kept, rest] = tree::partition(m, pred);
    EXPECT_EQ(tree::leaves(kept).size() + tree::leaves(rest).size(), model_paths.size());
    for (const Array& x : tree::leaves(kept)) EXPECT_TRUE(pred(x));
    for (const Array& x : tree::leaves(rest)) EXPECT_FALSE(pred(x));
    EXPECT_TRUE(same(tree::leaves(tree::combine(kept, rest)), tree::leaves(m)));
    EXPECT_TRUE(same(tree::leaves(tree::combine(rest, kept)), tree::leaves(m)));
    EXPECT_TRUE(same(tree::leaves(tree::filter(m, pred)), tree::leaves(kept)));
  }
  const Model weights = tree::filter(m, [](const tree::Path& p, const Array&) { return p.matches("**.weight"); });
  EXPECT_EQ(tree::leaves(weights).size(), 4u);
}

TEST(Tree, PredicatesTellArrays) {
  EXPECT_TRUE(is_array(leaf()) && is_array(leaf(int32)) && !is_array(Array()));
  EXPECT_TRUE(is_inexact_array(leaf(bfloat16)) && !is_inexact_array(leaf(bool_)) && !is_inexact_array(Array()));
}

// Which types are trees.
struct Pointer {
  int* p;
};
static_assert(Tree<Array> && Tree<int> && Tree<Model> && Tree<Node> && Tree<Dict> && Tree<std::vector<Model>>);
static_assert(Tree<const char*> && Tree<std::string> && Tree<Mode> && Tree<int (*)(int)> && Tree<long double>);
static_assert(Tree<Sharding> && Tree<NamedSharding> && Tree<Mesh> && Tree<PartitionSpec> && Tree<Device> &&
              Tree<DType>);
static_assert(Tree<std::optional<std::vector<std::pair<int, Array>>>> && Tree<std::map<int, Array>>);
static_assert(!Tree<int*> && !Tree<std::vector<int*>> && !Tree<std::shared_ptr<Array>> && !Tree<std::unique_ptr<int>>);
static_assert(!Tree<std::tuple<int, std::optional<std::shared_ptr<int>>>> && !Tree<std::map<std::vector<int>, Array>>);
static_assert(Tree<Pointer>, "members are checked when the walk meets them");
using Capturing = decltype([x = 1]() { return x; });
static_assert(!Tree<Capturing> && Tree<decltype([]() {})>);

}  // namespace
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
