// The control channel: what processes tell each other beside data, which is what they wait in and that they have left
// main. Whoever waits for a message of one that has left would wait for ever.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace tutti::run {

/// What another process waits in, as it said.
struct Waiting {
  std::string what;     // the operation, with the user's line
  bool for_us = false;  // for a message of this process
  bool beside = false;  // on a thread beside programs
};

/// One at a time calls it, as it calls MPI.
class Control {
 public:
  /// All processes of `comm` make one together.
  explicit Control(MPI_Comm comm);
  Control(const Control&) = delete;

  /// A wait of this process has lasted: tells the others. The number names it.
  std::int64_t say_waiting(const Waiting& wait, const std::set<int>& late);
  /// That wait is over.
  void say_going_on(std::int64_t number);
  /// What that process waits in, by the number of each wait.
  const std::map<std::int64_t, Waiting>& waits_of(int process);

  /// Whether that process has left main. Its messages are on their way before.
  bool has_left(int process);
  void say_leaving();
  /// Whether all have said it, and know that this process has.
  bool is_over();
  void close();

 private:
  enum class Kind : std::int32_t { waits, goes_on, left };
  struct Note {
    Kind kind;
    std::int32_t for_you, beside;
    std::int64_t number;
    char what[240];
  };
  struct Peer {
    Note note;
    MPI_Request heard = MPI_REQUEST_NULL;
    bool left = false;
    std::map<std::int64_t, Waiting> waits;
  };
  struct Sent {
    Note note;
    MPI_Request request;
  };
  void await(int process);
  void hear(int process);
  void send(const Note& note, int process);

  MPI_Comm comm_ = MPI_COMM_NULL;  // of its own: its messages are mistaken for no others
  int index_ = 0;
  std::int64_t last_ = 0;
  std::deque<Peer> peers_;  // by process
  std::deque<Sent> sent_;
  std::map<std::int64_t, std::vector<int>> told_;  // by wait
};

}  // namespace tutti::run

// SPDX-License-Identifier: Apache-2.0
