// Memory that arrays adopt, and views of their memory.
#include <gtest/gtest.h>

#include <numeric>

#include <tutti/tutti.hpp>

namespace tutti::test {
namespace {

/// Numbers of somebody else, and how often they were given back.
struct Lent {
  explicit Lent(std::size_t n) : numbers(n) { std::iota(numbers.begin(), numbers.end(), 0.f); }
  Array array(const Shape& shape) {
    return from_host(std::span<const float>(numbers), shape, [this] { ++released; });
  }
  std::vector<float> numbers;
  int released = 0;
};

TEST(FromHost, ReadsTheMemoryItselfAndReleasesItOnce) {
  Lent lent(12);
  {
    Array x = lent.array({3, 4});
    EXPECT_EQ(host_data<float>(x).data(), lent.numbers.data());
    EXPECT_TRUE(bool(array_equal(x, arange(12.0).reshape(3, 4))));
    const Array again = x, same = x.reshape(12);
    x = Array();
    EXPECT_EQ(lent.released, 0);
    EXPECT_EQ(jit([](const Array& a) { return a.sum(); })(again).item<float>(), 66);
    Mesh mesh = make_mesh({4, 2}, {"x", "y"});
    EXPECT_EQ(device_put(again, NamedSharding(mesh, P(none, "x"))).sum().item<float>(), 66);
    EXPECT_EQ(lent.released, 0);
  }
  EXPECT_EQ(lent.released, 1);
}

TEST(FromHost, DeletionReleases) {
  Lent lent(3);
  Array x = lent.array({3});
  x.delete_();
  EXPECT_EQ(lent.released, 1);
  EXPECT_THROW(host_data<float>(x), DeletedError);
}

TEST(FromHost, DonationNeverWritesThere) {
  for (const char* backend : {"cpu", "reference"})
    for (Isolation isolation : {Isolation::shared, Isolation::per_device})
      for (std::size_t n : {std::size_t{16}, std::size_t{1} << 18}) {
        config::backend(backend);
        config::isolation(isolation);
        Lent lent(n);
        const std::vector<float> before = lent.numbers;
        auto step = jit([](const Array& x) { return std::pair{x * 2 + 1, x.sum()}; }, {.donate_argnums = {0}});
        auto loop = jit(
            [](const Array& x) {
              return lax::fori_loop(
                  0, 5, [](Array, const Array& c) { return c + 1; }, x);
            },
            {.donate_argnums = {0}});
        auto same = jit([](const Array& x) { return x; }, {.donate_argnums = {0}});
        for (int i = 0; i < 3; ++i) {
          Array x = lent.array({static_cast<std::int64_t>(n)});
          Array y = step(x).first;
          EXPECT_TRUE(x.is_deleted());
          EXPECT_EQ(y.to_vector<float>()[3], 7);
          x = lent.array({static_cast<std::int64_t>(n)});
          EXPECT_EQ(loop(x)[3].item<float>(), 8);
          x = lent.array({static_cast<std::int64_t>(n)});
          x = same(x);        // lent memory still
          x = step(x).first;  // our own from here on
          x = step(x).first;
          EXPECT_EQ(x.to_vector<float>()[3], 15);
        }
        EXPECT_EQ(lent.numbers, before) << backend;
        EXPECT_EQ(lent.released, 9);
      }
  config::backend("cpu");
  config::isolation(Isolation::shared);
}

TEST(FromHost, AnyAddressOfAnElementWillDo) {
  auto f = jit([](const Array& x) { return std::tuple{tanh(x * 2).sum(0), matmul(x, x.T()), x.T() + 1}; });
  std::vector<float> room(65 * 70 + 64);
  Array plain = random::normal(random::key(3), {65, 70});
  const std::vector<float> numbers = plain.to_vector<float>();
  auto [a, b, c] = f(plain);
  for (std::size_t shift = 0; shift < 17; ++shift) {
    std::copy(numbers.begin(), numbers.end(), room.begin() + static_cast<std::ptrdiff_t>(shift));
    Array x = from_host(std::span<const float>(room).subspan(shift, numbers.size()), {65, 70}, [] {});
    auto [u, v, w] = f(x);
    EXPECT_TRUE(bool(array_equal(a, u) & array_equal(c, w) & allclose(b, v))) << shift;
  }
}

TEST(FromHost, OwnsVectorsAndRefusesWhatDoesNotFit) {
  std::vector<int> numbers{1, 2, 3, 4};
  const int* at = numbers.data();
  Array x = from_host(std::move(numbers), {2, 2});
  EXPECT_EQ(host_data<int>(x).data(), at);
  EXPECT_EQ(x.sum().item<int>(), 10);

  Lent lent(4);
  EXPECT_THROW(lent.array({5}), ShapeError);
  EXPECT_THROW(lent.array({-2, -2}), ShapeError);
  EXPECT_THROW(from_host(std::span<const double>(), {0}, [] {}), TypeError);
  const float* odd = reinterpret_cast<const float*>(reinterpret_cast<const char*>(lent.numbers.data()) + 1);
  EXPECT_THROW(from_host(std::span(odd, 2), {2}, [&] { ++lent.released; }), ValueError);
  EXPECT_EQ(lent.released, 0);  // it is still the caller's
  EXPECT_EQ(from_host(std::span<const float>(), {0, 3}, [] {}).shape(), (Shape{0, 3}));
}

TEST(HostData, IsTypedAndSaysWhy) {
  Array x = arange(6).reshape(2, 3);
  EXPECT_EQ(host_data<int>(x)[4], 4);
  EXPECT_THROW(host_data<float>(x), TypeError);
  EXPECT_THROW(host_data<std::uint32_t>(x), TypeError);
  Array number = 2.5f;  // a literal has no memory before it is asked for
  EXPECT_EQ(host_data<float>(number)[0], 2.5f);
  Array narrow = x.astype(bfloat16);
  EXPECT_EQ(host_bytes(narrow).size(), 12u);
  EXPECT_THROW(jit([](const Array& a) {
                 host_data<float>(a);
                 return a;
               })(ones({2})),
               TracerError);
  const Array absent;
  EXPECT_THROW(host_data<float>(absent), ValueError);
}

TEST(HostSpan, ReadsEveryElementOfEveryShape) {
  for (const Shape& shape : {Shape{2, 3, 4}, Shape{1, 1, 1}, Shape{5, 1, 2}, Shape{3, 0, 2}}) {
    Array x = arange(shape.num_elements()).reshape(shape);
    HostSpan<int, 3> s = host_span<int, 3>(x);
    HostSpan<int, 3> t = s.transposed({2, 0, 1});
    EXPECT_EQ(s.size(), x.size());
    int next = 0;
    for (std::int64_t i = 0; i < s.extent(0); ++i)
      for (std::int64_t j = 0; j < s.extent(1); ++j)
        for (std::int64_t k = 0; k < s.extent(2); ++k) {
          EXPECT_EQ(s(i, j, k), next);
          EXPECT_EQ(s[i][j][k], next);
          EXPECT_EQ(t.at(k, i, j), next++);
        }
    next = 0;
    for (auto plane : s)
      for (auto row : plane)
        for (int v : row) EXPECT_EQ(v, next++);
    EXPECT_EQ(next, x.size());
    EXPECT_THROW(s.at(s.extent(0), 0, 0), IndexError);
    EXPECT_THROW(s.at(0, 0, -1), IndexError);
  }
  auto odd = host_span<int, 1>(arange(10)).slice(0, 1, 10, 3);
  EXPECT_EQ(std::vector<int>(odd.begin(), odd.end()), (std::vector<int>{1, 4, 7}));
  EXPECT_THROW((host_span<int, 2>(arange(3))), ShapeError);
}

TEST(HostSpan, KeepsTheMemoryThroughDonation) {
  Array x = arange(1000.0) + 0;
  HostSpan<float, 1> s = host_span<float, 1>(x);
  auto step = jit([](const Array& a) { return a * 0; }, {.donate_argnums = {0}});
  Array y = step(x);
  EXPECT_TRUE(x.is_deleted());
  for (int i = 0; i < 1000; ++i) ASSERT_EQ(s(i), static_cast<float>(i));
}

}  // namespace
}  // namespace tutti::test

// SPDX-License-Identifier: Apache-2.0
