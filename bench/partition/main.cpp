// The partitioner beside what is known to be possible, and beside XLA's: `./dev bench partition`. docs/bench.md says
// what is counted.
#include <iostream>

#include "models.hpp"
#include "options/command_line.hpp"
#include "real_table.hpp"
#include "table.hpp"

int main(int argc, char** argv) {
  bench::TableOptions o;
  bench::RealOptions real;
  std::string programs = "optimum";
  bool models = false;
  int limit = 60;
  CommandLine line("Counts what the partitioner makes devices receive, program by program.");
  line.add("--programs", programs, "optimum: those whose best plan is known; real: those of many trades")
      .with_default()
      .one_of({"optimum", "real"});
  line.add("--filter", o.filter, "only rows whose number and title this regular expression finds");
  line.flag("--run", o.run, "also run each on isolated devices: values as of one device, bytes as planned");
  line.flag("--prove", o.prove, "also print what no plan costs less than, and how far ours is above it (slow)");
  line.flag("--verbose", o.verbose, "print every collective with its cause");
  line.flag("--sub-axes", o.sub_axes, "score by the optimum for parts of mesh axes, where it is lower");
  line.flag("--models", models, "training programs instead: bytes, and seconds of planning");
  line.add("--json", real.json, "real: write the rows to this file");
  line.add("--check", real.check, "real: fail where a row is worse than this file says");
  line.add("--record", real.record, "real: write bytes and work of each row to this file");
  line.flag("--by-hand", real.by_hand, "real: those written for blocks as well, which must send what ideals count");
  line.flag("--uneven", real.uneven, "real: --run with extents that the devices do not divide");
  line.flag("--free", real.free, "real: results lie where the plan leaves them");
  line.add("--limit", limit, "seconds for the planning of each model").with_default();
  try {
    if (line.parse(argc, argv)) return 0;
    if (models) return bench::print_models({o.filter, limit, o.verbose});
    if (programs == "optimum") {
      for (const char* of_real : {"--json", "--check", "--record", "--by-hand", "--uneven", "--free"})
        if (!line.given(of_real).empty()) throw std::runtime_error(std::string(of_real) + " needs --programs real");
      return bench::print_table(o);
    }
    if (o.prove || o.sub_axes) throw std::runtime_error("--prove and --sub-axes are for rows with a known optimum");
    real.filter = o.filter;
    real.run = o.run;
    real.verbose = o.verbose;
    return bench::print_real_table(real);
  } catch (const CommandLineError& e) {
    std::cerr << "bench partition: " << e.what() << "\n";
  } catch (const std::exception& e) {
    std::cerr << "bench partition: " << e.what() << "\n";
    return 1;
  }
  return 2;
}

// SPDX-License-Identifier: Apache-2.0
