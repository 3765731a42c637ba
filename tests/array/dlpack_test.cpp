// DLPack by its binary interface: what comes in, what goes out, and who calls whose deleter.
#include <gtest/gtest.h>

#include <cstring>
#include <memory>

#include <tutti/tutti.hpp>

namespace tutti::test {
namespace {

using dlpack::Code, dlpack::Copy, dlpack::Element, dlpack::ManagedTensor, dlpack::Place, dlpack::VersionedTensor;

/// A tensor of another library that counts how often it is given back.
template <class Managed> struct Foreign {
  explicit Foreign(std::vector<std::int64_t> extents) : shape(std::move(extents)) {
    std::int64_t n = 1;
    for (std::int64_t e : shape) n *= e;
    for (std::int64_t i = 0; i < n; ++i) numbers.push_back(static_cast<float>(i));
    managed.tensor.data = numbers.data();
    managed.tensor.ndim = static_cast<std::int32_t>(shape.size());
    managed.tensor.shape = shape.data();
    managed.context = this;
    managed.deleter = [](Managed* m) { ++static_cast<Foreign*>(m->context)->deleted; };
  }
  void give_strides(std::vector<std::int64_t> s) {
    strides = std::move(s);
    managed.tensor.strides = strides.data();
  }
  std::vector<std::int64_t> shape, strides;
  std::vector<float> numbers;
  Managed managed;
  int deleted = 0;
};

template <class T> class Import : public ::testing::Test {};
using Forms = ::testing::Types<VersionedTensor, ManagedTensor>;
TYPED_TEST_SUITE(Import, Forms);

TYPED_TEST(Import, SharesTheMemoryAndDeletesOnce) {
  Foreign<TypeParam> f({3, 4});
  {
    Array x = from_dlpack(&f.managed, Copy::never);
    EXPECT_EQ(static_cast<const void*>(host_data<float>(x).data()), f.numbers.data());
    EXPECT_TRUE(bool(array_equal(x, arange(12.0).reshape(3, 4))));
    EXPECT_EQ(f.deleted, 0);
    const std::vector<float> before = f.numbers;
    auto step = jit([](const Array& a) { return a + 1; }, {.donate_argnums = {0}});
    EXPECT_EQ(step(x)(2, 3).template item<float>(), 12);
    EXPECT_EQ(f.numbers, before);  // donated, and still not written
    EXPECT_TRUE(x.is_deleted());
  }
  EXPECT_EQ(f.deleted, 1);
}

TYPED_TEST(Import, StridesAreFollowed) {
  const auto expect = [](Foreign<TypeParam>& f, const Array& wanted) {
    EXPECT_THROW(from_dlpack(&f.managed, Copy::never), ValueError);
    EXPECT_EQ(f.deleted, 1);  // also where it was refused
    Array x = from_dlpack(&f.managed);
    EXPECT_EQ(f.deleted, 2);  // a copy needs it no longer
    EXPECT_TRUE(bool(array_equal(x, wanted))) << x;
  };
  Array x = arange(12.0).reshape(3, 4);
  Foreign<TypeParam> turned({4, 3});
  turned.give_strides({1, 4});
  expect(turned, x.T());
  Foreign<TypeParam> backwards({12});
  backwards.give_strides({-1});
  backwards.managed.tensor.byte_offset = 44;
  expect(backwards, flip(arange(12.0)));
  Foreign<TypeParam> repeated({12});
  repeated.shape[0] = 5;
  repeated.give_strides({0});
  expect(repeated, zeros({5}));
  // Strides of dims of one element, and those of nothing at all, mean nothing.
  Foreign<TypeParam> single({1, 12});
  single.give_strides({-77, 1});
  EXPECT_EQ(from_dlpack(&single.managed, Copy::never).shape(), (Shape{1, 12}));
  Foreign<TypeParam> nothing({3, 0});
  nothing.give_strides({5, 5});
  nothing.managed.tensor.data = nullptr;
  EXPECT_EQ(from_dlpack(&nothing.managed, Copy::never).shape(), (Shape{3, 0}));
}

TYPED_TEST(Import, OffsetsAndAddresses) {
  Foreign<TypeParam> f({12});
  f.shape[0] = 4;
  f.managed.tensor.byte_offset = 12;
  EXPECT_EQ(from_dlpack(&f.managed, Copy::never)[0].template item<float>(), 3);
  std::vector<char> odd(17);
  const float two = 2;
  std::memcpy(odd.data() + 1, &two, 4);
  f.managed.tensor.data = odd.data();
  f.managed.tensor.byte_offset = 1;
  f.shape[0] = 1;
  EXPECT_THROW(from_dlpack(&f.managed, Copy::never), ValueError);
  EXPECT_EQ(from_dlpack(&f.managed)[0].template item<float>(), 2);
  EXPECT_EQ(f.deleted, 3);
}

TYPED_TEST(Import, WhatIsWrongIsRefusedAndGivenBack) {
  const auto refused = [](auto change, auto error) {
    Foreign<TypeParam> f({3, 4});
    change(f.managed);
    EXPECT_THROW(from_dlpack(&f.managed), decltype(error));
    EXPECT_EQ(f.deleted, 1);
  };
  for (int device : {2, 4, 7, 8, 10, 12, 13, 16, -1, 1000})
    refused([&](TypeParam& m) { m.tensor.device.place = static_cast<Place>(device); }, DeviceError(""));
  for (Element e : {Element{Code::floating, 32, 4}, Element{Code::floating, 8, 1}, Element{Code::opaque, 64, 1},
                    Element{Code::complex, 32, 1}, Element{Code::signed_int, 4, 2}, Element{Code::boolean, 1, 1},
                    Element{static_cast<Code>(9), 8, 1}, Element{Code::floating, 0, 1}, Element{Code::floating, 32, 0}})
    refused([&](TypeParam& m) { m.tensor.element = e; }, TypeError(""));
  refused([](TypeParam& m) { m.tensor.ndim = -1; }, ShapeError(""));
  refused([](TypeParam& m) { m.tensor.ndim = 1 << 30; }, ShapeError(""));
  refused([](TypeParam& m) { m.tensor.shape = nullptr; }, ShapeError(""));
  refused([](TypeParam& m) { m.tensor.shape[0] = -3; }, ShapeError(""));
  refused([](TypeParam& m) { m.tensor.shape[0] = INT64_MAX / 2; }, ShapeError(""));
  refused([](TypeParam& m) { m.tensor.data = nullptr; }, ValueError(""));
  EXPECT_THROW(from_dlpack(static_cast<TypeParam*>(nullptr)), ValueError);
  Foreign<TypeParam> kept({2});
  kept.managed.deleter = nullptr;  // nothing to give back
  EXPECT_EQ(from_dlpack(&kept.managed).size(), 2);
}

TEST(ImportOf, AnotherMajorVersionIsOnlyGivenBack) {
  Foreign<VersionedTensor> f({2});
  f.managed.version.major = 2;
  std::memset(static_cast<void*>(&f.managed.tensor), 0xee, sizeof f.managed.tensor);  // whatever stands there then
  EXPECT_THROW(from_dlpack(&f.managed), UnsupportedError);
  EXPECT_EQ(f.deleted, 1);
}

TEST(ImportOf, ElementsThatWouldChangeAreCopied) {
  Foreign<VersionedTensor> f({2});
  const unsigned char bytes[] = {0, 3};
  f.managed.tensor.data = const_cast<unsigned char*>(bytes);
  f.managed.tensor.element = {Code::boolean, 8, 1};
  EXPECT_THROW(from_dlpack(&f.managed, Copy::never), ValueError);
  EXPECT_EQ(from_dlpack(&f.managed).to_vector<bool>(), (std::vector<bool>{false, true}));
  std::int64_t wide[] = {5, -7};
  f.managed.tensor.data = wide;
  f.managed.tensor.element = {Code::signed_int, 64, 1};
  EXPECT_THROW(from_dlpack(&f.managed, Copy::never), ValueError);
  EXPECT_EQ(from_dlpack(&f.managed).to_vector<int>(), (std::vector<int>{5, -7}));
  wide[0] = std::int64_t(1) << 40;
  EXPECT_THROW(from_dlpack(&f.managed), ValueError);  // no int32
  EXPECT_EQ(f.deleted, 5);
  enable_x64(true);
  EXPECT_EQ(from_dlpack(&f.managed, Copy::never)[0].item<std::int64_t>(), wide[0]);
  enable_x64(false);
  EXPECT_EQ(f.deleted, 6);
}

TEST(Export, EveryDtypeComesBack) {
  for (DType d : {bool_, int8, int16, int32, uint8, uint16, uint32, bfloat16, float16, float32})
    for (const Shape& shape : {Shape{}, Shape{6}, Shape{2, 3}, Shape{2, 0}}) {
      Array x = (arange(shape.num_elements()).reshape(shape) % 2).astype(d);
      const void* at = host_bytes(x).data();
      VersionedTensor* t = to_dlpack(x);
      EXPECT_EQ(t->tensor.data, at);
      EXPECT_EQ(t->flags, dlpack::read_only);
      x.delete_();  // the consumer keeps the memory
      Array y = from_dlpack(t, Copy::never);
      EXPECT_EQ(y.dtype(), d);
      EXPECT_EQ(y.shape(), shape);
      EXPECT_TRUE(bool(array_equal(y, (arange(shape.num_elements()).reshape(shape) % 2).astype(d))));
      Array z = from_dlpack(to_dlpack_unversioned(y), Copy::never);
      EXPECT_EQ(host_bytes(z).data(), at);
    }
  EXPECT_THROW(to_dlpack(random::key(0)), TypeError);
  try {
    to_dlpack(arange(3).astype(int4));
    FAIL();
  } catch (const TypeError& e) {
    EXPECT_NE(std::string(e.what()).find("astype(int8)"), std::string::npos) << e.what();
  }
  EXPECT_THROW(to_dlpack(Array()), ValueError);
}

TEST(Export, IsKeptUntilItsDeleterIsCalled) {
  int released = 0;
  std::vector<float> numbers{1, 2, 3};
  VersionedTensor* t = nullptr;
  {
    Array x = from_host(std::span<const float>(numbers), {3}, [&] { ++released; });
    t = to_dlpack(x);
    x = jit([](const Array& a) { return a * 5; }, {.donate_argnums = {0}})(x);
    EXPECT_EQ(x[2].item<float>(), 15);
  }
  EXPECT_EQ(released, 0);
  EXPECT_EQ(static_cast<const float*>(t->tensor.data)[2], 3);
  EXPECT_EQ(t->tensor.shape[0], 3);
  EXPECT_EQ(t->tensor.strides[0], 1);
  t->deleter(t);
  EXPECT_EQ(released, 1);
  // A copy is the consumer's own, and may be written.
  Array x = arange(3.0) + 0;
  VersionedTensor* own = to_dlpack(x, true);
  EXPECT_EQ(own->flags, dlpack::is_copied);
  static_cast<float*>(own->tensor.data)[0] = 9;
  EXPECT_EQ(x[0].item<float>(), 0);
  own->deleter(own);
}

}  // namespace
}  // namespace tutti::test

// SPDX-License-Identifier: Apache-2.0
