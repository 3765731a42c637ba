// Trains a byte-level language model on real text, on a mesh of devices: `./dev demo`.
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <iostream>
#include <random>
#include <CLI/CLI.hpp>

#include "text/corpus.hpp"
#include "text/curve_svg.hpp"
#include "text/model.hpp"
#include "text/ngram.hpp"

namespace {
using namespace text;
using State = optim::AdamState<Model>;

struct Options {
  std::vector<std::string> files;
  std::string mesh = "data=4,model=2", out = "out";
  int steps = -1, batch = 512, width = 512, context = 32, embedding = 24;
  double seconds = 90, rate = 2e-3;
  std::uint64_t seed = 0;
  bool isolated = false;
};

// "data=4,model=2" or "4x2".
Mesh parse_mesh(const std::string& written) {
  std::int64_t data = -1, model = -1;
  auto number = [&](const std::string& s) {
    if (s.empty() || s.size() > 6 || s.find_first_not_of("0123456789") != std::string::npos)
      throw UsageError("--mesh " + written + ": \"" + s + "\" is not a size");
    std::int64_t n = std::stoll(s);
    if (n == 0) throw UsageError("--mesh " + written + ": an axis has size zero");
    return n;
  };
  constexpr std::int64_t most = 1024;  // simulated devices
  if (auto cross = written.find('x'); written.find('=') == std::string::npos && cross != std::string::npos) {
    data = number(written.substr(0, cross));
    model = number(written.substr(cross + 1));
  } else {
    std::string rest = written + ",";
    for (std::size_t comma; (comma = rest.find(',')) != std::string::npos; rest.erase(0, comma + 1)) {
      std::string part = rest.substr(0, comma), name = part.substr(0, part.find('='));
      if (name != "data" && name != "model")
        throw UsageError("--mesh " + written + ": unknown axis \"" + name + "\"; the axes are data and model");
      if (part.find('=') == std::string::npos)
        throw UsageError("--mesh " + written + ": the size of " + name + " is missing");
      std::int64_t& size = name == "data" ? data : model;
      if (size >= 0) throw UsageError("--mesh " + written + ": the axis " + name + " is given twice");
      size = number(part.substr(part.find('=') + 1));
    }
  }
  if (data < 0) data = 1;
  if (model < 0) model = 1;
  if (data * model > most)
    throw UsageError(fmt::format("--mesh {}: {} devices; at most {} can be simulated", written, data * model, most));
  return make_mesh({data, model}, {"data", "model"});
}

// Windows of the text that end at random places: inputs uint8[batch, context], the byte after each uint8[batch].
class Sampler {
 public:
  Sampler(const std::string& text, int batch, int context, std::uint64_t seed)
      : text_(text),
        batch_(batch),
        context_(context),
        random_(seed),
        inputs_(static_cast<std::size_t>(batch * context)),
        next_(static_cast<std::size_t>(batch)) {}
  std::pair<Array, Array> draw() {
    for (int i = 0; i < batch_; ++i) fill(i, random_() % (text_.size() - static_cast<std::size_t>(context_)));
    return arrays();
  }
  // `count` windows from position `from` on, the rest of the batch repeats the last one.
  std::pair<Array, Array> window(std::size_t from, std::size_t count) {
    for (int i = 0; i < batch_; ++i) fill(i, from + std::min<std::size_t>(static_cast<std::size_t>(i), count - 1));
    return arrays();
  }

 private:
  void fill(int row, std::size_t at) {
    std::copy_n(text_.begin() + static_cast<std::ptrdiff_t>(at), context_, inputs_.begin() + row * context_);
    next_[static_cast<std::size_t>(row)] = static_cast<unsigned char>(text_[at + static_cast<std::size_t>(context_)]);
  }
  std::pair<Array, Array> arrays() const {
    return {array(std::span<const unsigned char>(inputs_), {batch_, context_}),
            array(std::span<const unsigned char>(next_), {batch_})};
  }
  const std::string& text_;
  int batch_, context_;
  std::mt19937_64 random_;
  std::vector<unsigned char> inputs_, next_;
};

double held_out_bits(const Model& model, const std::string& held_out, int context) {
  auto losses = jit([](const Model& m, const Array& x, const Array& y) {
    return nn::softmax_cross_entropy(predict(m, x), y.astype(int32));
  });
  const int batch = 1024;
  Sampler windows(held_out, batch, context, 0);
  double nats = 0;
  std::size_t total = held_out.size() - static_cast<std::size_t>(context);
  for (std::size_t from = 0; from < total; from += batch) {
    std::size_t n = std::min<std::size_t>(batch, total - from);
    auto [x, y] = windows.window(from, n);
    std::vector<float> each = losses(model, x, y).to_vector<float>();
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
    std::vector<float> p = logits(model, array(std::span<const unsigned char>(last), {1, context})).to_vector<float>();
    double u = static_cast<double>(random() >> 11) * 0x1p-53;
    std::size_t c = 0;
    while (c + 1 < p.size() && (u -= p[c]) > 0) ++c;
    text.push_back(static_cast<char>(c));
  }
  return text.substr(start);
}

void write_file(const std::string& path, const std::string& content) {
  std::ofstream out(path, std::ios::binary);
  if (!(out << content)) throw UsageError("cannot write " + path);
}

int train(const Options& o) {
  if (o.steps == 0) throw UsageError("--steps 0: give at least one step");
  for (auto [name, value] :
       {std::pair{"--batch", o.batch}, {"--width", o.width}, {"--context", o.context}, {"--embedding", o.embedding}})
    if (value < 1 || value > 1 << 20)
      throw UsageError(fmt::format("{} {}: give a number from 1 to {}", name, value, 1 << 20));
  const double numbers = double(o.context) * o.embedding * o.width + double(o.width) * o.width +
                         double(o.batch) * (double(o.context) * o.embedding + o.width);
  if (numbers > double(1 << 30))
    throw UsageError("--batch, --width, --context and --embedding: too large together for one machine");
  if (!(o.rate > 0 && o.rate < 1e6)) throw UsageError("--rate must be positive");
  if (!(o.seconds > 0)) throw UsageError("--seconds must be positive");
  Corpus corpus = read_corpus(o.files, static_cast<std::size_t>(o.context));
  Mesh mesh = parse_mesh(o.mesh);
  if (o.isolated) config::isolation(Isolation::per_device);
  std::error_code error;
  std::filesystem::create_directories(o.out, error);
  if (error) throw UsageError("cannot make the folder " + o.out + ": " + error.message());

  std::cout << fmt::format("text      {} files, {:.2f} MB to learn, {:.2f} MB held out\n", corpus.files,
                           corpus.train.size() / 1e6, corpus.held_out.size() / 1e6)
            << "devices   " << mesh.size() << " of " << devices().size() << ": " << mesh.device_list().front()
            << " ... " << mesh.device_list().back() << "\nmesh      " << mesh << "\n";
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

  Sampler sampler(corpus.train, o.batch, o.context, o.seed);
  NamedSharding by_data(mesh, P("data"));
  auto draw = [&] { return device_put(sampler.draw(), by_data); };
  auto batch = draw();
  const bool quiet = o.steps > 0;
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
  if (!quiet || o.isolated)
    std::cout << "\ncollectives of one step:\n"
              << step.explain(model, state, batch.first, batch.second, Array(0.f)) << "\n";
  double before = quiet ? 0 : held_out_bits(model, corpus.held_out, o.context);

  using Clock = std::chrono::steady_clock;
  ProgressBar bar(o.steps, "training");
  std::vector<double> seen, bits;
  double average = 0, elapsed = 0;
  auto start = Clock::now();
  for (int i = 0; o.steps > 0 ? i < o.steps : elapsed < o.seconds; ++i) {
    double part = o.steps > 0 ? static_cast<double>(i) / o.steps : elapsed / o.seconds;
    float rate = static_cast<float>(o.rate * std::min(1.0, (i + 1) / 100.0) * (1 - part) + 1e-5);
    debug::reset_traffic();
    auto [m, s, value] = step(model, state, batch.first, batch.second, array(rate));
    model = std::move(m);
    state = std::move(s);
    float l = value.item<float>();
    batch = draw();
    elapsed = std::chrono::duration<double>(Clock::now() - start).count();
    double b = l / std::log(2.0);
    average = i == 0 ? b : average + 0.02 * (b - average);
    seen.push_back(static_cast<double>(i + 1) * o.batch);
    bits.push_back(b);
    std::string note = fmt::format("loss {:.3f}, {:.3f} bits/byte, {:.0f} bytes/s", l, average, seen.back() / elapsed);
    if (o.steps > 0)
      std::cout << fmt::format("step {:4d} loss {:.9g}", i + 1, l)
                << (o.isolated ? fmt::format(", received {:.0f} bytes in {} messages per device",
                                             debug::traffic().bytes(), debug::traffic().messages())
                               : "")
                << std::endl;
    if (o.steps > 0)
      bar.step(1, note);
    else {
      bar.fraction(elapsed / o.seconds, note);
      bar.step(1, note);
    }
  }
  bar.finish();
  if (quiet) return 0;

  double after = held_out_bits(model, corpus.held_out, o.context);
  double order3 = NGram(corpus.train, 3).bits_per_byte(corpus.held_out, static_cast<std::size_t>(o.context));
  double order5 = NGram(corpus.train, 5).bits_per_byte(corpus.held_out, static_cast<std::size_t>(o.context));
  std::cout << fmt::format(
      "\n{} steps of {} examples in {:.1f} s, {:.0f} bytes/s\n\nheld-out bits per byte\n  before training   {:.3f}\n  "
      "after training    {:.3f}\n  3-gram of bytes   {:.3f}\n  5-gram of bytes   {:.3f}\n\n",
      bits.size(), o.batch, elapsed, seen.back() / elapsed, before, after, order3, order5);
  std::string start_text = corpus.held_out.substr(0, static_cast<std::size_t>(o.context));
  std::cout << "a sample after \"" << start_text << "\":\n"
            << sample(model, start_text, o.context, 400, o.seed) << "\n\n";
  write_file(o.out + "/loss.svg",
             curve_svg(seen, bits, {{"order 3", order3}, {"order 5", order5}, {"held out", after}}));
  std::cout << "pictures  " << o.out << "/loss.svg, batch.svg, weight0.svg, weight1.svg\n";
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  Options o;
  CLI::App app{"Trains a byte-level language model on real text over a mesh of devices."};
  app.add_option("--text", o.files, "files to learn (default: the C++ headers of the compiler)");
  app.add_option("--mesh", o.mesh, "devices per axis, data=4,model=2 or 4x2")->capture_default_str();
  app.add_option("--steps", o.steps, "train this many steps and print every loss");
  app.add_option("--seconds", o.seconds, "train this long, unless --steps is given")->capture_default_str();
  app.add_option("--batch", o.batch, "examples per step")->capture_default_str();
  app.add_option("--width", o.width, "hidden units")->capture_default_str();
  app.add_option("--context", o.context, "bytes the model sees")->capture_default_str();
  app.add_option("--embedding", o.embedding, "numbers per byte of the context")->capture_default_str();
  app.add_option("--rate", o.rate, "learning rate at its highest")->capture_default_str();
  app.add_option("--seed", o.seed, "of parameters and batches")->capture_default_str();
  app.add_option("--out", o.out, "folder for pictures")->capture_default_str();
  app.add_flag("--isolated", o.isolated, "every device runs its own program; bytes are counted");
  try {
    app.parse(argc, argv);
    if (o.steps < 0 && app.count("--steps")) throw UsageError("--steps must be positive");
    const int code = train(o);
    if (!std::cout.flush()) throw std::runtime_error("the output could not be written");
    return code;
  } catch (const CLI::CallForHelp& e) {
    return app.exit(e);
  } catch (const CLI::ParseError& e) {
    std::cerr << "train_text: " << e.what() << "\n";
  } catch (const UsageError& e) {
    std::cerr << "train_text: " << e.what() << "\n";
  } catch (const tutti::Error& e) {
    std::cerr << "train_text: " << e.what() << "\n";
  } catch (const std::exception& e) {
    std::cerr << "train_text: " << e.what() << "\n";
    return 1;
  }
  return 2;
}
