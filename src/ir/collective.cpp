#include "ir/collective.hpp"

#include <cstring>

namespace tutti {

std::int64_t Group::size() const {
  std::int64_t n = 1;
  for (std::int64_t s : sizes) n *= s;
  return n;
}

void pack(const Runs& r, const char* array, char* dense) {
  for (std::int64_t i = 0; i < r.rows && r.run > 0; ++i)
    std::memcpy(dense + i * r.run, array + r.start + i * r.stride, static_cast<std::size_t>(r.run));
}
void unpack(const Runs& r, const char* dense, char* array) {
  for (std::int64_t i = 0; i < r.rows && r.run > 0; ++i)
    std::memcpy(array + r.start + i * r.stride, dense + i * r.run, static_cast<std::size_t>(r.run));
}

namespace {

using Block = std::vector<char>;

class Lockstep {
 public:
  Lockstep(const Call& call, std::span<const HostView> operands, std::span<const HostView> results)
      : call_(call), how_(*call.op.collective), in_(operands), out_(results), received_(results.size()) {}

  Received run() {
    const auto n = static_cast<std::int64_t>(out_.size());
    std::vector<std::vector<Round>> rounds(out_.size());
    for (std::int64_t d = 0; d < n; ++d) {
      if (how_.alone) how_.alone(call_, d, in_.empty() ? nullptr : &in_[d], out_[d]);
      if (how_.rounds) rounds[d] = how_.rounds(call_, d, n);
    }
    for (std::size_t r = 0; r < rounds[0].size(); ++r) {
      boxes_.assign(out_.size(), std::vector<Block>(out_.size()));
      for (std::int64_t d = 0; d < n; ++d) send(d, rounds[d][r]);
      for (std::int64_t d = 0; d < n; ++d) receive(d, rounds[d][r]);
    }
    return mean();
  }

 private:
  void send(std::int64_t from, const Round& round) {
    const char* source = (round.onward ? out_[from] : in_[from]).as<const char>();
    for (const Parcel& p : round.send) {
      Block& box = boxes_[p.peer][from];
      box.resize(static_cast<std::size_t>(p.part.bytes()));
      pack(p.part, source, box.data());
      if (p.peer == from) continue;  // what a device keeps is no message; an empty one is: everybody waits for it
      received_[p.peer].bytes += static_cast<double>(box.size());
      ++received_[p.peer].messages;
    }
  }
  void receive(std::int64_t to, const Round& round) {
    char* result = out_[to].as<char>();
    if (!round.combined) {
      for (const Parcel& p : round.receive) unpack(p.part, boxes_[to][p.peer].data(), result);
      return;
    }
    std::vector<const char*> blocks;
    for (const Parcel& p : round.receive) blocks.push_back(boxes_[to][p.peer].data());
    const Runs& part = round.receive[0].part;
    Block sum(static_cast<std::size_t>(part.bytes()));
    how_.combine(out_[to].type.dtype, blocks, part.bytes() / out_[to].type.dtype.size(), sum.data());
    unpack(part, sum.data(), result);
  }
  Received mean() const {
    Received sum;
    std::int64_t devices = 0;
    for (const Received& r : received_) {
      sum.bytes += r.bytes;
      sum.messages += r.messages;
      devices += r.messages > 0;
    }
    if (devices == 0) return {};
    return {sum.bytes / static_cast<double>(devices), (sum.messages + devices - 1) / devices};
  }

  const Call& call_;
  const Collective& how_;
  std::span<const HostView> in_, out_;
  std::vector<Received> received_;
  std::vector<std::vector<Block>> boxes_;  // of the round: by receiver and sender
};

}  // namespace

Received exchange(const Call& call, std::span<const HostView> operands, std::span<const HostView> results) {
  return Lockstep(call, operands, results).run();
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
