// Who leaves main says so to the others: whoever waits for a message of his would wait for ever.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <vector>

namespace tutti::run {

/// One at a time calls it, as it calls MPI.
class Farewell {
 public:
  /// All processes of `comm` make one together.
  explicit Farewell(MPI_Comm comm);
  Farewell(const Farewell&) = delete;
  /// Whether that process has left main. Its messages are on their way before.
  bool said_by(int process);
  void say();
  /// Whether all have said it, and know that this process has.
  bool is_over();
  void close() { MPI_Comm_free(&comm_); }

 private:
  MPI_Comm comm_ = MPI_COMM_NULL;  // of its own: its messages are mistaken for no others
  int index_ = 0;
  std::vector<char> gone_;          // by process
  std::vector<MPI_Request> heard_;  // by process
  std::vector<MPI_Request> told_;
};

}  // namespace tutti::run
