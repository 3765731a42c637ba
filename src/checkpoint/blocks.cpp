#include "checkpoint/blocks.hpp"

#include <algorithm>
#include <cstring>

#include "io/dtypes.hpp"
#include "io/pieces.hpp"
#include "io/quoted.hpp"

namespace tutti::checkpoint::detail {
namespace {
using namespace io::detail;

// Bytes that lie together in a block and in what is read of it.
struct Run {
  std::size_t from, to, bytes;
};
// A piece of a block and the runs that have bytes in it, [first, last).
struct PieceJob {
  std::size_t piece, first, last;
};

// The runs of `part`, which lies in both regions, in the order of the block.
std::vector<Run> runs_of(const Region& part, const Region& block, const Region& wanted, std::size_t width) {
  const std::size_t ndim = part.extent.size();
  // Dims behind `split` are whole in both: their elements follow each other.
  std::size_t split = ndim, length = width;
  while (split > 0) {
    --split;
    length *= static_cast<std::size_t>(part.extent[split]);
    if (part.extent[split] != block.extent[split] || part.extent[split] != wanted.extent[split]) break;
  }
  std::vector<std::size_t> from_strides(ndim), to_strides(ndim), index(ndim);
  std::size_t from = 0, to = 0;
  for (std::size_t d = ndim, f = width, t = width; d-- > 0;) {
    from_strides[d] = f;
    to_strides[d] = t;
    f *= static_cast<std::size_t>(block.extent[d]);
    t *= static_cast<std::size_t>(wanted.extent[d]);
    from += from_strides[d] * static_cast<std::size_t>(part.start[d] - block.start[d]);
    to += to_strides[d] * static_cast<std::size_t>(part.start[d] - wanted.start[d]);
  }
  std::vector<Run> out;
  while (true) {
    out.push_back({from, to, length});
    std::size_t d = split;
    while (d-- > 0) {
      from += from_strides[d];
      to += to_strides[d];
      if (++index[d] < static_cast<std::size_t>(part.extent[d])) break;
      from -= from_strides[d] * index[d];
      to -= to_strides[d] * index[d];
      index[d] = 0;
    }
    if (d == static_cast<std::size_t>(-1)) return out;
  }
}

std::vector<PieceJob> jobs_of(const std::vector<Run>& runs, std::size_t piece_bytes) {
  std::vector<PieceJob> out;
  for (std::size_t r = 0; r < runs.size(); ++r)
    for (std::size_t p = runs[r].from / piece_bytes; p <= (runs[r].from + runs[r].bytes - 1) / piece_bytes; ++p) {
      if (out.empty() || out.back().piece != p) out.push_back({p, r, r});
      out.back().last = r + 1;
    }
  return out;
}

}  // namespace

std::vector<Block> write_blocks(const std::string& folder, const std::string& file,
                                const std::vector<SavedLeaf>& leaves, const std::vector<OwnedBlock>& blocks,
                                std::size_t piece_bytes) {
  std::vector<Block> out;
  std::vector<NamedContent> contents;
  for (const OwnedBlock& b : blocks) {
    const bool whole = b.region == Region::whole(leaves[b.leaf].shape);
    out.push_back({file, leaves[b.leaf].path + (whole ? "" : b.region.str()), b.region, {}});
    contents.push_back({out.back().name, b.content});
  }
  OutputFile to(folder + "/" + file);
  write_safetensors(
      to, contents, {{"format", "tutti checkpoint"}},
      [&](std::size_t i, std::span<const std::byte> piece) {
        out[i].sums.push_back(sum_of(piece.data(), piece.size()));
      },
      piece_bytes);
  to.sync();
  to.close();
  return out;
}

BlockReader::BlockReader(const InputFolder& folder, const Manifest& manifest) : folder_(folder), manifest_(manifest) {
  constexpr std::size_t most = 64;  // descriptors
  for (const SavedLeaf& leaf : manifest.leaves)
    for (const Block& block : leaf.blocks) {
      if (files_.size() == most) return;
      if (files_.contains(block.file)) continue;
      try {
        files_.try_emplace(block.file, folder_.file(block.file));
      } catch (const FileError&) {  // an error when something in it is asked for
        return;
      }
    }
}

const BlockReader::File& BlockReader::file_of(const std::string& name) {
  std::lock_guard lock(mutex_);
  auto at = files_.find(name);
  if (at == files_.end()) at = files_.try_emplace(name, folder_.file(name)).first;
  if (!at->second.header) at->second.header = read_safetensors_header(at->second.file);
  return at->second;
}

void BlockReader::read(const SavedLeaf& leaf, const Region& wanted, std::span<std::byte> out) {
  if (wanted.num_elements() == 0) return;
  for (const Block& block : leaf.blocks)
    if (const auto part = common(block.region, wanted)) read_block(leaf, block, *part, wanted, out);
}

void BlockReader::read_block(const SavedLeaf& leaf, const Block& block, const Region& part, const Region& wanted,
                             std::span<std::byte> out) {
  const File& from = file_of(block.file);
  const Tensor* tensor = from.header->find(block.name);
  if (!tensor)
    raise_content(from.file.path(), "it has no array " + quoted_name(block.name) + ", which the manifest names");
  if (safetensors_dtype(tensor->dtype) != stored_dtype(leaf.dtype) ||
      tensor->shape != stored_shape(leaf.dtype, block.region.extent))
    raise_content(from.file.path(), "its array " + quoted_name(block.name) + " is " + tensor->dtype +
                                        tensor->shape.str() + ", the manifest says " + std::string(leaf.dtype.name()) +
                                        block.region.extent.str());
  const std::vector<Run> runs = runs_of(part, block.region, wanted, static_cast<std::size_t>(leaf.dtype.size()));
  const auto piece_bytes = static_cast<std::size_t>(manifest_.piece_bytes);
  const std::vector<PieceJob> jobs = jobs_of(runs, piece_bytes);
  const auto total = static_cast<std::size_t>(tensor->end - tensor->begin);
  for_pieces(jobs.size(), [&](std::size_t i) {
    const PieceJob& job = jobs[i];
    const std::size_t begin = job.piece * piece_bytes, end = std::min(begin + piece_bytes, total);
    const Run& first = runs[job.first];
    // Where all of the piece is wanted as it is, it is read to its place.
    const bool straight = first.from <= begin && end <= first.from + first.bytes;
    std::vector<std::byte> aside(straight ? 0 : end - begin);
    const std::span<std::byte> bytes = straight ? out.subspan(first.to + (begin - first.from), end - begin) : aside;
    from.file.read(tensor->begin + begin, bytes);
    bytes_read_ += bytes.size();
    if (sum_of(bytes.data(), bytes.size()) != block.sums[job.piece])
      raise_content(from.file.path(), "a checksum of " + printable(leaf.path) + " differs",
                    "The file is damaged: restore another step.");
    if (straight) return;
    for (std::size_t r = job.first; r < job.last; ++r) {
      const std::size_t a = std::max(runs[r].from, begin), b = std::min(runs[r].from + runs[r].bytes, end);
      std::memcpy(out.data() + runs[r].to + (a - runs[r].from), aside.data() + (a - begin), b - a);
    }
  });
}

}  // namespace tutti::checkpoint::detail

// SPDX-License-Identifier: Apache-2.0
