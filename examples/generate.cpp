// Learns a text for a while, then writes on: `./dev run generate --prompt "template <" --length 200`.
//
// Decoding is one compiled loop, with the keys and values of what stands already in a cache. --check compares it with
// decoding without one.
#include <chrono>

#include "text/decode.hpp"
#include "text/gpt_training.hpp"

namespace {
using namespace text;

struct Options : GptRun {
  std::string prompt = "#include <";
  int length = 400;
  Choice choice{.temperature = 0.7};
  bool check = false;
};

/// What the cache gives for each byte of a page, against the model applied to the whole page; and whether the bytes
/// that were chosen greedily are the most probable ones. 0 when all of it agrees.
int compare(const Gpt& model, const GptOptions& o, const std::string& prompt) {
  Decoder decoder(o, {});
  const std::string start = prompt.substr(0, static_cast<std::size_t>(o.context) / 2);
  const int given = static_cast<int>(start.size());
  const Page page = decoder.write(model, decoder.page(start), given, o.context, random::key(0));
  auto cached = jit([o](const Gpt& master, const Array& bytes) {
    const Gpt m = cast(master, o);
    auto one = [&](const std::vector<Cache>& caches, const Array& at) {
      Array byte = lax::dynamic_slice(bytes, {Array(0), at}, {1, 1})(all, 0);
      auto [logits, next] = decode_step(m, layers_of(m, o), o, caches, byte, at);
      return std::pair{next, logits[0]};
    };
    return lax::scan(one, empty_caches(o), arange(o.context)).second;
  });
  auto whole = jit([o](const Gpt& m, const Array& bytes) { return predict(m, o, bytes)[0]; });
  const Array with_cache = cached(model, page.bytes), without = whole(model, page.bytes);
  const float largest = max(abs(without)).item<float>(), apart = max(abs(with_cache - without)).item<float>();
  const float tolerance = (o.dtype == bfloat16 ? 5e-2f : 1e-4f) * largest;
  const auto bytes = page.bytes.to_vector<unsigned char>();
  const auto logits = without.to_vector<float>();
  int worse = 0;  // bytes that are not as probable as the best one
  for (int i = given; i < o.context; ++i) {
    const auto row = logits.begin() + static_cast<std::ptrdiff_t>(i - 1) * 256;
    worse += row[bytes[static_cast<std::size_t>(i)]] < *std::max_element(row, row + 256) - 2 * tolerance;
  }
  std::cout << fmt::format(
      "check     {} bytes with a cache and without: logits differ by {:.2g} of {:.3g}, {} bytes "
      "are not the best ones\n",
      o.context, apart, largest, worse);
  return apart <= tolerance && worse == 0 ? 0 : 1;
}

int generate(const Options& o) {
  const GptOptions options = model_options(o);
  check_sizes({{"--length", o.length}});
  if (o.prompt.empty()) throw UsageError("--prompt must not be empty");
  if (!(o.choice.temperature >= 0)) throw UsageError("--temperature must not be negative; 0 is greedy");
  if (o.choice.top_k < 0 || o.choice.top_k > 256) throw UsageError("--top-k: give a number from 0 (of all) to 256");
  const Corpus corpus = read_corpus(o.files, static_cast<std::size_t>(o.context));
  const Mesh mesh = parse_mesh(o.mesh);
  std::cout << devices_text(mesh);
  GptTraining training(o, options, mesh, corpus.train);
  training.run();
  // Text is written on one device.
  const Gpt model = device_put(training.model(), devices()[0]);
  if (o.check) return compare(model, options, o.prompt);

  Decoder decoder(options, o.choice);
  const Array key = random::key(static_cast<int>(o.seed));
  decoder.continued(model, o.prompt, 1, key);  // compiled
  const auto start = std::chrono::steady_clock::now();
  const std::string text = decoder.continued(model, o.prompt, o.length, key);
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  std::cout << fmt::format("\n{}{}\n\n{} bytes in {:.3f} s, {:.0f} a second\n", o.prompt, text, text.size(), seconds,
                           text.size() / seconds);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  Options o;
  o.seconds = 30;
  CommandLine line("Learns a text and writes on from a prompt, with a cache of keys and values.");
  text::add_options(line, o);
  line.add("--prompt", o.prompt, "how the text begins").with_default();
  line.add("--length", o.length, "bytes to write").with_default();
  line.add("--temperature", o.choice.temperature, "0: always the most probable byte").with_default();
  line.add("--top-k", o.choice.top_k, "choose among so many of the most probable bytes; 0: all").with_default();
  line.flag("--check", o.check, "compare with decoding without a cache, in place of writing");
  return text::run_program("generate", line, argc, argv, [&] { return generate(o); });
}

// SPDX-License-Identifier: Apache-2.0
