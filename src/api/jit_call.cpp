// Calls of jitted functions, their types forgotten.
#include "api/jit_entry.hpp"
#include "tutti/tree/tree.hpp"

namespace tutti::detail {

JitArguments::JitArguments() = default;
JitArguments::JitArguments(JitArguments&&) noexcept = default;
JitArguments::~JitArguments() = default;

JitArguments JitCall::arguments() const {
  JitArguments out;
  bool self = has_callable;
  for (const tree::detail::Ref& tree : trees) {
    const std::size_t before = out.flat.leaves.size();
    tree::detail::flatten_into(tree, out.flat);
    const int n = static_cast<int>(out.flat.leaves.size() - before);
    out.counts.push_back(self ? -n - 1 : n);
    self = false;
  }
  out.flat.structure = tree::detail::structure_of(trees);
  out.paths = [this] {
    std::vector<std::pair<int, tree::Path>> paths;
    int index = has_callable ? -1 : 0;
    for (const tree::detail::Ref& tree : trees) {
      for (tree::Path& path : tree::detail::leaf_paths_of(tree)) paths.emplace_back(index, std::move(path));
      ++index;
    }
    return paths;
  };
  return out;
}

JitBody JitCall::body() const {
  return [this](const std::vector<Array>& leaves) {
    Result result = again(*this, leaves);
    JitResult out;
    tree::detail::flatten_into(result.tree, out.flat);
    out.flat.structure = tree::detail::structure_of({&result.tree, 1});
    out.value = std::move(result.value);
    return out;
  };
}

std::shared_ptr<JitCore> make_jit_core(const JitOptions& options, Loc made, const char* what) {
  return std::make_shared<JitCore>(options, made, what);
}

Array JitCore::run_one(const JitEntry& entry, std::span<const Array> leaves) {
  std::vector<Array> out = run(entry, leaves);
  return out.empty() ? Array() : std::move(out[0]);
}

std::shared_ptr<const JitEntry> JitCore::find(const JitCall& call) { return find(call.arguments(), call.body()); }

std::vector<Array> JitCore::call(const JitCall& call, std::shared_ptr<const JitEntry>& entry) {
  const JitArguments in = call.arguments();
  entry = find(in, call.body());
  return run(*entry, in.flat.leaves);
}

Array JitCore::call_one(const JitCall& call) {
  std::shared_ptr<const JitEntry> entry;
  std::vector<Array> out = this->call(call, entry);
  return out.empty() ? Array() : std::move(out[0]);
}

std::vector<Array> JitCore::run_checked(const JitEntry& entry, const JitCall& call, Loc loc) {
  const JitArguments in = call.arguments();
  check(entry, in, loc);
  check_captures(entry, in, call.body());
  return run(entry, in.flat.leaves);
}

}  // namespace tutti::detail

// SPDX-License-Identifier: Apache-2.0
