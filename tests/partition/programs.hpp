// Programs, values and comparisons for the tests of propagate and partition.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "array/evaluate.hpp"
#include "array/literal.hpp"
#include "backend/cpu/kernels/kernels.hpp"
#include "device/buffer.hpp"
#include "ir/op.hpp"
#include "ir/replay.hpp"
#include "partition/at_place.hpp"
#include "partition/combine.hpp"
#include "partition/partition.hpp"
#include "partition/send_early.hpp"
#include "propagate/propagate.hpp"
#include "run/traffic.hpp"
#include "simulated/client.hpp"
#include "trace/trace.hpp"
#include "transform/inline_calls.hpp"
#include "transform/transform.hpp"
#include "tutti/lax/lax.hpp"
#include "tutti/numpy/numpy.hpp"

namespace tutti::testing {

using Arrays = std::vector<Array>;
using Function = std::function<Arrays(const Arrays&)>;

inline Type type(Shape shape, DType dtype = float32) { return {dtype, std::move(shape), false, {}}; }

inline ProgramPtr record(const std::vector<Type>& inputs, const Function& f) {
  auto trace = std::make_shared<Trace>(Trace::Mode::staged, "test", Loc{});
  TraceScope scope(trace);
  Arrays args;
  for (std::size_t i = 0; i < inputs.size(); ++i) args.push_back(trace->input(inputs[i], "in" + std::to_string(i)));
  return trace->close(f(args)).program;
}

/// Value and gradients of a scalar program in all inexact inputs among the first `n`.
inline ProgramPtr value_and_grad(const ProgramPtr& p, std::size_t n) {
  std::vector<bool> differentiated;
  for (std::size_t i = 0; i < p->inputs.size(); ++i)
    differentiated.push_back(i < n && has_tangent(p->types[p->inputs[i]]));
  VjpProgram v = vjp(*p, differentiated, {true});
  std::vector<Type> types = p->input_types();
  return record(types, [&](const Arrays& args) {
    Arrays all = args;
    all.push_back(array_from_scalar(Scalar(1.0f), false));
    return tutti::apply(*v.program, all);
  });
}

inline NamedSharding named(const Mesh& mesh, PartitionSpec spec) { return NamedSharding(mesh, std::move(spec)); }
inline Mesh grid(Shape shape, Names names) {
  std::vector<Device> devices;
  for (int i = 0; i < shape.num_elements(); ++i) devices.emplace_back(i);
  return Mesh(devices, shape, names);
}

/// Values of a type in [lo, hi].
inline BufferPtr random_buffer(const Type& t, std::mt19937& rng, double lo = -2, double hi = 2) {
  HostPtr b = allocate_buffer(static_cast<std::size_t>(t.nbytes()));
  std::uniform_real_distribution<double> real(lo, hi);
  for (std::int64_t i = 0; i < t.num_elements(); ++i) {
    double v = real(rng);
    auto put = [&](auto x) { static_cast<decltype(x)*>(b->data())[i] = x; };
    switch (t.dtype.kind()) {
      case DType::Kind::bool_: put(static_cast<unsigned char>(v > (lo + hi) / 2)); break;
      case DType::Kind::int8: put(static_cast<std::int8_t>(v)); break;
      case DType::Kind::uint8: put(static_cast<std::uint8_t>(std::abs(v))); break;
      case DType::Kind::int16: put(static_cast<std::int16_t>(v)); break;
      case DType::Kind::uint16: put(static_cast<std::uint16_t>(std::abs(v))); break;
      case DType::Kind::int32: put(static_cast<std::int32_t>(v)); break;
      case DType::Kind::uint32: put(static_cast<std::uint32_t>(std::abs(v))); break;
      case DType::Kind::int64: put(static_cast<std::int64_t>(v)); break;
      case DType::Kind::uint64:
      case DType::Kind::prng_key: put(static_cast<std::uint64_t>(std::abs(v))); break;
      case DType::Kind::float64: put(v); break;
      case DType::Kind::complex64:
        static_cast<float*>(b->data())[2 * i] = static_cast<float>(v);
        static_cast<float*>(b->data())[2 * i + 1] = 0.5f;
        break;
      case DType::Kind::float32: put(static_cast<float>(v)); break;
      default: {  // small numbers: an integer and a half, exact in all floats
        float f = static_cast<float>(std::round(v * 2) / 2);
        convert_elements(float32, &f, t.dtype, static_cast<char*>(b->data()) + t.dtype.size() * i, 1);
      }
    }
  }
  return b;
}

inline std::vector<double> as_doubles(const Type& t, const BufferPtr& b) {
  std::vector<double> out;
  std::int64_t n = t.num_elements();
  if (t.dtype.is_key() || t.dtype.kind() == DType::Kind::uint64 || t.dtype.kind() == DType::Kind::int64) {
    for (std::int64_t i = 0; i < n; ++i)
      out.push_back(static_cast<double>(static_cast<const std::int64_t*>(on_host(b).data())[i]));
    return out;
  }
  if (t.dtype.is_complex()) {
    for (std::int64_t i = 0; i < 2 * n; ++i) out.push_back(static_cast<const float*>(on_host(b).data())[i]);
    return out;
  }
  out.resize(static_cast<std::size_t>(n));
  if (n > 0) convert_elements(t.dtype, on_host(b).data(), float64, out.data(), n);
  return out;
}

/// Equal up to `tolerance` relative to the largest element: sums are associated by device. `nan == nan`.
inline void expect_close(const Type& t, const BufferPtr& got, const BufferPtr& want, double tolerance,
                         const std::string& what) {
  std::vector<double> a = as_doubles(t, got), b = as_doubles(t, want);
  double scale = 1;
  for (double v : b)
    if (std::isfinite(v)) scale = std::max(scale, std::abs(v));
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (std::isnan(b[i]) ? std::isnan(a[i]) : a[i] == b[i] || std::abs(a[i] - b[i]) <= tolerance * scale) continue;
    ADD_FAILURE() << what << ": element " << i << " is " << a[i] << ", should be " << b[i];
    return;
  }
}

/// What processes make of a local program before they run it: the same bits, with no more messages, all of them
/// counted; and at each place a program that is right, where positions are numbers.
inline void check_arranged(const LocalProgram& local, const std::vector<BufferPtr>& inputs, bool counted) {
  const LocalProgram arranged = scheduled(local);
  verify(arranged);
  EXPECT_LE(total_messages(arranged), total_messages(local));
  const simulated::Run plain = simulated::run(local, inputs), got = simulated::run(arranged, inputs);
  for (std::size_t i = 0; i < plain.outputs.size(); ++i)
    EXPECT_EQ(std::memcmp(on_host(got.outputs[i]).data(), on_host(plain.outputs[i]).data(), plain.outputs[i]->bytes()),
              0)
        << "output " << i << " of\n"
        << str(*local.program) << "arranged\n"
        << str(*arranged.program);
  if (counted) {
    EXPECT_NEAR(got.sent.bytes(), total_bytes(arranged), 1e-6 * total_bytes(arranged)) << str(*arranged.program);
    EXPECT_EQ(got.sent.messages(), total_messages(arranged)) << str(*arranged.program);
  }
  Places places{local.mesh, local.mesh, {}, {}, 0};
  for (; places.here < local.mesh.size(); ++places.here) {
    const LocalProgram here = at_place(arranged, places);
    verify(here);
    EXPECT_EQ(str(*here.program).find("axis_index"), std::string::npos);
  }
}

/// What the program makes of these inputs by the kernels that simulated devices run, too: the phases of eigenvectors
/// are theirs, and not those of plain evaluations.
inline std::vector<BufferPtr> run_by_kernels(const Program& p, const std::vector<BufferPtr>& inputs) {
  Environment<BufferPtr> env(p, inputs, [](const Atom& a) {
    HostPtr b = allocate_buffer(static_cast<std::size_t>(a.literal.dtype.size()));
    write_scalar(a.literal, a.literal.dtype, b->data());
    return b;
  });
  return replay(p, env, [&](const Eqn& e, const std::vector<BufferPtr>& operands) {
    std::vector<Type> types;
    std::vector<HostView> in, out;
    std::vector<BufferPtr> results;
    for (std::size_t i = 0; i < operands.size(); ++i) {
      types.push_back(p.type(e.operands[i]));
      in.push_back({types[i], on_host(operands[i]).data()});
    }
    for (ValueId v : e.results) {
      results.push_back(allocate_buffer(static_cast<std::size_t>(p.type(v).nbytes())));
      out.push_back({p.type(v), on_host(results.back()).data()});
    }
    kernels::run(e, types, in, out);
    return results;
  });
}

/// Runs on isolated devices and globally, compares all outputs, and what was sent with what was planned (where that can
/// be `counted`: of a while loop one step is planned).
inline LocalProgram check_partition(const ShardedProgram& sharded, const std::vector<BufferPtr>& inputs,
                                    double tolerance = 2e-5, const Chooser& chooser = {}, bool counted = true) {
  LocalProgram local = partition(sharded, BoundaryAxes::every(), chooser);
  verify(local);
  simulated::Run isolated = simulated::run(local, inputs);
  std::vector<BufferPtr> want = run_by_kernels(*sharded.program, inputs);
  for (std::size_t i = 0; i < want.size(); ++i)
    expect_close(local.output_types[i], isolated.outputs[i], want[i], tolerance,
                 "output " + std::to_string(i) + " of\n" + str(sharded) + "\nlocal\n" + str(*local.program));
  check_arranged(local, inputs, counted);
  if (!counted) return local;
  EXPECT_NEAR(isolated.sent.bytes(), total_bytes(local), 1e-6 * total_bytes(local)) << str(*local.program);
  EXPECT_EQ(isolated.sent.messages(), total_messages(local)) << str(*local.program);
  return local;
}

/// The program of `f` without calls, its inputs placed as `specs` say.
inline ShardedProgram propagated(const std::vector<Type>& types, const std::vector<PartitionSpec>& specs,
                                 const Mesh& mesh, const Function& f) {
  std::vector<Sharding> placed;
  for (const PartitionSpec& spec : specs) placed.push_back(named(mesh, spec));
  return propagate(inline_calls(record(types, f)), placed);
}
/// That program checked (check_partition) on random values.
inline LocalProgram check_placed(const std::vector<Type>& types, const std::vector<PartitionSpec>& specs,
                                 const Mesh& mesh, const Function& f) {
  std::mt19937 rng(7);
  std::vector<BufferPtr> inputs;
  for (const Type& t : types) inputs.push_back(random_buffer(t, rng, -1, 1));
  return check_partition(propagated(types, specs, mesh, f), inputs, 1e-5);
}

}  // namespace tutti::testing

// SPDX-License-Identifier: Apache-2.0
