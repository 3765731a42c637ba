#include "device/client.hpp"

#include <array>
#include <atomic>

#include "mesh/mesh_node.hpp"
#include "mesh/platform.hpp"

namespace tutti {
namespace {

// By number of the platform; those of statics that have not begun yet are none.
constinit std::array<std::atomic<Client*>, kPlatforms> clients{};

Client* client_of_platform(int number) { return clients[static_cast<std::size_t>(number)].load(); }

}  // namespace

void add_client(Client& client) { clients[static_cast<std::size_t>(platform_number(client.platform()))] = &client; }

Client* client_of(std::string_view platform) {
  const int number = platform_number(platform);
  return number < 0 ? nullptr : client_of_platform(number);
}
Client* client_of(const Mesh& mesh) {
  if (!mesh.has_value()) return client_of_platform(default_platform());
  return mesh.is_abstract() ? nullptr : client_of(device_list_of(mesh)->devices().front().platform());
}
Client* client_of(const Sharding& sharding) {
  return sharding.has_value() ? client_of(sharding.device_list().front().platform())
                              : client_of_platform(default_platform());
}

void wait_for(const BufferPtr& buffer) {
  if (buffer->memory)
    if (Client* const client = buffer->memory->client()) client->wait(static_cast<ShardedBuffer&>(*buffer));
}

void synchronize_clients() {
  for (const std::atomic<Client*>& client : clients)
    if (client) client.load()->synchronize();
}

HostPtr fetched(const BufferPtr& buffer, DType dtype, const Shape& shape) {
  if (!buffer->memory) return host_share(buffer);
  Client* const client = buffer->memory->client();
  if (!client) refuse_on_host(*buffer);
  return client->get(static_cast<ShardedBuffer&>(*buffer), dtype, shape);
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
