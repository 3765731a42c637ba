// Batches of text: windows of bytes, and the bytes that follow.
#pragma once

#include <algorithm>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <tutti/tutti.hpp>

namespace text {
using namespace tutti;

enum class Targets { last, every };  // the byte after the window, or the one after each of its bytes

/// Windows of `context` bytes as uint8[batch, context], and their targets: uint8[batch] or uint8[batch, context].
class Windows {
 public:
  Windows(const std::string& text, int batch, int context, Targets targets, std::uint64_t seed = 0)
      : text_(text),
        batch_(static_cast<std::size_t>(batch)),
        context_(static_cast<std::size_t>(context)),
        count_(targets == Targets::every ? context_ : 1),
        every_(targets == Targets::every),
        drawn_(loader(seed)),
        inputs_(batch_ * context_),
        next_(batch_ * count_) {}
  /// The next windows in random order, each place of the text once an epoch.
  std::pair<Array, Array> draw() { return drawn_.next(); }
  /// As if so many batches had been drawn.
  void skip(int batches) {
    const int epoch = static_cast<int>(drawn_.size());
    data::LoaderState at = drawn_.state();
    at.epoch = array(batches / epoch).astype(int32);
    at.step = array(batches % epoch).astype(int32);
    drawn_.resume(at);
  }
  /// `count` windows, `apart` bytes from one to the next, from position `from` on; the rest of the batch repeats the
  /// last one.
  std::pair<Array, Array> following(std::size_t from, std::size_t count, std::size_t apart = 1) {
    for (std::size_t i = 0; i < batch_; ++i) fill(i, from + apart * std::min(i, count - 1));
    return arrays();
  }

 private:
  using Pair = std::pair<Array, Array>;
  data::Loader<Pair> loader(std::uint64_t seed) const {
    const auto* bytes = static_cast<const unsigned char*>(static_cast<const void*>(text_.data()));
    const Array tokens = from_host(std::span(bytes, text_.size()), Shape{text_.size()}, [] {});
    const auto source = data::windows(tokens, static_cast<std::int64_t>(context_),
                                      {.targets = every_ ? data::Targets::every : data::Targets::last});
    const auto batch = static_cast<std::int64_t>(batch_);
    return data::loader(source, batch,
                        {.shuffle = true, .key = random::key(seed), .drop_last = source.size() >= batch});
  }
  void fill(std::size_t row, std::size_t at) {
    auto byte = text_.begin() + static_cast<std::ptrdiff_t>(at);
    std::copy_n(byte, context_, inputs_.begin() + static_cast<std::ptrdiff_t>(row * context_));
    std::copy_n(byte + static_cast<std::ptrdiff_t>(context_ + 1 - count_), count_,
                next_.begin() + static_cast<std::ptrdiff_t>(row * count_));
  }
  std::pair<Array, Array> arrays() const {
    return {array(std::span<const unsigned char>(inputs_), Shape{batch_, context_}),
            array(std::span<const unsigned char>(next_), every_ ? Shape{batch_, count_} : Shape{batch_})};
  }
  const std::string& text_;
  std::size_t batch_, context_, count_;
  bool every_;
  data::Loader<Pair> drawn_;
  std::vector<unsigned char> inputs_, next_;
};

}  // namespace text

// SPDX-License-Identifier: Apache-2.0
