// Messages between processes: what a module such as libtutti_mpi.so brings. Everything above it, which block goes where
// and how blocks are combined, is the collectives' own (ir/collective.hpp).
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>

#include "ir/collective.hpp"

namespace tutti::run {

/// Whether this process is a child (fork) of the one that called set_transport: it shares descriptors and memory with
/// its parent, so a message of its own would be taken for one of the parent's.
bool is_forked();
/// DistributedError that says so.
[[noreturn]] void refuse_in_child();

class Transport {
 public:
  static constexpr int kProgramChannels = 16384, kChannels = 32768;
  /// Runs of an array that are sent, and where they are put. They lie together, `dense`, unless `takes_runs`: then
  /// those of the sender and of the receiver may lie apart in other ways.
  struct Outgoing {
    int to;
    const char* array;
    Runs part;
  };
  struct Incoming {
    int from;
    char* array;
    Runs part;
  };
  static Runs dense(std::int64_t bytes) { return {0, bytes, bytes, 1}; }
  /// Messages on their way: their memory is theirs until they have landed.
  class Flight {
   public:
    virtual ~Flight() = default;
    /// Whether they have landed; helps those on that have not.
    bool landed() { return !is_forked() && come(); }
    /// Waits, and calls `meanwhile` again and again. After a minute of it (TUTTI_COLLECTIVE_TIMEOUT), and again each
    /// time it has lasted twice as long, `what` is told on stderr with the processes waited for; after the wait limit
    /// the job ends with kWaitLimitCode. DistributedError where another message came than the one awaited, and in a
    /// child of fork().
    void land(const std::string& what, const std::function<void()>& meanwhile = {});

   private:
    virtual bool come() = 0;
    /// What is wrong with what came; "" when nothing is.
    virtual std::string wait(const std::string& what, const std::function<void()>& meanwhile) = 0;
  };

  virtual ~Transport() = default;
  virtual int index() const = 0;
  virtual int count() const = 0;
  /// How many of the processes are on this host.
  virtual int count_here() const = 0;
  /// Whether messages of so many bytes between this process and that one need not be dense.
  virtual bool takes_runs(int process, std::int64_t bytes) const = 0;
  /// Messages of one pair on one channel arrive in the order in which they were started. What goes on at the same time
  /// has channels of its own: the collectives of a program those below kProgramChannels, threads that send beside
  /// programs, and wait without keeping a core busy, those from there to kChannels. The rest is on channel 0.
  std::unique_ptr<Flight> start(std::span<const Outgoing> out, std::span<const Incoming> in, int channel = 0) {
    if (is_forked()) refuse_in_child();
    for (const Incoming& m : in) bytes_ += m.part.bytes();
    messages_ += static_cast<std::int64_t>(in.size());
    return fly(out, in, channel);
  }
  /// Ends all processes of the job.
  [[noreturn]] virtual void abort(int code) = 0;
  /// Meets the others and lets them go: nothing is sent afterwards.
  virtual void close() = 0;

  /// All that this process was sent so far.
  Received received() const { return {static_cast<double>(bytes_.load()), messages_.load()}; }

 private:
  virtual std::unique_ptr<Flight> fly(std::span<const Outgoing> out, std::span<const Incoming> in, int channel) = 0;
  std::atomic<std::int64_t> bytes_{0}, messages_{0};
};

/// Nothing in a process that is alone.
Transport* transport();
void set_transport(std::unique_ptr<Transport> transport);

/// Seconds of a wait for other processes; 0: never.
struct WaitTimes {
  double told_after = 60;                             // on stderr
  double limit = 0;                                   // then the job ends
  void (*tell)(const char* text) noexcept = nullptr;  // what is told goes there: a module calls nothing of tutti
};
/// The exit code of a job that ends by the limit: that of timeout(1).
inline constexpr int kWaitLimitCode = 124;

/// What a module exports: `tutti_transport(times, error)`. Nothing, with an error, where there is no job.
using OpenTransport = Transport* (*)(const WaitTimes& times, std::string& error);

}  // namespace tutti::run

// SPDX-License-Identifier: Apache-2.0
