// libtutti_mpi.so: messages by MPI. No other folder sees mpi.h; distributed::initialize loads it.
#include <mpi.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include "backend/mpi/flight.hpp"
#include "run/transport.hpp"

namespace tutti::run {
namespace {

// Of a message that is read from the memory of who sends it: below, a letter costs more than the copies of MPI.
constexpr std::int64_t kRead = 32 << 10;

class MpiTransport final : public Transport {
 public:
  explicit MpiTransport(const WaitTimes& times) : times_(times) {
    (void)own_process();
    MPI_Comm_dup(MPI_COMM_WORLD, &comm_);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);  // flights say what is wrong
    MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
    MPI_Comm_rank(comm_, &index_);
    MPI_Comm_size(comm_, &count_);
    MPI_Comm host;
    MPI_Comm_split_type(comm_, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
    MPI_Comm_size(host, &count_here_);
    readable_.resize(static_cast<std::size_t>(count_));
    if (count_here_ > 1 && !told_not_to_read()) find_neighbours(host);
    MPI_Comm_free(&host);
    control_ = std::make_unique<Control>(comm_);
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
    control_->say_leaving();
    for (int turn = 0; !control_->is_over(); ++turn)
      if (turn > 1000) std::this_thread::sleep_for(std::chrono::microseconds(200));
    control_->close();
    MPI_Comm_free(&comm_);
    MPI_Finalize();
  }

 private:
  std::unique_ptr<Flight> fly(std::span<const Outgoing> out, std::span<const Incoming> in, int channel) override {
    auto flight = std::make_unique<MpiFlight>(index_, Patience{polls_, channel >= kProgramChannels, times_}, *control_);
    std::lock_guard lock(one_at_a_time());
    for (const Incoming& m : in) {
      const std::int64_t bytes = m.part.bytes();
      if (takes_runs(m.from, bytes)) {
        flight->await_letter(m, readable_[static_cast<std::size_t>(m.from)], channel, comm_);
        continue;
      }
      flight->post_receive(bytes, m.from, [&](std::int64_t from, int n, MPI_Request* request) {
        MPI_Irecv(m.array + m.part.start + from, n, MPI_BYTE, m.from, channel, comm_, request);
      });
    }
    for (const Outgoing& m : out) {
      const std::int64_t bytes = m.part.bytes();
      if (takes_runs(m.to, bytes)) {
        flight->post_letter(m, channel, comm_);
        continue;
      }
      flight->post_send(bytes, m.to, [&](std::int64_t from, int n, MPI_Request* request) {
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
        index_, getpid(), {kLetter, reinterpret_cast<const char*>(&one), dense(sizeof one), written.data()}};
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

  WaitTimes times_;
  MPI_Comm comm_ = MPI_COMM_NULL;
  std::unique_ptr<Control> control_;
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

extern "C" tutti::run::Transport* tutti_transport(const tutti::run::WaitTimes& times, std::string& error) {
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
  return new tutti::run::MpiTransport(times);
}

// SPDX-License-Identifier: Apache-2.0
