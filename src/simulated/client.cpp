#include "simulated/client.hpp"

#include <atomic>
#include <cstring>
#include <functional>
#include <set>

#include "array/copy_box.hpp"
#include "base/loc_override.hpp"
#include "base/settings.hpp"
#include "ir/user_calls.hpp"
#include "mesh/mesh_node.hpp"
#include "run/traffic.hpp"
#include "simulated/devices.hpp"
#include "simulated/faults.hpp"
#include "simulated/memory.hpp"
#include "tutti/base/call_scope.hpp"

namespace tutti::simulated {
namespace {

std::atomic<std::int64_t> to_devices{0}, to_host{0};

std::vector<std::int64_t> origin(const Shape& shape) { return std::vector<std::int64_t>(shape.size(), 0); }

std::string copy_of(std::size_t bytes) { return "a copy of " + std::to_string(bytes) + " bytes"; }

// Of arrays: it holds blocks of the devices' memories, and none of its own.
class ArrayMemories final : public Memory {
 public:
  explicit ArrayMemories(Client& client) : client_(client) {}
  Client* client() override { return &client_; }
  std::string name() const override { return "the memories of simulated devices"; }
  void release(Buffer* buffer) noexcept override { delete static_cast<ShardedBuffer*>(buffer); }

 private:
  Client& client_;
};

class SimulatedClient final : public Client {
 public:
  std::string_view platform() const override { return "simulated"; }
  BufferPtr put(HostPtr whole, DType dtype, const Shape& shape, const Mesh& mesh, const Layout& layout) override {
    return later({{mesh, layout}},
                 [=] { return std::vector<Blocks>(1, scatter(*whole, dtype, shape, mesh, layout)); })[0];
  }
  HostPtr get(ShardedBuffer& array, DType dtype, const Shape& shape) override {
    wait(array);
    std::lock_guard lock(array.mutex);
    if (!array.whole) array.whole = gather(array.blocks, dtype, shape, array.mesh, array.layout);
    return array.whole;
  }
  void wait(ShardedBuffer& array) override { array.ready->wait(); }
  void synchronize() override {
    std::unique_lock lock(mutex_);
    Stream* const stream = stream_;
    lock.unlock();
    if (stream && stream->is_of_this_process()) stream->synchronize();
  }
  Backend& backend() override;

  struct Place {
    Mesh mesh;
    Layout layout;
  };
  using Make = std::function<std::vector<Blocks>()>;
  /// Arrays there, whose blocks `make` makes in its turn.
  std::vector<BufferPtr> later(const std::vector<Place>& places, Make make);
  /// The same at once, on this thread, after all that was asked for before.
  std::vector<BufferPtr> now(const std::vector<Place>& places, const Make& make);

 private:
  std::vector<BufferPtr> unmade(const std::vector<Place>& places, const std::shared_ptr<Event>& ready);
  // Begins with the first work, and lives as long as the process; a child of fork() has one of its own.
  Stream& stream() {
    std::lock_guard lock(mutex_);
    if (!stream_ || !stream_->is_of_this_process()) stream_ = new Stream;
    return *stream_;
  }

  ArrayMemories memory_{*this};
  std::mutex mutex_;
  Stream* stream_ = nullptr;
};

// The call for which something is done later: errors name it and its line, and it has the settings of its thread.
class CallOfLater {
 public:
  CallOfLater() : name_(call_name("")), loc_(current_loc()), own_{~settings::Word{0}, settings::now()} {}
  void run(const std::function<void()>& f) const {
    const settings::Handed settings(own_);
    const CallScope scope(loc_, Loc{"", name_.c_str(), 0});
    f();
  }

 private:
  std::string name_;
  Loc loc_;
  settings::Own own_;
};

std::vector<BufferPtr> SimulatedClient::now(const std::vector<Place>& places, const Make& make) {
  synchronize();
  std::vector<Blocks> made = make();
  const auto ready = std::make_shared<Event>();
  std::vector<BufferPtr> arrays = unmade(places, ready);
  for (std::size_t k = 0; k < made.size(); ++k) static_cast<ShardedBuffer&>(*arrays[k]).blocks = std::move(made[k]);
  ready->finish();
  return arrays;
}

std::vector<BufferPtr> SimulatedClient::unmade(const std::vector<Place>& places, const std::shared_ptr<Event>& ready) {
  std::vector<BufferPtr> arrays;
  for (const Place& p : places) {
    auto array = std::make_unique<ShardedBuffer>();
    array->mesh = p.mesh;
    array->layout = p.layout;
    array->ready = ready;
    array->memory = &memory_;
    arrays.emplace_back(array.release());
  }
  return arrays;
}

std::vector<BufferPtr> SimulatedClient::later(const std::vector<Place>& places, Make make) {
  const auto ready = std::make_shared<Event>();
  std::vector<BufferPtr> arrays = unmade(places, ready);
  stream().add([arrays, ready, make = std::move(make), call = CallOfLater()]() mutable {
    std::exception_ptr error;
    try {
      call.run([&] {
        std::vector<Blocks> made = make();
        for (std::size_t k = 0; k < made.size(); ++k)
          static_cast<ShardedBuffer&>(*arrays[k]).blocks = std::move(made[k]);
      });
    } catch (...) {
      error = std::current_exception();
    }
    make = nullptr;  // nothing is held any more when who waits goes on
    arrays.clear();
    ready->finish(error);
  });
  return arrays;
}

SimulatedClient& the_client() {
  static auto& c = *new SimulatedClient;  // arrays may outlive every static
  return c;
}
[[maybe_unused]] const bool is_known = [] {
  add_client(the_client());
  return true;
}();

// Whether the blocks of an array are those that a program takes.
bool lies_so(const ShardedBuffer& array, const Shape& shape, const Mesh& mesh, const Layout& layout) {
  if (device_list_of(array.mesh) != device_list_of(mesh)) return false;
  if (array.mesh == mesh && array.layout == layout) return true;
  if (!(block_shape(array.layout, shape) == block_shape(layout, shape))) return false;
  for (std::int64_t d = 0; d < mesh.size(); ++d)
    if (!(box_of(array.layout, array.mesh, shape, d) == box_of(layout, mesh, shape, d))) return false;
  return true;
}

std::vector<BufferPtr> blocks_of(const BufferPtr& given, const Type& type, const Mesh& mesh, const Layout& layout) {
  if (given->memory) {
    auto& array = static_cast<ShardedBuffer&>(*given);
    the_client().wait(array);
    if (lies_so(array, type.shape, mesh, layout)) return array.blocks;
  }
  return scatter(*fetched(given, type.dtype, type.shape), type.dtype, type.shape, mesh, layout);
}

void launch(const LocalProgram& local) {
  const std::vector<Eqn>& eqns = local.program->eqns;
  const LocOverride line(eqns.empty() ? Loc{} : eqns.front().loc);  // a call of a jit has no line of its own
  for (std::int64_t d = 0; d < local.mesh.size(); ++d)
    fault(memory_of(device_number(local.mesh, d)).device(), "the launch of a program");
}

// On blocks that are there. Counts in `sent`.
std::vector<Blocks> run_blocks(const LocalProgram& local, std::span<const BufferPtr> inputs, Traffic& sent) {
  std::vector<Blocks> blocks;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    blocks.push_back(blocks_of(inputs[i], local.input_types[i], local.mesh, local.inputs[i]));
  launch(local);
  std::vector<Blocks> made = Devices(local.mesh, sent).run(*local.program, std::move(blocks));
  run::count_traffic(sent);
  return made;
}

// What the last run sent.
class LastSent {
 public:
  void set(const Traffic& sent) {
    std::lock_guard lock(mutex_);
    sent_ = {sent.bytes(), sent.messages()};
  }
  Sent get() const {
    std::lock_guard lock(mutex_);
    return sent_;
  }

 private:
  mutable std::mutex mutex_;
  Sent sent_;
};

// Nothing is compiled, the LocalProgram itself is what runs.
class SimulatedExecutable final : public Executable {
 public:
  SimulatedExecutable(const LocalProgram& program, Results results)
      : program_(std::make_shared<LocalProgram>(program)),
        results_(results),
        calls_user_(tutti::calls_user(*program.program)) {
    const auto devices = static_cast<std::size_t>(program.mesh.size());
    for (const Type& t : program.program->input_types())
      stats_.argument_bytes += devices * static_cast<std::size_t>(t.nbytes());
    for (const Type& t : program.program->output_types())
      stats_.output_bytes += devices * static_cast<std::size_t>(t.nbytes());
    stats_.peak_bytes = stats_.argument_bytes + stats_.output_bytes;
    stats_.tasks = stats_.fallbacks = static_cast<int>(program.program->eqns.size() * devices);
  }

  std::vector<BufferPtr> run(std::span<const BufferPtr> inputs, std::span<const bool>) override {
    if (results_ == Results::on_host) {
      Run done = simulated::run(*program_, inputs);
      last_->set(done.sent);
      return std::move(done.outputs);
    }
    std::vector<SimulatedClient::Place> places;
    for (const Layout& l : program_->outputs) places.push_back({program_->mesh, l});
    const SimulatedClient::Make make = [program = program_, last = last_,
                                        given = std::vector(inputs.begin(), inputs.end())] {
      Traffic sent;
      std::vector<Blocks> made = run_blocks(*program, given, sent);
      last->set(sent);
      return made;
    };
    // A function of the user's is called on the thread that calls the program, and has been when that call returns.
    return calls_user_ ? the_client().now(places, make) : the_client().later(places, make);
  }
  std::string text() const override { return str(*program_); }
  PlanStats stats() const override { return stats_; }
  Sent sent() const override {
    the_client().synchronize();
    return last_->get();
  }

 private:
  std::shared_ptr<const LocalProgram> program_;
  Results results_;
  bool calls_user_;
  std::shared_ptr<LastSent> last_ = std::make_shared<LastSent>();
  PlanStats stats_;
};

class SimulatedBackend final : public Backend {
 public:
  explicit SimulatedBackend(Results results) : results_(results) {}
  std::string_view name() const override { return "simulated"; }
  std::shared_ptr<Executable> compile(const LocalProgram& program, const std::vector<bool>&) override {
    return std::make_shared<SimulatedExecutable>(program, results_);
  }

 private:
  Results results_;
};

Backend& SimulatedClient::backend() {
  static auto& b = *new SimulatedBackend(Results::on_devices);
  return b;
}

}  // namespace

Backend& isolated() {
  static auto& b = *new SimulatedBackend(Results::on_host);
  return b;
}

std::vector<BufferPtr> scatter(const HostBuffer& whole, DType dtype, const Shape& shape, const Mesh& mesh,
                               const Layout& layout) {
  std::vector<BufferPtr> out;
  const Shape block = block_shape(layout, shape);
  const auto bytes = static_cast<std::size_t>(block.num_elements() * dtype.size());
  for (std::int64_t d = 0; d < mesh.size(); ++d) {
    DeviceMemory& memory = memory_of(device_number(mesh, d));
    out.push_back(memory.allocate(bytes));
    fault(memory.device(), copy_of(bytes));
    std::memset(inside(out.back()), dtype.is_bool() ? 1 : 0xff, bytes);
    const Box box = box_of(layout, mesh, shape, d);
    copy_box(box.shape(), dtype.size(), {shape, box.start}, whole.data(), {block, origin(block)}, inside(out.back()));
    to_devices += box.num_elements() * dtype.size();
  }
  return out;
}

HostPtr gather(std::span<const BufferPtr> blocks, DType dtype, const Shape& shape, const Mesh& mesh,
               const Layout& layout) {
  HostPtr whole = allocate_buffer(static_cast<std::size_t>(shape.num_elements() * dtype.size()));
  const Shape block = block_shape(layout, shape);
  std::set<std::vector<std::int64_t>> there;  // where they begin: devices that hold the same are asked once
  for (std::int64_t d = 0; d < mesh.size(); ++d) {
    const Box box = box_of(layout, mesh, shape, d);
    if (box.empty() || !there.insert(box.start).second) continue;
    const std::int64_t bytes = box.num_elements() * dtype.size();
    fault(memory_of(device_number(mesh, d)).device(), copy_of(static_cast<std::size_t>(bytes)));
    copy_box(box.shape(), dtype.size(), {block, origin(block)}, inside(blocks[d]), {shape, box.start}, whole->data());
    to_host += bytes;
  }
  return whole;
}

Transfers transfers() { return {to_devices, to_host}; }

Run run(const LocalProgram& local, std::span<const BufferPtr> inputs) {
  Run out;
  std::vector<Blocks> made = run_blocks(local, inputs, out.sent);
  for (std::size_t i = 0; i < made.size(); ++i) {
    const Type& type = local.output_types[i];
    out.outputs.push_back(gather(made[i], type.dtype, type.shape, local.mesh, local.outputs[i]));
  }
  return out;
}

}  // namespace tutti::simulated

// SPDX-License-Identifier: Apache-2.0
