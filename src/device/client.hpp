// What a platform whose devices have memories of their own tells the rest: how arrays get there and back. The CPU's
// devices have none, host memory is theirs: they need no client.
#pragma once

#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

#include "device/buffer.hpp"
#include "device/event.hpp"
#include "mesh/layout.hpp"
#include "tutti/base/dtype.hpp"

namespace tutti {

class Backend;

/// An array on devices with memories of their own: a dense block of block_shape(layout, shape) for each device of the
/// mesh, in the order of its device list. Nothing is pending. Its own memory is its client's (Memory::client).
struct ShardedBuffer : Buffer {
  Mesh mesh;
  Layout layout;
  std::shared_ptr<Event> ready;  // after which the blocks are there
  std::vector<BufferPtr> blocks;

  std::mutex mutex;
  HostPtr whole;  // once somebody asked: what host code reads stays as long as the array
};

/// Threads: safe to call from several at once.
class Client {
 public:
  virtual ~Client() = default;
  virtual std::string_view platform() const = 0;
  /// Copies a dense array of the host to devices of this platform; returns before that is done.
  virtual BufferPtr put(HostPtr whole, DType dtype, const Shape& shape, const Mesh& mesh, const Layout& layout) = 0;
  /// The elements of an array that lies there, dense; copied once. Waits, as wait() does.
  virtual HostPtr get(ShardedBuffer& array, DType dtype, const Shape& shape) = 0;
  /// Until the array is there. Rethrows what went wrong in the call that makes it, or in one before it.
  virtual void wait(ShardedBuffer& array) = 0;
  /// Until all that was asked for so far is done, well or not.
  virtual void synchronize() = 0;
  /// What compiles and runs programs there.
  virtual Backend& backend() = 0;
};

/// Makes the platform known: by a static of the library, before anything runs.
void add_client(Client& client);
/// The client of a platform; nullptr where host memory is the devices' own.
Client* client_of(std::string_view platform);
/// The same for the devices of a mesh; of the default platform where there is no mesh.
Client* client_of(const Mesh& mesh);
Client* client_of(const Sharding& sharding);

/// The elements of an array in any memory, as host code reads them.
HostPtr fetched(const BufferPtr& buffer, DType dtype, const Shape& shape);
/// Until the elements are there; as Client::wait.
void wait_for(const BufferPtr& buffer);
/// Client::synchronize of every client.
void synchronize_clients();

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
