#include "compile/uses.hpp"

#include <algorithm>

#include "partition/local_program.hpp"

namespace tutti::compile {

Uses find_uses(const Program& p, const ProgramIndex& index, const Fusion& f) {
  const int n = static_cast<int>(p.eqns.size());
  Uses out;
  out.readers.resize(p.eqns.size());
  out.sources.resize(p.eqns.size());
  int last_effect = -1;
  for (int i = 0; i < n; ++i) {
    if (!f.real[i]) continue;
    const Eqn& e = p.eqns[i];
    if (has_effect(e) || sends_within(e)) {  // effects and messages keep their order
      if (last_effect >= 0) {
        out.readers[last_effect].push_back({i, false});
        out.sources[i].push_back(last_effect);
      }
      last_effect = i;
    }
    auto read_part = [&](const Atom& base) {
      const Reading r = f.read(base);
      const int from = r.index || r.base.is_literal() ? -1 : index.producer(r.base.id);
      if (from < 0) return;
      out.readers[from].push_back({i, false});
      out.sources[i].push_back(from);
    };
    auto read = [&](const Reading& r, const Extents& over) {
      if (const auto* parts = r.index || r.base.is_literal() ? nullptr : f.parts_without_memory(r.base.id)) {
        for (const Part& part : *parts) read_part(part.base);
        return;
      }
      const int from = r.index || r.base.is_literal() ? -1 : index.producer(r.base.id);
      if (from < 0) return;
      const std::int64_t elements = product(over);
      const bool soft = f.is_loop(i) && f.is_loop(from) && f.roles[from] != Role::reduce && is_dense(r.view, over) &&
                        elements == p.types[r.base.id].num_elements() && elements == product(f.space(p, i)) &&
                        !f.is_strided_copy(p, from);
      out.readers[from].push_back({i, soft});
      out.sources[i].push_back(from);
    };
    const Reading* source = f.is_loop(i) ? f.source(e.results[0]) : nullptr;
    if (f.roles[i] == Role::parts) {
      for (const Part& part : f.parts.at(e.results[0])) read_part(part.base);
    } else if (source) {
      read(*source, p.types[e.results[0]].shape.dims());
    } else {
      for (const Atom& a : e.operands)
        if (!a.is_literal()) read(f.readings[a.id], p.types[a.id].shape.dims());
    }
    std::sort(out.sources[i].begin(), out.sources[i].end());
    out.sources[i].erase(std::unique(out.sources[i].begin(), out.sources[i].end()), out.sources[i].end());
  }
  return out;
}

Ways::Ways(const Uses& uses) : number_(uses.readers.size(), -1), past_(uses.readers.size(), -1) {
  const int n = static_cast<int>(uses.readers.size());
  // Sources stand before readers, so an Eqn's way is known before it goes on.
  std::vector<int> before(n, -1), hard(n, -1);
  for (int e = 0; e < n; ++e)
    for (const Use& use : uses.readers[e])
      if (const int far = std::max(hard[e], 0) + !use.soft; far >= hard[use.eqn]) {
        hard[use.eqn] = far;
        before[use.eqn] = e;
      }
  std::vector<std::vector<int>> next(n);
  for (int e = n; e-- > 0;)
    if (before[e] >= 0) next[before[e]].push_back(e);
  int count = 0;
  std::vector<int> open;
  for (int root = 0; root < n; ++root) {
    if (before[root] < 0) open.push_back(root);
    while (!open.empty()) {
      const int e = open.back();
      if (number_[e] < 0) {
        number_[e] = count++;
        open.insert(open.end(), next[e].begin(), next[e].end());
      } else {
        past_[e] = count;
        open.pop_back();
      }
    }
  }
}

bool Ways::show(int from, const std::vector<int>& numbers) const {
  auto it = std::lower_bound(numbers.begin(), numbers.end(), number_[from]);
  return it != numbers.end() && *it < past_[from];
}

}  // namespace tutti::compile

// SPDX-License-Identifier: Apache-2.0
