// Messages on their way, by MPI.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <deque>
#include <limits>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "backend/mpi/control.hpp"
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

// The one that opened the module, as a child of fork() learns by comparing.
pid_t own_process();

// How a wait begins and goes on.
struct Patience {
  int polls = 200;      // before the core is offered to others
  bool asleep = false;  // and then not asked for again at once
  WaitTimes times;
};

class MpiFlight final : public Transport::Flight {
 public:
  MpiFlight(int index, const Patience& patience, Control& control);
  ~MpiFlight() override;

  template <class Post> void post_send(std::int64_t bytes, int peer, Post post) {
    post_pieces(bytes, peer, false, post);
  }
  template <class Post> void post_receive(std::int64_t bytes, int peer, Post post) {
    post_pieces(bytes, peer, true, post);
  }
  // A letter goes or comes in place of what is read.
  void post_letter(const Transport::Outgoing& m, int channel, MPI_Comm comm);
  void await_letter(const Transport::Incoming& m, pid_t process, int channel, MPI_Comm comm);

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
  struct Piece {
    int peer;
    int bytes;  // -1: sent
  };
  // One wait: what it asks and tells, and when.
  class Watch;

  template <class Post> void post_pieces(std::int64_t bytes, int peer, bool comes, Post post) {
    std::int64_t from = 0;
    do {
      const std::int64_t n = std::min(kPiece, bytes - from);
      requests_.emplace_back();
      pieces_.push_back({peer, comes ? static_cast<int>(n) : -1});
      post(from, static_cast<int>(n), &requests_.back());
      from += n;
    } while (from < bytes);
  }
  bool come() override;
  std::string wait(const std::string& what, const std::function<void()>& meanwhile) override;

  bool over() const { return requests_.empty() && awaited_.empty() && sent_.empty(); }
  bool pieces_came();
  bool read(Awaited& a);
  void note_wrong_size(int peer, std::int64_t bytes, std::int64_t expected);
  std::set<int> late() const;
  void forget();
  // A warning: `tutti: process 2 TEXT`.
  void tell(const std::string& text) const;

  int index_;
  Patience patience_;
  Control& control_;
  std::vector<MPI_Request> requests_;
  std::vector<Piece> pieces_;  // by request
  std::deque<Sent> sent_;      // read by others while they are here: they stay where they are
  std::deque<Awaited> awaited_;
  bool pieces_done_ = false;
  std::string problem_;  // another message came than the one awaited
};

}  // namespace tutti::run

// SPDX-License-Identifier: Apache-2.0
