// Batches of text: windows of bytes, and the bytes that follow.
#pragma once

#include <algorithm>
#include <random>
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
        random_(seed),
        inputs_(batch_ * context_),
        next_(batch_ * count_) {}
  /// Windows that begin at random places.
  std::pair<Array, Array> draw() {
    for (std::size_t i = 0; i < batch_; ++i) fill(i, random_() % (text_.size() - context_));
    return arrays();
  }
  /// As if so many batches had been drawn.
  void skip(int batches) { random_.discard(static_cast<unsigned long long>(batches) * batch_); }
  /// `count` windows, `apart` bytes from one to the next, from position `from` on; the rest of the batch repeats the
  /// last one.
  std::pair<Array, Array> following(std::size_t from, std::size_t count, std::size_t apart = 1) {
    for (std::size_t i = 0; i < batch_; ++i) fill(i, from + apart * std::min(i, count - 1));
    return arrays();
  }

 private:
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
  std::mt19937_64 random_;
  std::vector<unsigned char> inputs_, next_;
};

}  // namespace text
