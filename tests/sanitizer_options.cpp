// Read by the sanitizers' runtimes as a test starts.

extern "C" {

const char* __asan_default_options();
const char* __tsan_default_options();
const char* __tsan_default_suppressions();

// What new cannot get must throw bad_alloc: tests ask for arrays that do not fit.
const char* __asan_default_options() { return "allocator_may_return_null=1:detect_stack_use_after_return=0"; }

// A test forks, and its child starts threads.
const char* __tsan_default_options() { return "die_after_fork=0:allocator_may_return_null=1:halt_on_error=0"; }

// Only code that is not ours, and why.
const char* __tsan_default_suppressions() { return ""; }
}
