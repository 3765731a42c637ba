#include "backend/mpi/flight.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <thread>
#include <utility>

namespace tutti::run {
namespace {

// A wait asks now and then whether those that it waits for have left. What they had sent may come a little later.
constexpr double kAsked = 0.5;  // s
// After this long the others learn of a wait; and after this long two that wait for each other are told.
constexpr double kNoted = 1, kCrossed = 2;  // s
constexpr std::size_t kLines = 1000;        // bytes of what many others wait in

std::string number(int n) { return std::to_string(n); }
std::string whole(double seconds) { return std::to_string(std::lround(seconds)); }

}  // namespace

pid_t own_process() {
  static const pid_t one = getpid();
  return one;
}

// What others are told: that this process waits, and since when they are waited for.
class MpiFlight::Watch {
 public:
  Watch(MpiFlight& flight, const std::string& what)
      : flight_(flight), what_(what), told_(flight.patience_.times.told_after) {}
  ~Watch() {
    if (!noted_) return;
    std::lock_guard lock(one_at_a_time());
    flight_.control_.say_going_on(noted_);
  }
  Watch(const Watch&) = delete;

  void look() {
    const double waited = std::chrono::duration<double>(Clock::now() - start_).count();
    const WaitTimes& times = flight_.patience_.times;
    if (waited > asked_) {
      asked_ = waited + kAsked;
      ask(waited);
    }
    if (times.limit > 0 && waited >= times.limit) end(waited);
    if (told_ <= 0 || waited < told_) return;
    tell(waited);
    while (told_ <= waited) told_ *= 2;
  }

 private:
  using Clock = std::chrono::steady_clock;

  void ask(double waited) {
    if (gone_ >= 0) end_without(gone_);
    std::lock_guard lock(one_at_a_time());
    const std::set<int> late = flight_.late();
    for (int p : late)
      if (flight_.control_.has_left(p)) gone_ = p;
    if (waited >= kNoted && !noted_) noted_ = flight_.control_.say_waiting({what_, false, beside()}, late);
    if (waited >= kCrossed && !beside() && !crossed_) tell_crossed(late);
  }
  bool beside() const { return flight_.patience_.asleep; }

  // Two that wait for each other, in different places, and still do when this one asks again.
  void tell_crossed(const std::set<int>& late) {
    for (int p : late)
      for (const auto& [wait, theirs] : flight_.control_.waits_of(p)) {
        if (theirs.beside || !theirs.for_us || what_.starts_with(theirs.what)) continue;
        if (std::exchange(suspected_, wait) != wait) return;
        crossed_ = true;
        if (flight_.index_ > p) return;  // one of the two
        flight_.tell("waits in " + what_ + ", process " + number(p) + " in " + theirs.what +
                     ", and they wait for each other");
        return;
      }
  }
  // `for process 1, which waits in psum over data (train.cpp:41) for this one`.
  std::string waited_for() {
    std::lock_guard lock(one_at_a_time());
    const std::set<int> late = flight_.late();
    std::string list, lines;
    for (int p : late) {
      list += (list.empty() ? "" : ", ") + number(p);
      for (const auto& [wait, theirs] : flight_.control_.waits_of(p))
        if (lines.size() < kLines) lines += "\ntutti: process " + number(p) + " waits in " + theirs.what;
    }
    if (lines.empty())
      lines = std::string("\ntutti: ") + (late.size() == 1 ? "it waits" : "they wait") +
              " for no message: busy, stopped, or in a wait of the program's own";
    return std::string(late.size() == 1 ? "process " : "processes ") + list + lines;
  }
  void tell(double waited) { flight_.tell("has waited " + whole(waited) + " s in " + what_ + " for " + waited_for()); }
  [[noreturn]] void end(double waited) {
    flight_.tell("has waited " + whole(waited) + " s, the wait limit, in " + what_ + " for " + waited_for() +
                 "\ntutti: the job ends with " + number(kWaitLimitCode));
    std::fflush(nullptr);
    MPI_Abort(MPI_COMM_WORLD, kWaitLimitCode);
    std::abort();
  }
  [[noreturn]] void end_without(int gone) {
    flight_.tell("waits in " + what_ + " for process " + number(gone) + ", which has left main");
    MPI_Abort(MPI_COMM_WORLD, 1);
    std::abort();
  }

  MpiFlight& flight_;
  const std::string& what_;
  const Clock::time_point start_ = Clock::now();
  double told_, asked_ = kAsked;
  int gone_ = -1;
  std::int64_t noted_ = 0, suspected_ = -1;
  bool crossed_ = false;
};

MpiFlight::MpiFlight(int index, const Patience& patience, Control& control)
    : index_(index), patience_(patience), control_(control) {}

MpiFlight::~MpiFlight() {
  const pid_t me = getpid();
  while (!over() && problem_.empty() && me == own_process() && !come()) sched_yield();
  if (me == own_process() && !problem_.empty()) forget();
}

void MpiFlight::post_letter(const Transport::Outgoing& m, int channel, MPI_Comm comm) {
  Sent& s = sent_.emplace_back();
  s.letter = {kLetter, m.array, m.part, &s.read};
  s.to = m.to;
  post_send(sizeof s.letter, m.to, [&](std::int64_t, int n, MPI_Request* request) {
    MPI_Isend(&s.letter, n, MPI_BYTE, m.to, channel, comm, request);
  });
}

void MpiFlight::await_letter(const Transport::Incoming& m, pid_t process, int channel, MPI_Comm comm) {
  Awaited& a = awaited_.emplace_back();
  a.message = m;
  a.process = process;
  MPI_Irecv(&a.letter, sizeof a.letter, MPI_BYTE, m.from, channel, comm, &a.request);
}

void MpiFlight::tell(const std::string& text) const {
  if (patience_.times.tell) patience_.times.tell(("tutti: process " + number(index_) + " " + text + "\n").c_str());
}

bool MpiFlight::come() {
  std::lock_guard lock(one_at_a_time());
  if (!problem_.empty()) return false;
  bool all = true;
  for (Awaited& a : awaited_) all &= a.done || read(a);
  for (const Sent& s : sent_) all &= s.read.load(std::memory_order_acquire) != 0;
  return pieces_came() && all;
}

bool MpiFlight::pieces_came() {
  if (pieces_done_) return true;
  constexpr std::size_t kFew = 16;
  MPI_Status few[kFew];
  std::vector<MPI_Status> many(requests_.size() > kFew ? requests_.size() : 0);
  MPI_Status* const statuses = many.empty() ? few : many.data();
  int done = 0;
  const int code = MPI_Testall(static_cast<int>(requests_.size()), requests_.data(), &done, statuses);
  if (code == MPI_SUCCESS && !done) return false;
  for (std::size_t k = 0; k < requests_.size(); ++k) {
    int bytes = 0;
    if (pieces_[k].bytes < 0) continue;
    if (code != MPI_SUCCESS && statuses[k].MPI_ERROR == MPI_ERR_PENDING) continue;
    MPI_Get_count(&statuses[k], MPI_BYTE, &bytes);
    const bool cut = code != MPI_SUCCESS && statuses[k].MPI_ERROR != MPI_SUCCESS;
    if (cut || bytes != pieces_[k].bytes) note_wrong_size(pieces_[k].peer, cut ? -1 : bytes, pieces_[k].bytes);
  }
  if (code != MPI_SUCCESS && problem_.empty()) {
    char text[MPI_MAX_ERROR_STRING];
    int length = 0;
    MPI_Error_string(code, text, &length);
    problem_ = "MPI says: " + std::string(text, static_cast<std::size_t>(length));
  }
  return pieces_done_ = problem_.empty();
}

void MpiFlight::note_wrong_size(int peer, std::int64_t bytes, std::int64_t expected) {
  if (!problem_.empty()) return;
  problem_ = "process " + number(index_) + " awaits " + std::to_string(expected) + " bytes of process " + number(peer) +
             ", which sends " + (bytes < 0 ? "more" : std::to_string(bytes)) +
             ": it is in another operation, or has another mesh or other shapes";
}

std::string MpiFlight::wait(const std::string& what, const std::function<void()>& meanwhile) {
  std::optional<Watch> watch;
  for (int turn = 0; !come(); ++turn) {
    if (!problem_.empty()) return problem_;
    if (meanwhile) meanwhile();
    if (!watch) watch.emplace(*this, what);
    if (patience_.asleep) {
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    } else {
      if (turn < patience_.polls) continue;
      sched_yield();  // processes may be more than cores
      if (turn % 128) continue;
    }
    watch->look();
  }
  requests_.clear();
  pieces_.clear();
  awaited_.clear();
  sent_.clear();
  return "";
}

bool MpiFlight::read(Awaited& a) {
  int come = 0, bytes = 0;
  MPI_Status status;
  const int code = MPI_Test(&a.request, &come, &status);
  if (code == MPI_SUCCESS && !come) return false;
  MPI_Get_count(&status, MPI_BYTE, &bytes);
  if (code != MPI_SUCCESS || bytes != sizeof a.letter || a.letter.kind != kLetter) {
    note_wrong_size(a.message.from, code != MPI_SUCCESS ? -1 : bytes, a.message.part.bytes());
    return false;
  }
  if (a.letter.part.bytes() != a.message.part.bytes()) {
    note_wrong_size(a.message.from, a.letter.part.bytes(), a.message.part.bytes());
    return false;
  }
  if (!read_runs(a.process, a.letter, a.message.array, a.message.part)) {
    const int why = errno;
    tell("cannot read what process " + number(a.message.from) + " sends: " + std::strerror(why));
    if (why == ESRCH) sleep(3);  // it was killed: the launcher, which ends the job, says by what
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  return a.done = true;
}

std::set<int> MpiFlight::late() const {
  std::set<int> late;
  for (std::size_t k = 0; k < requests_.size(); ++k) {
    int done = 0;
    MPI_Request_get_status(requests_[k], &done, MPI_STATUS_IGNORE);
    if (!done) late.insert(pieces_[k].peer);
  }
  for (const Awaited& a : awaited_)
    if (!a.done) late.insert(a.message.from);
  for (const Sent& s : sent_)
    if (s.read.load(std::memory_order_relaxed) == 0) late.insert(s.to);
  return late;
}

// After a message that was not the awaited one nothing else of this flight is waited for: what was to come is called
// off, before its memory goes.
void MpiFlight::forget() {
  std::lock_guard lock(one_at_a_time());
  auto call_off = [](MPI_Request& request) {
    if (request == MPI_REQUEST_NULL) return;
    MPI_Cancel(&request);
    MPI_Request_free(&request);
  };
  for (std::size_t k = 0; k < requests_.size(); ++k)
    if (pieces_[k].bytes >= 0) call_off(requests_[k]);
  for (Awaited& a : awaited_) call_off(a.request);
}

}  // namespace tutti::run

// SPDX-License-Identifier: Apache-2.0
