// Loops and branches on isolated devices: random ones give the values of the global run and send what is planned; what
// does not change is moved before a loop, sums are completed behind it.
#include "partition/explain.hpp"
#include "partition/loop_programs.hpp"
#include "partition/random_programs.hpp"
#include "transform/inline_calls.hpp"

namespace tutti::testing {
namespace {

const Chooser by_choice = [](const Problem& problem, Planner& planner) { return choose(problem, planner); };

LocalProgram check(const std::vector<Type>& types, const std::vector<PartitionSpec>& specs, const Mesh& mesh,
                   const Function& f, bool counted = true) {
  std::mt19937 rng(7);
  std::vector<Sharding> placed;
  std::vector<BufferPtr> inputs;
  for (std::size_t i = 0; i < types.size(); ++i) {
    placed.push_back(named(mesh, specs[i]));
    inputs.push_back(random_buffer(types[i], rng, -1, 1));
  }
  return check_partition(propagate(record(types, f), placed), inputs, 1e-4, {}, counted);
}
double bytes(const Shape& shape) { return 4.0 * static_cast<double>(shape.num_elements()); }
double all_reduce(double bytes, double n) { return 2 * bytes * (n - 1) / n; }

TEST(Loops, GatherWhatDoesNotChangeBeforeTheLoop) {
  Mesh mesh = grid({4}, "x");
  LocalProgram local = check({type({8, 16}), type({16, 16})}, {P("x"), P("x")}, mesh, [](const Arrays& in) {
    return scan(32, {in[1]}, {in[0]}, {},
                [](const Arrays& w, const Arrays& h, const Arrays&) { return Arrays{tanh(dot(h[0], w[0]))}; });
  });
  EXPECT_EQ(total_bytes(local), bytes({16, 16}) * 3 / 4) << explain(local);
  EXPECT_EQ(local.causes.size(), 1u);
  // Also out of two loops, one in the other.
  local = check({type({8, 16}), type({16, 16})}, {P("x"), P("x")}, mesh, [](const Arrays& in) {
    return scan(3, {in[1]}, {in[0]}, {}, [](const Arrays& outer, const Arrays& a, const Arrays&) {
      return scan(4, outer, a, {},
                  [](const Arrays& w, const Arrays& h, const Arrays&) { return Arrays{tanh(dot(h[0], w[0]))}; });
    });
  });
  EXPECT_EQ(total_bytes(local), bytes({16, 16}) * 3 / 4) << explain(local);
}

// Gradients of microbatches, added up: one all_reduce and not one in each step; also in a loop of loops.
TEST(Loops, CompleteSumsBehindTheLoop) {
  Mesh mesh = grid({4}, "x");
  auto add_products = [](const Arrays&, const Arrays& sum, const Arrays& x) {
    return Arrays{sum[0] + dot(transpose(x[0]), x[1])};
  };
  LocalProgram local = check({type({8, 4, 16}), type({8, 4, 6}), type({16, 6})}, {P(none, "x"), P(none, "x"), P()},
                             mesh, [&](const Arrays& in) {
                               return scan(8, {}, {in[2] * 0}, {in[0], in[1]}, add_products);
                             });
  EXPECT_EQ(total_bytes(local), all_reduce(bytes({16, 6}), 4)) << explain(local);
  local = check({type({3, 8, 4, 16}), type({3, 8, 4, 6}), type({16, 6})}, {P(none, none, "x"), P(none, none, "x"), P()},
                mesh, [&](const Arrays& in) {
                  return scan(3, {}, {in[2]}, {in[0], in[1]}, [&](const Arrays&, const Arrays& sum, const Arrays& x) {
                    return scan(8, {}, {sum[0] * 0.5f}, x, add_products);
                  });
                });
  EXPECT_EQ(total_bytes(local), all_reduce(bytes({16, 6}), 4)) << explain(local);
}

// A carry that is looked at is completed in each step.
TEST(Loops, CompleteSumsThatAreReadInEachStep) {
  Mesh mesh = grid({4}, "x");
  LocalProgram local = check({type({8, 64, 16}), type({16})}, {P(none, "x"), P()}, mesh, [&](const Arrays& in) {
    return scan(8, {}, {in[1]}, {in[0]}, [](const Arrays&, const Arrays& total, const Arrays& x) {
      return Arrays{tanh(total[0] + sum(x[0], 0)), max(total[0])};
    });
  });
  // A quarter of the sum is enough for tanh; its maximum is one number.
  EXPECT_EQ(total_bytes(local), 8 * (all_reduce(bytes({16}), 4) / 2 + all_reduce(bytes({}), 4)) + bytes({12}))
      << explain(local);
  EXPECT_EQ(local.causes[0].times, 8);
  const std::string text = explain(local).all();
  EXPECT_NE(text.find("x 8"), text.npos) << text;
  EXPECT_NE(text.find("within   scan"), text.npos) << text;
}

// What steps put one behind the other is completed once, when that needs no more memory.
TEST(Loops, CompleteStacksOnce) {
  Mesh mesh = grid({4}, "x");
  LocalProgram local = check({type({8, 4, 16})}, {P(none, "x")}, mesh, [&](const Arrays& in) {
    return scan(8, {}, {}, {in[0]}, [](const Arrays&, const Arrays&, const Arrays& x) { return Arrays{sum(x[0], 0)}; });
  });
  EXPECT_EQ(total_bytes(local), all_reduce(bytes({8, 16}), 4)) << explain(local);
  EXPECT_EQ(local.causes.size(), 1u);
  EXPECT_EQ(local.causes[0].times, 1);
}

TEST(Loops, TakeSlicesOfWhatIsCutOverTheSteps) {
  Mesh mesh = grid({4}, "x");
  check({type({8, 4, 6})}, {P("x")}, mesh, [&](const Arrays& in) {
    return scan(
        8, {}, {sum(in[0], 0)}, {in[0]},
        [](const Arrays&, const Arrays& c, const Arrays& x) {
          return Arrays{tanh(c[0] + x[0]), c[0] * x[0]};
        },
        true);
  });
}

TEST(Loops, GoOnWhileAConditionHolds) {
  Mesh mesh = grid({2, 3}, {"x", "y"});
  auto newton = [](const Arrays& in) {
    return while_loop(
        {in[1]}, {in[0], Array(0)},
        [](const Arrays& c, const Arrays& at) { return sum(square(at[0] * at[0] - c[0])) > 1e-4f; },
        [](const Arrays& c, const Arrays& at) {
          return Arrays{(at[0] + c[0] / at[0]) * 0.5f, at[1] + 1};
        });
  };
  Type t = type({31, 29});  // large enough that a sum in each step is cheaper than all of it once
  for (PartitionSpec s : {P("x", "y"), P(none, "x"), P("y")}) {
    LocalProgram local = check(
        {t, t}, {s, P("x")}, mesh,
        [&](const Arrays& in) {
          return newton({exp(in[0]), exp(in[1])});
        },
        false);
    EXPECT_NE(explain(local).all().find("each step of while_loop"), std::string::npos) << explain(local);
  }
}

TEST(Loops, TakeOneBranch) {
  Mesh mesh = grid({2, 2}, {"x", "y"});
  Type t = type({6, 8});
  for (int index = -1; index < 4; ++index) {
    LocalProgram local = check(
        {t, t}, {P("x", "y"), P("y")}, mesh,
        [&](const Arrays& in) {
          return branch(Array(index) + Array(0), in,
                        {[](const Arrays& a) {
                           return Arrays{dot(a[0], transpose(a[1])), sum(a[0])};
                         },
                         [](const Arrays& a) {
                           return Arrays{dot(a[1], transpose(a[1])), sum(a[1])};
                         },
                         [](const Arrays& a) {
                           return Arrays{zeros({6, 6}), max(a[1])};
                         }});
        },
        false);
    EXPECT_NE(explain(local).all().find("branch 0 of cond"), std::string::npos) << explain(local);
  }
}

TEST(Loops, SamplesGiveTheGlobalValuesOnEveryMesh) {
  int checked = 0;
  for (const Op* op : all_ops()) {
    if (op->role != Role::loop && op->role != Role::branch) continue;
    for (const Sample& sample : op->samples)
      for (unsigned seed = 0; seed < 8 && !HasFailure(); ++seed) {
        RandomPrograms g{std::mt19937(seed)};
        const Mesh mesh = g.mesh();
        std::vector<Sharding> placed;
        std::vector<BufferPtr> inputs;
        for (const Type& t : sample.operands) {
          placed.push_back(g.placement(mesh, t.shape));
          inputs.push_back(random_buffer(t, g.rng, sample.lo, sample.hi));
        }
        ProgramPtr p =
            record(sample.operands, [&](const Arrays& in) { return bind(*op, sample.params, in, sample.subs); });
        SCOPED_TRACE(op->name + " seed " + std::to_string(seed));
        const bool counted = op->role == Role::loop && loop_of(p->eqns.back()).condition < 0;
        check_partition(propagate(p, placed), inputs, 2e-5, by_choice, counted);
        ++checked;
      }
  }
  EXPECT_GT(checked, 60);
}

void check_seed(unsigned seed, RandomPrograms::With with, bool gradients) {
  RandomPrograms g{std::mt19937(seed)};
  SCOPED_TRACE("seed " + std::to_string(seed) + (gradients ? " gradients" : ""));
  g.n = 2 + g.pick(7);
  g.m = 2 + g.pick(7);
  const Mesh mesh = g.mesh();
  std::vector<Type> types{type({g.n, g.m}), type({g.n, g.m}), type({3, g.n, g.m})};
  std::vector<Sharding> placed;
  std::vector<BufferPtr> inputs;
  for (const Type& t : types) {
    placed.push_back(g.placement(mesh, t.shape));
    inputs.push_back(random_buffer(t, g.rng));
  }
  ProgramPtr p = record(types, [&](const Arrays& in) {
    Arrays known{in[0], in[1]}, stacks{in[2]};
    for (int i = 0; i < (gradients ? 2 : 3); ++i) g.statement(known, stacks, 2, with);
    if (gradients) return Arrays{mean(known.back() * in[0]) + mean(stacks.back())};
    return Arrays{known.back(), sum(known[known.size() / 2]), stacks.back()};
  });
  if (gradients) p = inline_calls(value_and_grad(p, 3));
  check_partition(propagate(p, placed), inputs, 2e-4, by_choice, with == RandomPrograms::scans);
}

TEST(Loops, RandomOnesEqualTheGlobalRun) {
  for (unsigned seed = 0; seed < 30 && !HasFailure(); ++seed) check_seed(seed, RandomPrograms::scans, false);
  for (unsigned seed = 30; seed < 60 && !HasFailure(); ++seed) check_seed(seed, RandomPrograms::while_loops_too, false);
}
TEST(Loops, RandomGradientsEqualTheGlobalRun) {
  for (unsigned seed = 0; seed < 12 && !HasFailure(); ++seed) check_seed(seed, RandomPrograms::scans, true);
  for (unsigned seed = 12; seed < 24 && !HasFailure(); ++seed) check_seed(seed, RandomPrograms::branches_too, true);
}

// A scan over layers, its weights cut over 'model', on 2x4: the textbook's bytes. Activations go over 'model' in each
// step, forwards and backwards; gradients of the weights over 'data' once, for all layers.
TEST(Loops, GradientsOfLayersMoveWhatTheTextbookMoves) {
  Mesh mesh = grid({2, 4}, {"data", "model"});
  const std::int64_t layers = 6, batch = 8, width = 12, hidden = 16;
  std::vector<Type> types{type({layers, width, hidden}), type({layers, hidden, width}), type({batch, width})};
  ProgramPtr p = record(types, [&](const Arrays& in) {
    Arrays out = scan(layers, {}, {in[2]}, {in[0], in[1]}, [](const Arrays&, const Arrays& h, const Arrays& w) {
      return Arrays{h[0] + dot(tanh(dot(h[0], w[0])), w[1])};
    });
    return Arrays{mean(out[0] * out[0])};
  });
  p = inline_calls(value_and_grad(p, 2));
  ShardedProgram sharded =
      propagate(p, {named(mesh, P(none, none, "model")), named(mesh, P(none, "model")), named(mesh, P("data"))});
  EXPECT_EQ(sharded.output_shardings[1].spec(), P(none, none, "model"));
  EXPECT_EQ(sharded.output_shardings[2].spec(), P(none, "model"));
  std::mt19937 rng(5);
  std::vector<BufferPtr> inputs;
  for (const Type& t : types) inputs.push_back(random_buffer(t, rng, -0.3, 0.3));
  LocalProgram local = check_partition(sharded, inputs, 1e-4);
  const double activations = all_reduce(bytes({batch / 2, width}), 4),
               weights = all_reduce(2 * bytes({layers, width, hidden / 4}), 2);
  EXPECT_LE(total_bytes(local), 1.01 * (2 * layers * activations + weights + 8)) << explain(local);
}

}  // namespace
}  // namespace tutti::testing

// SPDX-License-Identifier: Apache-2.0
