// What all processes must have in common, compared before it is relied on.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tutti/mesh/sharding.hpp"

namespace tutti::distributed {

/// Bytes from each process, on every one. As many from each.
std::vector<std::string> all_gather_bytes(const std::string& mine, const std::string& what);
/// The bytes that process `source` has; as many everywhere.
std::string broadcast_bytes(const std::string& mine, int source, const std::string& what, int channel = 0);

/// A channel (run/transport.hpp) for one thing that goes on beside programs: the same on all processes, which ask
/// alike.
int next_channel();
/// Texts of any lengths: on process 0 those of all, on the others none.
std::vector<std::string> gather_texts(const std::string& mine, const std::string& what, int channel);
/// The text of process 0, of any length.
std::string text_of_the_first(const std::string& mine, const std::string& what, int channel);
/// The texts of all, by process, on every one; they may differ. What is compared first is a hash, so that nothing more
/// is sent where all are equal. DistributedError, on all, where another process is in another operation.
std::vector<std::string> texts_of_all(const std::string& text, const char* operation, const std::string& what);
/// DistributedError on all processes when two have different texts: what `said` of each, and the first line in which
/// this process and the next one that differs are apart. Gives back a hash of the text.
std::uint64_t check_same(const std::string& text, const char* operation, const std::string& what);

/// Whether TUTTI_CHECK=processes asks to compare at each call, and there are several.
bool compares_all();
/// A sharding as all processes must have it: with its devices in their order.
std::string described(const Sharding& sharding);
/// Of bytes that all processes must have alike.
std::string hash_text(const void* bytes, std::size_t size);

}  // namespace tutti::distributed

// SPDX-License-Identifier: Apache-2.0
