// Programs of one op from its samples, and host values for them: what the generic properties run on.
#pragma once

#include <random>
#include <string>
#include <vector>

#include "device/buffer.hpp"
#include "ir/op.hpp"
#include "ir/program.hpp"

namespace tutti::testing {

/// One sample of one op, named for messages.
struct Case {
  const Op* op;
  const Sample* sample;
  std::string name() const;
};
/// All samples of all ops that stand alone (collectives need a mesh).
std::vector<Case> all_cases();

/// float32 operands become float64, so that finite differences have digits to work with.
std::vector<Type> operand_types(const Sample& sample, bool in_double);
/// One Eqn: the op on inputs of these types.
Program program_of(const Op& op, const Sample& sample, const std::vector<Type>& operands);

/// Random values of a type: floats uniform in the sample's domain, integers rounded.
BufferPtr random_values(const Type& type, const Sample& sample, std::mt19937_64& random);
/// Random operands of these types for a case, as its op takes them: vectors that are searched are in order.
std::vector<BufferPtr> random_operands(const Case& c, const std::vector<Type>& types, std::mt19937_64& random);
/// Elements as doubles (bools and integers too), and back.
std::vector<double> to_doubles(const BufferPtr& buffer, const Type& type);
BufferPtr from_doubles(const std::vector<double>& values, const Type& type);
/// Row `i` of the leading dim of `buffer`, whose rows have this type; the opposite of stacked.
BufferPtr row(const BufferPtr& buffer, const Type& row_type, std::int64_t i);
BufferPtr stacked(const std::vector<BufferPtr>& rows, const Type& row_type);

/// Distance in units in the last place of `want` in that dtype; 0 for equal values and for two NaNs.
double ulps(double got, double want, DType dtype);

}  // namespace tutti::testing

// SPDX-License-Identifier: Apache-2.0
