// SPDX-License-Identifier: Apache-2.0
// What threadmodel.hpp promises beyond the example: errors, nulls, types, exceptions
// that go through C, objects that are moved.
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include <threadmodel/threadmodel.hpp>

#define EXPECT(condition)                                                              \
    do {                                                                               \
        if (!(condition)) {                                                            \
            std::fprintf(stderr, "%d: %s\n", __LINE__, #condition);                    \
            std::exit(1);                                                              \
        }                                                                              \
    } while (0)

namespace
{

template <class Call> int code_of(Call call)
{
    try {
        call();
    } catch (const threadmodel::error &failure) {
        EXPECT(failure.what()[0] != '\0');
        return failure.code();
    }
    return TM_OK;
}

tm_event start_of(std::uint64_t thread)
{
    tm_event it = {};

    it.kind = TM_EVENT_THREAD_START;
    it.thread = thread;
    return it;
}

class picky : public threadmodel::receiver
{
  public:
    void event(const tm_event &it) override
    {
        if (it.thread == 2)
            throw std::logic_error("thread 2");
    }
};

void *no_memory(void *, void *, std::size_t)
{
    return nullptr;
}

void test_columns(const threadmodel::model &model)
{
    threadmodel::table threads = model.ask(tm_thread_list, nullptr);
    threadmodel::table moved = std::move(threads);
    std::uint64_t sum = 0;
    std::size_t nulls = 0;

    EXPECT(moved.name() == "threads" && moved.size() == 2);
    for (std::uint64_t id : moved.column<std::uint64_t>("thread_id"))
        sum += id;
    EXPECT(sum == 3);
    EXPECT(moved.column<std::string_view>("state")[0] == "running");
    EXPECT(!moved.column<bool>("virtual")[0]);
    auto groups = moved.column<std::string_view>("group");
    for (std::string_view group : groups)
        nulls += group.data() == nullptr;
    EXPECT(nulls == 2 && groups.is_null(1));
    EXPECT(code_of([&] { moved.column<double>("state"); }) == TM_ENOTFOUND);
    EXPECT(code_of([&] { moved.column<bool>("no such column"); }) == TM_ENOTFOUND);
}

} // namespace

void test_units(const std::string &path)
{
    threadmodel::model model;
    threadmodel::source(path).read_all(model.sink());
    const threadmodel::table units = model.ask(tm_unit_list, nullptr, nullptr);
    const auto parents = units.column<std::int32_t>("parent");

    EXPECT(units.size() == 2);
    EXPECT(!parents[0] && parents[1] == 1);
}

int main(int, char **arguments)
{
    const std::string path = arguments[1];
    const tm_event events[] = {start_of(1), start_of(2)};
    threadmodel::model model;

    model.ingest(events, 2);
    test_columns(model);
    EXPECT(model.ask(tm_deadlock_list).empty());

    threadmodel::writer writer(path);
    threadmodel::check(writer.sink()->events(writer.sink()->payload, events, 2));
    threadmodel::writer other = std::move(writer);
    other.flush();
    other.close();
    EXPECT(threadmodel::source(path).format() == "tmt");

    tm_recorder_options recording = TM_RECORDER_OPTIONS_INIT;
    recording.path = path.c_str();
    threadmodel::recorder recorder(recording);
    EXPECT(code_of([&] { threadmodel::recorder second(recording); }) == TM_EIO);
    recorder.start(10);
    {
        tm_thread definition = TM_THREAD_INIT;
        definition.id = 1;
        threadmodel::recorded_thread thread(recorder, definition);
        EXPECT(thread.report(start_of(1)) && thread.report(start_of(2)));
        EXPECT(code_of([&] { thread.report(tm_event{}); }) == TM_EINVAL);
        threadmodel::unit order(thread, 7);
        {
            threadmodel::unit query(thread, 8);
        }
    }
    recorder.drain();
    recorder.close();
    test_units(path);

    picky receiver;
    std::string thrown;
    try {
        threadmodel::source(path).read_all(receiver);
    } catch (const std::logic_error &failure) {
        thrown = failure.what();
    }
    EXPECT(thrown == "thread 2");
    EXPECT(code_of([] { threadmodel::source("/no/such/file"); }) == TM_EIO);
    std::ofstream(path) << "nothing that is known";
    EXPECT(code_of([&] { threadmodel::source{path}; }) == TM_EFORMAT);

    tm_allocator allocator = {};
    allocator.resize = no_memory;
    tm_model_options options = TM_MODEL_OPTIONS_INIT;
    options.allocator = &allocator;
    bool is_out_of_memory = false;
    try {
        threadmodel::model none(&options);
    } catch (const std::bad_alloc &) {
        is_out_of_memory = true;
    }
    EXPECT(is_out_of_memory);
    std::puts("as promised");
}
