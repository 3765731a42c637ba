// libtutti_mpi.so: messages by MPI. The only file that sees mpi.h; distributed::initialize loads it.
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
#include <thread>
#include <vector>

#include "backend/mpi/peer_memory.hpp"
#include "run/transport.hpp"

namespace tutti::run {
namespace {

using Clock = std::chrono::steady_clock;

// Of a message that is read from the memory of who sends it: below, a letter costs more than the copies of MPI.
constexpr std::int64_t kRead = 32 << 10;

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
      std::fprintf(stderr, "tutti: process %d cannot read what process %d sends: %s\n", index_, a.message.from,
                   std::strerror(errno));
      MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return a.done = true;
  }
  void tell(const std::string& what, double waited) {
    std::set<int> late;
    for (std::size_t k = 0; k < requests_.size(); ++k)
      if (requests_[k] != MPI_REQUEST_NULL) late.insert(peers_[k]);
    for (const Awaited& a : awaited_)
      if (!a.done) late.insert(a.message.from);
    for (const Sent& s : sent_)
      if (s.read.load(std::memory_order_relaxed) == 0) late.insert(s.to);
    std::string list;
    for (int p : late) list += (list.empty() ? "" : ", ") + std::to_string(p);
    std::fprintf(stderr, "tutti: process %d has waited %.0f s in %s for process%s %s\n", index_, waited, what.c_str(),
                 late.size() == 1 ? "" : "es", list.c_str());
  }

  int index_;
  Patience patience_;
  std::vector<MPI_Request> requests_;
  std::vector<int> peers_;
  std::deque<Sent> sent_;  // read by others while they are here: they stay where they are
  std::deque<Awaited> awaited_;
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
    readable_.resize(static_cast<std::size_t>(count_));
    if (count_here_ > 1 && !told_not_to_read()) find_neighbours(host);
    MPI_Comm_free(&host);
    // Where each process has a core, a message is some milliseconds away and not worth a turn of somebody else's.
    if (count_here_ <= sysconf(_SC_NPROCESSORS_ONLN)) polls_ = 20000;
  }
  int index() const override { return index_; }
  int count() const override { return count_; }
  int count_here() const override { return count_here_; }
  bool takes_runs(int process, std::int64_t bytes) const override {
    return bytes >= kRead && readable_[static_cast<std::size_t>(process)] != 0;
  }
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
    for (const Incoming& m : in) {
      const std::int64_t bytes = m.part.bytes();
      if (takes_runs(m.from, bytes)) {
        flight->await_letter(m, readable_[static_cast<std::size_t>(m.from)], channel, comm_);
        continue;
      }
      flight->post(bytes, m.from, [&](std::int64_t from, int n, MPI_Request* request) {
        MPI_Irecv(m.array + m.part.start + from, n, MPI_BYTE, m.from, channel, comm_, request);
      });
    }
    for (const Outgoing& m : out) {
      const std::int64_t bytes = m.part.bytes();
      if (takes_runs(m.to, bytes)) {
        flight->post_letter(m, channel, comm_);
        continue;
      }
      flight->post(bytes, m.to, [&](std::int64_t from, int n, MPI_Request* request) {
        MPI_Isend(m.array + m.part.start + from, n, MPI_BYTE, m.to, channel, comm_, request);
      });
    }
    return flight;
  }

  // OpenMPI has a switch for it.
  static bool told_not_to_read() {
    const char* how = std::getenv("OMPI_MCA_btl_vader_single_copy_mechanism");
    return how && std::strcmp(how, "none") == 0;
  }
  // Containers and ptrace_scope may forbid to read other processes' memory. Only where all of a host may they do: what
  // one sends as a letter the other one must be able to read.
  void find_neighbours(MPI_Comm host) {
    static int one = 1;
    struct Card {
      int index;
      pid_t process;
      Letter letter;
    };
    std::vector<std::atomic<int>> written(static_cast<std::size_t>(count_here_));
    int me = 0;
    MPI_Comm_rank(host, &me);
    std::vector<Card> cards(static_cast<std::size_t>(count_here_));
    cards[static_cast<std::size_t>(me)] = {
        index_, getpid(), {reinterpret_cast<const char*>(&one), dense(sizeof one), written.data()}};
    MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, cards.data(), sizeof(Card), MPI_BYTE, host);
    int may = 1;
    for (int p = 0; p < count_here_; ++p) {
      Letter letter = cards[static_cast<std::size_t>(p)].letter;
      letter.read += me;
      if (p != me) may &= may_read(cards[static_cast<std::size_t>(p)].process, letter) ? 1 : 0;
    }
    MPI_Barrier(host);
    for (int p = 0; p < count_here_; ++p) may &= p == me || written[static_cast<std::size_t>(p)].load() == 1 ? 1 : 0;
    MPI_Allreduce(MPI_IN_PLACE, &may, 1, MPI_INT, MPI_MIN, host);
    if (may)
      for (const Card& c : cards) readable_[static_cast<std::size_t>(c.index)] = c.process;
  }

  double timeout_s_;
  MPI_Comm comm_ = MPI_COMM_NULL;
  int index_ = 0, count_ = 1, count_here_ = 1, polls_ = Patience{}.polls;
  std::vector<pid_t> readable_;  // by process: on this host, and its memory may be read; 0 otherwise
};

// Where all processes are on one host an OpenMPI need not look for networks, and gets what the starter knows faster by
// messages than through files with locks: that is most of what starting takes.
void stay_on_this_host() {
  const char* all = std::getenv("OMPI_COMM_WORLD_SIZE");
  const char* here = std::getenv("OMPI_COMM_WORLD_LOCAL_SIZE");
  if (all && here && std::strcmp(all, here) == 0) {
    setenv("OMPI_MCA_pml", "ob1", 0);
    setenv("PMIX_MCA_gds", "hash", 0);
  }
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
