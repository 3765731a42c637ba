// Trains an MLP over bytes on real text, on a mesh of devices: `./dev run train_text`.
//
//     ./dev run train_text --steps 1000 --save run             # every 100 steps a checkpoint
//     ./dev run train_text --steps 1000 --save run --resume    # goes on where that was stopped, with the same losses
#include <random>

#include "text/curve_svg.hpp"
#include "text/model.hpp"
#include "text/ngram.hpp"
#include "text/program.hpp"
#include "text/saving.hpp"
#include "text/windows.hpp"

namespace {
using namespace text;
using State = optim::AdamState<Model>;

struct Options : RunOptions {
  int width = 512, embedding = 24;
};

double held_out_bits(const Model& model, const std::string& held_out, int context) {
  auto losses = jit([](const Model& m, const Array& x, const Array& y) {
    return nn::softmax_cross_entropy(predict(m, x), y.astype(int32));
  });
  const int batch = 1024;
  Windows windows(held_out, batch, context, Targets::last);
  double nats = 0;
  std::size_t total = held_out.size() - static_cast<std::size_t>(context);
  for (std::size_t from = 0; from < total; from += batch) {
    std::size_t n = std::min<std::size_t>(batch, total - from);
    auto [x, y] = windows.following(from, n);
    std::vector<float> each = multihost::process_allgather(losses(model, x, y)).to_vector<float>();
    for (std::size_t i = 0; i < n; ++i) nats += each[i];
  }
  return nats / static_cast<double>(total) / std::log(2.0);
}

std::string sample(const Model& model, std::string text, int context, int length, std::uint64_t seed) {
  auto logits = jit([](const Model& m, const Array& x) { return nn::softmax(predict(m, x) / 0.7); });
  std::mt19937_64 random(seed);
  std::size_t start = text.size();
  for (int i = 0; i < length; ++i) {
    std::vector<unsigned char> last(text.end() - context, text.end());
    const Array next = logits(model, array(std::span<const unsigned char>(last), {1, context}));
    std::vector<float> p = multihost::process_allgather(next).to_vector<float>();
    double u = static_cast<double>(random() >> 11) * 0x1p-53;
    std::size_t c = 0;
    while (c + 1 < p.size() && (u -= p[c]) > 0) ++c;
    text.push_back(static_cast<char>(c));
  }
  return text.substr(start);
}

int train(const Options& o) {
  check(o);
  check_sizes({{"--width", o.width}, {"--embedding", o.embedding}});
  const double numbers = double(o.context) * o.embedding * o.width + double(o.width) * o.width +
                         double(o.batch) * (double(o.context) * o.embedding + o.width);
  if (numbers > double(1 << 30))
    throw UsageError("--batch, --width, --context and --embedding: too large together for one machine");
  const auto [corpus, mesh] = open_run(o);
  Model model = place(init_model(o.context, o.embedding, o.width, random::key(static_cast<int>(o.seed))), mesh);
  auto optimiser = [](Array rate) { return optim::adam([rate](const Array&) { return rate; }); };
  State state = optimiser(0.f).init(model);
  std::int64_t parameters = 0;
  for (const Array& a : tree::leaves(model)) parameters += a.size();
  std::cout << "model     " << parameters << " parameters\n";

  auto step = jit(
      [&](const Model& m, const State& s, const Array& x, const Array& y, const Array& rate) {
        auto [value, gradient] = value_and_grad(loss)(m, x, y);
        auto [updates, next] = optimiser(rate).update(gradient, s, m);
        return std::tuple{optim::apply_updates(m, updates), next, value};
      },
      {.donate_argnums = {0, 1}});

  Saving saving(o, corpus.train.size());
  const Begin begin = saving.resume(model, state);
  Windows windows(corpus.train, o.batch, o.context, Targets::last, o.seed);
  windows.skip(begin.steps);
  NamedSharding by_data(mesh, P("data"));
  auto draw = [&] { return device_put(windows.draw(), by_data); };
  auto batch = draw();
  const bool quiet = o.counted();
  if (!quiet) {
    std::cout << "\nthe batch, uint8" << batch.first.shape().str() << ":\n";
    debug::visualize_sharding(batch.first.shape(), batch.first.sharding());
    for (int i = 0; i < 2; ++i) {
      const Array& w = model.layers[static_cast<std::size_t>(i)].weight;
      std::cout << "layers[" << i << "].weight, float32" << w.shape().str() << ":\n";
      debug::visualize_sharding(w.shape(), w.sharding());
      write_file(fmt::format("{}/weight{}.svg", o.out, i), debug::sharding_svg(w.shape(), w.sharding()));
    }
    write_file(o.out + "/batch.svg", debug::sharding_svg(batch.first.shape(), batch.first.sharding()));
  }
  if (!quiet || o.isolated || o.explain) {
    const Explanation plan = step.explain(model, state, batch.first, batch.second, array(0.f));
    std::cout << "\ncollectives of one step:\n" << (o.explain ? plan.all() : plan.str()) << "\n";
  }
  double before = quiet ? 0 : held_out_bits(model, corpus.held_out, o.context);

  auto one_step = [&](int i, double part) {
    const auto rate = static_cast<float>(o.rate * std::min(1.0, (i + 1) / 100.0) * (1 - part) + 1e-5);
    auto [m, s, value] = step(model, state, batch.first, batch.second, array(rate));
    model = std::move(m);
    state = std::move(s);
    const float loss = value.item<float>();
    batch = draw();
    return loss;
  };
  auto save = [&](int i, double seconds, bool last) { saving.after(i, seconds, last, model, state); };
  const Curve curve = train_loop(o, 1, begin, {one_step, save});
  if (quiet) return 0;

  double after = held_out_bits(model, corpus.held_out, o.context);
  double order3 = NGram(corpus.train, 3).bits_per_byte(corpus.held_out, static_cast<std::size_t>(o.context));
  double order5 = NGram(corpus.train, 5).bits_per_byte(corpus.held_out, static_cast<std::size_t>(o.context));
  std::cout << fmt::format(
      "\n{} steps of {} examples in {:.1f} s, {:.0f} bytes/s\n\nheld-out bits per byte\n  before training   {:.3f}\n  "
      "after training    {:.3f}\n  3-gram of bytes   {:.3f}\n  5-gram of bytes   {:.3f}\n\n",
      curve.steps, o.batch, curve.seconds, curve.seen.back() / curve.seconds, before, after, order3, order5);
  std::string start_text = corpus.held_out.substr(0, static_cast<std::size_t>(o.context));
  std::cout << "a sample after \"" << start_text << "\":\n"
            << sample(model, start_text, o.context, 400, o.seed) << "\n\n";
  write_file(o.out + "/loss.svg",
             curve_svg(curve.seen, curve.bits, {{"order 3", order3}, {"order 5", order5}, {"held out", after}}));
  std::cout << "pictures  " << o.out << "/loss.svg, batch.svg, weight0.svg, weight1.svg\n";
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  Options o;
  CommandLine line("Trains a byte-level language model on real text over a mesh of devices.");
  add_options(line, o);
  line.add("--width", o.width, "hidden units").with_default();
  line.add("--embedding", o.embedding, "numbers per byte of the context").with_default();
  return run_program("train_text", line, argc, argv, [&] { return train(o); });
}

// SPDX-License-Identifier: Apache-2.0
