// Prefix trees of the types that options have.
#include "tutti/transform/prefix.hpp"

namespace tutti {

template class TreeOf<bool>;
template class TreeOf<int>;
template class TreeOf<PartitionSpec>;
template class TreeOf<Sharding>;

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
