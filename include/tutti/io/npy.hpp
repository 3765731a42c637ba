// NumPy's files: one array (.npy), or several by name in a zip archive (.npz).
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "tutti/array/array.hpp"
#include "tutti/io/file_error.hpp"

namespace tutti::io {

/// Arrays by name. A tree, as every map is.
using Arrays = std::map<std::string, Array>;

/// Writes one array, row-major, little-endian. A file that is there already is replaced when the new one is complete.
/// Random keys are written as uint32[..., 2]. Throws TypeError for bfloat16, which NumPy does not have, FileError.
/// Source: numpy.save.
void save_npy(const std::string& path, const Array& x, Loc loc = Loc::current());

/// The array of such a file, of either byte order and either order of elements. While x64 is off, 64-bit numbers are
/// narrowed as by `array`: an integer that does not fit is a ValueError. Throws FileError; ValueError for a file that
/// is damaged or is not of this format; TypeError for elements that tutti does not have (text, records, dates, Python
/// objects). Of a file that several calls of numpy.save have written one after the other it is the first; what stands
/// behind it is not read. Source: numpy.load.
Array load_npy(const std::string& path, Loc loc = Loc::current());

/// All arrays of a file that several calls of numpy.save have written one after the other. Zeros behind the last one
/// are padding; anything else there is a ValueError. Throws as load_npy. Source: numpy.load of an open file.
///
///     // Python: with open("ab.npy", "wb") as f: np.save(f, a); np.save(f, b)
///     std::vector<Array> ab = io::load_npy_all("ab.npy");
std::vector<Array> load_npy_all(const std::string& path, Loc loc = Loc::current());

struct NpzOptions {
  bool compress = false;  // deflate: smaller for much of what is not random, and many times slower
};
/// Writes arrays by name; the rest as save_npy. Throws ValueError for a name that the archive could not give back: with
/// a NUL byte, longer than 65,531 bytes, or not UTF-8. Source: numpy.savez, numpy.savez_compressed.
///
///     io::save_npz("data.npz", {{"x", x}, {"labels", y}});
void save_npz(const std::string& path, const Arrays& arrays, const NpzOptions& options = {}, Loc loc = Loc::current());

/// All arrays of such a file: of its members those whose names end in .npy, of equal names the last. Throws as
/// load_npy.
Arrays load_npz(const std::string& path, Loc loc = Loc::current());

/// An open .npz file: opening reads its directory, asking for an array reads that one. Copies share the file; several
/// threads may ask. Source: numpy.lib.npyio.NpzFile.
/// Threads: one at a time uses an object.
class NpzFile {
 public:
  explicit NpzFile(const std::string& path, Loc loc = Loc::current());
  /// Names of the arrays: sorted, without ".npy".
  const std::vector<std::string>& names() const;
  /// Names of the members that do not end in ".npy", sorted.
  const std::vector<std::string>& others() const;
  /// Reads an array. Throws ValueError for a name that is not there, and for a member whose compression cannot be read
  /// (stored, deflate and what libzip was built with can), and as load_npy.
  Array get(const std::string& name, Loc loc = Loc::current()) const;
  /// The bytes of any member, an array's under its name with ".npy". Throws as get.
  std::string bytes(const std::string& member, Loc loc = Loc::current()) const;

 private:
  struct Open;
  std::shared_ptr<Open> open_;
};

}  // namespace tutti::io

// SPDX-License-Identifier: Apache-2.0
