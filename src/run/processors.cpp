#include "run/processors.hpp"

#include <sched.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <fstream>
#include <set>
#include <sstream>
#include <string_view>
#include <thread>

namespace tutti::run {
namespace {

std::string first_line(const std::string& path) {
  std::ifstream in(path);
  std::string line;
  std::getline(in, line);
  return line;
}

// "0-3,8" as numbers; what is no list is an empty one.
std::vector<int> numbers_in(const std::string& text) {
  constexpr int kMost = 1 << 16;
  std::vector<int> out;
  std::istringstream in(text);
  for (std::string range; std::getline(in, range, ',');) {
    int first = -1, last = -1;
    const char* const end = range.data() + range.size();
    auto [rest, failed] = std::from_chars(range.data(), end, first);
    last = first;
    if (failed == std::errc() && rest != end && *rest == '-') failed = std::from_chars(rest + 1, end, last).ec;
    if (failed != std::errc() || first < 0 || last > kMost) return {};
    for (int p = first; p <= last; ++p) out.push_back(p);
  }
  return out;
}

bool has_word(const std::string& list, std::string_view word) {
  std::istringstream in(list);
  for (std::string each; std::getline(in, each, ',');)
    if (each == word) return true;
  return false;
}

// A hierarchy of control groups where it is mounted.
struct Hierarchy {
  std::string mount, top = "/";  // top: the group that is seen at the mount
};

// Version 2 or the cpu controller of version 1.
Hierarchy hierarchy(const std::string& root, bool v2) {
  std::ifstream in(root + "/proc/self/mountinfo");
  for (std::string line; std::getline(in, line);) {
    const std::size_t dash = line.find(" - ");
    if (dash == std::string::npos) continue;
    std::istringstream front(line.substr(0, dash)), back(line.substr(dash + 3));
    std::string id, parent, device, top, mount, type, source, options;
    front >> id >> parent >> device >> top >> mount;
    back >> type >> source >> options;
    if (v2 ? type == "cgroup2" : type == "cgroup" && has_word(options, "cpu")) return {mount, top};
  }
  return {v2 ? "/sys/fs/cgroup" : "/sys/fs/cgroup/cpu"};
}

double quota_of_group(const std::string& folder, bool v2) {
  double quota = -1, period = 100e3;
  if (v2) {
    std::istringstream(first_line(folder + "/cpu.max")) >> quota >> period;  // "max 100000": no number, 0
  } else {
    std::istringstream(first_line(folder + "/cpu.cfs_quota_us")) >> quota;
    std::istringstream(first_line(folder + "/cpu.cfs_period_us")) >> period;
  }
  return quota > 0 && period > 0 ? quota / period : std::numeric_limits<double>::infinity();
}

// The least quota of a group and those around it, as far as they can be seen from here.
double quota_above(const std::string& root, std::string group, bool v2) {
  const Hierarchy h = hierarchy(root, v2);
  if (h.top != "/" && (group == h.top || group.starts_with(h.top + "/"))) group = group.substr(h.top.size());
  if (group.find("/..") != std::string::npos) group.clear();  // outside of what is mounted
  while (!group.empty() && group.back() == '/') group.pop_back();
  double least = std::numeric_limits<double>::infinity();
  while (true) {
    least = std::min(least, quota_of_group(root + h.mount + group, v2));
    if (group.empty()) return least;
    group.resize(group.rfind('/'));
  }
}

double read_quota(const std::string& root) {
  double least = std::numeric_limits<double>::infinity();
  std::ifstream in(root + "/proc/self/cgroup");
  for (std::string line; std::getline(in, line);) {  // NUMBER:CONTROLLERS:GROUP
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos || line.substr(second + 1, 1) != "/") continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const bool v2 = controllers.empty();
    if (v2 || has_word(controllers, "cpu")) least = std::min(least, quota_above(root, line.substr(second + 1), v2));
  }
  return least;
}

// A core by the list of its hyper-threads; a processor of which nothing is told is one of its own.
std::string core_of(const std::string& root, int processor) {
  const std::string folder = root + "/sys/devices/system/cpu/cpu" + std::to_string(processor) + "/topology/";
  for (const char* file : {"core_cpus_list", "thread_siblings_list"})
    if (std::string list = first_line(folder + file); !list.empty()) return list;
  return std::to_string(processor);
}

Processors::Node node_with(const std::string& root, std::vector<int> processors) {
  std::set<std::string> cores;
  for (const int p : processors) cores.insert(core_of(root, p));
  return {std::move(processors), static_cast<int>(cores.size())};
}

}  // namespace

int Processors::cores() const {
  int n = 0;
  for (const Node& node : nodes) n += node.cores;
  return n;
}

int Processors::threads() const {
  return std::max(1, static_cast<int>(std::min(std::floor(quota), static_cast<double>(cores()))));
}

const Processors::Node& Processors::node_of(int thread) const {
  int core = thread % cores();
  for (const Node& node : nodes) {
    if (core < node.cores) return node;
    core -= node.cores;
  }
  return nodes.back();
}

std::vector<int> affinity_mask() {
  std::vector<int> out;
  for (int most = 1024; most <= 1 << 16 && out.empty(); most *= 2) {  // the system may know more than cpu_set_t has
    const std::size_t bytes = CPU_ALLOC_SIZE(most);
    cpu_set_t* const sets[] = {CPU_ALLOC(most), CPU_ALLOC(most)};
    bool known = sets[0] && sets[1];
    for (const int k : {0, 1}) known = known && sched_getaffinity(k == 0 ? 0 : getpid(), bytes, sets[k]) == 0;
    for (int p = 0; known && p < most; ++p)
      if (CPU_ISSET_S(p, bytes, sets[0]) || CPU_ISSET_S(p, bytes, sets[1])) out.push_back(p);
    for (cpu_set_t* set : sets) CPU_FREE(set);
  }
  return out;
}

Processors read_processors(const std::vector<int>& mask, const std::string& root) {
  std::vector<int> allowed = mask;
  const std::vector<int> online = numbers_in(first_line(root + "/sys/devices/system/cpu/online"));
  if (allowed.empty()) allowed = online;
  const auto is_offline = [&](int p) { return std::find(online.begin(), online.end(), p) == online.end(); };
  if (!online.empty()) std::erase_if(allowed, is_offline);
  if (allowed.empty())
    for (int p = 0; p < static_cast<int>(std::max(1u, std::thread::hardware_concurrency())); ++p) allowed.push_back(p);

  Processors out;
  const std::string nodes = root + "/sys/devices/system/node/";
  for (const int n : numbers_in(first_line(nodes + "online"))) {
    std::vector<int> here;
    for (const int p : numbers_in(first_line(nodes + "node" + std::to_string(n) + "/cpulist")))
      if (std::erase(allowed, p) > 0) here.push_back(p);
    if (!here.empty()) out.nodes.push_back(node_with(root, std::move(here)));
  }
  if (!allowed.empty()) out.nodes.push_back(node_with(root, std::move(allowed)));  // of no node
  out.quota = read_quota(root);
  return out;
}

void run_on(const std::vector<int>& processors) {
  if (processors.empty()) return;
  const int most = *std::max_element(processors.begin(), processors.end()) + 1;
  const std::size_t bytes = CPU_ALLOC_SIZE(most);
  cpu_set_t* const set = CPU_ALLOC(most);
  if (!set) return;
  CPU_ZERO_S(bytes, set);
  for (const int p : processors) CPU_SET_S(p, bytes, set);
  sched_setaffinity(0, bytes, set);  // where the system does not want that, the thread runs anywhere
  CPU_FREE(set);
}

}  // namespace tutti::run

// SPDX-License-Identifier: Apache-2.0
