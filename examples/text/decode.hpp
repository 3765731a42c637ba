// Text by the transformer, byte by byte, with a cache of keys and values.
#pragma once

#include <algorithm>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "gpt.hpp"

namespace text {

/// What one layer has seen: [batch, context, heads, size].
struct Cache {
  Array key{}, value{};
};

inline std::vector<Cache> empty_caches(const GptOptions& o, int batch = 1) {
  const Shape shape{batch, o.context, o.heads, o.size()};
  std::vector<Cache> out;
  for (int i = 0; i < o.layers; ++i) out.push_back({zeros(shape, o.dtype), zeros(shape, o.dtype)});
  return out;
}

/// The logits after `byte` (uint8[batch]) at position `at` (int32[]), float32[batch, 256], and the caches with it. `m`
/// and its layers are in the dtype of the computation.
inline std::pair<Array, std::vector<Cache>> decode_step(const Gpt& m, const std::vector<Block>& layers,
                                                        const GptOptions& o, const std::vector<Cache>& caches,
                                                        const Array& byte, const Array& at) {
  const Array where_at = at.reshape(Shape{1});
  Array x = embedded(m, expand_dims(byte, 1), where_at);
  std::vector<Cache> next;
  for (std::size_t i = 0; i < layers.size(); ++i)
    x = layer(x, layers[i], where_at, o, [&](const Array& q, const Array& k, const Array& v) {
      const std::vector<Array> here{Array(0), at, Array(0), Array(0)};
      next.push_back(
          {lax::dynamic_update_slice(caches[i].key, k, here), lax::dynamic_update_slice(caches[i].value, v, here)});
      return nn::dot_product_attention(q, next[i].key, next[i].value, {.mask = arange(o.context) <= at});
    });
  return {head(m, x)(all, 0), next};
}

struct Choice {
  double temperature = 0;  // 0: the most probable byte
  int top_k = 0;           // of the k most probable ones alone; 0: of all
};
/// A byte for each row of logits: uint8[batch].
inline Array sampled(const Array& logits, const Array& key, const Choice& c) {
  if (c.temperature == 0) return argmax(logits, -1).astype(uint8);
  Array open = logits / c.temperature;
  if (c.top_k > 0) {
    Array least = sort(logits, -1, true)(all, slice(c.top_k - 1, c.top_k));
    open = where(logits >= least, open, -std::numeric_limits<float>::infinity());
  }
  return random::categorical(key, open).astype(uint8);
}

/// A text as it is written: uint8[batch, context], of which the bytes up to `at` (int32[]) are in the caches.
struct Page {
  std::vector<Cache> caches{};
  Array bytes{}, at{};
};

/// (model, page, given, end, key) -> page: bytes up to `given` stay, those behind up to `end` are written. The page is
/// given up, its caches are updated in place.
inline auto decoding_loop(const GptOptions& o, const Choice& c) {
  return jit(
      [o, c](const Gpt& master, const Page& page, const Array& given, const Array& end, const Array& key) {
        const Gpt m = cast(master, o);
        const std::vector<Block> layers = layers_of(m, o);
        const std::int64_t batch = page.bytes.shape(0);
        return lax::while_loop(
            [&](const Page& p) { return p.at + 1 < end; },
            [&](const Page& p) {
              auto byte_at = [&](const Array& i) { return lax::dynamic_slice(p.bytes, {Array(0), i}, {batch, 1}); };
              auto [logits, caches] = decode_step(m, layers, o, p.caches, byte_at(p.at)(all, 0), p.at);
              const Array next = p.at + 1, chosen = expand_dims(sampled(logits, random::fold_in(key, p.at), c), 1);
              Array bytes =
                  lax::dynamic_update_slice(p.bytes, where(next < given, byte_at(next), chosen), {Array(0), next});
              return Page{caches, bytes, next};
            },
            page);
      },
      {.donate_argnums = {1}});
}

/// Decodes in one compiled loop.
class Decoder {
 public:
  Decoder(const GptOptions& options, const Choice& choice) : options_(options), run_(decoding_loop(options, choice)) {}

  /// The first `given` bytes of the page stay, those behind up to `end` are written.
  Page write(const Gpt& model, const Page& page, int given, int end, const Array& key) const {
    return run_(model, page, array(given), array(end), key);
  }
  /// A page that begins with `start`; what does not fit is cut off.
  Page page(const std::string& start) const {
    std::vector<unsigned char> bytes(start.begin(), start.end());
    bytes.resize(static_cast<std::size_t>(options_.context));
    return {empty_caches(options_), array(std::span<const unsigned char>(bytes), {1, options_.context}), array(0)};
  }
  /// `length` bytes after `start`. Where a page is full the next one begins with its second half.
  std::string continued(const Gpt& model, const std::string& start, int length, const Array& key) const {
    const int context = options_.context, half = std::max(context / 2, 1);
    std::string text = start;
    for (int pages = 0; static_cast<int>(text.size() - start.size()) < length; ++pages) {
      const bool fits = static_cast<int>(text.size()) < context;
      const std::string known = fits ? text : text.substr(text.size() - static_cast<std::size_t>(half));
      const int given = static_cast<int>(known.size()), wanted = length - static_cast<int>(text.size() - start.size());
      const int end = std::min(context, given + wanted);
      Page done = write(model, page(known), given, end, random::fold_in(key, pages));
      const auto bytes = done.bytes.to_vector<unsigned char>();
      text.append(bytes.begin() + given, bytes.begin() + end);
    }
    return text.substr(start.size());
  }

 private:
  GptOptions options_;
  decltype(decoding_loop(GptOptions(), Choice())) run_;
};

}  // namespace text

// SPDX-License-Identifier: Apache-2.0
