#include "transform/kept.hpp"

#include "array/node.hpp"
#include "ir/op.hpp"

namespace tutti {
namespace {

constinit thread_local Kept* running = nullptr;  // made and deleted by the outermost: no destructor runs at the end
constinit thread_local int depth = 0;            // transformations inside each other

}  // namespace

bool Question::operator==(const Question& other) const {
  const auto same = [](const BatchAxis& a, const BatchAxis& b) { return a.size == b.size && a.name == b.name; };
  return programs == other.programs && flags == other.flags && more_flags == other.more_flags && axes == other.axes &&
         same(batch, other.batch) && late_effects == other.late_effects && op == other.op && params == other.params &&
         operands == other.operands && bound == other.bound && derivatives == other.derivatives;
}

std::size_t Question::hash() const {
  std::size_t h = std::hash<std::vector<bool>>{}(flags);
  h = hash_combine(h, std::hash<std::vector<bool>>{}(more_flags));
  for (const ProgramPtr& p : programs) h = hash_combine(h, std::hash<ProgramPtr>{}(p));
  return hash_combine(h, static_cast<std::size_t>(batch.size));
}

Transforming::Transforming() {
  if (depth == 0) running = new Kept;
  ++depth;
}
Transforming::~Transforming() {
  if (--depth == 0) {
    delete running;
    running = nullptr;
  }
}

Kept* kept() { return running; }

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
