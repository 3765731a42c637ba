// Laws of the movement, indexing and contraction homes, over all their samples.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "array/node.hpp"
#include "ops/movement/movement.hpp"

namespace tutti {
namespace {

// Operands of a sample: floats in [lo, hi], integers rounded from there, keys from any words.
Array operand(const Type& t, const Sample& s, std::mt19937& rng) {
  std::uniform_real_distribution<double> draw(s.lo, s.hi);
  if (t.dtype.is_key()) {
    std::vector<std::uint32_t> words;
    for (std::int64_t i = 0; i < 2 * t.num_elements(); ++i) words.push_back(rng());
    Shape shape = t.shape;
    shape.push_back(2);
    return bind1(ops::random_wrap, {}, {array(words, shape)});
  }
  std::vector<float> v;
  for (std::int64_t i = 0; i < t.num_elements(); ++i) {
    double x = draw(rng);
    v.push_back(static_cast<float>(t.dtype.is_integer() ? std::round(x) : x));
  }
  return lax::convert_element_type(array(v, t.shape), t.dtype);
}

std::string bytes(const Array& x) {
  Array raw = x.dtype().is_key() ? bind1(ops::random_unwrap, {}, {x}) : x;
  std::string out(static_cast<std::size_t>(raw.nbytes()), '\0');
  raw.copy_to(raw.dtype(), out.data());
  return out;
}

double inner_product(const Array& x, const Array& y) {
  std::vector<float> a = x.to_vector<float>(), b = y.to_vector<float>();
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += static_cast<double>(a[i]) * b[i];
  return sum;
}

template <class F> void for_each_sample(F f) {
  std::mt19937 rng(7);
  for (const Op* op : ops::movement_ops())
    for (std::size_t i = 0; i < op->samples.size(); ++i) {
      SCOPED_TRACE(op->name + " sample " + std::to_string(i));
      f(*op, op->samples[i], rng);
    }
}

TEST(MovementRules, BatchEqualsALoop) {
  for_each_sample([](const Op& op, const Sample& s, std::mt19937& rng) {
    const std::int64_t n = 3;
    int count = static_cast<int>(s.operands.size());
    for (int mask = 1; mask < (1 << std::min(count, 4)); ++mask) {
      std::vector<bool> mapped;
      std::vector<std::vector<Array>> single(n);
      std::vector<Array> operands;
      for (int k = 0; k < count; ++k) {
        mapped.push_back(mask >> k & 1);
        std::vector<Array> rows;
        for (int b = 0; b < (mapped[k] ? n : 1); ++b) rows.push_back(operand(s.operands[k], s, rng));
        for (int b = 0; b < n; ++b) single[b].push_back(rows[mapped[k] ? b : 0]);
        for (Array& r : rows) r = lax::broadcast(r, Shape{1});
        operands.push_back(mapped[k] ? lax::concatenate(rows, 0) : single[0][k]);
      }
      Call call{op, s.params, s.operands, s.subs};
      Batched out = op.batch(call, operands, mapped, {n, ""});
      for (int b = 0; b < n; ++b) {
        std::vector<Array> want = bind(op, s.params, single[b]);
        for (std::size_t r = 0; r < want.size(); ++r) {
          Array got = out.results[r];
          ASSERT_TRUE(out.mapped[r]);
          ASSERT_EQ(got.shape(), ops::with_front(n, want[r].shape()));
          ops::Dims start(got.ndim(), 0), limit = got.shape().dims();
          start[0] = b;
          limit[0] = b + 1;
          EXPECT_EQ(bytes(lax::slice(got, start, limit)), bytes(want[r])) << "mask " << mask << " example " << b;
        }
      }
    }
  });
}

TEST(MovementRules, TransposeIsTheAdjoint) {
  for_each_sample([](const Op& op, const Sample& s, std::mt19937& rng) {
    if (!op.transpose || s.operands.empty() || s.operands[0].dtype != float32) return;
    for (const std::vector<int>& group : op.linear) {
      std::vector<Array> operands, tangents;
      std::vector<bool> undefined;
      for (std::size_t k = 0; k < s.operands.size(); ++k) {
        bool in = std::find(group.begin(), group.end(), static_cast<int>(k)) != group.end();
        undefined.push_back(in);
        operands.push_back(operand(s.operands[k], s, rng));
      }
      Array y = bind(op, s.params, operands)[0];
      Sample ct_sample = s;
      Array ct = operand(ops::type(float32, y.shape()), ct_sample, rng);
      if (y.dtype() != float32) continue;
      std::vector<Array> given = operands;
      for (std::size_t k = 0; k < given.size(); ++k)
        if (undefined[k]) given[k] = {};
      Call call{op, s.params, s.operands, s.subs};
      std::vector<Array> back = op.transpose(call, {ct}, given, undefined);
      double forward = inner_product(ct, y), backward = 0;
      for (std::size_t k = 0; k < operands.size(); ++k)
        if (undefined[k] && back[k].has_value()) {
          ASSERT_EQ(back[k].shape(), operands[k].shape());
          backward += inner_product(back[k], operands[k]);
        }
      EXPECT_NEAR(forward, backward, 1e-4 * (1 + std::abs(forward)));
    }
  });
}

TEST(MovementRules, FactorsCoverTheirDims) {
  for_each_sample([](const Op& op, const Sample& s, std::mt19937&) {
    Call call{op, s.params, s.operands, s.subs};
    std::vector<Type> results = infer_types(op, s.params, s.operands, s.subs);
    Factors f = op.factors(call, results);
    auto check = [&](const Factors::Dims& dims, const Type& t) {
      ASSERT_EQ(dims.size(), t.shape.size());
      for (int d = 0; d < t.ndim(); ++d) {
        std::int64_t product = 1;
        for (int i : dims[d]) product *= f.factors[i].size;
        bool moved = dims[d].size() == 1 &&
                     f.factors[dims[d][0]].kind == Factors::Kind::replicated;  // may join dims of different extents
        EXPECT_TRUE(dims[d].empty() || moved || product == t.shape[d]) << t.str() << " dim " << d;
      }
    };
    for (std::size_t k = 0; k < s.operands.size(); ++k) check(f.operands[k], s.operands[k]);
    for (std::size_t k = 0; k < results.size(); ++k) check(f.results[k], results[k]);
  });
}

TEST(MovementRules, ViewsReadWhatEvalMoves) {
  for_each_sample([](const Op& op, const Sample& s, std::mt19937& rng) {
    if (!op.view) return;
    Call call{op, s.params, s.operands, s.subs};
    Type result = infer_types(op, s.params, s.operands, s.subs)[0];
    std::optional<View> view = op.view(call, result);
    if (!view) return;
    Array x = operand(s.operands[0], s, rng), y = bind(op, s.params, {x})[0];
    std::string from = bytes(x), got(static_cast<std::size_t>(result.nbytes()), '\0');
    ops::read_view(*view, {s.operands[0], from.data()}, {result, got.data()});
    EXPECT_EQ(got, bytes(y));
  });
}

}  // namespace
}  // namespace tutti
