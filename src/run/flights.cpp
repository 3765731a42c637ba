#include "run/flights.hpp"

#include <algorithm>
#include <exception>

namespace tutti::run {

thread_local Flights* Flights::mine_ = nullptr;

Flights::Flights() : around_(mine_) { mine_ = this; }

Flights::~Flights() {
  try {
    while (!empty()) finish(next());
  } catch (const std::exception&) {  // another one is on its way, or this would not be left over
  }
  mine_ = around_;
}

void Flights::add(int step, std::size_t stage, std::unique_ptr<UnderWay> what) {
  all_.push_back({step, stage, std::move(what)});
}

std::size_t Flights::stage_of(int step) const {
  return std::find_if(all_.begin(), all_.end(), [&](const Flight& f) { return f.step == step; })->stage;
}

void Flights::advance() {
  for (Flight& f : all_)
    if (!f.over) f.over = f.what->advance();
  if (around_) around_->advance();
}

void Flights::finish(int step) {
  const auto at = std::find_if(all_.begin(), all_.end(), [&](const Flight& f) { return f.step == step; });
  Flight f = std::move(*at);
  all_.erase(at);
  if (!f.over) f.what->finish([this] { advance(); });
}

}  // namespace tutti::run

// SPDX-License-Identifier: Apache-2.0
