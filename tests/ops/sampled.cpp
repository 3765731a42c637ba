#include "ops/sampled.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

#include "base/half.hpp"
#include "ops/reduction/search.hpp"

namespace tutti::testing {

std::string Case::name() const {
  std::string out = op->name;
  if (!sample->params.empty()) out += "{" + sample->params.str() + "}";
  for (const Type& t : sample->operands) out += " " + t.str();
  return out;
}

std::vector<Case> all_cases() {
  std::vector<Case> out;
  for (const Op* op : all_ops())
    if (!op->collective)
      for (const Sample& s : op->samples) out.push_back({op, &s});
  return out;
}

namespace {

Type doubled(Type t) {
  if (t.dtype == float32) t.dtype = float64;
  return t;
}
ProgramPtr doubled(const ProgramPtr& program) {
  Program out = *program;
  auto atoms = [](std::vector<Atom>& list) {
    for (Atom& a : list)
      if (a.is_literal() && a.literal.dtype == float32) a.literal = a.literal.to(float64);
  };
  for (Type& t : out.types) t = doubled(t);
  for (Eqn& e : out.eqns) {
    atoms(e.operands);
    for (ProgramPtr& sub : e.subs) sub = doubled(sub);
  }
  atoms(out.outputs);
  return std::make_shared<Program>(std::move(out));
}

}  // namespace

std::vector<Type> operand_types(const Sample& sample, bool in_double) {
  std::vector<Type> out = sample.operands;
  for (Type& t : out)
    if (in_double) t = doubled(t);
  return out;
}

Program program_of(const Op& op, const Sample& sample, const std::vector<Type>& operands) {
  Program p;
  p.types = operands;
  p.inputs.resize(operands.size());
  std::iota(p.inputs.begin(), p.inputs.end(), 0);
  Eqn e;
  e.op = &op;
  e.params = sample.params;
  e.subs = sample.subs;
  if (operands != sample.operands)
    for (ProgramPtr& sub : e.subs) sub = doubled(sub);
  for (ValueId v : p.inputs) e.operands.emplace_back(v);
  for (Type& t : infer_types(op, sample.params, operands, e.subs)) {
    e.results.push_back(static_cast<ValueId>(p.types.size()));
    p.outputs.emplace_back(e.results.back());
    p.types.push_back(std::move(t));
  }
  p.eqns.push_back(std::move(e));
  return p;
}

BufferPtr random_values(const Type& type, const Sample& sample, std::mt19937_64& random) {
  HostPtr out = allocate_buffer(static_cast<std::size_t>(type.nbytes()));
  if (type.dtype.is_key()) {
    for (std::int64_t i = 0; i < type.num_elements(); ++i) static_cast<std::uint64_t*>(out->data())[i] = random();
    return out;
  }
  std::uniform_real_distribution<double> uniform(sample.lo, sample.hi);
  std::vector<double> values(static_cast<std::size_t>(type.num_elements()));
  for (double& v : values) {
    v = type.dtype.is_bool() ? static_cast<double>(random() & 1) : uniform(random);
    if (type.dtype.is_integer()) v = std::round(v);
    if (type.dtype.is_unsigned()) v = std::abs(v);
  }
  return from_doubles(values, type);
}

std::vector<BufferPtr> random_operands(const Case& c, const std::vector<Type>& types, std::mt19937_64& random) {
  std::vector<BufferPtr> out;
  for (const Type& t : types) out.push_back(random_values(t, *c.sample, random));
  if (c.op != &ops::search) return out;
  std::vector<double> values = to_doubles(out[0], types[0]);
  const std::int64_t n = types[0].shape.back();
  for (auto row = values.begin(); n > 0 && row != values.end(); row += n) std::sort(row, row + n);
  out[0] = from_doubles(values, types[0]);
  return out;
}

std::vector<double> to_doubles(const BufferPtr& buffer, const Type& type) {
  std::vector<double> out(static_cast<std::size_t>(type.num_elements()));
  visit_dtype(type.dtype, [&]<class T>(Stored<T>) {
    for (std::size_t i = 0; i < out.size(); ++i)
      out[i] = convert_number<double>(static_cast<const T*>(on_host(buffer).data())[i]);
  });
  return out;
}

BufferPtr from_doubles(const std::vector<double>& values, const Type& type) {
  HostPtr out = allocate_buffer(static_cast<std::size_t>(type.nbytes()));
  visit_dtype(type.dtype, [&]<class T>(Stored<T>) {
    for (std::size_t i = 0; i < values.size(); ++i) static_cast<T*>(out->data())[i] = convert_number<T>(values[i]);
  });
  return out;
}

BufferPtr row(const BufferPtr& buffer, const Type& row_type, std::int64_t i) {
  std::size_t bytes = static_cast<std::size_t>(row_type.nbytes());
  HostPtr out = allocate_buffer(bytes);
  if (bytes)
    std::memcpy(out->data(), static_cast<const char*>(on_host(buffer).data()) + static_cast<std::size_t>(i) * bytes,
                bytes);
  return out;
}

BufferPtr stacked(const std::vector<BufferPtr>& rows, const Type& row_type) {
  std::size_t bytes = static_cast<std::size_t>(row_type.nbytes());
  HostPtr out = allocate_buffer(bytes * rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (bytes) std::memcpy(static_cast<char*>(out->data()) + i * bytes, on_host(rows[i]).data(), bytes);
  return out;
}

double ulps(double got, double want, DType dtype) {
  if (got == want || (std::isnan(got) && std::isnan(want))) return 0;
  if (!std::isfinite(got) || !std::isfinite(want)) return 1e30;
  int digits = dtype == float64 ? 53 : dtype == float16 ? 11 : dtype == bfloat16 ? 8 : 24;
  int least = dtype == float64 ? -1074 : dtype == float16 ? -24 : dtype == bfloat16 ? -133 : -149;
  int exponent = want == 0 ? least : std::max(std::ilogb(want) - digits + 1, least);
  return std::abs(got - want) / std::ldexp(1., exponent);
}

}  // namespace tutti::testing

// SPDX-License-Identifier: Apache-2.0
