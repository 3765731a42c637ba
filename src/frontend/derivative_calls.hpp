// What the calls of grad, jvp, linearize, vjp and Jacobians share.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "frontend/call.hpp"

namespace tutti::detail {

/// A tangent or cotangent as the value's type has it: a weak number takes the dtype, anything else must fit.
Array fit(const Array& given, const Type& like, const char* what, const std::string& of, Loc made);
/// The types of leaves `first` to `last`, as errors say them.
std::string types_text(const CallArrays& args, std::size_t first, std::size_t last);
const char* tangents_advice(const std::string& what);
/// Every leaf.
std::vector<bool> everything(const CallArrays& args);

/// A function at a point, and the linear map that is its derivative there.
struct Halves {
  std::vector<Array> results, residuals;
  Linearized lin;
  std::vector<std::optional<Type>> in, out;  // types of leaves and results that have tangents
  std::string result;                        // the types of all results, as errors say them
};
Halves halves(const CallArrays& args, const std::vector<bool>& wanted, const Body& body, const char* what, Loc made);
/// The linear half backwards: from residuals and cotangents of the results that depend on the leaves.
Transposed transpose_half(const Linearized& lin);

}  // namespace tutti::detail

// SPDX-License-Identifier: Apache-2.0
