// SPDX-License-Identifier: Apache-2.0
// Two threads meet at one lock; the run is written, read, asked and looked at.
//
//     c++ -std=c++17 embed.cpp $(pkg-config --cflags --libs threadmodel)
#include <iostream>
#include <iterator>
#include <string>
#include <string_view>

#include <threadmodel/threadmodel.hpp>

namespace {

constexpr std::int64_t ms = 1000000; // times are nanoseconds

tm_event event(std::int64_t time_ns, tm_event_kind kind, std::uint64_t thread)
{
    tm_event it = {};

    it.time_ns = time_ns;
    it.kind = static_cast<decltype(it.kind)>(kind);
    it.thread = thread;
    return it;
}

// The worker wants the lock that main has at 10 ms, and gets it at 25.
void write(const std::string &path)
{
    threadmodel::writer writer(path);
    const tm_sink *sink = writer.sink();
    const char *names[] = {"main", "worker"};

    for (std::uint64_t id = 1; id <= 2; id++) {
        tm_thread thread = TM_THREAD_INIT;

        thread.id = id;
        thread.name = names[id - 1];
        threadmodel::check(sink->define_thread(sink->payload, &thread));
    }
    tm_event events[] = {
        event(0, TM_EVENT_THREAD_START, 1),
        event(1 * ms, TM_EVENT_THREAD_START, 2),
        event(10 * ms, TM_EVENT_CONTENDED_ENTER, 2),
        event(25 * ms, TM_EVENT_CONTENDED_ENTERED, 2),
        event(40 * ms, TM_EVENT_THREAD_END, 2),
    };
    events[2].object = events[3].object = 4;
    threadmodel::check(sink->events(sink->payload, events, std::size(events)));
    writer.close();
}

// A sink of one's own: it gets what any reader emits.
class counter : public threadmodel::receiver {
public:
    int blocks = 0;

    void event(const tm_event &it) override
    {
        if (it.kind == TM_EVENT_CONTENDED_ENTER)
            blocks++;
    }
};

} // namespace

int main(int count, char **arguments)
try {
    const std::string path = count > 1 ? arguments[1] : "embed.tmt";
    threadmodel::model model;
    counter counted;

    write(path);
    threadmodel::source(path).read_all(model.sink());
    threadmodel::source(path).read_all(counted);
    const threadmodel::table timeline = model.ask(tm_timeline_list, nullptr);
    const auto thread = timeline.column<std::string_view>("thread");
    const auto state = timeline.column<std::string_view>("state");
    const auto start = timeline.column<std::int64_t>("start_ns");

    for (std::size_t row = 0; row < timeline.size(); row++)
        std::cout << start[row] / ms << " ms " << thread[row] << ' ' << state[row]
                  << '\n';
    std::cout << counted.blocks << " block\n";
    return 0;
} catch (const std::exception &failure) {
    std::cerr << "embed: " << failure.what() << '\n';
    return 1;
}
