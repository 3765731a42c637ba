// Loaders: batches from mapped files, shuffled. A batch is ready when its rows are in arrays. JAX has none: its column
// is NumPy gathering the same rows from the same sizes (jax_side.py).
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "case.hpp"

namespace bench {
namespace {

/// Numbers in a file, mapped; its name is gone at once.
Array mapped(DType dtype, std::int64_t n) {
  std::string name = (std::filesystem::temp_directory_path() / "tutti_bench_XXXXXX").string();
  if (!mkdtemp(name.data())) throw std::runtime_error("cannot make " + name);
  const std::string path = name + "/numbers";
  {
    std::ofstream out(path, std::ios::binary);
    std::vector<std::uint32_t> some(1 << 20);
    std::uint32_t x = 0;
    for (std::int64_t left = n * dtype.size(); left > 0;) {
      for (std::uint32_t& v : some) v = x++ * 2654435761u;
      const auto bytes = std::min<std::int64_t>(left, static_cast<std::int64_t>(some.size() * 4));
      out.write(static_cast<const char*>(static_cast<const void*>(some.data())), bytes);
      left -= bytes;
    }
    if (!out.flush()) throw std::runtime_error("cannot write " + path);
  }
  Array out = data::map_file(path, dtype);
  std::filesystem::remove_all(name);
  return out;
}

template <class T> Batch batches(const data::Source<T>& source) {
  auto loader = std::make_shared<data::Loader<T>>(data::loader(source, 64, {.shuffle = true, .drop_last = true}));
  return repeat([loader] { return loader->next(); });
}

}  // namespace

std::vector<Case> data_cases() {
  return {
      {"loader_tokens_b64_t1024", [](const Setup&) { return batches(data::windows(mapped(uint16, 1 << 26), 1024)); }},
      {"loader_images_b64_224",
       [](const Setup&) {
         constexpr std::int64_t images = 1024, size = 224;
         return batches(data::rows(mapped(uint8, images * size * size * 3).reshape({images, size, size, 3})));
       }},
  };
}

}  // namespace bench

// SPDX-License-Identifier: Apache-2.0
