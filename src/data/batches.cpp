#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>

#include "tutti/data.hpp"

namespace tutti::data::detail {

std::int64_t check(std::span<const Array> leaves, std::int64_t batch_size) {
  if (batch_size < 1) throw ValueError("batches: the batch size must be at least 1, got " + std::to_string(batch_size));
  if (leaves.empty()) throw ValueError("batches: there is no array");
  for (const Array& x : leaves)
    if (x.ndim() == 0 || x.shape()[0] != leaves[0].shape()[0])
      throw ShapeError("batches: all arrays need the same leading extent, got shapes " + leaves[0].shape().str() + " and " + x.shape().str());
  return leaves[0].shape()[0];
}

std::vector<std::int64_t> order(std::int64_t rows, const BatchOptions& options) {
  std::vector<std::int64_t> out(static_cast<std::size_t>(rows));
  std::iota(out.begin(), out.end(), 0);
  if (options.shuffle) {
    // Drawn by hand: std::shuffle differs between standard libraries.
    std::mt19937_64 random(options.seed);
    for (std::size_t i = out.size(); i > 1; --i) std::swap(out[i - 1], out[random() % i]);
  }
  return out;
}

std::vector<Array> take_rows(std::span<const Array> leaves, std::span<const std::int64_t> rows) {
  std::vector<Array> out;
  for (const Array& x : leaves) {
    Shape shape = x.shape();
    std::size_t bytes = static_cast<std::size_t>(x.nbytes() / std::max<std::int64_t>(1, shape[0]));
    std::vector<char> all(static_cast<std::size_t>(x.nbytes())), part(bytes * rows.size());
    x.copy_to(x.dtype(), all.data());
    for (std::size_t i = 0; i < rows.size(); ++i) std::memcpy(part.data() + i * bytes, all.data() + static_cast<std::size_t>(rows[i]) * bytes, bytes);
    shape[0] = static_cast<std::int64_t>(rows.size());
    out.push_back(array_from_host(part.data(), x.dtype(), shape));
  }
  return out;
}

}  // namespace tutti::data::detail
