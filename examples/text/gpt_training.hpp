// Training of the transformer: what train_gpt and generate have in common.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include "gpt.hpp"
#include "mesh.hpp"
#include "program.hpp"
#include "saving.hpp"
#include "windows.hpp"

namespace text {

struct GptRun : RunOptions {
  GptRun() {
    batch = 8;
    context = 128;
    rate = 5e-3;
    seconds = INFINITY;
    goal = 3200;  // 3.3 MB of text: enough to leave the 5-gram behind, however fast the machine is
  }
  int layers = 4, width = 128, heads = 4, warmup = 200;
  double decay = 0.1, clip = 1;
  std::string positions = "rotary", dtype = "float32", remat;  // remat: what is kept, "" for no remat
  bool scan = false;
};

inline void add_options(CommandLine& line, GptRun& o) {
  add_options(line, static_cast<RunOptions&>(o));
  line.add("--layers", o.layers, "how many blocks").with_default();
  line.add("--width", o.width, "numbers per position").with_default();
  line.add("--heads", o.heads, "of attention").with_default();
  line.add("--positions", o.positions, "learned or rotary").one_of({"learned", "rotary"}).with_default();
  line.add("--dtype", o.dtype, "of the computation; parameters are float32")
      .one_of({"float32", "bfloat16"})
      .with_default();
  line.add("--warmup", o.warmup, "steps until the rate is at its highest").with_default();
  line.add("--decay", o.decay, "of weights, not of biases and scales").with_default();
  line.add("--clip", o.clip, "norm of all gradients together, at most").with_default();
  line.flag("--scan", o.scan, "the layers are one loop over stacked parameters");
  line.flag("--remat{nothing}", o.remat,
            "layers are computed again for their gradients; =dots, =weights and =everything keep more")
      .one_of({"nothing", "dots", "weights", "everything"});
}

/// What a remat of each layer keeps: nothing, its products, those with weights alone, or everything.
inline std::optional<RematPolicy> remat_policy(const std::string& name) {
  if (name.empty()) return std::nullopt;
  if (name == "dots") return checkpoint_policies::dots_saveable;
  if (name == "weights") return checkpoint_policies::dots_with_no_batch_dims_saveable;
  return name == "everything" ? checkpoint_policies::everything_saveable : checkpoint_policies::nothing_saveable;
}

/// The model that the options describe. Throws UsageError for numbers that make none.
inline GptOptions model_options(const GptRun& o) {
  check(o);
  check_sizes({{"--layers", o.layers}, {"--width", o.width}, {"--heads", o.heads}});
  if (o.width % o.heads || (o.positions == "rotary" && o.width / o.heads % 2))
    throw UsageError(fmt::format("--width {} --heads {}: the heads must divide the width{}", o.width, o.heads,
                                 o.positions == "rotary" ? ", into even sizes for rotary positions" : ""));
  const double parameters = 12. * o.layers * o.width * o.width + (256. + o.context) * o.width;
  const double logits = double(o.batch) * o.context * (256. + double(o.heads) * o.context);
  if (parameters + logits > double(1 << 30))
    throw UsageError("--layers, --width, --heads, --context and --batch: too large together for one machine");
  if (o.warmup < 0 || !(o.decay >= 0) || !(o.clip > 0))
    throw UsageError("--warmup and --decay must not be negative, --clip must be positive");
  return {.layers = o.layers,
          .width = o.width,
          .heads = o.heads,
          .context = o.context,
          .rotary = o.positions == "rotary",
          .scan = o.scan,
          .dtype = o.dtype == "bfloat16" ? bfloat16 : float32,
          .remat = remat_policy(o.remat)};
}

/// Clipped gradients, then AdamW; the rate comes with each step.
inline auto gpt_optimiser(const GptRun& o, const Array& rate) {
  return optim::chain(optim::clip_by_global_norm(o.clip),
                      optim::adamw(rate, {.b2 = 0.95,
                                          .weight_decay = o.decay,
                                          .mask = {{"**.bias", false}, {"**.scale", false}, {"**", true}}}));
}
using GptState = decltype(gpt_optimiser(GptRun(), Array()).init(Gpt()));

/// (model, state, inputs, targets, rate) -> (model, state, loss); model and state are given up.
inline auto training_step(const GptRun& run, const GptOptions& options) {
  return jit(
      [run, options](const Gpt& m, const GptState& s, const Array& x, const Array& y, const Array& rate) {
        auto objective = [&](const Gpt& m) { return loss(m, options, x, y); };
        auto [value, gradient] = value_and_grad(objective)(m);
        auto [updates, next] = gpt_optimiser(run, rate).update(gradient, s, m);
        return std::tuple{optim::apply_updates(m, updates), next, value};
      },
      {.donate_argnums = {0, 1}});
}

/// Model, optimiser and step.
class GptTraining {
 public:
  GptTraining(const GptRun& run, const GptOptions& options, const Mesh& mesh, const std::string& text)
      : run_(run),
        options_(options),
        by_data_(mesh, P("data")),
        windows_(text, run.batch, run.context, Targets::every, run.seed),
        model_(place(init_gpt(options, random::key(static_cast<int>(run.seed))), options, mesh)),
        state_(gpt_optimiser(run, Array(0.f)).init(model_)),
        saving_(run, text.size()),
        begin_(saving_.resume(model_, state_)) {
    windows_.skip(begin_.steps);
    batch_ = draw();
  }

  /// One step at that rate: the loss before it.
  float step(float rate) {
    auto [model, state, value] = step_(model_, state_, batch_.first, batch_.second, array(rate));
    model_ = std::move(model);
    state_ = std::move(state);
    const float loss = value.item<float>();
    batch_ = draw();
    return loss;
  }
  /// Linear up, then half a cosine over the whole run, down to a tenth.
  Curve run() {
    const optim::Schedule cosine = optim::cosine_decay_schedule(run_.rate, 1, 0.1);
    auto one_step = [&](int i, double part) {
      const double warm = run_.warmup > 0 ? std::min(1.0, (i + 1.0) / run_.warmup) : 1;
      return step(static_cast<float>(warm * cosine(array(part)).item<float>()));
    };
    auto save = [&](int i, double seconds, bool last) { saving_.after(i, seconds, last, model_, state_); };
    return train_loop(run_, run_.context, begin_, {one_step, save});
  }
  Explanation explain() const { return step_.explain(model_, state_, batch_.first, batch_.second, array(0.f)); }
  const Gpt& model() const { return model_; }
  const Array& inputs() const { return batch_.first; }

 private:
  std::pair<Array, Array> draw() { return device_put(windows_.draw(), by_data_); }
  GptRun run_;
  GptOptions options_;
  NamedSharding by_data_;
  Windows windows_;
  Gpt model_;
  GptState state_;
  Saving saving_;
  Begin begin_;
  std::pair<Array, Array> batch_;
  decltype(training_step(GptRun(), GptOptions())) step_ = training_step(run_, options_);
};

}  // namespace text

// SPDX-License-Identifier: Apache-2.0
