// The partitioner beside what is known to be possible, and beside XLA's: `./dev bench partition`. docs/bench.md says
// what is counted.
#include <iostream>
#include <CLI/CLI.hpp>

#include "models.hpp"
#include "table.hpp"

int main(int argc, char** argv) {
  bench::TableOptions o;
  bool models = false;
  int limit = 60;
  CLI::App app{"Counts what the partitioner makes devices receive, program by program."};
  app.add_option("--filter", o.filter, "only rows whose number and title this regular expression finds");
  app.add_flag("--run", o.run, "also run each on isolated devices: values as of one device, bytes as planned");
  app.add_flag("--prove", o.prove, "also print what no plan costs less than, and how far ours is above it (slow)");
  app.add_flag("--verbose", o.verbose, "print every collective with its cause");
  app.add_flag("--sub-axes", o.sub_axes, "score by the optimum for parts of mesh axes, where it is lower");
  app.add_flag("--models", models, "training programs instead: bytes, and seconds of planning");
  app.add_option("--limit", limit, "seconds for the planning of each model")->capture_default_str();
  try {
    app.parse(argc, argv);
    if (models) return bench::print_models({o.filter, limit, o.verbose});
    return bench::print_table(o);
  } catch (const CLI::CallForHelp& e) {
    return app.exit(e);
  } catch (const CLI::Error& e) {
    std::cerr << "bench partition: " << e.what() << "\n";
  } catch (const std::exception& e) {
    std::cerr << "bench partition: " << e.what() << "\n";
    return 1;
  }
  return 2;
}
