// Derivatives and batches of shard_map Eqns.
#pragma once

namespace tutti {

/// Makes the rules known; called where shard_map Eqns are made.
void register_shard_map_rules();

}  // namespace tutti
