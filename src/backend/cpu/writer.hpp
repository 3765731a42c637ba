// What everything that writes LLVM IR into a function shares: blocks, numbers, conditions.
#pragma once

#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/Module.h>

#include <memory>
#include <string>
#include <vector>

namespace tutti::cpu {

class Writer {
 public:
  using Value = llvm::Value*;

 protected:
  /// A function of its own, with 512-bit vectors where the machine has them; nothing of it is written yet.
  Writer(llvm::Module& module, const std::string& name, const std::vector<llvm::Type*>& arguments)
      : m_(module), own_(std::make_unique<llvm::IRBuilder<>>(module.getContext())), b_(*own_) {
    fn_ = llvm::Function::Create(llvm::FunctionType::get(b_.getVoidTy(), arguments, false),
                                 llvm::Function::ExternalLinkage, name, m_);
    fn_->addFnAttr("prefer-vector-width", "512");
    fn_->addFnAttr("min-legal-vector-width", "512");
    fn_->addFnAttr(llvm::Attribute::NoUnwind);
  }
  /// At the end of what `builder` has written.
  explicit Writer(llvm::IRBuilder<>& builder)
      : m_(*builder.GetInsertBlock()->getModule()), b_(builder), fn_(builder.GetInsertBlock()->getParent()) {}

  llvm::BasicBlock* block(const char* name) { return llvm::BasicBlock::Create(m_.getContext(), name, fn_); }
  Value number(std::int64_t n) { return b_.getInt64(static_cast<std::uint64_t>(n)); }

  // Nothing is left of a condition that is known.
  template <class F> void when(Value condition, F body) {
    if (auto* known = llvm::dyn_cast<llvm::ConstantInt>(condition)) {
      if (known->isOne()) body();
      return;
    }
    llvm::BasicBlock *in = block("then"), *out = block("join");
    b_.CreateCondBr(condition, in, out);
    b_.SetInsertPoint(in);
    body();
    b_.CreateBr(out);
    b_.SetInsertPoint(out);
  }

  // body(i) for i from 0 to end - 1.
  template <class F> void counted(Value end, F body) {
    auto* known = llvm::dyn_cast<llvm::ConstantInt>(end);
    if (known && known->isOne()) return body(number(0));
    llvm::BasicBlock *before = b_.GetInsertBlock(), *head = block("outer"), *in = block("inside"), *out = block("past");
    b_.CreateBr(head);
    b_.SetInsertPoint(head);
    llvm::PHINode* i = b_.CreatePHI(b_.getInt64Ty(), 2);
    i->addIncoming(number(0), before);
    b_.CreateCondBr(b_.CreateICmpSLT(i, end), in, out);
    b_.SetInsertPoint(in);
    body(i);
    i->addIncoming(b_.CreateAdd(i, number(1)), b_.GetInsertBlock());
    b_.CreateBr(head);
    b_.SetInsertPoint(out);
  }

  llvm::Module& m_;

 private:
  std::unique_ptr<llvm::IRBuilder<>> own_;

 protected:
  llvm::IRBuilder<>& b_;
  llvm::Function* fn_ = nullptr;
};

}  // namespace tutti::cpu

// SPDX-License-Identifier: Apache-2.0
