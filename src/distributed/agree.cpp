#include "distributed/agree.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <sstream>

#include "base/environment.hpp"
#include "mesh/process.hpp"
#include "run/transport.hpp"
#include "tutti/base/call_scope.hpp"

namespace tutti::distributed {
namespace {

using run::Transport;

Transport::Outgoing outgoing(int to, const std::string& text) {
  return {to, text.data(), Transport::dense(static_cast<std::int64_t>(text.size()))};
}
Transport::Incoming incoming(int from, std::string& text) {
  return {from, text.data(), Transport::dense(static_cast<std::int64_t>(text.size()))};
}

std::uint64_t hash_of(std::string_view text) {  // FNV-1a
  std::uint64_t h = 1469598103934665603ull;
  for (const char c : text) h = (h ^ static_cast<unsigned char>(c)) * 1099511628211ull;
  return h;
}

// Sends to `to` and gets from `from` as many bytes.
void swap_bytes(const void* out, int to, void* in, int from, std::size_t bytes, const std::string& what) {
  const Runs all = Transport::dense(static_cast<std::int64_t>(bytes));
  const Transport::Outgoing o{to, static_cast<const char*>(out), all};
  const Transport::Incoming i{from, static_cast<char*>(in), all};
  run::transport()->start({&o, 1}, {&i, 1})->land(what);
}

// The least and the greatest of all processes' numbers, in log2 of them rounds: in each the distance is doubled.
std::pair<std::uint64_t, std::uint64_t> range_of(std::uint64_t mine, const std::string& what) {
  const Process me = this_process();
  std::uint64_t known[2] = {mine, mine};
  for (int distance = 1; distance < me.count; distance *= 2) {
    std::uint64_t got[2];
    swap_bytes(known, (me.index + distance) % me.count, got, (me.index + me.count - distance) % me.count, sizeof known,
               what);
    known[0] = std::min(known[0], got[0]);
    known[1] = std::max(known[1], got[1]);
  }
  return {known[0], known[1]};
}

std::string first_difference(const std::string& a, const std::string& b) {
  std::istringstream left(a), right(b);
  std::string x, y;
  for (int line = 1;; ++line) {
    const bool more_x = !!std::getline(left, x), more_y = !!std::getline(right, y);
    if (!more_x && !more_y) return "";
    if (!more_x) x = "(nothing)";
    if (!more_y) y = "(nothing)";
    if (x != y) return "line " + std::to_string(line) + ": here '" + x + "', there '" + y + "'";
  }
}

// With the user's line.
std::string placed(const std::string& what) {
  const std::string line = current_loc().str();
  return line.empty() ? what : what + " (" + line + ")";
}

[[noreturn]] void refuse(const char* operation, const std::string& what, const std::vector<int>& others,
                         const std::string& how) {
  std::string list;
  for (int p : others) list += (list.empty() ? "" : ", ") + std::to_string(p);
  raise<DistributedError>(operation,
                          what + " is not the same here, in process " + std::to_string(this_process().index) +
                              ", as in process " + list + how,
                          "All processes must do the same in the same order, with values that decide about programs "
                          "(shapes, options, branches) equal on all.");
}

}  // namespace

bool compares_all() {
  static const bool asked = environment::has_word(environment::check, "processes");
  return asked && this_process().count > 1;
}

std::string described(const Sharding& sharding) {
  if (!sharding.has_value()) return "no sharding";
  std::string out = sharding.str() + " on devices";
  for (const Device& d : sharding.device_list()) out += " " + std::to_string(d.id());
  return out;
}

std::string hash_text(const void* bytes, std::size_t size) {
  return std::to_string(hash_of({static_cast<const char*>(bytes), size}));
}

std::vector<std::string> all_gather_bytes(const std::string& mine, const std::string& what) {
  const Process me = this_process();
  std::vector<std::string> all(static_cast<std::size_t>(me.count), std::string(mine.size(), '\0'));
  all[static_cast<std::size_t>(me.index)] = mine;
  std::vector<Transport::Outgoing> out;
  std::vector<Transport::Incoming> in;
  for (int p = 0; p < me.count; ++p) {
    if (p == me.index) continue;
    out.push_back(outgoing(p, mine));
    in.push_back(incoming(p, all[static_cast<std::size_t>(p)]));
  }
  if (!out.empty()) run::transport()->start(out, in)->land(what);
  return all;
}

std::string broadcast_bytes(const std::string& mine, int source, const std::string& what, int channel) {
  const Process me = this_process();
  std::string out = mine;
  const int from = (me.index - source + me.count) % me.count;  // the source is 0
  // Of a binomial tree: got from the one without my highest bit, sent on to those with a higher one.
  int bit = 1;
  while (bit <= from) bit *= 2;
  auto process = [&](int number) { return (number + source) % me.count; };
  if (from > 0) {
    const Transport::Incoming in = incoming(process(from - bit / 2), out);
    run::transport()->start({}, {&in, 1}, channel)->land(what);
  }
  for (; from + bit < me.count; bit *= 2) {
    const Transport::Outgoing to = outgoing(process(from + bit), out);
    run::transport()->start({&to, 1}, {}, channel)->land(what);
  }
  return out;
}

int next_channel() {
  static std::atomic<int> last{0};
  return Transport::kProgramChannels + last++ % (Transport::kChannels - Transport::kProgramChannels);
}

std::vector<std::string> gather_texts(const std::string& mine, const std::string& what, int channel) {
  const Process me = this_process();
  std::uint64_t size = mine.size();
  if (me.index > 0) {
    const Transport::Outgoing out[] = {{0, reinterpret_cast<const char*>(&size), Transport::dense(sizeof size)},
                                       outgoing(0, mine)};
    run::transport()->start(out, {}, channel)->land(what);
    return {};
  }
  std::vector<std::string> all{mine};
  if (me.count == 1) return all;
  std::vector<std::uint64_t> sizes(static_cast<std::size_t>(me.count));
  std::vector<Transport::Incoming> in;
  for (int p = 1; p < me.count; ++p)
    in.push_back({p, reinterpret_cast<char*>(&sizes[static_cast<std::size_t>(p)]), Transport::dense(sizeof size)});
  run::transport()->start({}, in, channel)->land(what);
  all.reserve(sizes.size());
  in.clear();
  for (int p = 1; p < me.count; ++p) {
    in.push_back(incoming(p, all.emplace_back(static_cast<std::size_t>(sizes[static_cast<std::size_t>(p)]), '\0')));
  }
  run::transport()->start({}, in, channel)->land(what);
  return all;
}

std::string text_of_the_first(const std::string& mine, const std::string& what, int channel) {
  std::uint64_t size = mine.size();
  const std::string head = broadcast_bytes({reinterpret_cast<const char*>(&size), sizeof size}, 0, what, channel);
  std::memcpy(&size, head.data(), sizeof size);
  std::string text = mine;
  text.resize(static_cast<std::size_t>(size));
  return broadcast_bytes(text, 0, what, channel);
}

std::vector<std::string> texts_of_all(const std::string& text, const char* operation, const std::string& what) {
  const std::size_t count = static_cast<std::size_t>(this_process().count);
  if (count == 1) return {text};
  const std::string here = placed("the comparison of " + what), compared = operation + ("\n" + text);
  const std::uint64_t mine = hash_of(compared);
  const auto [least, greatest] = range_of(mine, here);
  if (least == greatest) return std::vector<std::string>(count, text);
  // Some differ: everybody tells everybody, so that each names what it sees.
  std::string all = here + '\0' + compared, size(8, '\0');
  const std::uint64_t bytes = all.size();
  std::memcpy(size.data(), &bytes, 8);
  std::uint64_t longest = 0;
  std::vector<std::uint64_t> sizes;
  for (const std::string& s : all_gather_bytes(size, here)) {
    std::memcpy(&sizes.emplace_back(), s.data(), 8);
    longest = std::max(longest, sizes.back());
  }
  all.resize(static_cast<std::size_t>(longest), '\0');
  std::vector<std::string> texts = all_gather_bytes(all, here);
  for (std::size_t p = 0; p < count; ++p) {
    texts[p].resize(static_cast<std::size_t>(sizes[p]));
    const std::size_t head = texts[p].find('\0'), line = texts[p].find('\n', head);
    if (texts[p].compare(head + 1, line - head - 1, operation) != 0)
      refuse(operation, what, {static_cast<int>(p)}, ". There it is in " + texts[p].substr(0, head));
    texts[p].erase(0, line + 1);
  }
  return texts;
}

std::uint64_t check_same(const std::string& text, const char* operation, const std::string& what) {
  const std::vector<std::string> texts = texts_of_all(text, operation, what);
  std::vector<int> others;
  for (std::size_t p = 0; p < texts.size(); ++p)
    if (texts[p] != text) others.push_back(static_cast<int>(p));
  if (!others.empty())
    refuse(operation, what, others, ". " + first_difference(text, texts[static_cast<std::size_t>(others[0])]));
  return hash_of(text);
}

}  // namespace tutti::distributed

// SPDX-License-Identifier: Apache-2.0
