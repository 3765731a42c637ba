#include "backend/cpu/fold.hpp"

#include <optional>
#include <utility>

#include "lane/vector_ir.hpp"

namespace tutti::cpu {
namespace {

using compile::Inst;
using Bin = VectorIR::Bin;
using Cmp = VectorIR::Cmp;

constexpr std::int64_t kBitsOfByte = 8;

class Folding {
 public:
  explicit Folding(KernelSpec& spec) : s_(spec) {}

  void run() {
    for (const Inst& i : s_.body.insts) {
      Inst now = i;
      for (int* o : {&now.a, &now.b, &now.c, &now.when})
        if (*o >= 0) *o = is_[static_cast<std::size_t>(*o)];
      is_.push_back(folded(now));
    }
    for (KernelSpec::Access& a : s_.accesses)
      if (a.value >= 0) a.value = is_[static_cast<std::size_t>(a.value)];
    keep_what_is_read();
  }

 private:
  int push(const Inst& i) {
    out_.push_back(i);
    return static_cast<int>(out_.size()) - 1;
  }

  const Inst& at(int r) const { return out_[static_cast<std::size_t>(r)]; }
  bool is_binary(int r, Bin op) const {
    return at(r).kind == Inst::Kind::binary && at(r).sub == static_cast<std::uint8_t>(op);
  }

  // An integer or a bool that is known: as many of its bits as the type has.
  std::optional<std::uint64_t> known(int r) const {
    const Inst& i = at(r);
    if (i.kind != Inst::Kind::constant || i.dtype.is_floating()) return std::nullopt;
    if (i.dtype.is_bool()) return i.bits != 0;
    const auto unused = 64 - kBitsOfByte * i.dtype.size();
    return static_cast<std::uint64_t>(i.bits) << unused >> unused;
  }
  std::int64_t with_sign(std::uint64_t x, DType d) const {
    const auto unused = 64 - kBitsOfByte * d.size();
    return static_cast<std::int64_t>(x << unused) >> unused;
  }

  int folded(const Inst& i) {
    if (i.kind == Inst::Kind::compare) {
      const auto x = known(i.a), y = known(i.b);
      if (x && y && !at(i.a).dtype.is_bool()) return truth(compared(static_cast<Cmp>(i.sub), at(i.a).dtype, *x, *y));
    } else if (i.kind == Inst::Kind::select) {
      if (const auto which = known(i.a)) return *which ? i.b : i.c;
    } else if (i.kind == Inst::Kind::binary && i.dtype.is_bool()) {
      const auto x = known(i.a), y = known(i.b);
      if (x && y && i.sub == static_cast<std::uint8_t>(Bin::or_)) return truth(*x || *y);
      if (x && y && i.sub == static_cast<std::uint8_t>(Bin::and_)) return truth(*x && *y);
    } else if (i.kind == Inst::Kind::binary && i.sub == static_cast<std::uint8_t>(Bin::or_)) {
      if (auto r = rotation(i.a, i.b)) return push(*r);
      if (auto r = rotation(i.b, i.a)) return push(*r);
    }
    return push(i);
  }

  int truth(bool x) { return push({.kind = Inst::Kind::constant, .dtype = bool_, .bits = x}); }
  bool compared(Cmp op, DType d, std::uint64_t x, std::uint64_t y) const {
    auto decide = [&](auto a, auto b) {
      switch (op) {
        case Cmp::eq: return a == b;
        case Cmp::ne: return a != b;
        case Cmp::lt: return a < b;
        case Cmp::le: return a <= b;
        case Cmp::gt: return a > b;
        case Cmp::ge: return a >= b;
      }
      return false;
    };
    return d.is_signed() ? decide(with_sign(x, d), with_sign(y, d)) : decide(x, y);
  }

  // left = x << n and right = x >> width - n: x turned to the left.
  std::optional<Inst> rotation(int left, int right) const {
    if (!is_binary(left, Bin::shl) || !is_binary(right, Bin::shr_logical) || at(left).a != at(right).a)
      return std::nullopt;
    const auto n = known(at(left).b), rest = known(at(right).b);
    const auto width = static_cast<std::uint64_t>(kBitsOfByte * at(left).dtype.size());
    if (!n || !rest || *n == 0 || *n >= width || *n + *rest != width) return std::nullopt;
    return Inst{
        .kind = Inst::Kind::rotate, .dtype = at(left).dtype, .a = at(left).a, .bits = static_cast<std::int64_t>(*n)};
  }

  void keep_what_is_read() {
    std::vector<char> read(out_.size(), 0);
    for (const KernelSpec::Access& a : s_.accesses)
      if (a.value >= 0) read[static_cast<std::size_t>(a.value)] = 1;
    for (std::size_t r = out_.size(); r-- > 0;)
      for (int o : {out_[r].a, out_[r].b, out_[r].c, out_[r].when})
        if (read[r] && o >= 0) read[static_cast<std::size_t>(o)] = 1;
    std::vector<int> place(out_.size(), -1);
    std::vector<Inst>& kept = s_.body.insts;
    kept.clear();
    for (std::size_t r = 0; r < out_.size(); ++r) {
      if (!read[r]) continue;
      Inst i = out_[r];
      for (int* o : {&i.a, &i.b, &i.c, &i.when})
        if (*o >= 0) *o = place[static_cast<std::size_t>(*o)];
      place[r] = static_cast<int>(kept.size());
      kept.push_back(i);
    }
    for (KernelSpec::Access& a : s_.accesses)
      if (a.value >= 0) a.value = place[static_cast<std::size_t>(a.value)];
  }

  KernelSpec& s_;
  std::vector<Inst> out_;
  std::vector<int> is_;  // by register that came in: the one that stands for it
};

}  // namespace

void fold(KernelSpec& spec) { Folding(spec).run(); }

}  // namespace tutti::cpu

// SPDX-License-Identifier: Apache-2.0
