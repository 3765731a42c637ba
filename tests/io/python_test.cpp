// Files of the Python packages numpy and safetensors are read here, and the other way round.
#include <cstdlib>

#include "io/random_arrays.hpp"

namespace tutti::test {
namespace {

// As `values` of python_side.py.
Array expected(DType dtype, const Shape& shape) {
  Array i = arange(shape.num_elements()).reshape(shape) % 7;
  if (dtype.is_bool()) return i % 3 == 0;
  if (dtype.is_unsigned()) return i.astype(dtype);
  if (dtype.is_integer()) return (i - 3).astype(dtype);
  if (!dtype.is_complex()) return (i.astype(float32) - 2.5).astype(dtype);
  std::vector<std::complex<float>> out;
  for (float v : i.astype(float32).to_vector<float>()) out.emplace_back(v - 2.5f, 2.f);
  return array(out, shape).astype(dtype);
}

io::Arrays npy_arrays() {
  io::Arrays out;
  for (DType dtype : file_dtypes())
    if (dtype != bfloat16 && !dtype.is_key()) out[std::string(dtype.name())] = expected(dtype, {3, 4});
  out["scalar"] = expected(float32, {});
  out["empty"] = expected(float32, {0, 5});
  out["cube"] = expected(int16, {2, 3, 4});
  return out;
}
io::Arrays tensors() {
  io::Arrays out = npy_arrays();
  out["bfloat16"] = expected(bfloat16, {3, 4});
  return out;
}
const io::Metadata metadata{{"made by", "python"}, {"ü", "\"quoted\" \\ text"}};

const std::string recorded = "tests/io/fixtures/";

TEST(Python, NpyFilesAreReadHere) {
  With64 wide;
  for (const auto& [name, x] : npy_arrays()) expect_same(io::load_npy(recorded + name + ".npy"), x, name);
  expect_same(io::load_npy(recorded + "fortran.npy"), expected(float32, {3, 4}));
  expect_same(io::load_npy(recorded + "fortran_cube.npy"), expected(int16, {2, 3, 4}));
  expect_same(io::load_npy(recorded + "big_float64.npy"), expected(float64, {3, 4}));
  expect_same(io::load_npy(recorded + "big_complex64.npy"), expected(complex64, {3, 4}));
  expect_same(io::load_npy(recorded + "complex128_vector.npy"), expected(complex128, {3}));
  expect_same(io::load_npy(recorded + "big_fortran_int16.npy"), expected(int16, {3, 4}));
  for (const char* version : {"version2", "version3"})
    expect_same(io::load_npy(recorded + version + ".npy"), expected(float32, {3, 4}), version);
}

TEST(Python, ElementsThatTuttiDoesNotHaveAreATypeError) {
  for (const char* name : {"text", "object", "record", "bfloat16"})
    EXPECT_THROW(io::load_npy(recorded + "refused_" + name + ".npy"), TypeError) << name;
}

TEST(Python, NpzAndSafetensorsFilesAreReadHere) {
  With64 wide;
  for (const char* file : {"arrays.npz", "compressed.npz"}) {
    const io::Arrays read = io::load_npz(recorded + file);
    ASSERT_EQ(read.size(), npy_arrays().size());
    for (const auto& [name, x] : npy_arrays()) expect_same(read.at(name), x, name);
  }
  const io::SafetensorsFile file(recorded + "tensors.safetensors");
  EXPECT_EQ(file.metadata(), metadata);
  ASSERT_EQ(file.names().size(), tensors().size());
  for (const auto& [name, x] : tensors()) expect_same(file.get(name), x, name);
}

// TUTTI_TEST_PYTHON names a Python that has the packages (python_side.py says how to get one).
TEST(Python, ReadsWhatIsWrittenHere) {
  const char* given = std::getenv("TUTTI_TEST_PYTHON");
  const std::string python = given ? given : "python3";
  if (std::system((python + " -c 'import numpy, safetensors, ml_dtypes' 2>/dev/null").c_str()) != 0) {
    ASSERT_FALSE(given) << python << " cannot import numpy, safetensors and ml_dtypes";
    GTEST_SKIP() << "no Python with numpy, safetensors and ml_dtypes: name one in TUTTI_TEST_PYTHON";
  }
  With64 wide;
  const Folder folder;
  for (const auto& [name, x] : npy_arrays()) io::save_npy(folder / (name + ".npy"), x);
  io::save_npz(folder / "arrays.npz", npy_arrays());
  io::save_npz(folder / "compressed.npz", npy_arrays(), {.compress = true});
  io::save_safetensors(folder / "tensors.safetensors", tensors(), metadata);
  EXPECT_EQ(std::system((python + " tests/io/python_side.py check " + folder.path()).c_str()), 0);
}

}  // namespace
}  // namespace tutti::test

// SPDX-License-Identifier: Apache-2.0
