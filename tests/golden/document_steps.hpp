// The five documents, step by step: what a step of documents.json gives when it is done with tutti.
#pragma once

#include <map>
#include <memory>
#include <regex>

#include "golden/golden.hpp"

namespace golden {

struct StepResult {
  std::map<std::string, json> values;
  std::map<std::string, tutti::Array> placed;  // results whose shardings are compared
  std::map<std::string, double> spread{};      // by how much a change of the inputs in their last bits moves a value
};

/// A document in one layout of random numbers. Its steps come in order; what a later one needs is kept.
class Document {
 public:
  virtual ~Document() = default;
  /// What the step prints goes to std::cout. Throws Unknown when there is no such step.
  virtual StepResult step(const std::string& what, const json& test) = 0;
  /// A step in which tutti does something else than JAX: does it, throws Mismatch unless it is what differences.md
  /// says, and returns true.
  virtual bool instead(const std::string& what, const json& test) = 0;
};
std::unique_ptr<Document> equinox_document();  // S0
std::unique_ptr<Document> arrays_document();   // S1
std::unique_ptr<Document> pmap_document();     // S2
std::unique_ptr<Document> sharded_document();  // S3
std::unique_ptr<Document> flax_document();     // S4

/// Throws Mismatch.
void expect_that(bool holds, const std::string& otherwise);

/// {"dtype", "shape", "data"}.
json json_of(const tutti::Array& x);
/// The groups of `pattern` in `text`; empty when it does not match as a whole.
std::vector<std::string> match(const std::string& text, const std::string& pattern);
/// The text of a conflict of devices as the documents have it: the operation's arguments are x1 and x2.
std::string document_words(const std::string& text);
/// P(...) as Python writes it: `P(('a','b'),None)`.
tutti::PartitionSpec spec_of_text(const std::string& text);

}  // namespace golden

// SPDX-License-Identifier: Apache-2.0
