#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <set>

#include "base/file.h"
#include "protocol/channel.h"
#include "protocol/messages.h"

namespace kbeval {
namespace {

using nlohmann::json;

std::string type_name(const json& value) {
    if (value.is_string()) {
        return "string";
    }
    if (value.is_boolean()) {
        return "boolean";
    }
    if (value.is_number_integer()) {
        return "integer";
    }
    if (value.is_number()) {
        return "number";
    }
    return value.is_array() ? "array" : "object";
}

class Schema : public testing::Test {
  protected:
    json schema_ = json::parse(
        read_file(std::string(KBEVAL_SOURCE_DIR) + "/harness/kbeval_harness/protocol.json", 1 << 20));
    std::set<std::string> seen_;

    /// The C++ message has exactly the fields of the schema, of its types.
    template <typename M>
    void agrees() {
        const json body = protocol::body(M{});
        seen_.insert(M::type);
        ASSERT_TRUE(schema_["messages"].contains(M::type)) << M::type;
        std::map<std::string, std::string> fields;
        for (const auto& [name, value] : body.items()) {
            if (name != "type") {
                fields[name] = type_name(value);
            }
        }
        EXPECT_EQ(fields, schema_["messages"][M::type]["fields"].template get<decltype(fields)>()) << M::type;
    }
};

TEST_F(Schema, BothSidesHaveTheSameMessages) {
    using namespace protocol;
    EXPECT_EQ(schema_["version"], version);
    agrees<Hello>();
    agrees<Spawn>();
    agrees<Spawned>();
    agrees<Kill>();
    agrees<Freeze>();
    agrees<Frozen>();
    agrees<Seal>();
    agrees<Survey>();
    agrees<Exited>();
    agrees<Ready>();
    agrees<Reply>();
    agrees<LoadProblem>();
    agrees<DrawWeights>();
    agrees<PlanInputs>();
    agrees<Allocate>();
    agrees<DrawInputs>();
    agrees<AllocateOutputs>();
    agrees<Poison>();
    agrees<Compare>();
    agrees<CompareExact>();
    agrees<InputsChanged>();
    agrees<Build>();
    agrees<Construct>();
    agrees<Attach>();
    agrees<SyncWeights>();
    agrees<Compile>();
    agrees<Probe>();
    agrees<Forward>();
    agrees<TimeBlock>();
    agrees<Profile>();
    agrees<PeakMemory>();
    for (const auto& [name, spec] : schema_["messages"].items()) {
        EXPECT_TRUE(seen_.contains(name)) << "protocol.json has " << name << ", messages.h has not";
    }
}

struct Ends {
    Channel channel;
    UniqueFd peer;
};

Ends make_ends(std::size_t limit = 1 << 20) {
    SocketPair pair = make_socket_pair();
    return {Channel(std::move(pair.ours), limit), std::move(pair.theirs)};
}

void write_frame(int fd, const std::string& body, std::uint32_t length) {
    std::string bytes(4, '\0');
    for (std::size_t i = 0; i < 4; ++i) {
        bytes[i] = static_cast<char>((length >> (8 * i)) & 0xFFU);
    }
    bytes += body;
    ASSERT_EQ(::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL), static_cast<ssize_t>(bytes.size()));
}

TEST(ChannelTest, ReadsFramesInPieces) {
    Ends ends = make_ends();
    const std::string body = R"({"type":"ready","report":{}})";
    std::string bytes{static_cast<char>(body.size()), 0, 0, 0};
    bytes += body;
    for (const char c : bytes) {
        ASSERT_EQ(::write(ends.peer.get(), &c, 1), 1);
        ends.channel.read_available();
    }
    ASSERT_TRUE(ends.channel.has_message());
    EXPECT_EQ(ends.channel.take().body["type"], "ready");
}

TEST(ChannelTest, RefusesAFrameOverTheLimitBeforeReadingIt) {
    Ends ends = make_ends(1000);
    write_frame(ends.peer.get(), "", 0xFFFFFFFFU);
    EXPECT_THROW(ends.channel.read_available(), ChannelError);
    EXPECT_FALSE(ends.channel.open());
}

TEST(ChannelTest, RefusesWhatIsNoJsonObject) {
    for (const std::string body : {"[1,2]", "{\"a\":", "\xff\xfe", "null", ""}) {
        Ends ends = make_ends();
        write_frame(ends.peer.get(), body, static_cast<std::uint32_t>(body.size()));
        EXPECT_THROW(ends.channel.read_available(), ChannelError) << body;
    }
}

TEST(ChannelTest, RefusesAFloodOfMessages) {
    Ends ends = make_ends();
    std::string flood;
    for (int i = 0; i < 1000; ++i) {
        flood += std::string{2, 0, 0, 0} + "{}";
    }
    ASSERT_EQ(::send(ends.peer.get(), flood.data(), flood.size(), 0), static_cast<ssize_t>(flood.size()));
    EXPECT_THROW(ends.channel.read_available(), ChannelError);
}

TEST(ChannelTest, DeepNestingIsNoProblem) {
    Ends ends = make_ends();
    const std::string body = std::string(20000, '[') + std::string(20000, ']');
    write_frame(ends.peer.get(), body, static_cast<std::uint32_t>(body.size()));
    EXPECT_THROW(ends.channel.read_available(), ChannelError);
}

TEST(ChannelTest, ClosesAtEndOfStream) {
    Ends ends = make_ends();
    ends.peer.reset();
    ends.channel.read_available();
    EXPECT_FALSE(ends.channel.open());
    EXPECT_THROW(ends.channel.send({{"type", "kill"}}), ChannelError);
}

TEST(ChannelTest, GivesUpOnAPeerThatDoesNotRead) {
    Ends ends = make_ends();
    const json big{{"type", "build"}, {"source", std::string(8 << 20, 'x')}};
    EXPECT_THROW(ends.channel.send(big, {}, 0.2), ChannelError);
}

TEST(ChannelTest, DescriptorsTravelWithTheirMessage) {
    SocketPair pair = make_socket_pair();
    Channel left(std::move(pair.ours), 1 << 20);
    Channel right(std::move(pair.theirs), 1 << 20);
    std::array<int, 2> pipe{};
    ASSERT_EQ(::pipe(pipe.data()), 0);
    const UniqueFd read_end(pipe[0]);
    const UniqueFd write_end(pipe[1]);
    left.send({{"type", "attach"}}, {write_end.get()});
    right.read_available();
    Message message = right.take();
    ASSERT_EQ(message.fds.size(), 1U);
    ASSERT_EQ(::write(message.fds[0].get(), "k", 1), 1);
    char c = 0;
    ASSERT_EQ(::read(read_end.get(), &c, 1), 1);
    EXPECT_EQ(c, 'k');
}

TEST(BlockTimes, MustBeAsManyAsAskedForAndPositive) {
    const json good{{"device_ms", {1.0, 2.0}}, {"host_ms", {1.5, 2.5}}, {"flags", json::array()}};
    EXPECT_EQ(protocol::block_times_from(good, 2).device_ms[1], 2.0);
    EXPECT_THROW(protocol::block_times_from(good, 3), std::runtime_error);
    json negative = good;
    negative["device_ms"][0] = -1;
    EXPECT_THROW(protocol::block_times_from(negative, 2), std::runtime_error);
    json text = good;
    text["device_ms"] = "fast";
    EXPECT_THROW(protocol::block_times_from(text, 2), json::exception);
}

}  // namespace
}  // namespace kbeval
