#include "tutti/mesh/mesh.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <iostream>
#include <sstream>

#include "mesh/samples.hpp"
#include "tutti/base/error.hpp"

namespace tutti {
namespace {

template <class T> std::string printed(const T& value) {
  std::ostringstream out;
  out << value;
  return out.str();
}

TEST(Device, IsAValueThatPrints) {
  Device d(3);
  EXPECT_EQ(printed(d), "CpuDevice(id=3)");
  EXPECT_EQ(d.platform(), "cpu");
  EXPECT_EQ(d.device_kind(), "cpu");
  EXPECT_EQ(d.process_index(), 0);
  EXPECT_EQ(d, Device(3));
  EXPECT_LT(Device(2), d);
  EXPECT_EQ(printed(std::vector<Device>{Device(0), Device(1)}), "[CpuDevice(id=0), CpuDevice(id=1)]");
  EXPECT_EQ(printed(std::set<Device>{Device(0)}), "{CpuDevice(id=0)}");
  EXPECT_EQ(Device(1, "gpu", "H100").str(), "CudaDevice(id=1)");
}

TEST(Mesh, IsMadeInEveryWayOfTheManual) {
  set_cpu_devices(8);
  Mesh mesh = make_mesh({4, 2}, {"x", "y"});
  EXPECT_EQ(mesh, Mesh({{"x", 4}, {"y", 2}}));
  EXPECT_EQ(mesh, (Mesh{{"x", 4}, {"y", 2}}));
  EXPECT_EQ(mesh, Mesh(devices(), {4, 2}, {"x", "y"}));
  EXPECT_EQ(mesh, Mesh(mesh_utils::create_device_mesh({4, 2}), {"x", "y"}));
  EXPECT_EQ(mesh, Mesh(std::vector<MeshAxis>{{"x", 4}, {"y", 2}}));
  auto devs = devices();
  Mesh first({devs.begin(), devs.begin() + 4}, "x"), second({devs.begin() + 4, devs.end()}, "x");
  EXPECT_NE(first, second);
  EXPECT_EQ(first.size(), 4);
  EXPECT_EQ(second.device_list()[0], Device(4));
  std::size_t n = 2;
  EXPECT_EQ(make_mesh({n, 4}, {"a", "b"}).shape(), (Shape{2, 4}));
  set_cpu_devices(12);
  EXPECT_EQ(device_count(), 12);
  EXPECT_EQ(local_devices().size(), 12u);
  EXPECT_EQ(make_mesh({4, 2}, {"x", "y"}), mesh) << "ids never change";
  set_cpu_devices(8);
}

TEST(Mesh, AnswersByName) {
  Mesh mesh = samples::mesh({4, 2});
  EXPECT_EQ(mesh.size("x"), 4);
  EXPECT_EQ(mesh.axis_index("y"), 1);
  EXPECT_EQ(mesh.axis_index("z"), -1);
  EXPECT_THROW(mesh.size("z"), ValueError);
  EXPECT_EQ(mesh.str(), "Mesh('x': 4, 'y': 2, axis_types=(Auto, Auto))");
  EXPECT_EQ(samples::mesh({8}).repr(), "Mesh(axis_sizes=(8,), axis_names=('x',), axis_types=(Auto,))");
  EXPECT_EQ(mesh.devices().shape(), (Shape{4, 2}));
}

TEST(Mesh, EqualMeshesAreOne) {
  EXPECT_EQ(samples::mesh({4, 2}).node(), samples::mesh({4, 2}).node());
  EXPECT_EQ(samples::mesh({4, 2}).hash(), samples::mesh({4, 2}).hash());
  EXPECT_NE(samples::mesh({4, 2}), samples::mesh({2, 4}));
  EXPECT_NE(Mesh(samples::devices(2), "x"), Mesh(samples::devices(2), "y"));
  EXPECT_NE(Mesh({Device(0), Device(1)}, "x"), Mesh({Device(1), Device(0)}, "x"));
  EXPECT_FALSE(Mesh().has_value());
  EXPECT_EQ(Mesh(), Mesh());
  EXPECT_THROW(Mesh().size(), ValueError);
}

TEST(Mesh, RefusesWhatCannotBeAMesh) {
  EXPECT_THROW(Mesh(samples::devices(8), {"x", "y"}), ValueError);
  EXPECT_THROW(Mesh(samples::devices(8), {4, 2}, "x"), ValueError);
  EXPECT_THROW(Mesh(samples::devices(8), {4, 3}, {"x", "y"}), ValueError);
  EXPECT_THROW(Mesh(samples::devices(4), {2, 2}, {"x", "x"}), ValueError);
  EXPECT_THROW(Mesh(samples::devices(2), ""), ValueError);
  EXPECT_THROW(Mesh(samples::devices(0), "x"), ValueError) << "zero-size axis";
  EXPECT_THROW(make_mesh({0, 2}, {"x", "y"}), ValueError);
  EXPECT_THROW(make_mesh({-4, -2}, {"x", "y"}), ValueError);
  EXPECT_THROW(Mesh({Device(0), Device(0)}, "x"), DeviceError);
  EXPECT_THROW(make_mesh({4}, "x", samples::devices(2)), DeviceError);
  EXPECT_THROW(mesh_utils::create_device_mesh({2}, samples::devices(4)), DeviceError);
  EXPECT_THROW(set_cpu_devices(0), ValueError);
  EXPECT_THROW(DeviceGrid(samples::devices(8), {3, 2}), ValueError);
}

// Each in a process of its own, in which nobody has asked for devices yet.
class DevicesDeathTest : public testing::Test {
 protected:
  DevicesDeathTest() { testing::FLAGS_gtest_death_test_style = "threadsafe"; }
};

int check(bool good) { return good ? 0 : 1; }

TEST_F(DevicesDeathTest, AppearOnDemand) {
  EXPECT_EXIT(
      {
        unsetenv("TUTTI_CPU_DEVICES");
        bool good = device_count() == 1;
        make_mesh({4, 2}, {"x", "y"});
        good = good && device_count() == 8 && make_mesh({2}, "x").size() == 2 && device_count() == 8;
        good = good && mesh_utils::create_device_mesh({2, 2}).size() == 4 &&
               mesh_utils::create_device_mesh({3, 4}).size() == 12;
        std::exit(check(good && device_count() == 12));
      },
      testing::ExitedWithCode(0), "");
}

TEST_F(DevicesDeathTest, AreNotAddedForAMeshThatIsRefused) {
  EXPECT_EXIT(
      {
        unsetenv("TUTTI_CPU_DEVICES");
        bool thrown = false;
        try {
          make_mesh({4, 2}, "x");
        } catch (const ValueError&) {
          thrown = true;
        }
        std::exit(check(thrown && device_count() == 1));
      },
      testing::ExitedWithCode(0), "");
}

TEST_F(DevicesDeathTest, AreFixedByTheEnvironment) {
  EXPECT_EXIT(
      {
        setenv("TUTTI_CPU_DEVICES", "4", 1);
        bool thrown = false;
        try {
          make_mesh({8}, "x");
        } catch (const DeviceError& e) {
          thrown = std::string(e.what()).find("set_cpu_devices(8)") != std::string::npos;
        }
        std::exit(check(thrown && device_count() == 4));
      },
      testing::ExitedWithCode(0), "");
  EXPECT_EXIT(
      {
        setenv("TUTTI_CPU_DEVICES", "many", 1);
        bool thrown = false;
        try {
          devices();
        } catch (const ValueError&) {
          thrown = true;
        }
        std::exit(check(thrown));
      },
      testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
