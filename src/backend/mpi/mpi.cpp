// libtutti_mpi.so: messages by MPI. The only file that sees mpi.h; distributed::initialize loads it.
#include <mpi.h>
#include <sched.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "run/transport.hpp"

namespace tutti::run {
namespace {

using Clock = std::chrono::steady_clock;

// A count of MPI is an int: longer messages go in pieces.
constexpr std::int64_t kPiece = std::numeric_limits<int>::max() / 2;

// Programs and threads beside them call MPI one at a time: that is what MPI_THREAD_SERIALIZED asks for.
std::mutex& one_at_a_time() {
  static std::mutex one;
  return one;
}

// How a wait begins and goes on.
struct Patience {
  int polls = 200;        // before the core is offered to others
  bool asleep = false;    // and then not asked for again at once
  double told_after = 0;  // s
};

class MpiFlight final : public Transport::Flight {
 public:
  MpiFlight(int index, Patience patience) : index_(index), patience_(patience) {}
  ~MpiFlight() override {
    while (!requests_.empty() && !landed()) sched_yield();
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

  bool landed() override {
    std::lock_guard lock(one_at_a_time());
    int done = 0;
    MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &done, MPI_STATUSES_IGNORE);
    return done != 0;
  }
  void land(const std::string& what, const std::function<void()>& meanwhile) override {
    const Clock::time_point start = Clock::now();
    double told = patience_.told_after;
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
      if (patience_.told_after <= 0 || waited < told) continue;
      tell(what, waited);
      told += patience_.told_after;
    }
    requests_.clear();
  }

 private:
  void tell(const std::string& what, double waited) {
    std::set<int> late;
    for (std::size_t k = 0; k < requests_.size(); ++k)
      if (requests_[k] != MPI_REQUEST_NULL) late.insert(peers_[k]);
    std::string list;
    for (int p : late) list += (list.empty() ? "" : ", ") + std::to_string(p);
    std::fprintf(stderr, "tutti: process %d has waited %.0f s in %s for process%s %s\n", index_, waited, what.c_str(),
                 late.size() == 1 ? "" : "es", list.c_str());
  }

  int index_;
  Patience patience_;
  std::vector<MPI_Request> requests_;
  std::vector<int> peers_;
};

class MpiTransport final : public Transport {
 public:
  explicit MpiTransport(double timeout_s) : timeout_s_(timeout_s) {
    MPI_Comm_dup(MPI_COMM_WORLD, &comm_);
    MPI_Comm_rank(comm_, &index_);
    MPI_Comm_size(comm_, &count_);
    MPI_Comm host;
    MPI_Comm_split_type(comm_, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
    MPI_Comm_size(host, &count_here_);
    MPI_Comm_free(&host);
    // Where each process has a core, a message is some milliseconds away and not worth a turn of somebody else's.
    if (count_here_ <= sysconf(_SC_NPROCESSORS_ONLN)) polls_ = 20000;
  }
  int index() const override { return index_; }
  int count() const override { return count_; }
  int count_here() const override { return count_here_; }
  [[noreturn]] void abort(int code) override {
    MPI_Abort(MPI_COMM_WORLD, code);
    std::abort();
  }
  void close() override {
    MPI_Comm_free(&comm_);
    MPI_Finalize();
  }

 private:
  std::unique_ptr<Flight> fly(std::span<const Outgoing> out, std::span<const Incoming> in, int channel) override {
    auto flight = std::make_unique<MpiFlight>(index_, Patience{polls_, channel >= kProgramChannels, timeout_s_});
    std::lock_guard lock(one_at_a_time());
    for (const Incoming& m : in)
      flight->post(m.bytes, m.from, [&](std::int64_t from, int n, MPI_Request* request) {
        MPI_Irecv(m.data + from, n, MPI_BYTE, m.from, channel, comm_, request);
      });
    for (const Outgoing& m : out)
      flight->post(m.bytes, m.to, [&](std::int64_t from, int n, MPI_Request* request) {
        MPI_Isend(m.data + from, n, MPI_BYTE, m.to, channel, comm_, request);
      });
    return flight;
  }

  double timeout_s_;
  MPI_Comm comm_ = MPI_COMM_NULL;
  int index_ = 0, count_ = 1, count_here_ = 1, polls_ = Patience{}.polls;
};

// Where all processes are on one host an OpenMPI need not look for networks: that is most of what starting takes.
void stay_on_this_host() {
  const char* all = std::getenv("OMPI_COMM_WORLD_SIZE");
  const char* here = std::getenv("OMPI_COMM_WORLD_LOCAL_SIZE");
  if (all && here && std::strcmp(all, here) == 0) setenv("OMPI_MCA_pml", "ob1", 0);
}

}  // namespace
}  // namespace tutti::run

extern "C" tutti::run::Transport* tutti_transport(double timeout_s, std::string& error) {
  int ready = 0, level = 0;
  MPI_Initialized(&ready);
  if (!ready) {
    tutti::run::stay_on_this_host();
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &level);
  }
  MPI_Query_thread(&level);
  if (level < MPI_THREAD_SERIALIZED) {
    error = "this MPI was started for one thread only: let it be started with MPI_THREAD_SERIALIZED or more";
    return nullptr;
  }
  return new tutti::run::MpiTransport(timeout_s);
}
