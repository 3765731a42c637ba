#include "checkpoint/ownership.hpp"

#include <algorithm>
#include <cstring>

#include "array/node.hpp"
#include "distributed/agree.hpp"
#include "mesh/places.hpp"
#include "tutti/distributed/distributed.hpp"
#include "tutti/io/file_error.hpp"

namespace tutti::checkpoint::detail {

Part part_of_this_process(const io::detail::Leaves& leaves) {
  Part out{"arrays.safetensors", {}};
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    const Array x = multihost::process_allgather(leaves[i].second);
    if (process_index() == 0) out.blocks.push_back({i, Region::whole(x.shape()), io::detail::content_of(x)});
  }
  return out;
}

Region region_for_this_process(const Array& like) {
  const std::optional<Held> held = like.is_traced() ? std::nullopt : held_of(like.node()->sharding, like.shape());
  return held ? Region{held->box.start, held->box.shape()} : Region::whole(like.shape());
}

void as_the_first(std::exception_ptr& failure) {
  if (process_count() == 1) return;
  constexpr std::size_t kText = 2048;
  std::string text(kText, '\0');
  try {
    if (failure) std::rethrow_exception(failure);
  } catch (const std::exception& e) {
    text.replace(0, std::min(kText - 1, std::strlen(e.what())), std::string(e.what()).substr(0, kText - 1));
  }
  text.resize(kText);
  text = distributed::broadcast_bytes(text, 0, "a checkpoint");
  if (process_index() > 0 && text[0] != '\0') failure = std::make_exception_ptr(FileError(text.c_str()));
}

}  // namespace tutti::checkpoint::detail
