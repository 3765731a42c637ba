// Laws that every op obeys, over the samples of its home: types, derivatives, transposes, batches, engine against eval.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <numeric>
#include <set>

#include "array/evaluate.hpp"
#include "backend/backend.hpp"
#include "ops/laws_elsewhere.hpp"
#include "ops/movement/movement.hpp"
#include "ops/sampled.hpp"
#include "transform/transform.hpp"

namespace tutti {
namespace {

using testing::all_cases;
using testing::Case;
using testing::random_operands;
using Buffers = std::vector<BufferPtr>;

// Runs `law` on every case; one that throws or fails does not hide the others.
template <class Law> void for_each_case(Law law) {
  std::mt19937_64 random(1);
  for (const Case& c : all_cases()) {
    SCOPED_TRACE(c.name());
    try {
      law(c, random);
    } catch (const std::exception& e) {
      ADD_FAILURE() << e.what();
    }
  }
}

// Doubles have to stay doubles while a case is checked with finite differences.
struct WithX64 {
  WithX64() { enable_x64(true); }
  ~WithX64() { enable_x64(false); }
};

struct Differentiable {
  Program program;
  Buffers inputs, tangents;  // a tangent per input; empty where there is none
  std::vector<bool> differentiated;
};
// The case in double, with random inputs and tangents; nothing when it is not to be differentiated.
std::optional<Differentiable> differentiable(const Case& c, std::mt19937_64& random) {
  if (!c.sample->differentiable || !c.op->not_differentiable.empty()) return {};
  Differentiable d;
  std::vector<Type> types = testing::operand_types(*c.sample, true);
  for (const Type& t : types)
    if (t.dtype.is_floating() && t.dtype.size() < 4) return {};  // too few digits for differences
  d.program = testing::program_of(*c.op, *c.sample, types);
  bool any = false, any_result = false;
  for (const Type& t : d.program.output_types()) any_result = any_result || has_tangent(t);
  d.inputs = random_operands(c, types, random);
  for (const Type& t : types) {
    d.differentiated.push_back(has_tangent(t));
    any = any || has_tangent(t);
    Sample unit;
    unit.lo = -1;
    unit.hi = 1;
    d.tangents.push_back(has_tangent(t) ? testing::random_values(t, unit, random) : BufferPtr());
  }
  if (!any || !any_result) return {};
  return d;
}
// Per output the tangent, zeros where the program has none.
std::vector<std::vector<double>> tangents_of(const Differentiable& d) {
  JvpProgram j = jvp(d.program, d.differentiated);
  Buffers in = d.inputs;
  for (const BufferPtr& t : d.tangents)
    if (t) in.push_back(t);
  Buffers out = evaluate(*j.program, in);
  std::vector<Type> types = d.program.output_types();
  std::vector<std::vector<double>> result;
  std::size_t next = types.size();
  for (std::size_t i = 0; i < types.size(); ++i)
    result.push_back(j.tangent[i] ? testing::to_doubles(out[next++], types[i])
                                  : std::vector<double>(static_cast<std::size_t>(types[i].num_elements())));
  return result;
}
// The result of a float32 conversion inside a double program has few digits.
bool all_double(const Differentiable& d) {
  for (const Type& t : d.program.types)
    if (t.dtype.is_floating() && t.dtype != float64) return false;
  return true;
}

TEST(EveryOp, HasAllItsRulesOrSaysWhyNot) {
  for (const Op* op : all_ops()) {
    SCOPED_TRACE(op->name);
    auto law = [&](const std::string& rule, bool has) {
      bool reason = op->without.count(rule) && op->without.at(rule).size() > 10;
      EXPECT_NE(has, reason) << rule
                             << (has ? ": a reason for what is there" : ": neither there nor is there a reason");
    };
    EXPECT_TRUE(op->infer);
    EXPECT_TRUE(op->linear.empty() || op->transpose) << "what is linear has a transpose";
    law("eval", op->eval || op->collective);
    law("factors", static_cast<bool>(op->factors));
    law("batch", static_cast<bool>(op->batch));
    law("derivative", !op->linear.empty() || op->jvp || op->jvp_together || !op->not_differentiable.empty());
    law("samples", !op->samples.empty());
    for (const auto& [rule, reason] : op->without)
      EXPECT_TRUE((std::set<std::string>{"eval", "factors", "batch", "derivative", "samples"}.count(rule))) << rule;
  }
}

TEST(EveryOp, HasANameOfItsOwn) {
  std::set<std::string> names;
  for (const Op* op : all_ops()) EXPECT_TRUE(names.insert(op->name).second) << op->name;
  for (const char* name :
       {"tanh", "sort", "inspect_sharding", "device_put", "put_back", "sharding_constraint", "shard_map",
        "custom_tangent", "remat", "scan", "while_loop", "cond", "barrier", "axis_index"})
    EXPECT_EQ(names.count(name), 1) << name;
}

TEST(EveryOp, EvalWritesWhatInferSays) {
  for_each_case([&](const Case& c, std::mt19937_64& random) {
    if (!c.op->eval) return;
    Program p = testing::program_of(*c.op, *c.sample, c.sample->operands);
    verify(p);
    Buffers in = random_operands(c, c.sample->operands, random);
    std::vector<HostView> operands, results;
    for (std::size_t i = 0; i < in.size(); ++i) operands.push_back({c.sample->operands[i], on_host(in[i]).data()});
    // A guard behind each result tells whether eval keeps to its bounds; two runs over different garbage, whether it
    // writes every element.
    constexpr std::size_t guard = 32;
    std::vector<std::vector<unsigned char>> runs[2];
    for (int garbage : {0, 1}) {
      results.clear();
      for (const Type& t : p.output_types()) {
        runs[garbage].emplace_back(static_cast<std::size_t>(t.nbytes()) + guard,
                                   static_cast<unsigned char>(garbage ? 0xa5 : 0x5a));
        results.push_back({t, nullptr});
      }
      for (std::size_t i = 0; i < results.size(); ++i) results[i].data = runs[garbage][i].data();
      evaluate(p.eqns[0], c.sample->operands, operands, results);
    }
    for (std::size_t i = 0; i < results.size(); ++i) {
      std::size_t n = runs[0][i].size() - guard;
      EXPECT_TRUE(
          std::equal(runs[0][i].begin(), runs[0][i].begin() + static_cast<std::ptrdiff_t>(n), runs[1][i].begin()))
          << "result " << i << " is not written everywhere";
      EXPECT_TRUE(std::all_of(runs[0][i].begin() + static_cast<std::ptrdiff_t>(n), runs[0][i].end(),
                              [](unsigned char b) { return b == 0x5a; }))
          << "eval writes behind result " << i;
    }
  });
}

TEST(EveryOp, FactorsFitTheTypes) {
  for_each_case([&](const Case& c, std::mt19937_64&) {
    if (!c.op->factors) return;
    std::vector<Type> results = infer_types(*c.op, c.sample->params, c.sample->operands, c.sample->subs);
    Factors f = c.op->factors(Call{*c.op, c.sample->params, c.sample->operands, c.sample->subs}, results);
    ASSERT_EQ(f.operands.size(), c.sample->operands.size());
    ASSERT_EQ(f.results.size(), results.size());
    auto check = [&](const Factors::Dims& dims, const Type& t) {
      ASSERT_EQ(static_cast<int>(dims.size()), t.ndim());
      for (int d = 0; d < t.ndim(); ++d) {
        if (dims[d].empty()) continue;
        std::int64_t size = 1;
        for (int factor : dims[d]) size *= f.factors.at(static_cast<std::size_t>(factor)).size;
        // A factor that cannot be split may join dims of different extents: the elements move.
        if (dims[d].size() == 1 && f.factors[static_cast<std::size_t>(dims[d][0])].kind == Factors::Kind::replicated)
          continue;
        EXPECT_EQ(size, t.shape[d]) << "dim " << d << " of " << t.str();
      }
    };
    for (std::size_t i = 0; i < results.size(); ++i) check(f.results[i], results[i]);
    for (std::size_t i = 0; i < f.operands.size(); ++i) check(f.operands[i], c.sample->operands[i]);
  });
}

TEST(EveryOp, TangentsAreFiniteDifferences) {
  WithX64 x64;
  for_each_case([&](const Case& c, std::mt19937_64& random) {
    auto d = differentiable(c, random);
    if (!d) return;
    bool precise = all_double(*d);
    double h = precise ? 1e-6 : 1e-2, tolerance = precise ? 2e-7 : 2e-3;
    auto outputs_at = [&](double step) {
      Buffers moved;
      for (std::size_t i = 0; i < d->inputs.size(); ++i) {
        if (!d->tangents[i]) {
          moved.push_back(d->inputs[i]);
          continue;
        }
        const Type& type = d->program.types[i];
        std::vector<double> x = testing::to_doubles(d->inputs[i], type), t = testing::to_doubles(d->tangents[i], type);
        for (std::size_t k = 0; k < x.size(); ++k) x[k] += step * t[k];
        moved.push_back(testing::from_doubles(x, type));
      }
      return evaluate(d->program, moved);
    };
    Buffers above = outputs_at(h), below = outputs_at(-h);
    auto tangents = tangents_of(*d);
    std::vector<Type> types = d->program.output_types();
    for (std::size_t i = 0; i < types.size(); ++i) {
      if (!has_tangent(types[i])) continue;
      std::vector<double> a = testing::to_doubles(above[i], types[i]), b = testing::to_doubles(below[i], types[i]);
      for (std::size_t k = 0; k < a.size(); ++k) {
        double difference = (a[k] - b[k]) / (2 * h);
        ASSERT_NEAR(tangents[i][k], difference, tolerance * std::max(1., std::abs(difference)) * 10)
            << "result " << i << ", element " << k;
      }
    }
  });
}

TEST(EveryOp, TransposesAreAdjoint) {
  WithX64 x64;
  for_each_case([&](const Case& c, std::mt19937_64& random) {
    auto d = differentiable(c, random);
    if (!d) return;
    std::vector<Type> types = d->program.output_types();
    std::vector<bool> given;
    for (const Type& t : types) given.push_back(has_tangent(t));
    VjpProgram v = vjp(d->program, d->differentiated, given);
    Buffers in = d->inputs;
    auto tangents = tangents_of(*d);
    Sample unit;
    unit.lo = -1;
    unit.hi = 1;
    double forward = 0, backward = 0, size = 1;
    for (std::size_t i = 0; i < types.size(); ++i) {
      if (!given[i]) continue;
      BufferPtr w = testing::random_values(types[i], unit, random);
      std::vector<double> ws = testing::to_doubles(w, types[i]);
      for (std::size_t k = 0; k < ws.size(); ++k) {
        forward += ws[k] * tangents[i][k];
        size += std::abs(ws[k] * tangents[i][k]);
      }
      if (v.given[i]) in.push_back(w);
    }
    Buffers out = evaluate(*v.program, in);
    std::size_t next = types.size();
    for (std::size_t i = 0; i < d->inputs.size(); ++i) {
      if (!d->differentiated[i]) continue;
      std::vector<double> t = testing::to_doubles(d->tangents[i], d->program.types[i]),
                          g = testing::to_doubles(out[next++], d->program.types[i]);
      for (std::size_t k = 0; k < t.size(); ++k) backward += t[k] * g[k];
    }
    EXPECT_NEAR(forward, backward, (all_double(*d) ? 1e-12 : 1e-5) * size);
  });
}

TEST(EveryOp, BatchIsALoop) {
  constexpr std::int64_t extent = 3;
  for_each_case([&](const Case& c, std::mt19937_64& random) {
    if (!c.op->batch || !c.op->eval) return;
    std::size_t n = c.sample->operands.size();
    Program p = testing::program_of(*c.op, *c.sample, c.sample->operands);
    std::vector<Type> results = p.output_types();
    for (unsigned pattern = 1; pattern < (1u << std::min<std::size_t>(n, 5)); ++pattern) {
      std::vector<bool> mapped(n);
      for (std::size_t i = 0; i < n; ++i) mapped[i] = pattern >> i & 1;
      SCOPED_TRACE(c.name() + " mapped " + std::to_string(pattern));
      BatchedProgram b = batch(p, mapped, {extent, ""});
      std::vector<Buffers> rows(extent, Buffers(n));
      Buffers whole(n);
      for (std::size_t i = 0; i < n; ++i) {
        Buffers list;
        for (std::int64_t k = 0; k < extent; ++k) {
          if (mapped[i] || k == 0) list.push_back(testing::random_values(p.types[i], *c.sample, random));
          rows[static_cast<std::size_t>(k)][i] = list.back();
        }
        whole[i] = mapped[i] ? testing::stacked(list, p.types[i]) : list[0];
      }
      Buffers together = evaluate(*b.program, whole);
      for (std::int64_t k = 0; k < extent; ++k) {
        Buffers alone = evaluate(p, rows[static_cast<std::size_t>(k)]);
        for (std::size_t r = 0; r < results.size(); ++r) {
          BufferPtr got = b.mapped[r] ? testing::row(together[r], results[r], k) : together[r];
          std::vector<double> want = testing::to_doubles(alone[r], results[r]),
                              have = testing::to_doubles(got, results[r]);
          for (std::size_t e = 0; e < want.size(); ++e)
            ASSERT_LE(testing::ulps(have[e], want[e], results[r].dtype), 1)
                << "row " << k << ", result " << r << ", element " << e << ": " << have[e] << " for " << want[e];
        }
      }
    }
  });
}

// What a program of sums makes of the magnitudes of its inputs.
std::vector<double> magnitudes(const Program& p, Buffers in) {
  for (std::size_t i = 0; i < in.size(); ++i) {
    const Type& type = p.types[p.inputs[i]];
    if (!type.dtype.is_floating()) continue;
    std::vector<double> values = testing::to_doubles(in[i], type);
    for (double& v : values) v = std::abs(v);
    in[i] = testing::from_doubles(values, type);
  }
  return testing::to_doubles(evaluate(p, in)[0], p.output_types()[0]);
}

TEST(EveryOp, EngineAgreesWithEval) {
  for_each_case([&](const Case& c, std::mt19937_64& random) {
    if (!c.op->eval || has_law_elsewhere(*c.op, *c.sample)) return;
    SCOPED_TRACE(c.name());
    Program p = testing::program_of(*c.op, *c.sample, c.sample->operands);
    std::vector<Type> results = p.output_types();
    Buffers in = random_operands(c, c.sample->operands, random);
    Buffers want = evaluate(p, in), got = backend("cpu").compile(on_one_device(p))->run(in);
    // Reductions and contractions add in another order: the error is measured against the largest operand.
    double largest = 0;
    if (!c.op->pointwise)
      for (std::size_t i = 0; i < in.size(); ++i)
        if (c.sample->operands[i].dtype.is_floating())
          for (double v : testing::to_doubles(in[i], c.sample->operands[i])) largest = std::max(largest, std::abs(v));
    if (c.op->reduce == Op::Reduce::sum)  // that of a sum against the sum of magnitudes
      for (double v : magnitudes(p, in)) largest = std::max(largest, v);
    for (std::size_t r = 0; r < results.size(); ++r) {
      std::vector<double> w = testing::to_doubles(want[r], results[r]), g = testing::to_doubles(got[r], results[r]);
      for (std::size_t e = 0; e < w.size(); ++e) {
        if (g[e] == w[e] || (std::isnan(g[e]) && std::isnan(w[e]))) continue;
        ASSERT_TRUE(results[r].dtype.is_inexact())
            << "result " << r << ", element " << e << ": " << g[e] << " for " << w[e];
        double scale = std::max(std::abs(w[e]), largest);
        ASSERT_LE(testing::ulps(scale + std::abs(g[e] - w[e]), scale, results[r].dtype), c.sample->ulp)
            << "result " << r << ", element " << e << ": " << g[e] << " for " << w[e];
      }
    }
  });
}

TEST(EveryOp, ViewsReadWhatEvalMoves) {
  for_each_case([&](const Case& c, std::mt19937_64& random) {
    if (!c.op->view) return;
    Program p = testing::program_of(*c.op, *c.sample, c.sample->operands);
    Type result = p.output_types()[0];
    std::optional<View> view = c.op->view(Call{*c.op, c.sample->params, c.sample->operands, c.sample->subs}, result);
    if (!view) return;
    Buffers in = random_operands(c, c.sample->operands, random);
    std::string got(static_cast<std::size_t>(result.nbytes()), '\0');
    ops::read_view(*view, {{result.dtype, c.sample->operands[0].shape, false, {}}, on_host(in[0]).data()},
                   {result, got.data()});
    EXPECT_EQ(std::memcmp(got.data(), on_host(evaluate(p, in)[0]).data(), got.size()), 0);
  });
}

TEST(EveryOp, PiecesAreTheResult) {
  int seen = 0;
  for_each_case([&](const Case& c, std::mt19937_64& random) {
    if (!c.op->pieces) return;
    Program p = testing::program_of(*c.op, *c.sample, c.sample->operands);
    const Type result = p.output_types()[0];
    auto pieces = c.op->pieces(Call{*c.op, c.sample->params, c.sample->operands, c.sample->subs}, result);
    if (pieces.empty()) return;
    ++seen;
    Buffers in = random_operands(c, c.sample->operands, random);
    const auto size = static_cast<std::size_t>(result.dtype.size());
    auto at = [](const Shape& shape, const std::vector<std::int64_t>& index) {
      std::int64_t out = 0;
      for (int d = 0; d < shape.ndim(); ++d) out = out * shape[d] + index[static_cast<std::size_t>(d)];
      return static_cast<std::size_t>(out);
    };
    std::string got(static_cast<std::size_t>(result.nbytes()), '\0');
    std::vector<int> times(static_cast<std::size_t>(result.num_elements()), 0);
    for (const Piece& piece : pieces) {
      const Type& from = c.sample->operands[static_cast<std::size_t>(piece.operand)];
      const auto* data = static_cast<const char*>(
          static_cast<const void*>(on_host(in[static_cast<std::size_t>(piece.operand)]).data()));
      const std::int64_t elements =
          std::accumulate(piece.extents.begin(), piece.extents.end(), std::int64_t{1}, std::multiplies<>());
      for (std::int64_t e = 0; e < elements; ++e) {
        std::vector<std::int64_t> to = piece.start, source = piece.from;
        std::int64_t rest = e;
        for (std::size_t d = to.size(); d-- > 0; rest /= piece.extents[d]) {
          to[d] += rest % piece.extents[d];
          source[d] += rest % piece.extents[d];
        }
        const std::size_t k = at(result.shape, to), i = from.shape.ndim() == 0 ? 0 : at(from.shape, source);
        ASSERT_LT(k, times.size());
        ++times[k];
        std::memcpy(got.data() + k * size, data + i * size, size);
      }
    }
    for (int n : times) ASSERT_EQ(n, 1);
    EXPECT_EQ(std::memcmp(got.data(), on_host(evaluate(p, in)[0]).data(), got.size()), 0);
  });
  EXPECT_GT(seen, 5);
}

}  // namespace
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
