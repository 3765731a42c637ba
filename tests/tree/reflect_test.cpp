// Counts, references and names of members, over the kinds of types people write.
#include "tutti/tree/reflect.hpp"

#include <gtest/gtest.h>

#include <array>
#include <complex>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace reflect = tutti::reflect;
using reflect::Trouble;

namespace {

template <class T> struct NoDefault {
  NoDefault(int);
  T x;
};
struct Empty {};
struct Other {};
struct Point {
  int x, y;
};
struct Everything {
  int alpha;
  std::vector<int> beta;
  std::optional<std::string> gamma;
  std::string delta;
  std::variant<std::string, std::vector<int>> epsilon;
  std::map<std::string, int> zeta;
  std::complex<float> eta;
  std::shared_ptr<int> theta;
  std::function<int(int)> iota;
  std::tuple<int, std::string> kappa;
  std::array<int, 3> lambda;
  int* mu;
  Point nu;
  Empty xi;
  Other omicron;
};
struct Hard {
  NoDefault<int> first_;
  const char* second;
  Point third;
};
template <class T> struct Generic {
  T weight;
  const T bias;
  bool flag;
};
struct Callable {
  int k;
  int operator()() const { return k; }
};
struct CArray {
  int a;
  int w[3];
  int n;
};
struct CArrayAfterHard {
  NoDefault<int> q;
  std::string w[2];
};
struct Based : Point {
  int z;
};
struct EmptyBased : Empty {
  int z;
};
struct OnlyBase : Empty {};
struct Reference {
  int& r;
};
struct Private {
  Private(int);
};

static_assert(reflect::member_count<Empty>() == 0);
static_assert(reflect::member_count<Everything>() == 15);
static_assert(reflect::member_count<Hard>() == 3);
static_assert(reflect::member_count<const Generic<Point>>() == 3);
static_assert(reflect::trouble<CArray> == Trouble::c_array);
static_assert(reflect::trouble<CArrayAfterHard> == Trouble::c_array);
static_assert(reflect::trouble<Based> == Trouble::base);
static_assert(reflect::trouble<EmptyBased> == Trouble::base);
static_assert(reflect::trouble<OnlyBase> == Trouble::base);
static_assert(reflect::trouble<Reference> == Trouble::no_count);
static_assert(reflect::trouble<Private> == Trouble::not_aggregate);
static_assert(reflect::trouble<int> == Trouble::not_aggregate);
static_assert(reflect::Aggregate<Point> && !reflect::Aggregate<Based> && !reflect::Aggregate<std::string>);
static_assert(reflect::member_name<Hard, 0>() == "first_");
static_assert(reflect::member_name<Hard, 2>() == "third");
static_assert(reflect::member_name<Generic<Point>, 0>() == "weight");
static_assert(reflect::member_name<const Generic<Point>, 1>() == "bias");
static_assert(reflect::member_name<Callable, 0>() == "k");

template <class T> std::string names(T&& t) {
  std::string out;
  reflect::for_each(t, [&](std::string_view name, auto&) { (out += name) += ' '; });
  return out;
}

TEST(Reflect, NamesEveryMemberInOrder) {
  EXPECT_EQ(names(Everything{}), "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron ");
}

TEST(Reflect, NamesMembersOfLocalStructs) {
  struct Local {
    int first;
    Point second;
  };
  EXPECT_EQ(names(Local{}), "first second ");
}

TEST(Reflect, TieRefersToTheMembers) {
  Point p{1, 2};
  std::get<1>(reflect::tie(p)) = 5;
  EXPECT_EQ(p.y, 5);
  const Point& c = p;
  static_assert(std::is_same_v<decltype(reflect::tie(c)), std::tuple<const int&, const int&>>);
}

// Each line is one struct of as many members as it says, so that every entry of the binding tables compiles and names
// its last member.
#define FOUR(a) \
  int a##0 = 0; \
  int a##1 = 0; \
  int a##2 = 0; \
  int a##3 = 0;
#define SIXTEEN(a) FOUR(a##0) FOUR(a##1) FOUR(a##2) FOUR(a##3)
struct S7 {
  FOUR(a) int b, c, last;
};
struct S33 {
  SIXTEEN(a) SIXTEEN(b) int last;
};
struct S64 {
  SIXTEEN(a) SIXTEEN(b) SIXTEEN(c) FOUR(d) FOUR(e) FOUR(f) int x, y, z, last;
};
struct S65 {
  SIXTEEN(a) SIXTEEN(b) SIXTEEN(c) SIXTEEN(d) int last;
};
#undef SIXTEEN
#undef FOUR
static_assert(reflect::member_count<S7>() == 7 && reflect::member_name<S7, 6>() == "last");
static_assert(reflect::member_count<S33>() == 33 && reflect::member_name<S33, 32>() == "last");
static_assert(reflect::member_count<S64>() == 64 && reflect::member_name<S64, 63>() == "last");
static_assert(reflect::trouble<S65> == Trouble::too_many);

// The tables were written by a script; a tuple of N members is bound by the same entries.
template <std::size_t N> constexpr bool binds() {
  int a[N] = {};
  a[N - 1] = 7;
  return std::get<N - 1>(reflect::detail::bind(a, reflect::detail::Count<N>{})) == 7 &&
         std::tuple_size_v<decltype(reflect::detail::bind(a, reflect::detail::Count<N>{}))> == N &&
         reflect::detail::takes_braces<int[N]>(reflect::detail::Count<N>{}) &&
         !reflect::detail::takes_braces<std::array<int, N - 1>>(reflect::detail::Count<N>{});
}
template <std::size_t... N> constexpr bool bind_all(std::index_sequence<N...>) { return (binds<N + 2>() && ...); }
static_assert(bind_all(std::make_index_sequence<63>{}));

}  // namespace

// SPDX-License-Identifier: Apache-2.0
