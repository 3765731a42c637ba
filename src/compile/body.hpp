// The body of a loop kernel as recorded instructions: what the homes of elementwise ops say, independent of any code
// generator.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "lane/vector_ir.hpp"
#include "tutti/array/array.hpp"

namespace tutti::compile {

struct Inst {
  enum class Kind : std::uint8_t {
    load,
    constant,
    unary,
    binary,
    compare,
    select,
    fma,
    convert,
    bitcast,
    narrow,
    library,
    rare,
    rotate  // to the left; only where machine code is made
  };
  Kind kind = Kind::load;
  std::uint8_t sub = 0;        // VectorIR::Un, Bin or Cmp; narrow and bitcast: the DType::Kind of a 16-bit float;
                               // constant: 1 for a literal of the program, which may differ in the next one
  DType dtype;                 // of the result; 16-bit floats are held as float32
  int a = -1, b = -1, c = -1;  // operands, as indices of instructions
  std::int64_t bits = 0;       // constant: its bits (floats as a double's); load: number of the access;
                               // rotate: by how many
  const char* name = nullptr;  // library
  int when = -1;               // a condition: it may be skipped where no lane of that holds (VectorIR)
  friend bool operator==(const Inst&, const Inst&) = default;
  friend auto operator<=>(const Inst& x, const Inst& y) {
    auto key = [](const Inst& i) {
      return std::tuple(i.kind, i.sub, i.dtype.kind(), i.a, i.b, i.c, i.bits, i.name, i.when);
    };
    return key(x) <=> key(y);
  }
};

struct Body {
  std::vector<Inst> insts;
  /// `r3:float32 = mul r1 r2`, one a line.
  std::string str() const;
};

/// Records a Body. Equal instructions become one.
class Recorder final : public VectorIR {
 public:
  /// Element of access number `access`, of stored type `dtype`.
  Reg load(int access, DType dtype);
  /// A literal of the program, as a constant.
  Reg literal(const Scalar& value);
  /// The value as an array of `dtype` holds it: rounded when dtype is a 16-bit float.
  Reg stored(Reg x, DType dtype);
  Body take() { return std::move(body_); }
  std::size_t size() const { return body_.insts.size(); }

  Reg constant(DType dtype, double value) override;
  Reg constant_int(DType dtype, std::int64_t value) override;
  Reg unary(Un op, Reg x) override;
  Reg binary(Bin op, Reg x, Reg y) override;
  Reg compare(Cmp op, Reg x, Reg y) override;
  Reg select(Reg condition, Reg if_true, Reg if_false) override;
  Reg fma(Reg a, Reg b, Reg c) override;
  Reg convert(Reg x, DType dtype) override;
  Reg bitcast(Reg x, DType dtype) override;
  Reg library(const char* name, Reg x) override;
  Reg library(const char* name, Reg x, Reg y) override;
  Reg library(const char* name, Reg x, Reg y, Reg z) override;
  Reg rare(Reg condition, const char* name, Reg x, Reg otherwise) override;
  void begin_unlikely(Reg condition) override { when_ = condition.id; }
  void end_unlikely() override { when_ = -1; }

 private:
  Reg push(Inst i);
  Body body_;
  int when_ = -1;
  std::map<Inst, int> known_;
  std::map<int, DType> narrow_;  // registers that hold a 16-bit float
};

/// The type a value of `dtype` has in registers.
DType register_type(DType dtype);

}  // namespace tutti::compile

// SPDX-License-Identifier: Apache-2.0
