// One program both ways: on isolated devices, and as it was written. Numbers are small integers, so that sums are exact
// in any order: results must be equal bit for bit, and devices must receive what was planned.
#pragma once

#include <cmath>
#include <functional>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "array/evaluate.hpp"
#include "ir/loop_form.hpp"
#include "partition/partition.hpp"
#include "propagate/propagate.hpp"
#include "simulated/client.hpp"
#include "trace/trace.hpp"
#include "transform/inline_calls.hpp"
#include "tutti/array/placement.hpp"
#include "tutti/fft/fft.hpp"
#include "tutti/lax/control_flow.hpp"
#include "tutti/lax/cumulative.hpp"
#include "tutti/lax/lax.hpp"
#include "tutti/lax/windows.hpp"
#include "tutti/numpy/numpy.hpp"
#include "tutti/numpy/sorting.hpp"
#include "tutti/transform/transforms.hpp"

namespace tutti::fuzz {

using Arrays = std::vector<Array>;
using Function = std::function<Arrays(const Arrays&)>;

struct Placed {
  DType dtype;
  Shape shape;
  PartitionSpec spec;
};
/// Where a result is wanted; nothing: where it comes to lie.
using Wanted = std::vector<std::optional<PartitionSpec>>;

/// The program makes numbers that float32 does not hold exactly: it says nothing.
struct NotExact : std::runtime_error {
  using std::runtime_error::runtime_error;
};

namespace detail {

inline ProgramPtr record(const Function& f, const std::vector<Placed>& inputs) {
  auto trace = std::make_shared<Trace>(Trace::Mode::staged, "fuzz", Loc{});
  TraceScope scope(trace);
  Arrays args;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    args.push_back(trace->input({inputs[i].dtype, inputs[i].shape, false, {}}, "in" + std::to_string(i)));
  return inline_calls(trace->close(f(args)).program);
}

/// Integers from -4 to 4.
inline std::vector<BufferPtr> numbers(const std::vector<Placed>& inputs, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<BufferPtr> out;
  for (const Placed& in : inputs) {
    HostPtr b = allocate_buffer(static_cast<std::size_t>(in.shape.num_elements() * in.dtype.size()));
    for (std::int64_t i = 0; i < in.shape.num_elements(); ++i) {
      const int v = static_cast<int>(random() % 9) - 4;
      if (in.dtype == int32)
        static_cast<std::int32_t*>(b->data())[i] = v;
      else
        static_cast<float*>(b->data())[i] = static_cast<float>(v);
    }
    out.push_back(b);
  }
  return out;
}

/// Every value of the program in which floats are, evaluated: those of bodies are seen where they come out.
inline void check_exact(const Program& p, const std::vector<BufferPtr>& inputs) {
  Program everything = p;
  everything.outputs.clear();
  for (const Eqn& e : p.eqns)
    for (ValueId v : e.results)
      if (p.type(v).dtype == float32) everything.outputs.push_back(v);
  const std::vector<BufferPtr> values = evaluate(everything, inputs);
  for (std::size_t i = 0; i < values.size(); ++i)
    for (std::int64_t k = 0; k < p.type(everything.outputs[i]).shape.num_elements(); ++k) {
      const float v = static_cast<const float*>(on_host(values[i]).data())[k];
      if (std::isnan(v) || (std::isfinite(v) && std::abs(v) > float(1 << 22))) throw NotExact("numbers grow too large");
    }
}

/// Whether what is sent is known before: not where values decide how often something runs.
inline bool is_counted(const Program& p) {
  for (const Eqn& e : p.eqns) {
    const std::optional<LoopForm> form = loop_form(e);
    if (form && form->kind != LoopForm::Kind::scan) return false;
    for (const ProgramPtr& sub : e.subs)
      if (!is_counted(*sub)) return false;
  }
  return true;
}

template <class T> std::string first_difference(const T* got, const T* want, std::int64_t n) {
  for (std::int64_t i = 0; i < n; ++i)
    if (!(got[i] == want[i] || (got[i] != got[i] && want[i] != want[i])))
      return "element " + std::to_string(i) + " is " + std::to_string(got[i]) + ", should be " +
             std::to_string(want[i]);
  return "";
}
inline std::string difference(const Type& t, const BufferPtr& got, const BufferPtr& want) {
  auto as = [&](auto zero) {
    using T = decltype(zero);
    return first_difference(static_cast<const T*>(on_host(got).data()), static_cast<const T*>(on_host(want).data()),
                            t.num_elements());
  };
  if (t.dtype == float32) return as(0.f);
  return t.dtype.is_bool() ? as(static_cast<unsigned char>(0)) : as(std::int32_t{0});
}

}  // namespace detail

/// What is wrong with the isolated run of `f` on inputs that lie as said; empty when nothing is. NotExact when the
/// program is no good for this test.
inline std::string mismatch(const Function& f, const Mesh& mesh, const std::vector<Placed>& inputs,
                            const Wanted& outputs, unsigned seed = 1) {
  const ProgramPtr program = detail::record(f, inputs);
  const std::vector<BufferPtr> values = detail::numbers(inputs, seed);
  detail::check_exact(*program, values);
  const std::vector<BufferPtr> want = evaluate(*program, values);
  std::vector<Sharding> placed, wanted;
  for (const Placed& in : inputs) placed.push_back(NamedSharding(mesh, in.spec));
  for (const auto& spec : outputs) wanted.push_back(spec ? Sharding(NamedSharding(mesh, *spec)) : Sharding());
  try {
    const LocalProgram local = partition(propagate(program, placed, wanted), BoundaryAxes::every());
    verify(local);
    const simulated::Run isolated = simulated::run(local, values);
    for (std::size_t i = 0; i < want.size(); ++i)
      if (std::string d = detail::difference(local.output_types[i], isolated.outputs[i], want[i]); !d.empty())
        return "output " + std::to_string(i) + ": " + d;
    const double sent = isolated.sent.bytes(), planned = total_bytes(local);
    if (detail::is_counted(*program) && std::abs(sent - planned) > 1e-6 * planned)
      return "received " + std::to_string(sent) + " bytes, planned " + std::to_string(planned);
    return "";
  } catch (const std::exception& e) {
    return std::string("throws: ") + e.what();
  }
}

}  // namespace tutti::fuzz

// SPDX-License-Identifier: Apache-2.0
