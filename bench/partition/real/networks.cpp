// Graphs in loops, attention over edges, factorisations of tables.
#include "real.hpp"

namespace bench::real {
namespace {

Function page_rank(std::int64_t nodes) {
  return of([=](const Array& from, const Array& to) {
    const Array degree = maximum(segment_sum(ones({from.shape(0)}), from, nodes), 1);
    auto step = [&](const Array&, const Array& rank) {
      return 0.15 / as_double(nodes) + 0.85 * segment_sum((rank / degree)(from), to, nodes);
    };
    return lax::fori_loop(0, 10, step, full({nodes}, 1 / as_double(nodes)));
  });
}
Function page_rank_by_at(std::int64_t nodes) {
  return of([=](const Array& from, const Array& to) {
    const Array degree = maximum(zeros({nodes}).at(from).add(1), 1);
    Array rank = full({nodes}, 1 / as_double(nodes));
    for (int i = 0; i < 10; ++i)
      rank = 0.15 / as_double(nodes) + 0.85 * zeros({nodes}).at(to).add((rank / degree)(from));
    return rank;
  });
}
Array largest_of_neighbours(const Array& h, const Array& from, const Array& to) {
  return segment_max(h(from), to, h.shape(0));
}
// Each node's messages, weighed by a softmax over the edges that end in it.
Array graph_attention(const Array& h, const Array& score, const Array& from, const Array& to) {
  const std::int64_t n = h.shape(0);
  const Array z = nn::leaky_relu(score(from) + score(to)), most = segment_max(z, to, n);
  const Array e = exp(z - most(to)), total = segment_sum(e, to, n);
  return segment_sum(h(from) * expand_dims(e / total(to), 1), to, n);
}
Array distances(const Array& start, const Array& from, const Array& to) {
  auto step = [&](const Array&, const Array& d) { return minimum(d, segment_min(d(from) + 1, to, d.shape(0))); };
  return lax::fori_loop(0, 10, step, start);
}
// One turn: users by items, items by users.
Two alternating_squares(const Array& ratings, const Array& items) {
  const Array ridge = 0.1 * eye(items.shape(1));
  const Array users = linalg::solve(matmul(items.T(), items) + ridge, matmul(ratings, items).T()).T();
  return {users, linalg::solve(matmul(users.T(), users) + ridge, matmul(ratings.T(), users).T()).T()};
}
Array nearest_centre(const Array& x, const Array& c) { return argmin(square(c).sum(1) - 2 * matmul(x, c.T()), 1); }
Array centres_by_one_hot(const Array& x, const Array& centres) {
  const Array at = nn::one_hot(nearest_centre(x, centres), static_cast<int>(centres.shape(0)));
  return matmul(at.T(), x) / expand_dims(maximum(at.sum(0), 1), 1);
}
Array centres_by_loop(const Array& x, const Array& centres) {
  auto step = [&](const Array&, const Array& c) {
    const Array nearest = nearest_centre(x, c), count = segment_sum(ones({x.shape(0)}), nearest, c.shape(0));
    return segment_sum(x, nearest, c.shape(0)) / expand_dims(maximum(count, 1), 1);
  };
  return lax::fori_loop(0, 10, step, centres);
}

}  // namespace

std::vector<Row> networks(const Extents& at) {
  const std::int64_t nodes = at(8192, 64), edges = at(1 << 20, 256), size = at(64, 8);
  const std::int64_t points = at(65536, 256), k = at(256, 16), users = at(16384, 64), items = at(4096, 32),
                     rank = at(32, 4);
  const Input ends = ids({edges}, cut, nodes);
  const double per_node = all_reduce(8, as_double(nodes) * 4), features = all_reduce(8, as_double(nodes * size) * 4);
  const double factors = as_double(items * rank) * 4;
  return {
      // Degrees once, then ranks in every step.
      {"page_rank",
       "page rank by segment_sum, 10 steps, edges cut",
       d8,
       {ends, ends},
       {whole},
       page_rank(nodes),
       {11 * per_node},
       "N, C"},
      {"page_rank_at",
       "page rank by at.add, 10 steps unrolled, edges cut",
       d8,
       {ends, ends},
       {whole},
       page_rank_by_at(nodes),
       {11 * per_node},
       "C"},
      {"graph_max",
       "largest of the neighbours by segment_max, edges cut",
       d8,
       {numbers({nodes, size}, whole), ends, ends},
       {whole},
       of(largest_of_neighbours),
       {features},
       "C"},
      // Largest scores, sums of their exponentials, and messages.
      {"graph_attention",
       "softmax over edges by segment_max and segment_sum",
       d8,
       {numbers({nodes, size}, whole), numbers({nodes}, whole), ends, ends},
       {whole},
       of(graph_attention),
       {2 * per_node + features},
       "C"},
      {"distances",
       "10 steps of shortest paths by segment_min, edges cut",
       d8,
       {numbers({nodes}, whole), ends, ends},
       {whole},
       of(distances),
       {10 * per_node},
       "N, C"},
      // The users' products, and right sides of items: a part for each device, solved there, and gathered.
      {"als",
       "alternating least squares, users cut, items whole",
       d8,
       {numbers({users, items}, cut), numbers({items, rank}, whole)},
       {cut, whole},
       of(alternating_squares),
       {all_reduce(8, as_double(rank * rank) * 4) + reduce_scatter(8, factors) + all_gather(8, factors)},
       "I"},
      {"kmeans_onehot",
       "k-means step by a one_hot product, points cut",
       d8,
       {numbers({points, 64}, cut), numbers({k, 64}, whole)},
       {whole},
       of(centres_by_one_hot),
       {bytes_of_centres(as_double(k))}},
      {"kmeans_loop",
       "k-means, 10 steps by segment_sum, points cut",
       d8,
       {numbers({points, 64}, cut), numbers({k, 64}, whole)},
       {whole},
       of(centres_by_loop),
       {10 * bytes_of_centres(as_double(k))},
       "N, C"},
  };
}

}  // namespace bench::real

// SPDX-License-Identifier: Apache-2.0
