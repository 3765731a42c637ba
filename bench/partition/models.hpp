// Training programs: what the partitioner makes of them, and how long it takes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "plan.hpp"

namespace bench {

struct Model {
  std::string name;
  std::function<ProgramPtr()> record;
  std::vector<Sharding> inputs, outputs;  // empty outputs are open
  std::optional<double> bytes, seconds;   // to be reached
  std::optional<double> xla;              // bytes of JAX 0.10.2 on CPU
};

// models_transformer.cpp
Model transformer(int layers, bool as_scan, std::optional<double> bytes, std::optional<double> seconds,
                  std::optional<double> xla);
/// One block, value and all gradients, on 2x2x2x2.
Model transformer_block_on_four_axes(double seconds);
// models_steps.cpp
/// The step of examples/train_text.cpp.
Model text_step(const MeshAxes& mesh, double bytes);
/// SGD, momentum and Adam of a two-layer perceptron, everything replicated but the batch.
std::vector<Model> data_parallel_steps(double bytes);
Model mlp_on_four_axes(double seconds);

struct ModelOptions {
  std::string filter;
  int limit = 60;  // seconds for each
  bool verbose = false;
};
/// Each in a process of its own, which is ended when its time is up. 1 when one failed.
int print_models(const ModelOptions& options);

}  // namespace bench

// SPDX-License-Identifier: Apache-2.0
