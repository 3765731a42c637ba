// The text that train_text learns: files as one string of bytes, split into training and held-out part.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>
#include <vector>

namespace text {

/// A mistake of the user: one line on stderr and exit code 2.
struct UsageError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Corpus {
  std::string train, held_out;  // the last 5 %
  std::size_t files = 0;
};

inline std::vector<std::filesystem::path> default_files() {
  namespace fs = std::filesystem;
  std::vector<fs::path> out;
  std::error_code error;
  for (fs::recursive_directory_iterator it("/usr/include/c++", fs::directory_options::skip_permission_denied, error),
       end;
       it != end; it.increment(error))
    if (it->is_regular_file(error)) out.push_back(it->path());
  std::sort(out.begin(), out.end());
  return out;
}

/// Reads `files`, or the C++ headers that came with the compiler when there are none.
inline Corpus read_corpus(const std::vector<std::string>& files, std::size_t context) {
  std::vector<std::filesystem::path> paths(files.begin(), files.end());
  if (paths.empty()) paths = default_files();
  if (paths.empty()) throw UsageError("there are no headers under /usr/include/c++: give a text with --text FILE");
  std::string all;
  for (const auto& path : paths) {
    std::ifstream in(path, std::ios::binary);
    std::error_code error;
    if (!in || !(std::filesystem::is_regular_file(path, error) || std::filesystem::is_fifo(path, error)))
      throw UsageError("cannot read the text " + path.string());
    std::string one(std::istreambuf_iterator<char>(in), {});
    if (one.empty() && !files.empty()) throw UsageError("the text " + path.string() + " is empty");
    all += one;
  }
  Corpus out;
  out.files = paths.size();
  std::size_t held = all.size() / 20;
  if (held <= context || all.size() - held <= context)
    throw UsageError("the text has " + std::to_string(all.size()) +
                     " bytes; its last 5 % must be longer than the context of " + std::to_string(context) +
                     " bytes: give more text or a smaller --context");
  out.held_out = all.substr(all.size() - held);
  all.erase(all.size() - held);
  out.train = std::move(all);
  return out;
}

}  // namespace text

// SPDX-License-Identifier: Apache-2.0
