#include "distributed/agree.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <sstream>

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

std::uint64_t hash_of(const std::string& text) {  // FNV-1a
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

}  // namespace

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

std::uint64_t check_same(const std::string& text, const char* operation, const std::string& what) {
  const std::uint64_t mine = hash_of(text);
  if (this_process().count == 1) return mine;
  const auto [least, greatest] = range_of(mine, what);
  if (least == greatest) return mine;
  // Some differ: everybody tells everybody, so that each names what it sees.
  std::string head(16, '\0');
  const std::uint64_t size = text.size();
  std::memcpy(head.data(), &mine, 8);
  std::memcpy(head.data() + 8, &size, 8);
  const std::vector<std::string> heads = all_gather_bytes(head, what);
  std::uint64_t longest = 0;
  for (const std::string& h : heads) {
    std::uint64_t n;
    std::memcpy(&n, h.data() + 8, 8);
    longest = std::max(longest, n);
  }
  std::string padded = text;
  padded.resize(static_cast<std::size_t>(longest), '\0');
  const std::vector<std::string> texts = all_gather_bytes(padded, what);
  std::string others;
  int other = -1;
  for (std::size_t p = 0; p < heads.size(); ++p)
    if (heads[p].compare(0, 8, head, 0, 8) != 0) {
      if (other < 0) other = static_cast<int>(p);
      others += (others.empty() ? "" : ", ") + std::to_string(p);
    }
  std::string there = texts[static_cast<std::size_t>(other)];
  there.resize(std::strlen(there.c_str()));
  raise<DistributedError>(operation,
                          what + " is not the same here, in process " + std::to_string(this_process().index) +
                              ", as in process " + others + ". " + first_difference(text, there),
                          "All processes must do the same in the same order, with values that decide about programs "
                          "(shapes, options, branches) equal on all.");
}

}  // namespace tutti::distributed
