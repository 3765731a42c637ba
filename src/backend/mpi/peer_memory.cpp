#include "backend/mpi/peer_memory.hpp"

#include <sys/uio.h>

#include <algorithm>
#include <array>
#include <cerrno>

#include "run/runs.hpp"

namespace tutti::run {
namespace {

// Of one call; the kernel takes up to 1,024 pieces and somewhat less than 2 GiB.
constexpr std::size_t kPieces = 512;
constexpr std::int64_t kBytes = std::int64_t{1} << 30;

// Pieces of one side, of which as many bytes are taken as the other side has room for.
struct Pieces {
  std::array<iovec, kPieces> all;
  std::size_t count = 0;
  std::int64_t bytes = 0;

  void fill(char* array, RunWalk& from, std::int64_t most) {
    count = 0;
    bytes = 0;
    while (count < kPieces && bytes < most && from.left() > 0) {
      const std::int64_t n = std::min(most - bytes, from.together());
      all[count++] = {array + from.at(), static_cast<std::size_t>(n)};
      bytes += n;
      from.skip(n);
    }
  }
};

bool write_one(pid_t process, std::atomic<int>* where) {
  int one = 1;
  const iovec here{&one, sizeof one}, there{where, sizeof one};
  return process_vm_writev(process, &here, 1, &there, 1, 0) == sizeof one;
}

}  // namespace

bool may_read(pid_t process, const Letter& letter) {
  int got = 0;
  const iovec here{&got, sizeof got}, there{const_cast<char*>(letter.array), sizeof got};
  return process_vm_readv(process, &here, 1, &there, 1, 0) == sizeof got && got == 1 && write_one(process, letter.read);
}

bool read_runs(pid_t process, const Letter& letter, char* array, const Runs& part) {
  if (part.bytes() != letter.part.bytes()) {
    errno = EMSGSIZE;
    return false;
  }
  char* const their_array = const_cast<char*>(letter.array);
  RunWalk here(part), there(letter.part);
  Pieces to, from;
  while (there.left() > 0) {
    // As far as the pieces of both sides go.
    RunWalk ahead = here;
    to.fill(array, ahead, std::min(kBytes, there.left()));
    from.fill(their_array, there, to.bytes);
    to.fill(array, here, from.bytes);
    const ssize_t n = process_vm_readv(process, to.all.data(), to.count, from.all.data(), from.count, 0);
    if (n != to.bytes) {
      if (n >= 0) errno = EFAULT;
      return false;
    }
  }
  return write_one(process, letter.read);
}

}  // namespace tutti::run

// SPDX-License-Identifier: Apache-2.0
