// Blocks of memory that is not the host's: host code gets no pointer to them.
#include "device/buffer.hpp"

#include <gtest/gtest.h>

#include "array/node.hpp"
#include "tutti/array/host.hpp"
#include "tutti/base/error.hpp"

namespace tutti::test {
namespace {

class FarMemory final : public Memory {
 public:
  std::string name() const override { return "the memory of FarDevice(id=3)"; }
  void release(Buffer* buffer) noexcept override {
    ++released;
    delete buffer;
  }
  BufferPtr block(std::size_t bytes) {
    auto* const b = new Buffer;
    b->num_bytes = bytes;
    b->memory = this;
    return BufferPtr(b);
  }
  int released = 0;
};

TEST(Buffers, OfDevicesAreNotReadByTheHost) {
  FarMemory far;
  {
    const BufferPtr block = far.block(16), share = block;
    try {
      on_host(block);
      FAIL() << "the host reads it";
    } catch (const InternalError& e) {
      EXPECT_NE(std::string(e.what()).find("the memory of FarDevice(id=3)"), std::string::npos) << e.what();
    }
    EXPECT_THROW(host_share(block), InternalError);
    EXPECT_EQ(block->count, 2);  // what was refused holds no share
    EXPECT_EQ(far.released, 0);
  }
  EXPECT_EQ(far.released, 1);
}

TEST(Buffers, OfTheHostAreRead) {
  HostPtr made = allocate_buffer(4);
  const BufferPtr any = made;
  EXPECT_EQ(on_host(any).data(), made->data());
  EXPECT_TRUE(host_share(any) == made);
  EXPECT_FALSE(made.reusable());
}

TEST(Buffers, NoReadOfAnArrayGetsThere) {
  FarMemory far;
  const Array x = make_array(Type{float32, {4}, false, {}}, far.block(16));
  EXPECT_THROW(x.to_vector<float>(), InternalError);
  EXPECT_THROW(str(x), InternalError);
  EXPECT_THROW(host_bytes(x), InternalError);
}

}  // namespace
}  // namespace tutti::test

// SPDX-License-Identifier: Apache-2.0
