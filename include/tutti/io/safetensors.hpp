// The safetensors format: named arrays behind a JSON header, as most published weights come.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tutti/array/array.hpp"
#include "tutti/io/npy.hpp"

namespace tutti::io {

/// Texts by name that a safetensors file carries beside its arrays.
using Metadata = std::map<std::string, std::string>;

/// Writes arrays by name, row-major. A file that is there already is replaced when the new one is complete. Random keys
/// are written as uint32[..., 2]. Throws FileError. Source: safetensors.numpy.save_file.
///
///     io::save_safetensors("weights.safetensors", {{"w", w}, {"b", b}}, {{"made by", "me"}});
void save_safetensors(const std::string& path, const Arrays& arrays, const Metadata& metadata = {},
                      Loc loc = Loc::current());

/// All arrays of such a file. While x64 is off, 64-bit numbers are narrowed as by `array`. Throws FileError; ValueError
/// for a file that is damaged or is not of this format; TypeError for elements that tutti does not have (4-bit
/// floats and the like). Source: safetensors.numpy.load_file.
Arrays load_safetensors(const std::string& path, Loc loc = Loc::current());

/// An open safetensors file: opening reads and checks its header, asking for an array reads the bytes of that one.
/// Copies share the file; several threads may ask. Source: safetensors.safe_open.
///
///     io::SafetensorsFile file("weights.safetensors");
///     for (const std::string& name : file.names()) std::cout << name << ' ' << file.shape(name) << '\n';
///     Array w = file.get("w");
///
/// Threads: one at a time uses an object.
class SafetensorsFile {
 public:
  explicit SafetensorsFile(const std::string& path, Loc loc = Loc::current());
  /// Sorted.
  const std::vector<std::string>& names() const;
  const Metadata& metadata() const;
  bool has(const std::string& name) const;
  /// Type of an array, without reading it. Throw ValueError for an unknown name; dtype throws TypeError for one
  /// that tutti does not have.
  const Shape& shape(const std::string& name, Loc loc = Loc::current()) const;
  DType dtype(const std::string& name, Loc loc = Loc::current()) const;
  /// Reads an array; throws as load_safetensors.
  Array get(const std::string& name, Loc loc = Loc::current()) const;

 private:
  struct Open;
  std::shared_ptr<const Open> open_;
};

}  // namespace tutti::io

// SPDX-License-Identifier: Apache-2.0
