#include "nn/tiled_attention.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <tuple>
#include <vector>

#include "tutti/lax/control_flow.hpp"
#include "tutti/lax/lax.hpp"
#include "tutti/numpy/numpy.hpp"
#include "tutti/transform/custom_rules.hpp"
#include "tutti/transform/remat.hpp"

// Forward: for each block of queries a scan over the blocks of keys, which carries the highest logit m of each query so
// far, the sum l of exp(logit - m) and the sum y of exp(logit - m) value, and scales l and y down where m grows
// (Milakov and Gimelshein 2018). The derivative, with e = exp(logit - m) and the last m, l and y / l as y,
//     dy = (sum (e dlogit) value + sum e dvalue - y sum (e dlogit)) / l,
// goes over the same tiles and computes e again. Its transpose is the backward pass of Dao et al. 2022.
namespace tutti::nn {
namespace {

constexpr std::int64_t kTileBytes = std::int64_t{2} << 20;   // of the logits of a tile: two second-level caches
constexpr std::int64_t kManyBytes = std::int64_t{32} << 20;  // of all logits: more than a cache keeps for one use
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The leading dims number the blocks. Bias and mask have one block of each kind and one element where nothing changes.
struct Parts {
  Array query{};         // [blocks, batch, groups, heads of a group, queries, size]
  Array key{}, value{};  // [blocks, batch, groups, keys, size]
  Array bias{};          // [blocks, blocks of keys, batch, groups, heads of a group, queries, keys]
};
struct Surroundings {
  Array mask{};         // as the bias
  Array scale{};        // of the logits
  Array key_lengths{};  // int[batch, 1, 1, 1, 1], or none
  Sight sight{};
  std::int64_t keys = 0;  // without those that fill up the last block
  bool fills_up = false;
  DType wide = float32;  // of logits and sums

  bool may_be_blind() const { return mask.has_value() || key_lengths.has_value() || sight.window; }
};
// For each query [.., queries] and, of the values, [.., queries, size].
struct Sums {
  Array highest{}, total{}, values{};
};
// One block of queries or of keys, and the number of its first one. What is the same in all blocks is empty.
struct Block {
  Parts parts{};
  Array mask{}, first{};
};

Array column(const Array& x) { return expand_dims(x, -1); }

// [batch, groups, heads of a group, rows, columns] from [.., rows, size] and [batch, groups, columns, size].
Array product(const Array& rows, const Array& columns, DType wide) {
  const Shape& r = rows.shape();
  Array y =
      lax::dot_general(rows.reshape(Shape{r[0], r[1], r[2] * r[3], r[4]}), columns, {{3}, {3}, {0, 1}, {0, 1}}, wide);
  return y.reshape(Shape{r[0], r[1], r[2], r[3], columns.shape(2)});
}
// The sums of values [batch, groups, keys, size] with weights [.., queries, keys].
Array weighted(const Array& weights, const Array& values, DType wide) {
  const Shape& w = weights.shape();
  Array y = lax::dot_general(weights.astype(values.dtype()).reshape(Shape{w[0], w[1], w[2] * w[3], w[4]}), values,
                             {{3}, {2}, {0, 1}, {0, 1}}, wide);
  return y.reshape(Shape{w[0], w[1], w[2], w[3], values.shape(3)});
}

// The logits of a tile: the parts of one block of queries and one of keys.
Array logits_of(const Parts& x, const Array& mask, const Array& first_query, const Array& first_key,
                const Surroundings& s) {
  Array logits = product(x.query, x.key, s.wide) * s.scale.astype(s.wide);
  if (x.bias.has_value()) logits = (logits + x.bias).astype(s.wide);
  Array i = first_query + arange(x.query.shape(3)).reshape(-1, 1), j = first_key + arange(x.key.shape(2));
  Array open = mask;
  auto also = [&](const Array& more) { open = open.has_value() ? open & more : more; };
  if (s.sight.causal) also(j <= i);
  if (s.sight.window) also((j >= i - s.sight.before) & (j <= i + s.sight.after));
  if (s.key_lengths.has_value()) also(j < s.key_lengths);
  if (open.has_value()) logits = where(open, logits, full({}, masked_logit(s.wide), s.wide));
  if (s.fills_up) logits = where(j < s.keys, logits, full({}, -kInfinity, s.wide));
  return logits.astype(float32);
}

// Whether a query of the tile may see one of its keys; none where all tiles are seen.
Array is_seen(const Parts& x, const Array& first_query, const Array& first_key, const Sight& sight) {
  if (!sight.causal && !sight.window) return {};
  const std::int64_t reach = x.query.shape(3) - 1, last = x.key.shape(2) - 1;
  const int after = sight.causal ? 0 : sight.after;
  Array out = first_key <= first_query + (reach + after);
  if (sight.window) out = out & (first_key + last >= first_query - sight.before);
  return out;
}

// What changes from block to block; empty where it does not.
Array changing(const Array& blocks) { return blocks.has_value() && blocks.shape(0) > 1 ? blocks : Array(); }
Array at_block(const Array& block, const Array& blocks) {
  return block.has_value() || !blocks.has_value() ? block : blocks[0];
}
Array firsts(std::int64_t blocks, std::int64_t of_block) { return arange(blocks) * of_block; }

// One block of queries, and all blocks of keys.
Block row_of(const Block& slice, const Parts& all, const Array& mask) {
  return {{slice.parts.query, all.key, all.value, at_block(slice.parts.bias, all.bias)},
          at_block(slice.mask, mask),
          slice.first};
}
Block query_blocks(const Parts& x, const Array& mask) {
  return {{.query = x.query, .bias = changing(x.bias)}, changing(mask), firsts(x.query.shape(0), x.query.shape(4))};
}

// Carries `init` over the tiles of blocks of queries, but for those that nobody sees: step(carry, tiles). The first of
// `rows` says what is seen.
template <class Carry, class Step>
Carry over_keys(const Carry& init, const std::vector<Block>& rows, const Surroundings& s, const Step& step) {
  std::vector<Block> slices;
  for (const Block& row : rows) {
    const Parts& x = row.parts;
    slices.push_back({{.key = x.key, .value = x.value, .bias = changing(x.bias)},
                      changing(row.mask),
                      firsts(x.key.shape(0), x.key.shape(3))});
  }
  auto one = [&](const Carry& carry, const std::vector<Block>& keys) {
    std::vector<Block> tiles;
    for (std::size_t i = 0; i < rows.size(); ++i)
      tiles.push_back({{rows[i].parts.query, keys[i].parts.key, keys[i].parts.value,
                        at_block(keys[i].parts.bias, rows[i].parts.bias)},
                       at_block(keys[i].mask, rows[i].mask),
                       keys[i].first});
    const Array seen = is_seen(tiles[0].parts, rows[0].first, keys[0].first, s.sight);
    auto add = [&](const Carry& c) { return step(c, tiles); };
    auto pass = [](const Carry& c) { return c; };
    return std::pair{seen.has_value() ? lax::cond(seen, add, pass, carry) : add(carry), std::tuple{}};
  };
  return lax::scan(one, init, slices).first;
}

// Over all blocks of queries: highest logits, totals, and values divided by the totals.
Sums forward(const Parts& x, const Surroundings& s) {
  auto one = [&](const Block& slice) {
    const Block row = row_of(slice, x, s.mask);
    Shape per_query = row.parts.query.shape();
    per_query.erase(4);
    Shape per_value = per_query;
    per_value.push_back(x.value.shape(-1));
    const Sums none{full(per_query, -kInfinity, float32), zeros(per_query, float32), zeros(per_value, s.wide)};
    auto step = remat([&](const Sums& c, const std::vector<Block>& tiles) {
      const Block& tile = tiles[0];
      Array logits = logits_of(tile.parts, tile.mask, row.first, tile.first, s);
      Array highest = lax::stop_gradient(maximum(c.highest, max(logits, -1)));
      Array e = exp(logits - column(highest)), less = exp(c.highest - highest);
      return Sums{highest, c.total * less + sum(e, -1),
                  (c.values * column(less) + weighted(e, tile.parts.value, s.wide)).astype(s.wide)};
    });
    Sums all = over_keys(none, {row}, s, step);
    if (s.may_be_blind()) all.total = where(all.total > 0, all.total, 1);
    all.values = (all.values / column(all.total)).astype(s.wide);
    return all;
  };
  return lax::map(remat(one), query_blocks(x, s.mask));
}

// The tangent of the values that `forward` made.
Array tangent(const Parts& x, const Parts& dx, const Sums& made, const Surroundings& s) {
  struct Slice {
    Block x, dx;
    Sums made;
  };
  struct Change {
    Array values, total;
  };
  auto one = [&](const Slice& slice) {
    const Block row = row_of(slice.x, x, s.mask), drow = row_of(slice.dx, dx, {});
    auto change = remat([&](const std::vector<Block>& tiles, const Array& highest) {
      const Parts &x = tiles[0].parts, &dx = tiles[1].parts;
      Array e = exp(logits_of(x, tiles[0].mask, row.first, tiles[0].first, s) - column(highest));
      Array logits = (product(dx.query, x.key, s.wide) + product(x.query, dx.key, s.wide)) * s.scale.astype(s.wide);
      if (dx.bias.has_value()) logits = (logits + dx.bias).astype(s.wide);
      Array weights = e * logits;
      return Change{weighted(weights, x.value, s.wide) + weighted(e, dx.value, s.wide), sum(weights, -1)};
    });
    const Sums& made = slice.made;
    const Change none{zeros_like(made.values), zeros(made.total.shape(), promote_types(s.wide, float32))};
    const Change all = over_keys(none, {row, drow}, s, [&](const Change& c, const std::vector<Block>& tiles) {
      return tree::map([](const Array& a, const Array& b) { return a + b; }, c, change(tiles, made.highest));
    });
    return ((all.values - made.values * column(all.total)) / column(made.total)).astype(s.wide);
  };
  return lax::map(one, Slice{query_blocks(x, s.mask), query_blocks(dx, {}), made});
}

// How a dim of n elements is cut in blocks of at most `most`: of equal size where n has such a divisor that is not
// much smaller, else the last one is filled up.
struct Cut {
  std::int64_t blocks = 1, of_block = 1;
  Cut(std::int64_t n, std::int64_t most) {
    auto up = [](std::int64_t x, std::int64_t by) { return (x + by - 1) / by; };
    of_block = std::min(n, most);
    while (2 * of_block > most && n % of_block) --of_block;
    if (n % of_block) of_block = up(n, up(n, most));
    blocks = up(n, of_block);
  }
  std::int64_t size() const { return blocks * of_block; }
};
// Dim d, where it has more than one element, as two dims: blocks, and the elements of each.
Array in_blocks(const Array& x, int d, const Cut& cut) {
  Shape shape = x.shape();
  if (shape[d] == 1) {
    shape.insert(d, 1);
    return x.reshape(shape);
  }
  Array whole = x;
  if (const std::int64_t more = cut.size() - shape[d]) {
    PadWidths ends(static_cast<std::size_t>(x.ndim()), {0, 0});
    ends[static_cast<std::size_t>(d)].second = more;
    whole = pad(x, ends, zeros({}, x.dtype()));
  }
  shape[d] = cut.of_block;
  shape.insert(d, cut.blocks);
  return whole.reshape(shape);
}
// A dim of heads, or of one, as groups and the heads of each.
Array in_groups(const Array& x, int d, std::int64_t groups) {
  Shape shape = x.shape();
  const std::int64_t of = shape[d] == 1 ? 1 : groups;
  shape[d] /= of;
  shape.insert(d, of);
  return x.reshape(shape);
}

}  // namespace

Tile tile_of(const Shape& logits) {
  const double area = double(kTileBytes) / 4 / double(std::max<std::int64_t>(1, logits[0] * logits[1]));
  auto between = [](double x, std::int64_t least) {
    return std::clamp(static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(x))), least,
                      std::int64_t{512});
  };
  const std::int64_t keys = between(std::sqrt(2 * area), 64);
  return {between(area / double(keys), 32), keys};
}

bool pays_in_tiles(const Shape& logits) { return logits.num_elements() * 4 > kManyBytes; }

Array attend_in_tiles(const AttentionOperands& o, const Sight& sight, const Tile& tile) {
  const std::int64_t batch = o.query.shape(0), queries = o.query.shape(1), heads = o.query.shape(2);
  const std::int64_t size = o.query.shape(3), keys = o.key.shape(1), groups = o.key.shape(2);
  const Cut of_queries(queries, tile.queries), of_keys(keys, tile.keys);
  auto grid = [&](const Array& x) {  // [batch, heads, queries, keys]
    if (!x.has_value()) return x;
    return in_groups(in_blocks(in_blocks(x, 3, of_keys), 2, of_queries), 1, groups).transpose({3, 5, 0, 1, 2, 4, 6});
  };
  auto by_keys = [&](const Array& x) { return in_blocks(x, 1, of_keys).transpose({1, 0, 3, 2, 4}); };
  Parts parts{in_groups(in_blocks(o.query, 1, of_queries), 3, groups).transpose({1, 0, 3, 4, 2, 5}), by_keys(o.key),
              by_keys(o.value), grid(o.bias)};
  Surroundings s{.mask = grid(o.mask),
                 .scale = o.scale,
                 .sight = sight,
                 .keys = keys,
                 .fills_up = of_keys.size() != keys,
                 .wide = promote_types(o.query.dtype(), float32)};
  if (o.key_lengths.has_value()) s.key_lengths = o.key_lengths.reshape(Shape{batch, 1, 1, 1, 1});

  struct Result {
    Array y, blind;  // blind: bool, which queries see no key
  };
  auto result = [s](const Sums& made) {
    return Result{made.values, s.may_be_blind() ? made.highest <= masked_logit(float32) : Array()};
  };
  auto attention =
      custom_jvp([s, result](const Parts& x) { return result(forward(x, s)); },
                 [s, result](const std::tuple<Parts>& x, const std::tuple<Parts>& dx) {
                   const Sums made = forward(std::get<0>(x), s);
                   return std::pair{result(made), Result{tangent(std::get<0>(x), std::get<0>(dx), made, s), {}}};
                 });
  Result r = attention(parts);
  if (r.blind.has_value()) {  // equal weights
    Array equal = mean(o.value.astype(s.wide), 1).reshape(Shape{batch, groups, 1, 1, size});
    r.y = where(column(r.blind), equal, r.y);
  }
  r.y = r.y.transpose({1, 0, 4, 2, 3, 5}).reshape(Shape{batch, of_queries.size(), heads, size});
  return (of_queries.size() != queries ? r.y(all, slice(0, queries)) : r.y).astype(o.query.dtype());
}

}  // namespace tutti::nn

// SPDX-License-Identifier: Apache-2.0
