#include "backend/mpi/control.hpp"

#include <algorithm>

namespace tutti::run {
namespace {

// Of larger jobs only those hear of a wait that are waited for.
constexpr std::size_t kAll = 64;

}  // namespace

Control::Control(MPI_Comm comm) {
  int count = 0;
  MPI_Comm_dup(comm, &comm_);
  MPI_Comm_rank(comm_, &index_);
  MPI_Comm_size(comm_, &count);
  peers_.resize(static_cast<std::size_t>(count));
  for (int p = 0; p < count; ++p)
    if (p != index_) await(p);
}

void Control::await(int process) {
  Peer& p = peers_[static_cast<std::size_t>(process)];
  MPI_Irecv(&p.note, sizeof p.note, MPI_BYTE, process, 0, comm_, &p.heard);
}

// Notes of a process come in order, the last one says that it has left.
void Control::hear(int process) {
  if (process == index_) return;
  Peer& p = peers_[static_cast<std::size_t>(process)];
  for (int come = 0; !p.left; come = 0) {
    MPI_Test(&p.heard, &come, MPI_STATUS_IGNORE);
    if (!come) return;
    if (p.note.kind == Kind::waits)
      p.waits[p.note.number] = {p.note.what, p.note.for_you != 0, p.note.beside != 0};
    else if (p.note.kind == Kind::goes_on)
      p.waits.erase(p.note.number);
    p.left = p.note.kind == Kind::left;
    if (!p.left) await(process);
  }
}

void Control::send(const Note& note, int process) {
  while (!sent_.empty()) {
    int gone = 0;
    MPI_Test(&sent_.front().request, &gone, MPI_STATUS_IGNORE);
    if (!gone) break;
    sent_.pop_front();
  }
  Sent& s = sent_.emplace_back();
  s.note = note;
  MPI_Isend(&s.note, sizeof s.note, MPI_BYTE, process, 0, comm_, &s.request);
}

std::int64_t Control::say_waiting(const Waiting& wait, const std::set<int>& late) {
  Note note{Kind::waits, 0, wait.beside ? 1 : 0, ++last_, {}};
  wait.what.copy(note.what, sizeof note.what - 1);
  for (int p = 0; p < static_cast<int>(peers_.size()); ++p) {
    note.for_you = late.count(p) ? 1 : 0;
    if (p == index_ || !(note.for_you || peers_.size() <= kAll)) continue;
    send(note, p);
    told_[last_].push_back(p);
  }
  return last_;
}

void Control::say_going_on(std::int64_t number) {
  for (int p : told_[number]) send({Kind::goes_on, 0, 0, number, {}}, p);
  told_.erase(number);
}

const std::map<std::int64_t, Waiting>& Control::waits_of(int process) {
  hear(process);
  return peers_[static_cast<std::size_t>(process)].waits;
}

bool Control::has_left(int process) {
  hear(process);
  return peers_[static_cast<std::size_t>(process)].left;
}

void Control::say_leaving() {
  for (int p = 0; p < static_cast<int>(peers_.size()); ++p)
    if (p != index_) send({Kind::left, 0, 0, 0, {}}, p);
}

bool Control::is_over() {
  bool all = true;
  for (int p = 0; p < static_cast<int>(peers_.size()); ++p) all &= p == index_ || has_left(p);
  for (Sent& s : sent_) {
    int gone = 0;
    MPI_Test(&s.request, &gone, MPI_STATUS_IGNORE);
    all &= gone != 0;
  }
  return all;
}

void Control::close() { MPI_Comm_free(&comm_); }

}  // namespace tutti::run

// SPDX-License-Identifier: Apache-2.0
