#include "backend/cpu/loop_windows.hpp"

#include "backend/cpu/writer.hpp"

namespace tutti::cpu {
namespace {

using Kind = WindowMoves::Kind;

class WindowEmitter : Writer {
 public:
  WindowEmitter(llvm::IRBuilder<>& builder, const compile::CallEqn& call, const WindowMoves& moves,
                const std::function<Value(int)>& at)
      : Writer(builder), moves_(moves), size_(moves_.array.dtype.size()) {
    for (int storage : call.operands) operands_.push_back(at(storage));
    result_ = at(call.results[0]);
    if (moves_.kind == Kind::read && moves_.leaves_out) fill_ = constant(fill_element(call));
  }

  void run() {
    if (moves_.kind == Kind::read) {
      array_ = operands_[0];
      windows_ = result_;
    } else {
      array_ = result_;
      windows_ = operands_[static_cast<std::size_t>(moves_.windows_operand)];
      when(b_.CreateICmpNE(result_, operands_[0]), [&] { copy(result_, operands_[0], number(moves_.array.nbytes())); });
    }
    run(0, number(0), number(0), number(0));
  }

 private:
  void run(std::size_t d, Value in_windows, Value in_array, Value in_starts) {
    if (d == moves_.dims.size()) return move(in_windows, in_array, in_starts);
    const WindowMoves::Dim& dim = moves_.dims[d];
    counted(number(dim.extent), [&](Value i) {
      auto on = [&](Value from, std::int64_t step) { return b_.CreateAdd(from, b_.CreateMul(i, number(step))); };
      run(d + 1, on(in_windows, dim.windows), on(in_array, dim.array), on(in_starts, dim.indices));
    });
  }

  void move(Value in_windows, Value in_array, Value in_starts) {
    Value inside = b_.getTrue(), place = in_array;
    for (const WindowMoves::Start& s : moves_.starts) {
      Value at = b_.CreateAdd(in_starts, number(s.at));
      llvm::Type* type = b_.getIntNTy(static_cast<unsigned>(8 * s.dtype.size()));
      Value read = b_.CreateLoad(type, element(operands_[static_cast<std::size_t>(s.operand)], at, s.dtype.size()));
      Value start = s.dtype.is_unsigned() ? b_.CreateZExt(read, b_.getInt64Ty()) : b_.CreateSExt(read, b_.getInt64Ty());
      Value first = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, start, number(0));
      Value moved = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, first, number(s.last));
      if (moves_.leaves_out) inside = b_.CreateAnd(inside, b_.CreateICmpEQ(start, moved));
      place = b_.CreateAdd(place, b_.CreateMul(moved, number(s.stride)));
    }
    Value there = element(array_, place, size_), here = element(windows_, in_windows, size_);
    if (moves_.kind == Kind::read)
      copy(here, moves_.leaves_out ? b_.CreateSelect(inside, there, fill_) : there, number(moves_.length * size_));
    else
      when(inside, [&] {
        if (moves_.kind == Kind::add)
          add(there, here);
        else
          copy(there, here, number(moves_.length * size_));
      });
  }

  // What is 0 adds nothing: a -0 stays.
  void add(Value there, Value here) {
    const DType d = moves_.array.dtype;
    const bool floats = d.is_floating();
    llvm::Type* type = !floats        ? static_cast<llvm::Type*>(b_.getIntNTy(static_cast<unsigned>(8 * size_)))
                       : d == float32 ? b_.getFloatTy()
                                      : b_.getDoubleTy();
    counted(number(moves_.length), [&](Value i) {
      Value to = element(there, i, size_), x = b_.CreateLoad(type, to);
      Value y = b_.CreateLoad(type, element(here, i, size_));
      Value sum = floats ? b_.CreateFAdd(x, y) : b_.CreateAdd(x, y);
      if (floats) sum = b_.CreateSelect(b_.CreateFCmpOEQ(y, llvm::ConstantFP::get(type, 0)), x, sum);
      b_.CreateStore(sum, to);
    });
  }

  Value element(Value base, Value at, std::int64_t size) {
    return b_.CreateGEP(b_.getInt8Ty(), base, b_.CreateMul(at, number(size)));
  }
  void copy(Value to, Value from, Value bytes) {
    b_.CreateMemMove(to, llvm::MaybeAlign(1), from, llvm::MaybeAlign(1), bytes);
  }
  // A run of elements that are all this one.
  Value constant(const std::vector<char>& element) {
    std::vector<std::uint8_t> all;
    for (std::int64_t i = 0; i < moves_.length; ++i) all.insert(all.end(), element.begin(), element.end());
    llvm::Constant* init = llvm::ConstantDataArray::get(b_.getContext(), all);
    return new llvm::GlobalVariable(m_, init->getType(), true, llvm::GlobalValue::PrivateLinkage, init, "fill");
  }

  const WindowMoves& moves_;
  std::int64_t size_;
  std::vector<Value> operands_;
  Value result_ = nullptr, array_ = nullptr, windows_ = nullptr, fill_ = nullptr;
};

}  // namespace

void emit_windows(llvm::IRBuilder<>& builder, const compile::CallEqn& call,
                  const std::function<llvm::Value*(int)>& at) {
  const WindowMoves moves = *window_moves(call);
  WindowEmitter(builder, call, moves, at).run();
}

}  // namespace tutti::cpu

// SPDX-License-Identifier: Apache-2.0
