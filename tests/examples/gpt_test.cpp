// What train_gpt and generate are made of: the model in its variants, the same losses on every mesh, decoding with a
// cache, batches of text, and the cut of a long table.
#include "../examples/text/decode.hpp"
#include "../examples/text/gpt_training.hpp"
#include "nn/check.hpp"

namespace tutti::testing {
namespace {
using namespace text;

constexpr const char* sentence = "the quick brown fox jumps over the lazy dog; ";
std::string some_text() {
  std::string out;
  for (int i = 0; i < 30; ++i) out += sentence + std::to_string(i);
  return out;
}
GptOptions small() { return {.layers = 2, .width = 16, .heads = 4, .context = 12}; }
Array bytes(int from = 0) {
  const std::string all = some_text();
  return array(std::vector<unsigned char>(all.begin() + from, all.begin() + from + 24), {2, 12});
}
// Weights large enough that every part of the model matters.
Gpt model_of(const GptOptions& o) {
  return tree::map([](const Array& a) { return a * 6; }, init_gpt(o, random::key(1)));
}

TEST(Gpt, ScanAndRematAreTheSameModel) {
  for (bool rotary : {false, true}) {
    GptOptions plain = small();
    plain.rotary = rotary;
    const Gpt m = model_of(plain);
    auto value = [](const GptOptions& o) {
      return jit([o](const Gpt& m, const Array& x, const Array& y) {
        return value_and_grad([&](const Gpt& m) { return loss(m, o, x, y); })(m);
      });
    };
    auto [l, g] = value(plain)(m, bytes(), bytes(1));
    GptOptions remat = plain, scan = plain;
    remat.remat.emplace();
    scan.scan = true;
    auto [l2, g2] = value(remat)(m, bytes(), bytes(1));
    expect_close(l2, l, 1e-6);
    expect_trees_close(g2, g, 1e-5);
    Gpt as_one = m;
    as_one.blocks = {stacked(m.blocks)};
    auto [l3, g3] = value(scan)(as_one, bytes(), bytes(1));
    expect_close(l3, l, 1e-6);
    g3.blocks = layers_of(g3, scan);
    expect_trees_close(g3, g, 1e-5);
  }
}

TEST(Gpt, SeesNothingOfWhatFollows) {
  const GptOptions o = small();
  const Gpt m = model_of(o);
  auto f = jit([o](const Gpt& m, const Array& x) { return predict(m, o, x); });
  Array x = bytes(), other = x.at(all, 7).set(array(65).astype(uint8));
  Array change = max(abs(f(m, x) - f(m, other)), {0, 2});
  EXPECT_EQ(float(max(change(slice(0, 7)))), 0);
  EXPECT_GT(float(min(change(slice(7, 12)))), 1e-4);
}

TEST(Gpt, ComputesInAnotherDtype) {
  GptOptions o = small();
  const Gpt m = init_gpt(o, random::key(1));
  const float full = jit([o](const Gpt& m, const Array& x) { return loss(m, o, x, x); })(m, bytes()).item<float>();
  o.dtype = bfloat16;
  auto [l, g] = jit([o](const Gpt& m, const Array& x) {
    return value_and_grad([&](const Gpt& m) { return loss(m, o, x, x); })(m);
  })(m, bytes());
  EXPECT_NEAR(l.item<float>(), full, 2e-2);
  EXPECT_NE(l.item<float>(), full);
  for (const Array& leaf : tree::leaves(g)) EXPECT_EQ(leaf.dtype(), float32);  // of the master weights
}

TEST(Gpt, LossesAreTheSameOnEveryMesh) {
  const std::string learnt = some_text();
  for (bool scan : {false, true}) {
    GptRun run;
    run.batch = 8;
    run.context = 12;
    run.layers = 2;
    run.width = 16;
    run.scan = scan;
    std::vector<float> first;
    for (const char* mesh : {"1x1", "8x1", "4x2", "data=2,model=4"}) {
      GptTraining training(run, model_options(run), parse_mesh(mesh), learnt);
      std::vector<float> losses;
      for (int i = 0; i < 4; ++i) losses.push_back(training.step(1e-2f));
      if (first.empty()) first = losses;
      EXPECT_EQ(losses, first) << mesh;
    }
    EXPECT_LT(first[3], first[0]);
  }
}

TEST(Gpt, DecodesWithACacheAsItPredicts) {
  for (bool rotary : {false, true}) {
    GptOptions o = small();
    o.rotary = rotary;
    const Gpt m = model_of(o);
    Decoder decoder(o, {});
    const Page done = decoder.write(m, decoder.page("quick"), 5, 12, random::key(0));
    EXPECT_EQ(done.at.item<int>(), 11);
    const auto text = done.bytes.to_vector<unsigned char>();
    EXPECT_EQ(std::string(text.begin(), text.begin() + 5), "quick");
    // Each byte is the most probable one after those before it, by the model applied to the whole page.
    Array logits = jit([o](const Gpt& m, const Array& x) { return predict(m, o, x); })(m, done.bytes);
    const auto best = argmax(logits, -1).to_vector<int>();
    for (std::size_t i = 5; i < 12; ++i) EXPECT_EQ(int(text[i]), best[i - 1]) << i;
    EXPECT_EQ(Decoder(o, {.temperature = 2, .top_k = 1}).continued(m, "quick", 7, random::key(3)),
              std::string(text.begin() + 5, text.end()));
  }
}

TEST(Gpt, ChoosesByTemperatureAmongTheTop) {
  const GptOptions o = small();
  const Gpt m = model_of(o);
  Decoder decoder(o, {.temperature = 1, .top_k = 3});
  const std::string one = decoder.continued(m, "a", 30, random::key(0));  // over several pages
  EXPECT_EQ(one.size(), 30u);
  EXPECT_EQ(one, decoder.continued(m, "a", 30, random::key(0)));
  EXPECT_NE(one, decoder.continued(m, "a", 30, random::key(1)));
  Array logits = arange(256.).reshape(1, 256) / 1000;
  for (int i = 0; i < 20; ++i)
    EXPECT_GE(sampled(logits, random::key(i), {.temperature = 1, .top_k = 3}).reshape(Shape{}).item<int>(), 253);
}

TEST(Text, TargetsFollowTheirWindows) {
  const std::string all = some_text();
  Windows last(all, 3, 4, Targets::last), every(all, 3, 4, Targets::every);
  auto text_of = [](const Array& row) {
    const auto v = row.to_vector<unsigned char>();
    return std::string(v.begin(), v.end());
  };
  auto [x, y] = last.following(4, 2, 6);
  EXPECT_EQ(text_of(x),
            "quic" + all.substr(10, 4) + all.substr(10, 4));  // the last window stands for those that are missing
  auto [x2, y2] = every.following(4, 3, 6);
  EXPECT_EQ(text_of(x2[0]), "quic");
  EXPECT_EQ(text_of(y2[0]), "uick");
  EXPECT_EQ(text_of(y), "k" + text_of(y2[1](slice(3, 4))) + text_of(y2[1](slice(3, 4))));
}

}  // namespace
}  // namespace tutti::testing

// SPDX-License-Identifier: Apache-2.0
