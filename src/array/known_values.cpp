#include "array/known_values.hpp"

#include <algorithm>

#include "array/evaluate.hpp"
#include "ir/cut_out.hpp"

namespace tutti {
namespace {

std::int64_t number(DType dtype, const void* data, std::int64_t i) {
  const auto size = dtype.size();
  const char* at = static_cast<const char*>(data) + i * size;
  const bool is_signed = dtype.is_signed();
  std::int64_t out = is_signed && (at[size - 1] & 0x80) ? -1 : 0;
  std::copy_n(at, size, reinterpret_cast<char*>(&out));  // little endian, as all supported processors are
  return out;
}

// Whether eval, which is plain loops, takes few steps for each of the `most` numbers: what takes more had better run.
bool is_quick(const Program& p, const Eqn& e, std::int64_t most) {
  if (!e.op->flops) return true;
  constexpr double kSteps = 8;
  std::vector<Type> operands, results;
  for (const Atom& a : e.operands) operands.push_back(p.type(a));
  for (ValueId v : e.results) results.push_back(p.types[v]);
  return e.op->flops(Call{*e.op, e.params, operands, e.subs}, results) <= kSteps * static_cast<double>(most);
}

}  // namespace

bool KnownValues::knows(ValueId v) {
  if (known_[v] >= 0) return known_[v] == 1;
  const int producer = index_.producer(v);
  bool known = producer >= 0;
  if (known) {
    const Eqn& e = p_.eqns[producer];
    known = (e.op->role == Role::compute || e.op->role == Role::generator) && e.op->eval && e.subs.empty() &&
            !e.op->effect && !e.op->host && !e.op->collective && p_.types[v].num_elements() <= most_ &&
            is_quick(p_, e, most_);
    for (const Atom& a : e.operands) known = known && (a.is_literal() || knows(a.id));
  }
  known_[v] = known ? 1 : 0;
  return known;
}

std::vector<std::int64_t> KnownValues::integers(ValueId v) const {
  std::vector<int> eqns;
  walk_back(p_, index_, v, [&](int i) {
    eqns.push_back(i);
    return true;
  });
  std::reverse(eqns.begin(), eqns.end());
  const Program p = cut_out(p_, eqns, {}, v);
  const HostPtr made = evaluate(p, std::span<const HostPtr>())[0];
  const Type& type = p_.types[v];
  std::vector<std::int64_t> out;
  for (std::int64_t i = 0; i < type.num_elements(); ++i) out.push_back(number(type.dtype, made->data(), i));
  return out;
}

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
