// Trains a transformer over bytes on real text, on a mesh of devices: `./dev demo`.
//
//     ./dev demo                                           # held-out bits per byte beside a 5-gram's, and a sample
//     ./dev demo --seconds 60                              # ends by the clock
//     ./dev demo --steps 20 --mesh 8x1                     # the same losses on every mesh
//     ./dev demo --save run                                # a checkpoint every 100 steps; --resume goes on
//     ./dev demo --steps 5 --isolated --explain            # what each device receives, and why
#include "text/curve_svg.hpp"
#include "text/decode.hpp"
#include "text/gpt_training.hpp"
#include "text/ngram.hpp"

namespace {
using namespace text;

/// Of the bytes in the second halves of windows, each given at least the first half: half a context from one window to
/// the next, or further, so that there are about a thousand.
double held_out_bits(const Gpt& model, const GptOptions& o, const std::string& held_out) {
  const auto context = static_cast<std::size_t>(o.context), half = context / 2;
  const int batch = 64;
  auto losses = jit([o, half](const Gpt& m, const Array& x, const Array& y) {
    Array each = nn::softmax_cross_entropy(predict(m, o, x), y.astype(int32));
    return each(all, slice(half, none)).sum(1);
  });
  Windows windows(held_out, batch, o.context, Targets::every);
  const std::size_t room = held_out.size() - context - 1, apart = std::max(context - half, room / 1000);
  const std::size_t total = room / apart + 1;
  double nats = 0;
  for (std::size_t from = 0; from < total; from += batch) {
    const std::size_t n = std::min<std::size_t>(batch, total - from);
    auto [x, y] = windows.following(from * apart, n, apart);
    const std::vector<float> each = multihost::process_allgather(losses(model, x, y)).to_vector<float>();
    for (std::size_t i = 0; i < n; ++i) nats += each[i];
  }
  return nats / static_cast<double>(total * (context - half)) / std::log(2.0);
}

/// What is about to happen, and how the result is to be judged.
std::string expectation(const GptRun& run, double order5) {
  const std::string length = run.whole() ? fmt::format("{} steps, {:.1f} MB of text: one to three minutes on two cores",
                                                       run.whole(), double(run.whole()) * run.batch * run.context / 1e6)
                                         : fmt::format("{:g} s", run.seconds);
  return fmt::format("training  {}\ngoal      fewer bits per byte of held-out text than a 5-gram model: {:.3f}\n",
                     length, order5);
}

int train(const GptRun& run) {
  const GptOptions o = model_options(run);
  const auto [corpus, mesh] = open_run(run);
  GptTraining training(run, o, mesh, corpus.train);
  std::int64_t parameters = 0;
  for (const Array& a : tree::leaves(training.model())) parameters += a.size();
  std::cout << fmt::format("model     {} parameters: {} layers{}, width {}, {} heads, {} positions, {}\n", parameters,
                           o.layers, o.scan ? " in one loop" : "", o.width, o.heads, run.positions, run.dtype);
  if (!run.counted() || run.isolated || run.explain) {
    const Explanation plan = training.explain();
    std::cout << "\ncollectives of one step:\n" << (run.explain ? plan.all() : plan.str()) << "\n";
  }
  double order5 = 0;
  if (!run.counted()) {
    order5 = NGram(corpus.train, 5).bits_per_byte(corpus.held_out, static_cast<std::size_t>(o.context));
    std::cout << expectation(run, order5) << std::flush;
  }
  const Curve curve = training.run();
  if (run.counted()) return 0;

  const double after = held_out_bits(training.model(), o, corpus.held_out);
  std::cout << fmt::format(
      "\n{} steps of {} examples in {:.1f} s, {:.0f} bytes/s\n\nheld-out bits per byte\n  after training    {:.3f}\n  "
      "5-gram of bytes   {:.3f}\n\n",
      curve.steps, run.batch, curve.seconds, curve.seen.back() * run.context / curve.seconds, after, order5);
  if (after >= order5)
    std::cout << fmt::format("not below the 5-gram after {} steps: by default training takes {}\n\n", curve.steps,
                             run.goal);
  const std::string start = corpus.held_out.substr(0, static_cast<std::size_t>(o.context) / 2);
  Decoder decoder(o, {.temperature = 0.7});
  std::cout << "a sample after \"" << start << "\":\n"
            << decoder.continued(training.model(), start, 400, random::key(static_cast<int>(run.seed))) << "\n\n";
  write_file(run.out + "/gpt_loss.svg", curve_svg(curve.seen, curve.bits, {{"order 5", order5}, {"held out", after}}));
  std::cout << "picture   " << run.out << "/gpt_loss.svg\n";
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  text::GptRun run;
  CommandLine line("Trains a transformer over bytes on real text over a mesh of devices.");
  text::add_options(line, run);
  return text::run_program("train_gpt", line, argc, argv, [&] { return train(run); });
}

// SPDX-License-Identifier: Apache-2.0
