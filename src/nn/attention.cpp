#include "tutti/nn/attention.hpp"

#include <cmath>
#include <string>

#include "nn/tiled_attention.hpp"
#include "tutti/base/call_scope.hpp"
#include "tutti/lax/lax.hpp"
#include "tutti/nn/activations.hpp"
#include "tutti/numpy/numpy.hpp"
#include "tutti/transform/composite.hpp"

namespace tutti::nn {
namespace {

constexpr const char* name = "dot_product_attention";

// [n] of dim `dim` of a [batch, heads, queries, keys] array.
Array along(std::int64_t n, int dim) {
  Shape shape{1, 1, 1, 1};
  shape[dim] = n;
  return arange(n).reshape(shape);
}
Array per_example(const Array& lengths) { return lengths.reshape(Shape{-1, 1, 1, 1}); }

// bool, broadcasting to [batch, heads, queries, keys]; none where everything is seen.
Array seen(const Array& mask, const Sight& sight, const Array& key_lengths, std::int64_t queries, std::int64_t keys) {
  Array out = mask;
  auto also = [&](const Array& more) { out = out.has_value() ? out & more : more; };
  Array i = along(queries, 2), j = along(keys, 3);
  if (sight.causal) also(j <= i);
  if (sight.window) also((j >= i - sight.before) & (j <= i + sight.after));
  if (key_lengths.has_value()) also(j < per_example(key_lengths));
  return out;
}

// With all logits in memory. `sums`, where asked for: the logarithms of what the softmax divides by, [batch, queries,
// heads].
Array attend_at_once(const AttentionOperands& x, const Array& query_lengths, const Sight& sight,
                     Array* sums = nullptr) {
  const Array &q = x.query, &k = x.key, &v = x.value;
  const std::int64_t batch = q.shape(0), queries = q.shape(1), heads = q.shape(2), size = q.shape(3);
  const std::int64_t keys = k.shape(1), groups = k.shape(2);
  const DType wide = promote_types(q.dtype(), float32);
  // Heads that share keys stand as rows of one product: [batch, groups, heads of a group x queries, size].
  Array rows = q;
  if (groups != heads)
    rows = q.reshape(Shape{batch, queries, groups, heads / groups, size})
               .transpose({0, 2, 3, 1, 4})
               .reshape(Shape{batch, groups, heads / groups * queries, size});
  const std::vector<std::int64_t> of_rows =
      groups != heads ? std::vector<std::int64_t>{0, 1} : std::vector<std::int64_t>{0, 2};
  Array logits = lax::dot_general(rows, k, {{3}, {3}, of_rows, {0, 2}}, wide);
  logits = logits.reshape(Shape{batch, heads, queries, keys}) * x.scale.astype(wide);
  if (x.bias.has_value()) logits = (logits + x.bias).astype(wide);
  Array open = seen(x.mask, sight, x.key_lengths, queries, keys);
  if (query_lengths.has_value()) {
    const Array real = along(queries, 2) < per_example(query_lengths);
    open = open.has_value() ? open & real : real;
  }
  if (open.has_value()) logits = where(open, logits, full({}, masked_logit(wide), wide));
  logits = logits.astype(float32);
  if (sums) *sums = lax::stop_gradient(logsumexp(logits, -1).astype(k.dtype()).transpose({0, 2, 1}));
  Array weights = softmax(logits).astype(k.dtype());
  weights = weights.reshape(Shape{batch, groups, heads / groups * queries, keys});
  Array y = lax::dot_general(weights, v, {{3}, {1}, {0, 1}, {0, 2}});  // [batch, groups, rows, size]
  if (groups == heads) return y.transpose({0, 2, 1, 3});
  return y.reshape(Shape{batch, groups, heads / groups, queries, size})
      .transpose({0, 3, 1, 2, 4})
      .reshape(Shape{batch, queries, heads, size});
}

// What lies behind the queries of an example counts 0 times, which leaves its zeros their signs.
Array without_padding(const Array& y, const Array& query_lengths) {
  if (!query_lengths.has_value()) return y;
  return y * (along(y.shape(1), 1) < per_example(query_lengths)).astype(y.dtype());
}

constexpr auto attend = [](const AttentionOperands& x, const Array& query_lengths, const Sight& sight, bool tiled) {
  const Shape logits{x.query.shape(0), x.query.shape(2), x.query.shape(1), x.key.shape(1)};
  return without_padding(tiled ? attend_in_tiles(x, sight, tile_of(logits)) : attend_at_once(x, query_lengths, sight),
                         query_lengths);
};
constexpr auto attend_with_sums = [](const AttentionOperands& x, const Array& query_lengths, const Sight& sight) {
  Array sums;
  const Array y = attend_at_once(x, query_lengths, sight, &sums);
  return std::pair{without_padding(y, query_lengths), sums};
};

// A checked call.
struct Attention {
  AttentionOperands operands;
  Sight sight;
  Shape logits;
};

void check_inputs(const Array& q, const Array& k, const Array& v) {
  if (q.dtype() != k.dtype() || k.dtype() != v.dtype() || !q.dtype().is_floating())
    raise<TypeError>(name, "query is " + type_text(q) + ", key " + type_text(k) + ", value " + type_text(v),
                     "All three have one floating dtype: convert with astype().");
  const bool dims = (q.ndim() == 3 || q.ndim() == 4) && k.ndim() == q.ndim();
  bool fit = dims && k.shape() == v.shape() && q.shape(-1) == k.shape(-1) && k.shape(-2) > 0 &&
             q.shape(-2) % k.shape(-2) == 0 && (q.ndim() == 3 || q.shape(0) == k.shape(0));
  if (!fit)
    raise<ShapeError>(
        name, "query is " + type_text(q) + ", key " + type_text(k) + ", value " + type_text(v),
        "query is [batch, queries, heads, size], key and value are [batch, keys, groups, size], with or without the "
        "batch; the groups divide the heads.");
}
// With a batch dim, and as many dims as the logits.
Array four_dims(const char* what, const Array& x, const Shape& logits) {
  if (!x.has_value()) return x;
  bool fits = x.ndim() <= 4;
  for (int d = 1; fits && d <= x.ndim(); ++d) fits = x.shape(-d) == 1 || x.shape(-d) == logits[4 - d];
  if (!fits)
    raise<ShapeError>(name, std::string(what) + " is " + type_text(x) + ", the logits have shape " + logits.str(),
                      "It broadcasts to [batch, heads, queries, keys].");
  Shape shape = x.shape();
  while (shape.ndim() < 4) shape.insert(0, 1);
  return x.reshape(shape);
}
void check_lengths(const char* what, const Array& x, std::int64_t batch) {
  if (!x.has_value()) return;
  if (!x.dtype().is_integer())
    raise<TypeError>(name, std::string(what) + " is " + type_text(x), "Lengths are integers.");
  if (x.ndim() != 1 || x.shape(0) != batch)
    raise<ShapeError>(name, std::string(what) + " is " + type_text(x) + " for a batch of " + std::to_string(batch),
                      "Give one length for each example.");
}

}  // namespace

double masked_logit(DType d) {
  return -0.7 * (d == float64 ? 1.7976931348623157e308 : static_cast<double>(0x1.FFFFFEp127F));
}

namespace {

Attention checked(const Array& query, const Array& key, const Array& value, const DotProductAttentionOptions& o) {
  check_inputs(query, key, value);
  const bool single = query.ndim() == 3;
  auto batched = [&](const Array& x) { return single ? expand_dims(x, 0) : x; };
  Array q = batched(query), k = batched(key), v = batched(value);
  const Shape logits{q.shape(0), q.shape(2), q.shape(1), k.shape(1)};
  if (o.mask.has_value() && o.mask.dtype() != bool_)
    raise<TypeError>(name, "mask is " + type_text(o.mask), "A mask is bool; what is added to the logits is the bias.");
  Array bias = four_dims("bias", o.bias, logits), mask = four_dims("mask", o.mask, logits);
  check_lengths("query_seq_lengths", o.query_seq_lengths, q.shape(0));
  check_lengths("key_value_seq_lengths", o.key_value_seq_lengths, q.shape(0));
  const auto window = o.local_window_size.value_or(std::pair{0, 0});
  if (window.first < 0 || window.second < 0)
    raise<ValueError>(name,
                      "local_window_size is " + std::to_string(window.first) + ", " + std::to_string(window.second),
                      "A window reaches 0 or more positions to each side.");
  const double scale = o.scale ? *o.scale : 1 / std::sqrt(static_cast<double>(q.shape(3)));
  const Sight sight{o.is_causal, o.local_window_size.has_value(), window.first, window.second};
  return {{q, k, v, bias, mask, Array(scale), o.key_value_seq_lengths}, sight, logits};
}

}  // namespace

Array dot_product_attention(const In& query, const In& key, const In& value, const DotProductAttentionOptions& o) {
  CallScope scope(query.loc);
  const Attention a = checked(query.array, key.array, value.array, o);
  const bool tiled = o.tiled ? *o.tiled : pays_in_tiles(a.logits);
  return composite(name, attend, a.operands, o.query_seq_lengths, a.sight, tiled).reshape(query.array.shape());
}

AttentionWithResidual dot_product_attention_with_residual(const In& query, const In& key, const In& value,
                                                          const DotProductAttentionOptions& o) {
  CallScope scope(query.loc);
  const Attention a = checked(query.array, key.array, value.array, o);
  const auto [y, sums] = composite(name, attend_with_sums, a.operands, o.query_seq_lengths, a.sight);
  Shape shape = query.array.shape();
  shape.erase(shape.ndim() - 1);
  return {y.reshape(query.array.shape()), sums.reshape(shape)};
}

RotaryPositionalEmbedding RotaryPositionalEmbedding::init(int embedding_size, double theta, DType dtype) {
  if (embedding_size < 0 || embedding_size % 2)
    raise<ValueError>("RotaryPositionalEmbedding", "embedding_size is " + std::to_string(embedding_size),
                      "Features are turned in pairs: the size is even and not negative.");
  return {embedding_size, theta, dtype};
}

Array RotaryPositionalEmbedding::operator()(const Array& x, const Array& positions, Loc loc) const {
  CallScope scope(loc);
  if (x.ndim() != 2 || x.shape(1) != embedding_size)
    raise<ShapeError>("RotaryPositionalEmbedding",
                      "x is " + type_text(x) + ", the layer has size " + std::to_string(embedding_size),
                      "x is [positions, size]: vmap the layer over heads and batches.");
  if (positions.has_value() && (positions.ndim() != 1 || positions.shape(0) != x.shape(0)))
    raise<ShapeError>("RotaryPositionalEmbedding",
                      "x is " + type_text(x) + ", its positions are " + type_text(positions),
                      "Give one position for each row of x.");
  return composite(
      "RotaryPositionalEmbedding",
      [](const Array& x, const Array& positions, const Array& theta, DType dtype) {
        const std::int64_t size = x.shape(1), half = size / 2;
        Array turns = 1 / power(theta.astype(float32), arange(0., double(size), 2.) / double(size));
        Array angle = outer(positions.has_value() ? positions.astype(float32) : arange(double(x.shape(0))), turns);
        Array c = cos(angle).astype(dtype), s = sin(angle).astype(dtype);
        Array left = x(all, slice(0, half)), right = x(all, slice(half, size));
        return concatenate({left * c - right * s, right * c + left * s}, 1).astype(x.dtype());
      },
      x, positions, Array(theta), dtype);
}

}  // namespace tutti::nn

// SPDX-License-Identifier: Apache-2.0
