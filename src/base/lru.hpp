// A table of things that were made before, found by content. What was not used for the longest time goes first.
#pragma once

#include <cstddef>
#include <list>
#include <utility>
#include <vector>

namespace tutti {

/// Entries by hash and content. A look-up costs the same however many entries there are, and so does a new one.
///
///     LruCache<Made> made;
///     if (Made* known = made.find(hash, [&](const Made& m) { return m.key == key; })) return known->value;
///     made.insert(hash, {key, value});
///     made.shrink(1024);
///
/// References stay valid until their entry is taken out. There is no lock: who shares a table guards it.
template <class Entry> class LruCache {
 public:
  LruCache() : buckets_(8) {}
  LruCache(const LruCache&) = delete;

  std::size_t size() const { return nodes_.size(); }
  /// How many entries were compared with what was looked for, so far.
  std::size_t comparisons() const { return comparisons_; }
  /// The entry that was used last; nullptr when there is none.
  Entry* latest() { return nodes_.empty() ? nullptr : &nodes_.front().entry; }

  /// Copies of the `most` entries that were used last, the latest first.
  std::vector<Entry> latest(std::size_t most) const {
    std::vector<Entry> out;
    for (auto n = nodes_.begin(); n != nodes_.end() && out.size() < most; ++n) out.push_back(n->entry);
    return out;
  }

  /// The entry of this hash for which same(entry) holds, from now on the latest; nullptr when there is none.
  template <class Same> Entry* find(std::size_t hash, const Same& same) {
    for (Node* n = buckets_[place(hash)]; n; n = n->next) {
      if (n->hash != hash) continue;
      ++comparisons_;
      if (!same(std::as_const(n->entry))) continue;
      if (n->self != nodes_.begin()) nodes_.splice(nodes_.begin(), nodes_, n->self);
      return &n->entry;
    }
    return nullptr;
  }

  /// A new entry, the latest. That none like it is there, the caller has seen.
  Entry& insert(std::size_t hash, Entry entry) {
    if (nodes_.size() == buckets_.size()) grow();
    nodes_.push_front({std::move(entry), hash});
    Node& n = nodes_.front();
    n.self = nodes_.begin();
    n.next = std::exchange(buckets_[place(hash)], &n);
    return n.entry;
  }

  /// Takes out the least recently used entries beyond `bound`. They are handed back, so that a caller who holds a lock
  /// can let it go before they end.
  std::vector<Entry> shrink(std::size_t bound) {
    std::vector<Entry> out;
    while (nodes_.size() > bound) {
      Node& oldest = nodes_.back();
      Node** link = &buckets_[place(oldest.hash)];
      while (*link != &oldest) link = &(*link)->next;
      *link = oldest.next;
      out.push_back(std::move(oldest.entry));
      nodes_.pop_back();
    }
    return out;
  }

 private:
  struct Node {
    Entry entry;
    std::size_t hash = 0;
    Node* next = nullptr;  // in the same bucket
    typename std::list<Node>::iterator self{};
  };

  std::size_t place(std::size_t hash) const { return (hash * 0x9e3779b97f4a7c15u >> 32) & (buckets_.size() - 1); }
  void grow() {
    buckets_.assign(2 * buckets_.size(), nullptr);
    for (Node& n : nodes_) n.next = std::exchange(buckets_[place(n.hash)], &n);
  }

  std::list<Node> nodes_;       // the latest first
  std::vector<Node*> buckets_;  // a power of two, at least as many as entries
  std::size_t comparisons_ = 0;
};

}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
