#include "run/repeat_work.hpp"

#include <algorithm>
#include <cstring>
#include <optional>

#include "base/loop_steps.hpp"
#include "run/pool.hpp"

namespace tutti::run {

using compile::Repeat;
using compile::Storage;

namespace {

constexpr double kSteps = 100;  // of a loop that has a condition, a guess

// The addresses of a Plan's storages, those that stay filled in.
class Addresses {
 public:
  Addresses(const compile::Plan& plan, char* slab) : plan_(plan) {
    if (plan.storages.size() > kLocal) many_.reset(at_ = new char*[plan.storages.size()]);
    place_storages(plan, slab, at_);
    for (std::size_t s = 0; s < plan.storages.size(); ++s)
      if (plan.storages[s].kind == Storage::Kind::temporary && plan.storages[s].takes >= 0)
        in_others_.push_back(static_cast<int>(s));
  }
  char*& input(int k) { return at_[plan_.inputs[static_cast<std::size_t>(k)]]; }
  char*& output(int k) { return at_[plan_.outputs[static_cast<std::size_t>(k)]]; }
  // When inputs and outputs are known.
  char* const* all() {
    for (int s : in_others_) at_[s] = at_[plan_.storages[s].takes];
    return at_;
  }

 private:
  static constexpr std::size_t kLocal = 64;
  const compile::Plan& plan_;
  char* local_[kLocal];
  std::unique_ptr<char*[]> many_;
  char** at_ = local_;
  std::vector<int> in_others_;
};

}  // namespace

RepeatWork::RepeatWork(const Repeat& r, std::unique_ptr<Steps> body, std::unique_ptr<Steps> condition)
    : r_(r), body_(std::move(body)), condition_(std::move(condition)) {
  cost_ns = (body_->cost_ns() + (condition_ ? condition_->cost_ns() : 0)) *
            (condition_ ? kSteps : static_cast<double>(r_.length));
  const int carries = static_cast<int>(r_.carries.size());
  for (int i = 0; i < r_.xs(); ++i)
    slice_bytes_.push_back(r_.body->storages[r_.body->inputs[r_.consts + carries + i]].bytes);
  for (int i = 0; i < r_.ys(); ++i) slice_bytes_.push_back(r_.body->storages[r_.body->outputs[carries + i]].bytes);
}

// One run of the loop.
class RepeatWork::Turn {
 public:
  Turn(const RepeatWork& w, char* const* at)
      : w_(w), r_(w.r_), at_(at), scratch_(r_.scratch < 0 ? nullptr : at[r_.scratch]), body_(*r_.body, slab()) {
    for (int k = 0; k < r_.consts; ++k) body_.input(k) = at_[r_.operands[r_.condition_consts + k]];
    for (const Repeat::Carry& c : r_.carries) now_.push_back(at_[c.start]);
    if (!r_.condition) return;
    condition_.emplace(*r_.condition, scratch_ + r_.condition_slab);
    for (int k = 0; k < r_.condition_consts; ++k) condition_->input(k) = at_[r_.operands[k]];
    condition_->output(0) = scratch_ + r_.held;
  }

  void run() {
    std::optional<Awake> awake;
    if (w_.body_->awake()) awake.emplace();
    if (r_.condition)
      for (std::int64_t k = 0; holds(); ++k) step(k);
    else
      for (std::int64_t k = 0; k < r_.length; ++k) step(k);
    for (std::size_t c = 0; c < now_.size(); ++c) copy(now_[c], at_[r_.carries[c].result], r_.carries[c].bytes);
    for (std::size_t k = 0; k < r_.passed.size(); ++k)
      copy(at_[r_.passed[k].first], at_[r_.passed[k].second], r_.passed_bytes[k]);
  }

 private:
  char* slab() const { return scratch_ ? scratch_ + r_.body_slab : nullptr; }
  static void copy(const char* from, char* to, std::int64_t bytes) {
    if (from != to && bytes > 0) std::memcpy(to, from, static_cast<std::size_t>(bytes));
  }

  bool holds() {
    for (std::size_t c = 0; c < now_.size(); ++c)
      condition_->input(r_.condition_consts + static_cast<int>(c)) = now_[c];
    w_.condition_->run(condition_->all());
    return *(scratch_ + r_.held) != 0;
  }

  // Where step k writes a carry: not where it reads it, unless it may, and the last step where the result is wanted.
  char* next(const Repeat::Carry& c, const char* now, std::int64_t k) const {
    char* const result = at_[c.result];
    if (c.in_place) return result;
    char* const slot = scratch_ + c.slot;
    if (k == 0 && now != result) return (r_.condition || r_.length % 2) ? result : slot;
    return now == result ? slot : result;
  }

  void step(std::int64_t k) {
    here_.at(k);
    const int carries = static_cast<int>(now_.size()), xs = r_.xs();
    for (int c = 0; c < carries; ++c) {
      body_.input(r_.consts + c) = now_[c];
      body_.output(c) = now_[c] = next(r_.carries[c], now_[c], k);
    }
    const std::int64_t slice = r_.reverse ? r_.length - 1 - k : k;
    const int first_x = r_.condition_consts + r_.consts + carries;
    for (int i = 0; i < xs; ++i)
      body_.input(r_.consts + carries + i) = at_[r_.operands[first_x + i]] + slice * w_.slice_bytes_[i];
    for (int i = 0; i < r_.ys(); ++i)
      body_.output(carries + i) = at_[r_.results[carries + i]] + slice * w_.slice_bytes_[xs + i];
    w_.body_->run(body_.all());
  }

  const RepeatWork& w_;
  const Repeat& r_;
  char* const* at_;
  char* scratch_;
  Addresses body_;
  std::optional<Addresses> condition_;
  std::vector<char*> now_;  // by carry: where its value lies
  LoopStep here_;
};

void RepeatWork::run(char* const* at, int) const { Turn(*this, at).run(); }

BranchWork::BranchWork(const compile::Branch& b, std::vector<std::unique_ptr<Steps>> branches)
    : b_(b), branches_(std::move(branches)) {
  for (const auto& steps : branches_) cost_ns = std::max(cost_ns, steps->cost_ns());
}

void BranchWork::run(char* const* at, int) const {
  std::int32_t index;
  std::memcpy(&index, at[b_.index], sizeof index);
  const auto taken =
      static_cast<std::size_t>(std::clamp<std::int64_t>(index, 0, static_cast<std::int64_t>(branches_.size()) - 1));
  Addresses here(*b_.branches[taken], b_.scratch < 0 ? nullptr : at[b_.scratch]);
  for (std::size_t k = 0; k < b_.operands.size(); ++k) here.input(static_cast<int>(k)) = at[b_.operands[k]];
  for (std::size_t k = 0; k < b_.results.size(); ++k) here.output(static_cast<int>(k)) = at[b_.results[k]];
  branches_[taken]->run(here.all());
}

}  // namespace tutti::run

// SPDX-License-Identifier: Apache-2.0
