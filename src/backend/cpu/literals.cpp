#include "backend/cpu/literals.hpp"

#include <bit>
#include <cstring>
#include <mutex>

#include "base/half.hpp"
#include "base/lru.hpp"
#include "run/nest.hpp"

namespace tutti::cpu {
namespace {

using compile::Inst;

constexpr std::size_t kBodies = 4096;  // remembered

bool is_literal(const Inst& i) { return i.kind == Inst::Kind::constant && i.sub == 1; }

// A body without its literals, and those that it came with first.
struct Seen {
  std::string body;
  std::vector<std::int64_t> literals;
  bool change = false;
};

// Whether this body came before with other literals.
bool change(const compile::Body& body) {
  static std::mutex mutex;
  static auto* bodies = new LruCache<Seen>;  // no end: programs are compiled until the process ends
  Seen here;
  compile::Body plain = body;
  for (Inst& i : plain.insts)
    if (is_literal(i)) here.literals.push_back(std::exchange(i.bits, 0));
  if (here.literals.empty()) return false;
  here.body = plain.str();
  const std::size_t hash = std::hash<std::string>{}(here.body);
  std::lock_guard lock(mutex);
  if (Seen* known = bodies->find(hash, [&](const Seen& s) { return s.body == here.body; }))
    return known->change = known->change || known->literals != here.literals;
  bodies->insert(hash, std::move(here));
  bodies->shrink(kBodies);
  return false;
}

void write(DType dtype, std::int64_t bits, std::byte* to) {
  visit_arithmetic_dtype(dtype, [&]<class T>(Stored<T>) {
    T value{};
    if constexpr (std::is_floating_point_v<T>)
      value = static_cast<T>(std::bit_cast<double>(bits));
    else if constexpr (std::is_integral_v<T>)
      value = static_cast<T>(bits);
    else
      throw InternalError("cpu: a literal is of a type that no register has");
    std::memcpy(to, &value, sizeof value);
  });
}

void load_literals(compile::Plan& plan, compile::Loop& loop) {
  for (Inst& i : loop.body.insts) {
    if (!is_literal(i)) continue;
    compile::Access a;
    a.dtype = i.dtype;
    a.storage = static_cast<int>(plan.storages.size());
    a.strides.assign(loop.extents.size(), 0);
    plan.storages.push_back({.kind = compile::Storage::Kind::constant,
                             .bytes = i.dtype.size(),
                             .offset = static_cast<std::int64_t>(plan.constants.size())});
    plan.constants.resize(plan.constants.size() + 8);
    write(i.dtype, i.bits, plan.constants.data() + plan.storages.back().offset);
    i = {.kind = Inst::Kind::load, .dtype = i.dtype, .bits = static_cast<std::int64_t>(loop.accesses.size())};
    loop.accesses.push_back(a);
  }
}

}  // namespace

compile::Plan load_changing_literals(compile::Plan plan) {
  for (compile::Step& step : plan.steps) {
    auto* loop = std::get_if<compile::Loop>(&step.what);
    if (!loop || !change(loop->body)) continue;
    std::size_t accesses = loop->accesses.size();
    for (const Inst& i : loop->body.insts) accesses += is_literal(i);
    if (accesses <= static_cast<std::size_t>(run::kMaxAccesses)) load_literals(plan, *loop);
  }
  return plan;
}

}  // namespace tutti::cpu

// SPDX-License-Identifier: Apache-2.0
