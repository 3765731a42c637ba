// Graphs and sparse matrices: sums by index.
#include "real.hpp"

namespace bench::real {
namespace {

Function sums_by_one_hot(std::int64_t count) {
  return of([=](const Array& x, const Array& at) { return matmul(nn::one_hot(at, static_cast<int>(count)).T(), x); });
}
Function sums_by_scatter(std::int64_t count) {
  return of([=](const Array& x, const Array& at) { return zeros({count}).at(at).add(x); });
}
Array graph_layer_gradient(const Array& h, const Array& from, const Array& to, const Array& weight) {
  auto loss = [&](const Array& w) { return square(tanh(segment_sum(matmul(h, w)(from), to, h.shape(0)))).mean(); };
  return grad(loss)(weight);
}
Array embedding_gradient(const Array& table, const Array& at, const Array& cotangent) {
  return grad([&](const Array& t) { return (t(at) * cotangent).sum(); })(table);
}
Array sparse_product(const Array& values, const Array& row, const Array& column, const Array& x) {
  return zeros({x.shape(0)}).at(row).add(values * x(column));
}
Array centres_by_segments(const Array& x, const Array& centres) {
  const std::int64_t k = centres.shape(0);
  const Array nearest = argmin(square(centres).sum(1) - 2 * matmul(x, centres.T()), 1);
  const Array count = segment_sum(ones({x.shape(0)}), nearest, k);
  return segment_sum(x, nearest, k) / expand_dims(maximum(count, 1), 1);
}

// Features cut in place of nodes, and back; all ends of edges; the gradient of the weight.
double bytes_of_graph_layer(std::int64_t nodes, std::int64_t edges) {
  return 2 * all_to_all(8, as_double(nodes) * 64 * 4 / 8) + 2 * all_gather(8, as_double(edges) * 4) +
         all_reduce(8, 64 * 64 * 4);
}
// Ids, cotangents with columns cut, and the table's columns to where its rows are.
double bytes_of_embedding(std::int64_t words, std::int64_t tokens, std::int64_t size) {
  return all_gather(8, as_double(tokens) * 4) + all_to_all(8, as_double(tokens * size) * 4 / 8) +
         all_to_all(8, as_double(words * size) * 4 / 8);
}

}  // namespace

std::vector<Row> graphs(const Extents& at) {
  const std::int64_t n = at(65536, 256), k = at(256, 16), entries = at(1 << 20, 256), bins = at(4096, 16);
  const std::int64_t nodes = at(8192, 64), edges = at(1 << 17, 256), words = at(32768, 64), tokens = at(8192, 32);
  const std::int64_t size = at(128, 8), rows = at(65536, 64);
  const Input ends = ids({edges}, cut, nodes), places = ids({entries}, cut, rows);
  return {
      {"segsum_onehot",
       "sums of segments by a one_hot product, ids cut",
       d8,
       {numbers({n, 64}, cut), ids({n}, cut, k)},
       {whole},
       sums_by_one_hot(k),
       {all_reduce(8, as_double(k) * 64 * 4)}},
      {"scatter_add_cut",
       "zeros.at[ids].add(x), all cut",
       d8,
       {numbers({entries}, cut), ids({entries}, cut, bins)},
       {cut},
       sums_by_scatter(bins),
       {reduce_scatter(8, as_double(bins) * 4), {}, 14336},
       "C"},
      {"gnn_grad",
       "graph layer by segment_sum, gradient of the weight",
       d8,
       {numbers({nodes, 64}, cut), ends, ends, numbers({64, 64}, whole)},
       {whole},
       of(graph_layer_gradient),
       {bytes_of_graph_layer(nodes, edges), {}, 7368704}},
      {"embed_rows",
       "gradient of an embedding, rows and ids cut",
       d8,
       {numbers({words, size}, cut), ids({tokens}, cut, words), numbers({tokens, size}, cut)},
       {cut},
       of(embedding_gradient),
       {bytes_of_embedding(words, tokens, size), {}, 3698688}},
      {"spmv",
       "sparse matrix times vector, entries cut, vector whole",
       d8,
       {numbers({entries}, cut), places, places, numbers({rows}, whole)},
       {whole},
       of(sparse_product),
       {all_reduce(8, as_double(rows) * 4), {}, 458752},
       "C"},
      {"kmeans_seg",
       "k-means step by segment_sum, points cut",
       d8,
       {numbers({n, 64}, cut), numbers({k, 64}, whole)},
       {whole},
       of(centres_by_segments),
       {bytes_of_centres(as_double(k)), {}, 116480},
       "C"},
  };
}

}  // namespace bench::real

// SPDX-License-Identifier: Apache-2.0
