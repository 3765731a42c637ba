#include "tutti/transform/eval_shape.hpp"

#include <ostream>

#include "mesh/checks.hpp"
#include "trace/trace.hpp"

namespace tutti {

Array make_stand_in(Type type, Sharding sharding) {
  auto nowhere = std::make_shared<Trace>(Trace::Mode::staged, "a ShapeDtypeStruct", Loc{});
  auto node = std::make_shared<ArrayNode>();
  node->type = std::move(type);
  node->committed = sharding.has_value();
  node->sharding = std::move(sharding);
  node->stand_in = true;
  node->value = nowhere->input(node->type).node()->value;
  node->trace = std::move(nowhere);
  return Array(std::move(node));
}

ShapeDtypeStruct::operator Array() const {
  if (sharding.has_value()) check_rank(sharding, shape, {"ShapeDtypeStruct", "an array"});
  return make_stand_in(Type{dtype, shape, false, {}}, sharding);
}
std::string ShapeDtypeStruct::str() const { return Type{dtype, shape, false, {}}.str(); }
std::ostream& operator<<(std::ostream& out, const ShapeDtypeStruct& x) { return out << x.str(); }

namespace detail {

struct ShapeCall::Recorded {
  std::shared_ptr<Trace> trace;
  TraceScope scope{trace};
};

ShapeCall::ShapeCall(Loc loc)
    : recorded_(new Recorded{std::make_shared<Trace>(Trace::Mode::staged, "eval_shape", loc)}) {}
ShapeCall::~ShapeCall() = default;

Array ShapeCall::input(const Array& x) const { return recorded_->trace->input(x.type()); }

}  // namespace detail
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
