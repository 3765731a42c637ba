// Messages on their way, by MPI.
#pragma once

#include <mpi.h>
#include <sched.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <limits>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "backend/mpi/farewell.hpp"
#include "backend/mpi/peer_memory.hpp"
#include "run/transport.hpp"

namespace tutti::run {

// A count of MPI is an int: longer messages go in pieces.
inline constexpr std::int64_t kPiece = std::numeric_limits<int>::max() / 2;

// Programs and threads beside them call MPI one at a time: that is what MPI_THREAD_SERIALIZED asks for.
inline std::mutex& one_at_a_time() {
  static std::mutex one;
  return one;
}

// How a wait begins and goes on.
struct Patience {
  int polls = 200;        // before the core is offered to others
  bool asleep = false;    // and then not asked for again at once
  double told_after = 0;  // s
};

// A wait asks now and then whether those that it waits for have left. What they had sent may come a little later.
inline constexpr double kAsked = 0.5;  // s

class MpiFlight final : public Transport::Flight {
 public:
  MpiFlight(int index, Patience patience, Farewell& farewell)
      : index_(index), patience_(patience), farewell_(farewell) {}
  ~MpiFlight() override {
    while (!over() && !landed()) sched_yield();
  }

  template <class Post> void post(std::int64_t bytes, int peer, Post post) {
    std::int64_t from = 0;
    do {
      const std::int64_t n = std::min(kPiece, bytes - from);
      requests_.emplace_back();
      peers_.push_back(peer);
      post(from, static_cast<int>(n), &requests_.back());
      from += n;
    } while (from < bytes);
  }
  // A letter goes or comes in place of what is read.
  void post_letter(const Transport::Outgoing& m, int channel, MPI_Comm comm) {
    Sent& s = sent_.emplace_back();
    s.letter = {m.array, m.part, &s.read};
    s.to = m.to;
    post(sizeof s.letter, m.to, [&](std::int64_t, int n, MPI_Request* request) {
      MPI_Isend(&s.letter, n, MPI_BYTE, m.to, channel, comm, request);
    });
  }
  void await_letter(const Transport::Incoming& m, pid_t process, int channel, MPI_Comm comm) {
    Awaited& a = awaited_.emplace_back();
    a.message = m;
    a.process = process;
    MPI_Irecv(&a.letter, sizeof a.letter, MPI_BYTE, m.from, channel, comm, &a.request);
  }

  bool landed() override {
    std::lock_guard lock(one_at_a_time());
    bool all = true;
    for (Awaited& a : awaited_) all &= a.done || read(a);
    for (const Sent& s : sent_) all &= s.read.load(std::memory_order_acquire) != 0;
    int done = 0;
    MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &done, MPI_STATUSES_IGNORE);
    return all && done != 0;
  }
  void land(const std::string& what, const std::function<void()>& meanwhile) override {
    using Clock = std::chrono::steady_clock;
    const Clock::time_point start = Clock::now();
    double told = patience_.told_after, asked = kAsked;
    int gone = -1;
    for (int turn = 0;; ++turn) {
      if (landed()) break;
      if (meanwhile) meanwhile();
      if (patience_.asleep) {
        std::this_thread::sleep_for(std::chrono::microseconds(200));
      } else {
        if (turn < patience_.polls) continue;
        sched_yield();  // processes may be more than cores
        if (turn % 1024) continue;
      }
      const double waited = std::chrono::duration<double>(Clock::now() - start).count();
      if (waited > asked) {
        if (gone >= 0) end(what, gone);
        gone = one_that_left();
        asked = waited + kAsked;
      }
      if (patience_.told_after <= 0 || waited < told) continue;
      tell(what, waited);
      told += patience_.told_after;
    }
    requests_.clear();
    awaited_.clear();
    sent_.clear();
  }

 private:
  struct Sent {
    Letter letter;
    std::atomic<int> read{0};
    int to = 0;
  };
  struct Awaited {
    Letter letter;
    Transport::Incoming message;
    pid_t process = 0;
    MPI_Request request = MPI_REQUEST_NULL;
    bool done = false;
  };

  bool over() const { return requests_.empty() && awaited_.empty() && sent_.empty(); }
  bool read(Awaited& a) const {
    int come = 0;
    MPI_Test(&a.request, &come, MPI_STATUS_IGNORE);
    if (!come) return false;
    if (!read_runs(a.process, a.letter, a.message.array, a.message.part)) {
      const int why = errno;
      std::fprintf(stderr, "tutti: process %d cannot read what process %d sends: %s\n", index_, a.message.from,
                   std::strerror(why));
      if (why == ESRCH) sleep(3);  // it was killed: the launcher, which ends the job, says by what
      MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return a.done = true;
  }
  std::set<int> late() const {
    std::set<int> late;
    for (std::size_t k = 0; k < requests_.size(); ++k)
      if (requests_[k] != MPI_REQUEST_NULL) late.insert(peers_[k]);
    for (const Awaited& a : awaited_)
      if (!a.done) late.insert(a.message.from);
    for (const Sent& s : sent_)
      if (s.read.load(std::memory_order_relaxed) == 0) late.insert(s.to);
    return late;
  }
  int one_that_left() {
    std::lock_guard lock(one_at_a_time());
    for (int p : late())
      if (farewell_.said_by(p)) return p;
    return -1;
  }
  [[noreturn]] void end(const std::string& what, int gone) {
    std::fprintf(stderr, "tutti: process %d waits in %s for process %d, which has left main\n", index_, what.c_str(),
                 gone);
    MPI_Abort(MPI_COMM_WORLD, 1);
    std::abort();
  }
  void tell(const std::string& what, double waited) {
    const std::set<int> late = this->late();
    std::string list;
    for (int p : late) list += (list.empty() ? "" : ", ") + std::to_string(p);
    std::fprintf(stderr, "tutti: process %d has waited %.0f s in %s for process%s %s\n", index_, waited, what.c_str(),
                 late.size() == 1 ? "" : "es", list.c_str());
  }

  int index_;
  Patience patience_;
  Farewell& farewell_;
  std::vector<MPI_Request> requests_;
  std::vector<int> peers_;
  std::deque<Sent> sent_;  // read by others while they are here: they stay where they are
  std::deque<Awaited> awaited_;
};

}  // namespace tutti::run
