// A process that shows what $ENDS names: a way of computing while or after main returns. tests/run/ends_test.cpp knows
// what each has to print.
#include <dlfcn.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <optional>
#include <thread>

#include "ends/computing.hpp"

namespace {

using namespace ends;

AtEnd global("global", "destructor");

// Held by an object that was made before anything was computed, and used at its end.
struct Held {
  std::optional<Array> array;
  std::function<Array(const Array&)> jitted;
  std::unique_ptr<checkpoint::Manager> manager;
  std::unique_ptr<data::Loader<Array>> loader;
  std::future<void> running;
  std::string folder;
  ~Held() {
    if (running.valid()) running.wait();
    if (array && jitted) {
      std::printf("held: %s\n", jitted(*array + 1).item<float>() == 6 ? "right" : "wrong");
      compute("destructor");
    }
    if (manager && array) manager->save_now(2, *array);
    if (loader) {
      std::printf("batch: %g\n", loader->next().sum().item<float>());
      compute("destructor");
    }
    if (!folder.empty() && array) {
      io::save_npy(folder + "/model.npy", *array * 2);
      std::printf("saved: %g\n", io::load_npy(folder + "/model.npy").sum().item<float>());
    }
    std::fflush(stdout);
  }
} held;

void local_static(const char* name) { static AtEnd object(name, "destructor"); }

std::string temporary_folder() {
  std::string name = (std::filesystem::temp_directory_path() / "ends_XXXXXX").string();
  if (!mkdtemp(name.data())) std::abort();
  return name;
}

void* plugin = nullptr;
void call_plugin() {
  const std::string file = std::filesystem::read_symlink("/proc/self/exe").parent_path() / "libends_plugin.so";
  plugin = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!plugin) {
    std::puts(dlerror());
    std::exit(9);
  }
  reinterpret_cast<void (*)()>(dlsym(plugin, "plugin_compute"))();
}

void busy() {
  for (int k = 0;; ++k)
    (void)(jit([k](const Array& x) { return x * k + sin(x); })(ones({50 + k % 40})).sum().item<float>());
}

// hostile-3, L6
template <class F> void refused(const char* what, F f) {
  try {
    (void)f();
    std::printf("%s: no error\n", what);
  } catch (const Error& e) {
    const bool says = std::string(e.what()).find("out of memory") != std::string::npos;
    std::printf("%s: %s\n", what, says ? "out of memory" : e.what());
  } catch (const std::exception& e) {
    std::printf("%s: another error: %s\n", what, e.what());
  }
}

// No thread can be started from now on; of little memory neither. hostile-3, S3
void without_threads() {
  if (geteuid() == 0 && (setgid(65534) != 0 || setuid(65534) != 0)) return;
  const rlimit none{0, 0};
  setrlimit(RLIMIT_NPROC, &none);
}

struct Cycle {
  Array x = ones({3});
  std::function<Array(const Array&)> f = jit([](const Array& y) { return y * 2; });
  std::shared_ptr<Cycle> next;
};

// In a thread with a stack of so many KB.
void on_stack(std::size_t size) {
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, size << 10);
  pthread_t thread;
  auto run = [](void*) -> void* {
    compute("thread");
    return nullptr;
  };
  if (pthread_create(&thread, &attributes, run, nullptr) == 0) pthread_join(thread, nullptr);
}

const std::map<std::string, std::function<void()>> patterns = {
    {"global", [] { compute("main"); }},
    {"another_file", [] { compute("main"); }},
    {"global_that_computed", [] { compute("main"); }},
    {"nothing_in_main", [] { std::atexit([] { compute("handler"); }); }},
    {"local_static_first",
     [] {
       local_static("local_static_first");
       compute("main");
     }},
    {"local_static_last",
     [] {
       compute("main");
       local_static("local_static_last");
     }},
    {"atexit_first",
     [] {
       std::atexit([] { compute("handler"); });
       compute("main");
     }},
    {"atexit_last",
     [] {
       compute("main");
       std::atexit([] { compute("handler"); });
     }},
    {"quick_exit",
     [] {
       std::at_quick_exit([] { compute("handler"); });
       compute("main");
       std::quick_exit(0);
     }},
    {"thread_local_first",
     [] {
       thread_local AtEnd object("thread_local_first", "destructor");
       (void)object.name, compute("main");
     }},
    {"thread_local_last",
     [] {
       compute("main");
       thread_local AtEnd object("thread_local_last", "destructor");
       (void)object.name;
     }},
    {"thread_local_of_a_thread",
     [] {
       std::thread([] {
         thread_local AtEnd object("thread_local_of_a_thread", "destructor");
         (void)object.name, compute("thread");
       }).join();
       compute("main");
     }},
    {"only_in_a_thread",
     [] {  // the main thread has used nothing before its handlers
       std::atexit([] { compute("handler"); });
       std::thread([] { compute("thread"); }).join();
     }},
    {"thread_key",
     [] {
       static pthread_key_t key;
       pthread_key_create(&key, [](void*) { compute("key"); });
       std::thread([] {
         compute("thread");
         pthread_setspecific(key, &key);
       }).join();
     }},
    {"async",
     [] {
       compute("main");
       held.running = std::async(std::launch::async, [] {
         std::this_thread::sleep_for(std::chrono::milliseconds(100));
         compute("async");
       });
     }},
    {"detached",
     [] {
       for (int k = 0; k < 3; ++k) std::thread(busy).detach();
       std::this_thread::sleep_for(std::chrono::milliseconds(300));
       std::atexit([] { compute("handler"); });
       compute("main");
     }},
    {"exit_in_a_thread",
     [] {
       std::atexit([] { compute("handler"); });
       std::thread([] {
         compute("thread");
         std::exit(3);
       }).detach();
       busy();
     }},
    {"exit_in_a_callback",
     [] {
       std::atexit([] { compute("handler"); });
       jit([](const Array& x) {
         debug::callback([](const Array&) { std::exit(3); }, x);
         return x + 1;
       })(ones({3}));
     }},
    {"exit_while_recording",  // the handler's program would be part of the one that is being recorded: a sentence
     [] {
       std::atexit([] { compute("handler"); });
       jit([](const Array& x) {
         std::exit(3);
         return x + 1;
       })(ones({3}));
     }},
    {"exit_in_a_body_of_a_gradient",
     [] {
       compute("main");
       std::atexit([] { std::thread([] { compute("thread"); }).join(); });
       auto f = [](const Array& x) {
         auto body = [](const Array& c, const Array& e) {
           std::exit(3);
           return std::pair{c, e};
         };
         return lax::scan(body, x, ones({3})).first.sum();
       };
       jit(grad(f))(ones({3}));
     }},
    {"pthread_exit_in_main",  // workers go on: some thread has to call exit
     [] {
       std::atexit([] { compute("handler"); });
       compute("main");
       std::thread([] {
         std::this_thread::sleep_for(std::chrono::milliseconds(200));
         compute("thread");
         std::exit(3);
       }).detach();
       pthread_exit(nullptr);
     }},
    {"least_stack", [] { on_stack(128); }},
    {"too_small_a_stack", [] { on_stack(48); }},
    {"terminate",
     [] {
       compute("main");
       std::terminate();
     }},
    {"terminate_handler",
     [] {
       std::set_terminate([] {
         compute("terminate");
         std::_Exit(4);
       });
       std::thread([] { (void)(ones({3}) + ones({4})); }).join();
     }},
    {"held",
     [] {
       held.jitted = jit([](const Array& x) { return x.sum(); });
       held.array = ones({3});
     }},
    {"singleton_saves",
     [] {
       held.array = arange(4.f);
       held.folder = temporary_folder();
     }},
    {"manager",
     [] {
       held.array = ones({1000, 100});
       held.manager = std::make_unique<checkpoint::Manager>(temporary_folder());
       held.manager->save(1, *held.array);
       compute("main");
     }},
    {"loader",
     [] {
       held.loader = std::make_unique<data::Loader<Array>>(data::loader(data::rows(arange(8.f)), 8, {.workers = 2}));
       (void)held.loader->next();
     }},
    {"cycle",
     [] {
       auto c = std::make_shared<Cycle>();
       c->next = c;
       (void)c->f(c->x);
       std::atexit([] { compute("handler"); });
     }},
    {"fork",
     [] {
       compute("main");
       std::atexit([] { compute("handler"); });
       if (fork() == 0) return;
       int status = -1;
       wait(&status);
       if (status != 0) std::printf("the child ended with %d\n", status);
     }},
    {"without_threads",
     [] {
       without_threads();
       setenv("TUTTI_NUM_THREADS", "4", 1);
       compute("main");
       const Array large = ones({2000, 2000});
       std::printf("large: %g\n", (large * 2 + 1).sum().item<float>());
       held.loader = std::make_unique<data::Loader<Array>>(data::loader(data::rows(arange(8.f)), 8, {.workers = 2}));
     }},
    {"memory_limit",
     [] {
       const rlimit most{rlim_t(3) << 30, rlim_t(3) << 30};
       compute("main");
       setrlimit(RLIMIT_AS, &most);
       refused("bincount", [] { return bincount(array({1, 2, 3}), {.length = std::int64_t(1) << 31}); });
       refused("sum", [] { return zeros({std::int64_t(1) << 31, 0}).sum(1); });
       compute("main");
     }},
    {"plugin", [] { call_plugin(); }},
    {"plugin_closed",
     [] {
       call_plugin();
       dlclose(plugin);
       std::puts("closed");
       call_plugin();
       dlclose(plugin);
     }},
    {"plugin_in_a_thread",
     [] {
       std::thread([] {
         call_plugin();
         dlclose(plugin);
       }).join();
       compute("main");
     }},
};

}  // namespace

int main() {
  const auto found = patterns.find(pattern());
  if (found == patterns.end()) {
    std::puts("no such pattern");
    return 9;
  }
  found->second();
  return 0;
}

// SPDX-License-Identifier: Apache-2.0
