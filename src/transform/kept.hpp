// Results of transformations of sub-programs, kept while the outermost transformation of this thread runs. Rules of
// loops ask until the carries stay as they are, those of branches once for each and once for what all have in common,
// and each of these asks again inside: kept, each level of a nest is transformed once per question.
#pragma once

#include <cstddef>
#include <memory>
#include <unordered_map>
#include <vector>

#include "trace/trace.hpp"
#include "transform/transform.hpp"

namespace tutti {

/// A question about a sub-program, or about an Eqn with some. Named axes that are bound around it count: rules ask for
/// their sizes.
struct Question {
  std::vector<ProgramPtr> programs;
  std::vector<bool> flags, more_flags;
  NamedAxes axes;
  BatchAxis batch;
  bool late_effects = false;
  const Op* op = nullptr;  // of an Eqn, with its parameters and operands
  Params params;
  std::vector<Type> operands;
  std::vector<BoundAxis> bound = bound_axes();
  int derivatives = derivatives_here();

  bool operator==(const Question& other) const;
  std::size_t hash() const;
};
struct QuestionHash {
  std::size_t operator()(const Question& q) const { return q.hash(); }
};
template <class Answer> using Answers = std::unordered_map<Question, Answer, QuestionHash>;

/// Answers of each kind.
struct Kept {
  Answers<JvpProgram> jvp;
  Answers<Split> split;
  Answers<Transposed> transpose;
  Answers<BatchedProgram> batch;
};

/// A transformation that is running: what is kept goes with the outermost of the thread.
class Transforming {
 public:
  Transforming();
  ~Transforming();
  Transforming(const Transforming&) = delete;
};
/// Of this thread; nullptr where no transformation is running.
Kept* kept();

/// The answer that is kept, else what `ask()` says, which is kept then.
template <class Answer, class Ask> Answer answer(Answers<Answer> Kept::*kind, const Question& q, Ask&& ask) {
  const Transforming running;
  Answers<Answer>& known = kept()->*kind;
  if (auto found = known.find(q); found != known.end()) return found->second;
  Answer made = ask();
  return known.insert_or_assign(q, std::move(made)).first->second;
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
