// Bodies as machine code is made of them: rotations, rows that share loads; and what they compute, beside eval.
#include "backend/cpu/fold.hpp"

#include <gtest/gtest.h>
#include <llvm/IR/Instructions.h>

#include <algorithm>
#include <string>
#include <utility>

#include "backend/cpu/emit.hpp"
#include "backend/cpu/isa.hpp"
#include "backend/programs.hpp"
#include "compile/passes.hpp"
#include "ops/elementwise/arithmetic.hpp"
#include "ops/elementwise/comparison.hpp"
#include "ops/elementwise/convert.hpp"
#include "ops/movement/slice.hpp"

namespace tutti::test {
namespace {

std::vector<cpu::KernelSpec> kernels_of(const Program& p) {
  std::vector<cpu::KernelSpec> out;
  const compile::Plan plan = compile::compile(on_one_device(p), {});
  for (const compile::Stage& stage : plan.stages)
    for (int i : stage.steps)
      if (const auto* l = std::get_if<compile::Loop>(&plan.steps[static_cast<std::size_t>(i)].what))
        out.push_back(cpu::kernel_spec({plan, stage, *l, *l}, run::make_nest(*l)));
  return out;
}

void expect_bits_of_eval(const Builder& b, std::mt19937& random) {
  std::vector<BufferPtr> in;
  for (const Type& t : b.program.input_types()) in.push_back(random_buffer(t, -100, 100, random));
  const auto want = backend("reference").compile(on_one_device(b.program))->run(in),
             got = backend("cpu").compile(on_one_device(b.program))->run(in);
  for (std::size_t r = 0; r < got.size(); ++r) {
    const Type t = b.program.type(b.program.outputs[r]);
    EXPECT_EQ(difference(t, on_host(got[r]).data(), on_host(want[r]).data(), 0, 0, 0), "")
        << "result " << r << ": " << t.str();
  }
}

// x << left | x >> right as the homes of ops say it: with comparisons of constants, and choices.
cpu::KernelSpec shifted(DType d, int left, int right, bool swapped) {
  using Bin = VectorIR::Bin;
  compile::Recorder r;
  const Reg x = r.load(0, d), zero = r.constant_int(d, 0), width = r.constant_int(d, 8 * d.size());
  auto shift = [&](Bin op, int by) {
    const Reg n = r.constant_int(d, by);
    const Reg none = r.binary(Bin::or_, r.compare(VectorIR::Cmp::lt, n, zero), r.compare(VectorIR::Cmp::ge, n, width));
    return r.select(none, zero, r.binary(op, x, r.select(none, zero, n)));
  };
  Reg up = shift(Bin::shl, left), down = shift(Bin::shr_logical, right);
  if (swapped) std::swap(up, down);
  cpu::KernelSpec out;
  const Reg y = r.binary(Bin::or_, up, down);
  out.accesses = {{.kind = compile::Access::Kind::load, .dtype = d},
                  {.kind = compile::Access::Kind::store, .dtype = d, .value = y.id}};
  out.body = r.take();
  cpu::fold(out);
  return out;
}

// The sum of what lies around each element but those of the border, and whether it is more than the element.
Builder stencil(DType d, std::int64_t rows, std::int64_t columns) {
  Builder b;
  const Atom x = b.input(Type{d, {rows, columns}, false, {}});
  Atom sum(Scalar(0).to(d), false), middle = sum;
  for (std::int64_t i : {0, 1, 2})
    for (std::int64_t k : {2, 0, 1}) {
      const Atom here = b.add(ops::slice, ops::SliceParams{{i, k}, {rows - 2 + i, columns - 2 + k}, {1, 1}}, {x});
      if (i == 1 && k == 1)
        middle = here;
      else
        sum = sum.is_literal() ? here : Atom(b.add(ops::add, {sum, here}));
    }
  b.output(sum);
  b.output(b.add(ops::convert_element_type, ops::ConvertElementType{d}, {b.add(ops::gt, {sum, middle})}));
  return b;
}

}  // namespace

TEST(Fold, MakesRotationsOfShifts) {
  for (const DType d : {uint32, int32, uint8, int16, uint64})
    for (const bool swapped : {false, true}) {
      const int width = static_cast<int>(8 * d.size());
      for (const int n : {1, 5, width - 3}) {
        const std::string want = "r0:" + std::string(d.name()) + " = load @0\nr1:" + std::string(d.name()) +
                                 " = rotate " + std::to_string(n) + " r0\n";
        const cpu::KernelSpec k = shifted(d, n, width - n, swapped);
        EXPECT_EQ(k.body.str(), want);
        EXPECT_EQ(k.accesses[1].value, 1);
      }
    }
}

TEST(Fold, LeavesOtherShifts) {
  for (const auto& [left, right] : {std::pair{0, 32}, {32, 0}, {7, 24}, {40, -8}, {31, 2}})
    EXPECT_EQ(shifted(uint32, left, right, false).body.str().find("rotate"), std::string::npos);
}

// A sum of what long chains of instructions give, several vectors side by side.
TEST(Fold, VectorsOfLongChainsAreKeptAbreast) {
  for (const bool wide : {true, false})
    for (const int rounds : {20, 60}) {
      compile::Recorder r;
      Reg x = r.load(0, uint32), y = r.load(1, uint32);
      for (int i = 0; i < rounds; ++i) x = r.binary(VectorIR::Bin::xor_, y = r.add(y, x), x);
      cpu::KernelSpec spec;
      spec.walk = run::Walk::reduce_row;
      spec.together = true;
      spec.accesses = {{.kind = compile::Access::Kind::load, .dtype = uint32},
                       {.kind = compile::Access::Kind::load, .dtype = uint32},
                       {.kind = compile::Access::Kind::reduce,
                        .dtype = uint32,
                        .value = x.id,
                        .combine = Op::Reduce::sum,
                        .accumulate = uint32}};
      spec.body = r.take();
      llvm::LLVMContext context;
      llvm::Module module("m", context);
      cpu::emit_kernel(module, "f", spec, wide);
      bool held = false;
      for (const llvm::BasicBlock& block : *module.getFunction("f"))
        for (const llvm::Instruction& i : block)
          if (const auto* call = llvm::dyn_cast<llvm::CallInst>(&i)) held |= call->isInlineAsm();
      EXPECT_EQ(held, wide && rounds == 60) << rounds;
    }
}

// Groups of rows and a rest, vectors and a rest, of bytes too.
TEST(Fold, RowsOfStencilsOfBytesShareWhatTheyLoad) {
  std::mt19937 random(3);
  for (const DType d : {float32, int8, int32, float64})
    for (const std::int64_t rows : {18, 21, 133})
      for (const std::int64_t columns : {7, 34, 600}) {
        SCOPED_TRACE(std::string(d.name()) + " " + std::to_string(rows) + " " + std::to_string(columns));
        const Builder b = stencil(d, rows, columns);
        const std::vector<cpu::KernelSpec> kernels = kernels_of(b.program);
        EXPECT_EQ(std::any_of(kernels.begin(), kernels.end(), [](const auto& k) { return k.shares_rows; }),
                  cpu::isa() == cpu::Isa::avx512 && d == int8 && columns == 600);
        expect_bits_of_eval(b, random);
      }
}

}  // namespace tutti::test

// SPDX-License-Identifier: Apache-2.0
