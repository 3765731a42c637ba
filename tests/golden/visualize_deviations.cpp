// visualize.json: programs whose result tutti places otherwise than JAX (the reasons: differences.md).
#include "golden/golden.hpp"
#include "golden/sharding_cases.hpp"

namespace golden {
namespace {

const Deviations visualize_deviations(
    {"cases", "programs", "ansi"}, "programs",
    {
        {"pmap_row",
         [](const json& test) {
           set_cpu_devices(64);
           Array all = pmap([](const Array&v) { return v * 2; })(ones({8, 3})), row = all[1];
           if (row.sharding() != SingleDeviceSharding(devices()[1]) || row.committed())
             throw Mismatch("the row lies on " + row.sharding().str());
           if (row.to_vector<float>() != std::vector<float>(3, 2)) throw Mismatch("the row has other values");
           std::string theirs = debug::sharding_text(row.shape(), NamedSharding(mesh_8(), P()));
           if (test.at("text") != theirs) throw Mismatch("JAX's picture is not that of copies on 8 devices");
         }},
        {"numpy", not_in_cpp("a host vector has no sharding")},
    });

}  // namespace
}  // namespace golden

// SPDX-License-Identifier: Apache-2.0
