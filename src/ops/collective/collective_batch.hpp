// How collectives are batched: over an axis that they do not name, and over one that they do (then nothing is sent any
// more).
#pragma once

#include "ops/collective/collective.hpp"

namespace tutti::ops {

Batched batch_reduce(const Call& c, const std::vector<Array>& x, const std::vector<bool>& mapped,
                     const BatchAxis& axis);
Batched batch_pvary(const Call& c, const std::vector<Array>& x, const std::vector<bool>& mapped, const BatchAxis& axis);
Batched batch_gather(const Call& c, const std::vector<Array>& x, const std::vector<bool>& mapped,
                     const BatchAxis& axis);
Batched batch_scatter(const Call& c, const std::vector<Array>& x, const std::vector<bool>& mapped,
                      const BatchAxis& axis);
Batched batch_permute(const Call& c, const std::vector<Array>& x, const std::vector<bool>& mapped,
                      const BatchAxis& axis);
Batched batch_exchange(const Call& c, const std::vector<Array>& x, const std::vector<bool>& mapped,
                       const BatchAxis& axis);
Batched batch_index(const Call& c, const std::vector<Array>& x, const std::vector<bool>& mapped, const BatchAxis& axis);

}  // namespace tutti::ops
