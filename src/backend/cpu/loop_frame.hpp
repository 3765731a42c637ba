// What a function for a whole loop is made of: memory of its own, and loop nests over it.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "backend/cpu/frame.hpp"
#include "backend/cpu/loop_rows.hpp"
#include "backend/cpu/writer.hpp"

namespace tutti::cpu {

class LoopFrame : protected Writer {
 public:
  using Writer::Value;
  /// `rows`: the function makes `count` rows, from the one that its second argument says; nullptr: it makes all.
  LoopFrame(llvm::Module& module, const std::string& name, bool wide, const LoopRows* rows, std::int64_t count);

 protected:
  /// Where a storage lies; `own`: in memory of the function, in which whole vectors have room.
  struct Place {
    Value at = nullptr;
    bool own = false;
    std::int64_t bytes = 0;  // where own
  };
  using Places = std::vector<Place>;  // by storage of one Plan

  Value moved(Value at, Value bytes) { return b_.CreateGEP(b_.getInt8Ty(), at, bytes); }
  Value moved(Value at, std::int64_t bytes) { return bytes ? moved(at, number(bytes)) : at; }
  void copy(Value to, Value from, std::int64_t bytes);

  /// Memory of the function, zero at first: lanes that nothing is stored in are numbers, too.
  Place own(std::int64_t bytes);
  static std::int64_t whole_vectors(std::int64_t bytes) { return (bytes + kVector - 1) / kVector * kVector; }
  /// A value that does not change, where it can be read in whole vectors.
  Place brought(const Place& from, std::int64_t bytes);
  /// Storages of a Plan that are neither inputs nor outputs. `slab`: where its larger temporaries lie. `bytes`: of a
  /// storage, as much as this function holds of it.
  Places places(const compile::Plan& plan, Value slab, const std::function<std::int64_t(int)>& bytes);
  /// Temporaries that lie in the memory of outputs.
  static void place_in_outputs(const compile::Plan& plan, Places& at);
  /// All of one loop nest; where the function makes some rows, and `dim` is not -1: those rows of it.
  void nest(const compile::Plan& plan, const compile::Stage& stage, const compile::Loop& loop, int dim,
            const Places& at);

  static constexpr std::int64_t kLocal = 512;   // bytes of a storage that is memory of the function
  static constexpr std::int64_t kVector = 128;  // bytes of 16 elements, of any type at most

  bool wide_;
  const LoopRows* rows_;
  std::int64_t count_;
  llvm::BasicBlock* entry_ = nullptr;
  Value row_ = nullptr;

 private:
  void outer(const run::Nest& nest, const KernelSpec& spec, Inlined in, std::size_t d, std::vector<Value> index);
};

}  // namespace tutti::cpu

// SPDX-License-Identifier: Apache-2.0
