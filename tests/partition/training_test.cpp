// The whole way on the program that it is for: a small language model, value_and_grad, Adam, on isolated devices.
#include "partition/explain.hpp"
#include "partition/programs.hpp"
#include "tutti/nn/nn.hpp"

namespace tutti::testing {
namespace {

constexpr int num_params = 6;

// Parameters: table, w1, b1, w2, b2, w3; then ids [batch, context] and labels [batch].
Array loss(const Arrays& in) {
  const Array& ids = in[num_params];
  std::int64_t batch = ids.shape()[0], context = ids.shape()[1], width = in[0].shape()[1];
  Array x = take(in[0], ids, 0).reshape(Shape{batch, context * width});
  Array h = maximum(dot(x, in[1]) + in[2], 0);
  Array g = maximum(dot(h, in[3]) + in[4], 0);
  Array logits = dot(g, in[5]);
  Array classes = lax::iota(int32, logits.shape(), 1);
  Array highest = lax::stop_gradient(max(logits, 1, true));
  Array shifted = logits - highest;
  Array log_sum = log(sum(exp(shifted), 1));
  Array picked = sum(where(classes == expand_dims(in[num_params + 1], 1), shifted, 0), 1);
  return mean(log_sum - picked);
}

struct Model {
  std::vector<Type> types;
  ProgramPtr step;  // params, first moments, second moments, ids, labels -> loss, params, first moments, second moments
};

Model model(int batch, int context, int vocabulary, int width, int hidden) {
  std::vector<Type> params{type({vocabulary, width}),
                           type({context * width, hidden}),
                           type({hidden}),
                           type({hidden, hidden}),
                           type({hidden}),
                           type({hidden, vocabulary})};
  std::vector<Type> data{type({batch, context}, int32), type({batch}, int32)};
  std::vector<Type> all = params;
  all.insert(all.end(), data.begin(), data.end());
  ProgramPtr grads = value_and_grad(record(all, [](const Arrays& in) { return Arrays{loss(in)}; }), num_params);
  Model m;
  for (int i = 0; i < 3; ++i) m.types.insert(m.types.end(), params.begin(), params.end());
  m.types.insert(m.types.end(), data.begin(), data.end());
  m.step = record(m.types, [&](const Arrays& in) {
    Arrays args(in.begin(), in.begin() + num_params);
    args.insert(args.end(), in.end() - 2, in.end());
    Arrays g = tutti::apply(*grads, args);
    Arrays out{g[0]}, first, second;
    for (int i = 0; i < num_params; ++i) {
      Array mean = 0.9f * in[num_params + i] + 0.1f * g[1 + i];
      Array square = 0.99f * in[2 * num_params + i] + 0.01f * g[1 + i] * g[1 + i];
      out.push_back(in[i] - 0.01f * mean / (sqrt(square) + 1e-6f));
      first.push_back(mean);
      second.push_back(square);
    }
    out.insert(out.end(), first.begin(), first.end());
    out.insert(out.end(), second.begin(), second.end());
    return out;
  });
  return m;
}

std::vector<Sharding> placements(const Mesh& mesh, bool embedding_cut = false) {
  std::vector<PartitionSpec> params{
      embedding_cut ? P(none, "model") : P(), P(none, "model"), P("model"), P("model", none), P(), P()};
  std::vector<Sharding> out;
  for (int k = 0; k < 3; ++k)
    for (const PartitionSpec& s : params) out.push_back(named(mesh, s));
  out.push_back(named(mesh, P("data")));
  out.push_back(named(mesh, P("data")));
  return out;
}

void check_training(const Mesh& mesh, int batch, int hidden, int steps, bool embedding_cut = false) {
  int context = 3, vocabulary = 11, width = 6;
  Model m = model(batch, context, vocabulary, width, hidden);
  ShardedProgram sharded = propagate(m.step, placements(mesh, embedding_cut));
  LocalProgram local = partition(sharded);
  std::mt19937 rng(3);
  std::vector<BufferPtr> state;
  for (int i = 0; i < 3 * num_params; ++i) {
    double amplitude = i < num_params ? 0.3 : 0;
    state.push_back(random_buffer(m.types[i], rng, -amplitude, amplitude));
  }
  std::vector<BufferPtr> isolated = state, global = state;
  run::reset_traffic();
  for (int s = 0; s < steps; ++s) {
    BufferPtr ids = random_buffer(m.types[3 * num_params], rng, 0, vocabulary),
              labels = random_buffer(m.types.back(), rng, 0, vocabulary);
    auto step = [&](std::vector<BufferPtr>& at, auto run) {
      std::vector<BufferPtr> in = at;
      in.push_back(ids);
      in.push_back(labels);
      std::vector<BufferPtr> out = run(in);
      at.assign(out.begin() + 1, out.end());
      return *static_cast<const float*>(on_host(out[0]).data());
    };
    float a = step(isolated, [&](const auto& in) { return simulated::run(local, in).outputs; });
    float b = step(global, [&](const auto& in) { return evaluate(*m.step, in); });
    ASSERT_NEAR(a, b, 1e-4 * std::abs(b)) << "step " << s;
  }
  Traffic sent = run::traffic();
  EXPECT_DOUBLE_EQ(sent.bytes(), steps * total_bytes(local));
  EXPECT_EQ(sent.messages(), steps * total_messages(local));
  if (std::getenv("TUTTI_SHOW"))
    std::puts(explain(local, {sent.bytes() / steps, sent.messages() / steps}).all().c_str());
}

TEST(Training, EqualsTheGlobalRunOn4x2) { check_training(grid({4, 2}, {"data", "model"}), 8, 12, 20); }
TEST(Training, EqualsTheGlobalRunOn8x1) { check_training(grid({8, 1}, {"data", "model"}), 8, 12, 5); }
TEST(Training, EqualsTheGlobalRunOn2x4) { check_training(grid({2, 4}, {"data", "model"}), 8, 12, 5, true); }
TEST(Training, EqualsTheGlobalRunWhereNothingDivides) {
  check_training(grid({3, 5}, {"data", "model"}), 8, 12, 20);
  check_training(grid({3, 5}, {"data", "model"}), 7, 16, 3, true);
}

TEST(Training, KeepsParametersWhereTheyAre) {
  Mesh mesh = grid({4, 2}, {"data", "model"});
  Model m = model(8, 3, 11, 6, 12);
  std::vector<Sharding> in = placements(mesh);
  ShardedProgram sharded = propagate(m.step, in);
  EXPECT_EQ(sharded.output_shardings[0], named(mesh, P()));
  for (int i = 0; i < 3 * num_params; ++i)
    EXPECT_TRUE(sharded.output_shardings[1 + i].is_equivalent_to(in[i], m.types[i].ndim()))
        << i << ": " << sharded.output_shardings[1 + i].str();
}

// The textbook plan of data x tensor parallel training: activations forward and backward over 'model', gradients over
// 'data'.
TEST(Training, MovesWhatTheTextbookMoves) {
  Mesh mesh = grid({4, 2}, {"data", "model"});
  int batch = 8, context = 3, vocabulary = 11, width = 6, hidden = 12;
  Model m = model(batch, context, vocabulary, width, hidden);
  LocalProgram local = partition(propagate(m.step, placements(mesh)));
  auto all_reduce = [](double bytes, double n) { return 2 * bytes * (n - 1) / n; };
  double activations = all_reduce(4.0 * batch / 4 * hidden, 2) + all_reduce(4.0 * batch / 4 * context * width, 2);
  double cut = 4.0 * (context * width * hidden / 2 + hidden / 2 + hidden * hidden / 2),
         whole = 4.0 * (vocabulary * width + hidden + hidden * vocabulary);
  EXPECT_LE(total_bytes(local), 1.01 * (activations + all_reduce(cut + whole, 4) + 8)) << explain(local);
}

}  // namespace
}  // namespace tutti::testing

// SPDX-License-Identifier: Apache-2.0
