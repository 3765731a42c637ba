// The reference backend: every Eqn by its op's eval. The living definition of what Programs mean.
#include "backend/reference/reference.hpp"

#include "array/evaluate.hpp"

namespace tutti {
namespace {

class ReferenceExecutable final : public Executable {
 public:
  explicit ReferenceExecutable(ProgramPtr program) : program_(std::move(program)) {}
  std::vector<BufferPtr> run(std::span<const BufferPtr> inputs, std::span<const bool>) override {
    return tutti::evaluate(*program_, inputs);
  }
  std::string text() const override { return str(*program_); }
  PlanStats stats() const override {
    PlanStats s;
    for (const Type& t : program_->input_types()) s.argument_bytes += static_cast<std::size_t>(t.nbytes());
    for (const Type& t : program_->output_types()) s.output_bytes += static_cast<std::size_t>(t.nbytes());
    s.tasks = s.fallbacks = static_cast<int>(program_->eqns.size());
    return s;
  }

 private:
  ProgramPtr program_;
};

class ReferenceBackend final : public Backend {
 public:
  std::string_view name() const override { return "reference"; }
  std::shared_ptr<Executable> compile(const LocalProgram& program, const std::vector<bool>&) override {
    return std::make_shared<ReferenceExecutable>(program.program);
  }
};

}  // namespace

Backend& reference_backend() {
  static auto& b = *new ReferenceBackend;
  return b;
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
