// TUTTI_PASSES: which passes are left out.
#include <algorithm>
#include <atomic>
#include <string>

#include "base/environment.hpp"
#include "ir/pass_list.hpp"
#include "tutti/base/call_scope.hpp"

namespace tutti {
namespace {

constinit std::atomic<PassSet> of_tests{0};

PassSet named(std::string_view word) {
  const std::string_view name = word.starts_with('-') ? word.substr(1) : word;
  const std::span<const Pass> list = pass_list();
  const auto found = std::find_if(list.begin(), list.end(), [&](const Pass& p) { return p.name == name; });
  if (found == list.end()) {
    std::vector<std::string_view> names;
    for (const Pass& p : list) names.push_back(p.name);
    raise<ValueError>("TUTTI_PASSES",
                      "there is no pass '" + std::string(name) + "'; the most similar name is '" +
                          std::string(environment::nearest(name, names)) + "'",
                      "Name passes that `./dev passes` lists.");
  }
  if (name == word)
    raise<ValueError>("TUTTI_PASSES", "'" + std::string(word) + "' has no minus",
                      "Write -" + std::string(name) + " to leave the pass out.");
  if (found->required)
    raise<ValueError>("TUTTI_PASSES",
                      "the pass '" + std::string(name) + "' cannot be left out: " + std::string(found->required),
                      "Leave it in; `./dev passes` lists those that are optional.");
  return PassSet{1} << static_cast<unsigned>(found->id);
}

}  // namespace

PassSet passes_named(std::string_view value) {
  PassSet out = 0;
  for (std::size_t begin = 0; !value.empty() && begin <= value.size();) {
    const std::size_t end = std::min(value.find(',', begin), value.size());
    out |= named(value.substr(begin, end - begin));
    begin = end + 1;
  }
  return out;
}

PassSet passes_left_out() {
  static const PassSet of_environment = passes_named(environment::value(environment::passes));
  return of_environment | of_tests.load(std::memory_order_relaxed);
}

WithoutPasses::WithoutPasses(PassSet passes) { of_tests = passes; }
WithoutPasses::~WithoutPasses() { of_tests = 0; }

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
