// Files that are replaced, links, pipes, and paths that no file can have (hostile-3: F3, L4, L5).
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <functional>
#include <thread>

#include "io/random_arrays.hpp"

namespace tutti::test {
namespace {

using Save = std::function<void(const std::string& path, int value)>;
const std::vector<std::pair<std::string, Save>>& savers() {
  static const std::vector<std::pair<std::string, Save>> all{
      {"npy", [](const std::string& path, int v) { io::save_npy(path, full({3}, v)); }},
      {"npz",
       [](const std::string& path, int v) {
         io::save_npz(path, {{"array", full({3}, v)}});
       }},
      {"nothing", [](const std::string& path, int) { io::save_npz(path, {}); }},
      {"safetensors",
       [](const std::string& path, int v) {
         io::save_safetensors(path, {{"array", full({3}, v)}});
       }},
      {"tree", [](const std::string& path, int v) { io::save(path, full({3}, v)); }}};
  return all;
}
mode_t mode_of(const std::string& path) {
  struct stat status {};
  EXPECT_EQ(::stat(path.c_str(), &status), 0) << path;
  return status.st_mode & 07777;
}
std::size_t entries_of(const std::string& folder) {
  std::size_t out = 0;
  for ([[maybe_unused]] const auto& e : std::filesystem::directory_iterator(folder)) ++out;
  return out;
}

// hostile-3, F3
TEST(Replaced, AFileKeepsItsMode) {
  const Folder folder;
  for (const mode_t mask : {022u, 077u, 0u}) {
    const mode_t before = ::umask(mask);
    for (const auto& [name, save] : savers()) {
      const std::string path = folder / name;
      std::filesystem::remove(path);
      save(path, 1);
      EXPECT_EQ(mode_of(path), 0666 & ~mask) << name;
      for (const mode_t mode : {0600u, 0640u, 0644u, 0664u, 0666u, 0700u, 0400u}) {
        ASSERT_EQ(::chmod(path.c_str(), mode), 0);
        if (::access(path.c_str(), W_OK) != 0) continue;
        save(path, 2);
        EXPECT_EQ(mode_of(path), mode) << name;
      }
    }
    ::umask(before);
  }
  EXPECT_EQ(entries_of(folder.path()), savers().size());
}

TEST(Replaced, AFileKeepsItsOwner) {
  const Folder folder;
  for (const auto& [name, save] : savers()) {
    const std::string path = folder / name;
    save(path, 1);
    if (::chown(path.c_str(), 12345, 23456) != 0) GTEST_SKIP() << "only root may give files away";
    ASSERT_EQ(::chmod(path.c_str(), 0640), 0);
    save(path, 2);
    struct stat status {};
    ASSERT_EQ(::stat(path.c_str(), &status), 0);
    EXPECT_EQ(status.st_uid, 12345u) << name;
    EXPECT_EQ(status.st_gid, 23456u) << name;
    EXPECT_EQ(status.st_mode & 0777, 0640u) << name;
  }
}

// Somebody who may not write a file, though the folder, does not replace it; without its group he opens it to no other.
TEST(Replaced, ByAnotherUser) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root may become another user";
  const Folder folder;
  ASSERT_EQ(::chmod(folder.path().c_str(), 0777), 0);
  for (const auto& [name, save] : savers()) {
    const std::string kept = folder / (name + "_kept"), given = folder / (name + "_given");
    save(kept, 1);
    ASSERT_EQ(::chmod(kept.c_str(), 0644), 0);
    save(given, 1);
    ASSERT_EQ(::chmod(given.c_str(), 0662), 0);
    const std::string before = read_bytes(kept);
    const pid_t child = ::fork();
    if (child == 0) {
      if (::setgid(23456) != 0 || ::setuid(12345) != 0) ::_exit(2);
      try {
        save(kept, 2);
        ::_exit(3);
      } catch (const FileError&) {
      }
      try {
        save(given, 2);
      } catch (...) {
        ::_exit(4);
      }
      ::_exit(0);
    }
    int status = -1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0) << name;
    EXPECT_EQ(read_bytes(kept), before) << name;
    EXPECT_EQ(mode_of(given), 0622u) << name;  // 0662, and the new group may what all may
  }
}

TEST(Replaced, LinksAreFollowed) {
  const Folder folder;
  std::filesystem::create_directories(folder / "far/away");
  std::filesystem::create_symlink("away/file", folder / "far/second");
  std::filesystem::create_symlink("far/second", folder / "first");
  std::filesystem::create_symlink(folder / "far/away/absolute", folder / "absolute");
  for (int round = 0; round < 2; ++round)  // where there is no file yet, and where there is one
    for (const auto& [link, file] : {std::pair{"first", "far/away/file"}, {"absolute", "far/away/absolute"}}) {
      io::save_npy(folder / link, full({2}, round));
      EXPECT_TRUE(std::filesystem::is_symlink(folder / link)) << link;
      EXPECT_FALSE(std::filesystem::is_symlink(folder / file)) << file;
      expect_same(io::load_npy(folder / file), full({2}, round));
    }
  std::filesystem::create_symlink("ring", folder / "ring");
  EXPECT_THROW(io::save_npy(folder / "ring", ones({2})), FileError);
  std::filesystem::create_symlink("nowhere/x", folder / "lost");
  EXPECT_THROW(io::save_npy(folder / "lost", ones({2})), FileError);
  std::filesystem::create_hard_link(folder / "far/away/file", folder / "hard");
  io::save_npy(folder / "hard", zeros({2}));  // the other name keeps what it had
  expect_same(io::load_npy(folder / "first"), full({2}, 1));
}

TEST(Replaced, LongNamesOfFiles) {
  const Folder folder;
  for (const auto& [name, save] : savers()) {
    const std::string path = folder / (name + std::string(255 - name.size(), 'n'));
    save(path, 1);
    EXPECT_TRUE(std::filesystem::exists(path)) << name;
    EXPECT_THROW(save(path + "n", 1), FileError) << name;
  }
  EXPECT_EQ(entries_of(folder.path()), savers().size());
}

// hostile-3, L5
TEST(Pipes, NobodyReads) {
  const Folder folder;
  const std::string pipe = folder / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  for (const auto& [name, save] : savers()) {
    ::alarm(20);  // it waited for ever
    try {
      save(pipe, 1);
      ADD_FAILURE() << name;
    } catch (const FileError& e) {
      EXPECT_NE(std::string(e.what()).find("pipe"), std::string::npos) << e.what();
    }
    ::alarm(0);
    EXPECT_THROW(io::load_npy(pipe), FileError);
    EXPECT_THROW(io::load_npz(pipe), FileError);
    EXPECT_THROW(io::load_safetensors(pipe), FileError);
  }
  struct stat status {};
  ASSERT_EQ(::stat(pipe.c_str(), &status), 0);
  EXPECT_TRUE(S_ISFIFO(status.st_mode));
}

TEST(Pipes, ASlowReaderGetsAllOfIt) {
  const Folder folder;
  const std::string pipe = folder / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const int reader = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
  ASSERT_GE(reader, 0);
  ::fcntl(reader, F_SETFL, 0);
  std::string got;
  std::jthread reading([&] {
    char bytes[10000];
    for (ssize_t n; (n = ::read(reader, bytes, sizeof bytes)) > 0 || got.empty();)
      if (n > 0)
        got.append(bytes, static_cast<std::size_t>(n));
      else
        std::this_thread::sleep_for(std::chrono::milliseconds(1));  // no writer yet
  });
  const Array x = arange(200000);
  io::save_npy(pipe, x);
  reading.join();
  ::close(reader);
  write_bytes(folder / "file", got);
  expect_same(io::load_npy(folder / "file"), x);
}

// It was a SIGPIPE, which ends the program; it comes also when a part could be written.
TEST(Pipes, TheReaderGoesAway) {
  const Folder folder;
  const std::string pipe = folder / "pipe";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  for (int round = 0; round < 20; ++round) {
    const int reader = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
    ASSERT_GE(reader, 0);
    std::jthread leaves([&] {
      char bytes[5000];
      for (int reads = 0; reads < round; ++reads)
        if (::read(reader, bytes, sizeof bytes) <= 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
      std::this_thread::sleep_for(std::chrono::milliseconds(round % 5));
      ::close(reader);
    });
    EXPECT_THROW(io::save_npy(pipe, arange(1 << 20)), FileError);
  }
  sigset_t pending;
  ::sigpending(&pending);
  EXPECT_FALSE(sigismember(&pending, SIGPIPE));
}

// hostile-3, L4
TEST(Paths, WithANulByteAreRefused) {
  const Folder folder;
  const std::string path = folder / std::string("a\0b", 3), below = folder / std::string("a\0b/c", 5);
  const Array x = ones({2});
  const std::vector<std::pair<const char*, std::function<void()>>> calls{
      {"save_npy", [&] { io::save_npy(path, x); }},
      {"load_npy", [&] { io::load_npy(path); }},
      {"load_npy_all", [&] { io::load_npy_all(path); }},
      {"save_npz",
       [&] {
         io::save_npz(path, {{"x", x}});
       }},
      {"load_npz", [&] { io::load_npz(path); }},
      {"NpzFile", [&] { io::NpzFile file(path); }},
      {"save_safetensors",
       [&] {
         io::save_safetensors(path, {{"x", x}});
       }},
      {"load_safetensors", [&] { io::load_safetensors(path); }},
      {"SafetensorsFile", [&] { io::SafetensorsFile file(path); }},
      {"save", [&] { io::save(path, x); }},
      {"load", [&] { io::load(path, x); }},
      {"checkpoint::save", [&] { checkpoint::save(below, x); }},
      {"checkpoint::restore", [&] { checkpoint::restore(path, x); }},
      {"steps", [&] { checkpoint::steps(path); }},
      {"latest", [&] { checkpoint::latest(path); }},
      {"extra", [&] { checkpoint::extra(path); }},
      {"Manager", [&] { checkpoint::Manager manager(path); }},
      {"map_file", [&] { data::map_file(path); }},
      {"npy_shards", [&] { data::npy_shards({path}); }}};
  for (const auto& [name, call] : calls) try {
      call();
      ADD_FAILURE() << name;
    } catch (const ValueError& e) {
      const std::string text = e.what();
      EXPECT_NE(text.find("\\x00"), std::string::npos) << name << ": " << text;
      EXPECT_NE(text.find("\n"), std::string::npos) << name << ": " << text;  // place and advice follow
    }
  EXPECT_EQ(entries_of(folder.path()), 0u);
}

TEST(Paths, ThatAreNoneOfAFile) {
  const Folder folder;
  io::save_npy(folder / "file", ones({2}));
  for (const auto& [name, save] : savers())
    for (const std::string& path : {std::string(), folder.path(), folder / "", folder / "file/x", folder / "file/",
                                    folder / "none/x", folder / "none/", std::string("/proc/tutti")})
      EXPECT_THROW(save(path, 1), FileError) << name << " " << path;
  EXPECT_EQ(entries_of(folder.path()), 1u);
}

}  // namespace
}  // namespace tutti::test

// SPDX-License-Identifier: Apache-2.0
