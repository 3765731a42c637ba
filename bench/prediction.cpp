#include "prediction.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>
#include <fstream>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <queue>
#include <thread>
#include <utility>

#include "report.hpp"
#include "run/pool.hpp"
#include "run/timeline.hpp"
#include "timing.hpp"

namespace bench {
namespace {

using run_span = tutti::run::Timeline::Span;
using Stage = tutti::run::Timeline::Stage;

constexpr double kRecordSeconds = 0.6;
constexpr int kFewestRecords = 3;
constexpr std::size_t kWidth = 60;  // of what a stage does

struct Record {
  std::vector<run_span> spans;
  std::vector<Stage> stages;
  double ns = 0;
};

struct Prediction {
  double ns = 0;
  int limits = -1;  // the stage on which cores wait longest; -1: outside of stages
  double lost = 0;  // the part of all cores' time that is spent waiting there
};

struct Threads {
  explicit Threads(int n) { tutti::set_num_threads(n); }
  ~Threads() { tutti::set_num_threads(default_num_threads()); }
  Threads(const Threads&) = delete;
};

// Whether two runs had the same stages and tasks.
bool alike(const std::vector<run_span>& a, const std::vector<run_span>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const run_span& x, const run_span& y) {
    return x.stage == y.stage && x.tasks_ns.size() == y.tasks_ns.size();
  });
}

double total(const std::vector<run_span>& spans) {
  double ns = 0;
  for (const run_span& s : spans) ns = std::accumulate(s.tasks_ns.begin(), s.tasks_ns.end(), ns + s.alone_ns);
  return ns;
}

// Of several runs the least time of each task: what else ran on the machine interrupts another one each time.
Record record(const Case& c, const Setup& s, int cores) {
  const Threads threads(cores);  // by their number some works choose their tasks
  const Batch run = c.make(s);
  run(1);
  run(1);
  Record best;
  tutti::run::Timeline timeline;
  double seconds = 0;
  for (int i = 0; i < kFewestRecords || seconds < kRecordSeconds; ++i) {
    timeline.clear();
    run(1);
    timeline.finish();
    const std::vector<run_span>& now = timeline.spans();
    seconds += total(now) * 1e-9;
    if (!alike(best.spans, now)) {
      if (best.spans.empty() || total(now) < total(best.spans)) best.spans = now;
      continue;
    }
    for (std::size_t k = 0; k < now.size(); ++k) {
      run_span& least = best.spans[k];
      least.alone_ns = std::min(least.alone_ns, now[k].alone_ns);
      for (std::size_t t = 0; t < least.tasks_ns.size(); ++t)
        least.tasks_ns[t] = std::min(least.tasks_ns[t], now[k].tasks_ns[t]);
    }
  }
  best.stages = timeline.stages();
  best.ns = total(best.spans);
  return best;
}

// When the last task ends, each taken by the first core that is free.
double makespan(const run_span& span, int cores, double handing) {
  std::priority_queue<double, std::vector<double>, std::greater<>> free;
  for (int i = 0; i < cores; ++i) free.push(0);
  double handed = 0, end = 0;
  for (const float task : span.tasks_ns) {
    const double start = std::max(free.top(), handed);
    free.pop();
    handed = start + handing;
    const double done = start + handing + static_cast<double>(task);
    free.push(done);
    end = std::max(end, done);
  }
  return end;
}

// When the last of some jobs ends, whose steps are one after the other and in parts. A free core goes on with its job,
// begins another one, or takes parts of others'.
class JobSchedule {
 public:
  JobSchedule(const std::vector<run_span>& spans, std::size_t begin, std::size_t end, const ManyCores& m) : m_(m) {
    for (std::size_t k = begin; k < end; ++k) {
      if (spans[k].job >= static_cast<int>(jobs_.size())) jobs_.resize(static_cast<std::size_t>(spans[k].job) + 1);
      jobs_[static_cast<std::size_t>(spans[k].job)].steps.push_back(&spans[k].tasks_ns);
    }
  }

  double run(int cores) {
    std::priority_queue<std::pair<double, int>, std::vector<std::pair<double, int>>, std::greater<>> free;
    std::vector<int> own(static_cast<std::size_t>(cores), -1);
    for (int c = 0; c < cores; ++c) free.push({0, c});
    double end = 0;
    while (!free.empty()) {
      const auto [now, core] = free.top();
      free.pop();
      int& mine = own[static_cast<std::size_t>(core)];
      if (mine < 0 || jobs_[static_cast<std::size_t>(mine)].over()) mine = next();
      Job* job = nullptr;
      double begin = std::numeric_limits<double>::infinity();
      const auto offer = [&](Job& j, double delay) {
        if (j.over() || !j.owned || j.part >= j.steps[j.step]->size()) return;
        if (const double start = std::max(now, j.ready) + delay; start < begin) {
          begin = start;
          job = &j;
        }
      };
      if (mine >= 0) offer(jobs_[static_cast<std::size_t>(mine)], 0);
      if (!job)
        for (Job& j : jobs_) offer(j, 1e3 * m_.handing);
      if (!job) {
        // Looks again when some step ends.
        double until = std::numeric_limits<double>::infinity();
        for (const Job& j : jobs_)
          if (j.owned && !j.over()) until = std::min(until, std::max(j.ends, std::nextafter(now, until)));
        if (until < std::numeric_limits<double>::infinity()) free.push({until, core});
        continue;
      }
      const double done = begin + static_cast<double>((*job->steps[job->step])[job->part++]);
      job->helped |= job->last >= 0 && job->last != core;
      job->last = core;
      job->ends = std::max(job->ends, done);
      end = std::max(end, done);
      if (job->part == job->steps[job->step]->size()) {
        job->ready = job->ends + (job->helped ? 1e3 * m_.meeting : 0);
        job->part = 0;
        ++job->step;
        job->helped = false;
        job->last = -1;
      }
      free.push({done, core});
    }
    return end;
  }

 private:
  struct Job {
    std::vector<const std::vector<float>*> steps;
    std::size_t step = 0, part = 0;
    double ready = 0, ends = 0;
    bool owned = false, helped = false;
    int last = -1;
    bool over() const { return step >= steps.size(); }
  };
  int next() {
    for (std::size_t k = 0; k < jobs_.size(); ++k)
      if (!std::exchange(jobs_[k].owned, true)) return static_cast<int>(k);
    return -1;
  }

  const ManyCores& m_;
  std::vector<Job> jobs_;
};

double bandwidth(const ManyCores& m, int cores) {
  return m.bandwidth > 0 ? m.bandwidth : std::min(10.0 * cores, 300.0);
}

double work_of(const run_span& span) {
  return std::accumulate(span.tasks_ns.begin(), span.tasks_ns.end(), span.alone_ns);
}

Prediction schedule(const Record& r, const ManyCores& m, int cores) {
  Prediction p;
  std::map<int, double> waits;  // by stage
  for (std::size_t k = 0, next; k < r.spans.size(); k = next) {
    const run_span& span = r.spans[k];
    next = k + 1;
    if (span.jobs >= 0)
      while (next < r.spans.size() && r.spans[next].jobs == span.jobs) ++next;
    double work = 0;
    for (std::size_t i = k; i < next; ++i) work += work_of(r.spans[i]);
    double ns = work;
    if (!span.tasks_ns.empty() && cores > 1) {
      ns = span.jobs >= 0 ? JobSchedule(r.spans, k, next, m).run(cores) : makespan(span, cores, 1e3 * m.handing);
      ns += 1e3 * m.meeting * std::log2(cores);
      const double bytes = span.begins && span.stage >= 0 ? r.stages[static_cast<std::size_t>(span.stage)].bytes : 0;
      if (bytes > m.cache * cores * (1 << 20)) ns = std::max(ns, bytes / bandwidth(m, cores));
    }
    p.ns += ns;
    waits[span.stage] += ns * cores - work;
  }
  const auto worst =
      std::max_element(waits.begin(), waits.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  if (worst != waits.end()) {
    p.limits = worst->first;
    p.lost = worst->second / (p.ns * cores);
  }
  return p;
}

std::string text(const Record& r, const Prediction& p) {
  if (p.limits < 0) return "outside of stages";
  std::string what = r.stages[static_cast<std::size_t>(p.limits)].what;
  if (what.size() > kWidth) what = what.substr(0, kWidth - 3) + "...";
  return fmt::format("{} # {}", what, r.stages[static_cast<std::size_t>(p.limits)].where);
}

// Milliseconds with that many threads; nothing where this machine has not so many cores.
std::optional<double> measured(const Case& c, const Setup& s, int cores, int rounds) {
  if (cores > static_cast<int>(std::thread::hardware_concurrency())) return std::nullopt;
  const Threads threads(cores);
  Timed timed(c, s);
  double best = timed.round();
  for (int i = 1; i < rounds; ++i) best = std::min(best, timed.round());
  return best;
}

}  // namespace

int predict(const std::vector<Case>& cases, const PredictionOptions& o) {
  const ManyCores& m = o.machine;
  fmt::print(
      "predicted from tasks measured on one thread; assumed: {} GB/s of memory, {:g} MiB of cache a core, {:g} us to "
      "meet for each doubling of the cores, {:g} us to hand out a task; {} devices\n",
      m.bandwidth > 0 ? fmt::format("{:g}", m.bandwidth) : "10 a core, at most 300", m.cache, m.meeting, m.handing,
      o.devices);
  fmt::print("{:<32} {:>6} {:>10} {:>9} {:>9} {:>10} {:>9}  {}\n", "case", "cores", "predicted", "speed-up",
             "efficient", "measured", "differ", "limited by (part of all cores' time)");
  std::string json;
  int failed = 0;
  for (const Case& c : cases) {
    if (c.alone || c.once) continue;
    try {
      const Setup s = setup_of(o.devices);
      const Record one = record(c, s, 1);
      double flops = 0;
      for (const run_span& span : one.spans)
        if (span.begins && span.stage >= 0) flops += one.stages[static_cast<std::size_t>(span.stage)].flops;
      fmt::print("{:<32} {:>6} {:>10} {:>9} {:>9} {:>10} {:>9}  {:.3g} GFLOP in products\n", c.name, 1,
                 time_text(one.ns * 1e-6), "", "", "", "", flops * 1e-9);
      for (const int cores : m.cores) {
        const Record r = record(c, s, cores);
        const Prediction p = schedule(r, m, cores);
        const std::optional<double> real = measured(c, s, cores, o.rounds);
        const double speed_up = one.ns / p.ns;
        fmt::print("{:<32} {:>6} {:>10} {:>8.2f}x {:>7.0f} % {:>10} {:>9}  {:.0f} %: {}\n", "", cores,
                   time_text(p.ns * 1e-6), speed_up, 100 * speed_up / cores, real ? time_text(*real) : "",
                   real ? fmt::format("{:+.0f} %", 100 * (*real / (p.ns * 1e-6) - 1)) : "", 100 * p.lost, text(r, p));
        json += fmt::format(
            "{}  {{\"case\": \"{}\", \"cores\": {}, \"predicted_ms\": {:.6g}, \"one_ms\": {:.6g}, \"efficiency\": "
            "{:.4f}, \"gflop\": {:.4g}, \"measured_ms\": {}}}",
            json.empty() ? "" : ",\n", c.name, cores, p.ns * 1e-6, one.ns * 1e-6, speed_up / cores, flops * 1e-9,
            real ? fmt::format("{:.6g}", *real) : "null");
      }
      std::fflush(stdout);
    } catch (const std::exception& e) {
      fmt::print("{:<32} failed: {}\n", c.name, e.what());
      failed = 1;
    }
  }
  if (!o.json.empty()) {
    std::ofstream out(o.json);
    if (!(out << "[\n" << json << "\n]\n")) throw std::runtime_error("cannot write " + o.json);
  }
  return failed;
}

}  // namespace bench

// SPDX-License-Identifier: Apache-2.0
