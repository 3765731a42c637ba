// cond: one of several sub-programs, by number.
#include <algorithm>
#include <cstring>

#include "array/evaluate.hpp"
#include "regions/lists.hpp"
#include "regions/loops.hpp"
#include "tutti/lax/lax.hpp"
#include "tutti/numpy/numpy.hpp"

namespace tutti::ops {
namespace {

std::vector<Type> infer_cond(const Call& c) {
  if (c.subs.empty() || c.operands.empty() || c.operands[0].dtype != int32 || c.operands[0].ndim() != 0)
    throw InternalError("cond: no branches, or no int32 scalar for their number");
  check_one_decision(c, c.operands[0].varying, "the condition");
  const std::vector<Type> in = without_first(c.operands, 1);
  std::vector<Type> out = c.subs[0]->output_types();
  std::vector<std::string> varying = c.operands[0].varying;
  for (std::size_t b = 0; b < c.subs.size(); ++b) {
    check_sub(c, b, in, out.size());
    varying = merge_names(varying, unsaid_varying(in, c.subs[b]->input_types()));
    for (std::size_t k = 0; k < out.size(); ++k) {
      const Type made = c.subs[b]->type(c.subs[b]->outputs[k]);
      if (made.dtype != out[k].dtype || made.shape != out[k].shape)
        throw InternalError("cond: result " + std::to_string(k) + " is " + made.str() + " in branch " +
                            std::to_string(b) + " and " + out[k].str() + " before");
      out[k].weak = out[k].weak && made.weak;
      out[k].varying = merge_names(out[k].varying, made.varying);
    }
  }
  for (Type& t : out) t.varying = merge_names(t.varying, varying);
  return out;
}

void eval_cond(const Call& c, std::span<const HostView> operands, std::span<const HostView> results) {
  const int most = static_cast<int>(c.subs.size()) - 1, taken = std::clamp(*operands[0].as<std::int32_t>(), 0, most);
  std::vector<HostPtr> in;
  for (const HostView& x : operands.subspan(1)) {
    const auto bytes = static_cast<std::size_t>(x.type.nbytes());
    in.push_back(allocate_buffer(bytes));
    if (bytes) std::memcpy(in.back()->data(), x.data, bytes);
  }
  std::vector<HostPtr> out = evaluate(*c.subs[static_cast<std::size_t>(taken)], in);
  for (std::size_t k = 0; k < out.size(); ++k)
    if (results[k].type.nbytes())
      std::memcpy(results[k].data, out[k]->data(), static_cast<std::size_t>(results[k].type.nbytes()));
}

ProgramPtr sample_branch(Array (*of)(const Array& x, const Array& y)) {
  Recording recording("cond", {});
  Array x = recording.input({float32, {4}, false, {}}), y = recording.input({float32, {4}, false, {}});
  Array made = of(x, y);
  return recording.close({made, lax::reduce_sum(made, {0}), x});
}
std::vector<Sample> samples_of_cond() {
  std::vector<Sample> out;
  auto sample = [&](std::size_t branches) {
    Sample s{.operands = {{int32, {}, false, {}}, {float32, {4}, false, {}}, {float32, {4}, false, {}}}};
    s.subs = {sample_branch([](const Array& x, const Array& y) { return lax::mul(sin(x), y); }),
              sample_branch([](const Array& x, const Array&) { return lax::mul(x, x); }),
              sample_branch([](const Array&, const Array& y) { return lax::neg(y); })};
    s.subs.resize(branches);
    s.ulp = 16;
    out.push_back(s);
  };
  sample(3);
  sample(2);
  sample(1);
  return out;
}

}  // namespace

constinit const Home cond = [] {
  Op op;
  op.name = "cond";
  op.role = Role::branch;
  op.infer = infer_cond;
  op.eval = eval_cond;
  op.own_weak = op.own_varying = true;
  op.jvp_together = cond_jvp;
  op.split = cond_split;
  op.transpose = cond_transpose;
  op.batch = cond_batch;
  op.simpler = cond_simpler;
  op.samples = samples_of_cond();
  op.without = {{"factors", "stages walk through its branches (Role::branch)"}};
  return op;
};

}  // namespace tutti::ops

// SPDX-License-Identifier: Apache-2.0
