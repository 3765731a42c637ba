#include "backend/cpu/abreast.hpp"

#include <llvm/IR/InlineAsm.h>

#include <string>
#include <utility>

namespace tutti::cpu {

namespace {
constexpr int kRowsAtOnce = 4;
constexpr unsigned kWholeRegister = 512;  // bits
}  // namespace

Frame::Value Abreast::map_groups() {
  return counted(number(0), rows_, kRowsAtOnce, [&](Value first) {
    std::vector<std::pair<std::vector<Value>, std::vector<Value>>> rows;  // addresses, and registers
    for (int r = 0; r < kRowsAtOnce; ++r) {
      begin_row(b_.CreateAdd(first, number(r)));
      rows.emplace_back(current_, row_values_);
    }
    auto at = [&](Value column, Value mask) {
      std::vector<Value> before;
      for (const auto& [current, row_values] : rows) {
        current_ = current;
        row_values_ = row_values;
        before = map_below(before, column, mask);
      }
    };
    Value done = counted(number(0), columns_, lanes_.count, [&](Value column) { at(column, nullptr); });
    when(b_.CreateICmpSLT(done, columns_), [&] { at(done, mask_of(b_.CreateSub(columns_, done))); });
  });
}

std::vector<Frame::Value> Abreast::map_below(const std::vector<Value>& before, Value column, Value mask) {
  std::vector<Value> values = row_values_, found(s_.accesses.size(), nullptr);
  for (std::size_t r = 0; r < values.size(); ++r) {
    const compile::Inst& i = s_.body.insts[r];
    if (uniform_[r]) continue;
    const bool is_load = i.kind == compile::Inst::Kind::load;
    const auto access = static_cast<std::size_t>(is_load ? i.bits : 0);
    const int above = is_load ? s_.accesses[access].above : -1;
    Value known = above >= 0 && !before.empty() ? before[static_cast<std::size_t>(above)] : nullptr;
    values[r] = known ? known : value(r, values, column, mask);
    if (is_load) found[access] = values[r];
  }
  stores(values, column, mask);
  return found;
}

bool Abreast::keep_abreast(std::vector<std::vector<Value>>& values, std::size_t r, const std::vector<std::size_t>& last,
                           std::size_t room) {
  std::vector<Value*> alive;
  for (std::vector<Value>& of_vector : values)
    for (std::size_t k = 0; k <= r; ++k)
      if (!uniform_[k] && last[k] > r && of_vector[k]) alive.push_back(&of_vector[k]);
  if (alive.size() > room) return false;
  for (const Value* v : alive)
    if ((*v)->getType()->getScalarSizeInBits() != kWholeRegister / kLanes) return false;
  std::vector<llvm::Type*> types;
  std::vector<Value> given;
  std::string out, in;
  for (std::size_t k = 0; k < alive.size(); ++k) {
    types.push_back((*alive[k])->getType());
    given.push_back(*alive[k]);
    out += k ? ",=v" : "=v";
    in += "," + std::to_string(k);
  }
  if (types.size() < 2) return false;
  llvm::Type* all = llvm::StructType::get(b_.getContext(), types);
  Value held =
      b_.CreateCall(llvm::InlineAsm::get(llvm::FunctionType::get(all, types, false), "", out + in, false), given);
  for (std::size_t k = 0; k < alive.size(); ++k) *alive[k] = b_.CreateExtractValue(held, static_cast<unsigned>(k));
  return true;
}

}  // namespace tutti::cpu

// SPDX-License-Identifier: Apache-2.0
