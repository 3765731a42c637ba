#include "tutti/transform/eval_shape.hpp"

#include <ostream>

#include "trace/trace.hpp"

namespace tutti {

ShapeDtypeStruct::operator Array() const {
  auto nowhere = std::make_shared<Trace>(Trace::Mode::staged, "a ShapeDtypeStruct", Loc{});
  return nowhere->input(Type{dtype, shape, false, {}});
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
