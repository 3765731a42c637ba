// The one handler of what would go to stderr.
#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <thread>

#include "base/caught_messages.hpp"
#include "base/say.hpp"
#include "tutti/tutti.hpp"

namespace tutti {
namespace {

using testing::CaughtMessages;

TEST(Messages, PassTheHandlerInPlaceOfStderr) {
  ::testing::internal::CaptureStderr();
  {
    CaughtMessages messages;
    say(Message::Kind::warning, "one\n");
    std::thread([] { say(Message::Kind::log, "two\n"); }).join();
    ProgressBar bar(3, "steps", true);
    bar.step();
    bar.finish();
    EXPECT_EQ(messages.count(Message::Kind::warning), 1);
    EXPECT_EQ(messages.count(Message::Kind::log), 1);
    EXPECT_GE(messages.count(Message::Kind::progress), 1);
    EXPECT_NE(messages.text().find("steps"), std::string::npos);
  }
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

TEST(Messages, GoToStderrWithoutAHandler) {
  ::testing::internal::CaptureStderr();
  say(Message::Kind::note, "to stderr\n");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "to stderr\n");
}

TEST(Messages, OfAHandlerThatThrowsOrSpeaks) {
  ::testing::internal::CaptureStderr();
  const auto before = set_message_handler([](const Message& m) {
    say(Message::Kind::note, "inside\n");
    if (m.text == "throws\n") throw std::runtime_error("no");
  });
  say(Message::Kind::note, "kept\n");
  say(Message::Kind::note, "throws\n");
  EXPECT_TRUE(bool(set_message_handler(before)));
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "inside\ninside\nthrows\n");
}

// ecosystem-2, section 5: a vector of doubles became float32 and nobody said so.
TEST(Messages, TellOfDoublesThatBecomeFloats) {
  CaughtMessages messages;
  const std::vector<double> v{0.1, 0.2};
  int line = 0;
  for (int i = 0; i < 3; ++i) {
    line = __LINE__ + 1;
    EXPECT_EQ(array(v).dtype(), float32);
  }
  EXPECT_EQ(messages.count(Message::Kind::note), 1) << messages.text();
  for (const char* part : {"2 doubles are stored as float32", "enable_x64(true)", "Once for each place"})
    EXPECT_NE(messages.text().find(part), std::string::npos) << part;
  EXPECT_NE(messages.text().find("messages_test.cpp:" + std::to_string(line)), std::string::npos) << messages.text();
  array(v, {2, 1});
  array(std::span<const double>(v));
  array(std::array<double, 1>{0.5});
  array(std::vector<std::complex<double>>{{1, 2}});
  EXPECT_EQ(messages.count(Message::Kind::note), 5) << messages.text();
  messages.clear();
  array({0.1, 0.2});  // literals
  array(std::vector<float>{1.f});
  array(std::vector<double>{});
  {
    config::Scope x64({.x64 = true});
    EXPECT_EQ(array(v).dtype(), float64);
  }
  {
    config::Scope silent({.notes = false});
    array(v);
  }
  special::bernoulli(5);  // what functions of the library do with doubles is theirs
  EXPECT_EQ(messages.text(), "");
}

}  // namespace
}  // namespace tutti

// SPDX-License-Identifier: Apache-2.0
