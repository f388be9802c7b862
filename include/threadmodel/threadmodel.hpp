// SPDX-License-Identifier: Apache-2.0
// threadmodel/threadmodel.hpp: the library for C++17, as a header alone. Objects free
// themselves, errors are exceptions, columns are ranges.
//
//     threadmodel::model model;
//     threadmodel::source("run.tmt").read_all(model.sink());
//     threadmodel::table timeline = model.ask(tm_timeline_list, nullptr);
//     auto names = timeline.column<std::string_view>("thread");
//     for (std::string_view name : names)
//         std::cout << name << '\n';
//
// Rules of threads and of lifetimes are those of the C functions, which can be called
// beside it: each object has get().
#ifndef THREADMODEL_THREADMODEL_HPP
#define THREADMODEL_THREADMODEL_HPP

#include <cstddef>
#include <cstdint>
#include <exception>
#include <iterator>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <threadmodel/threadmodel.h>

namespace threadmodel
{

/// A call failed: its code, and the sentence of tm_error_text().
class error : public std::runtime_error
{
  public:
    error(int code, const std::string &text) : std::runtime_error(text), code_(code)
    {
    }

    /// @return enum tm_error, below 0
    int code() const noexcept
    {
        return code_;
    }

  private:
    int code_;
};

/// Throw what a negative return value means: std::bad_alloc, or error.
/// @return rc, where it is not a failure
inline int check(int rc)
{
    if (rc == TM_ENOMEM)
        throw std::bad_alloc();
    if (rc < 0)
        throw error(rc, tm_error_text());
    return rc;
}

namespace detail
{

template <class T, void (*release)(T *)> struct deleter {
    void operator()(T *pointer) const noexcept
    {
        release(pointer);
    }
};

template <class T, void (*release)(T *)>
using owned = std::unique_ptr<T, deleter<T, release>>;

template <class> inline constexpr bool is_unknown = true;

template <class T> constexpr int type_of()
{
    if constexpr (std::is_same_v<T, std::int32_t>)
        return TM_TYPE_INT32;
    else if constexpr (std::is_same_v<T, std::int64_t>)
        return TM_TYPE_INT64;
    else if constexpr (std::is_same_v<T, std::uint64_t>)
        return TM_TYPE_UINT64;
    else if constexpr (std::is_same_v<T, double>)
        return TM_TYPE_DOUBLE;
    else if constexpr (std::is_same_v<T, bool>)
        return TM_TYPE_BOOL;
    else if constexpr (std::is_same_v<T, std::string_view>)
        return TM_TYPE_STRING;
    else
        static_assert(!is_unknown<T>, "no column has values of this type");
}

} // namespace detail

/// The values of a column, as long as its table is there. T: std::int32_t,
/// std::int64_t, std::uint64_t, double, bool or std::string_view. A null is 0, or a
/// string_view whose data() is NULL.
template <class T> class column
{
  public:
    class iterator
    {
      public:
        using iterator_category = std::input_iterator_tag;
        using value_type = T;
        using difference_type = std::ptrdiff_t;
        using pointer = const T *;
        using reference = T;

        iterator() = default;
        iterator(const column *of, std::size_t row) : of_(of), row_(row)
        {
        }

        T operator*() const
        {
            return (*of_)[row_];
        }
        iterator &operator++()
        {
            ++row_;
            return *this;
        }
        iterator operator++(int)
        {
            iterator before = *this;

            ++row_;
            return before;
        }
        bool operator==(const iterator &other) const
        {
            return row_ == other.row_;
        }
        bool operator!=(const iterator &other) const
        {
            return row_ != other.row_;
        }

      private:
        const column *of_ = nullptr;
        std::size_t row_ = 0;
    };

    column(const tm_table *table, int number)
        : table_(table), number_(number), size_(tm_table_row_count(table))
    {
    }

    std::size_t size() const noexcept
    {
        return size_;
    }
    bool empty() const noexcept
    {
        return size_ == 0;
    }
    iterator begin() const
    {
        return iterator(this, 0);
    }
    iterator end() const
    {
        return iterator(this, size_);
    }

    bool is_null(std::size_t row) const
    {
        return tm_table_cell_is_null(table_, number_, row) != 0;
    }

    T operator[](std::size_t row) const
    {
        if constexpr (std::is_same_v<T, std::string_view>) {
            const char *text = tm_table_cell_string(table_, number_, row);

            return text ? std::string_view(text) : std::string_view();
        } else if constexpr (std::is_same_v<T, double>) {
            return tm_table_cell_double(table_, number_, row);
        } else if constexpr (std::is_same_v<T, std::uint64_t>) {
            return tm_table_cell_uint64(table_, number_, row);
        } else if constexpr (std::is_same_v<T, bool>) {
            return tm_table_cell_int64(table_, number_, row) != 0;
        } else {
            return static_cast<T>(tm_table_cell_int64(table_, number_, row));
        }
    }

  private:
    const tm_table *table_;
    int number_;
    std::size_t size_;
};

/// An answer. It outlives its model.
class table
{
  public:
    /// @param given  is the object's own from now on
    explicit table(tm_table *given) : it_(given)
    {
    }

    tm_table *get() const noexcept
    {
        return it_.get();
    }
    std::string_view name() const
    {
        return tm_table_name(get());
    }
    std::size_t size() const noexcept
    {
        return tm_table_row_count(get());
    }
    bool empty() const noexcept
    {
        return size() == 0;
    }

    /// @throws error  there is no column of that name and type
    template <class T> threadmodel::column<T> column(const char *name) const
    {
        int number = tm_table_column(get(), name);

        if (number < 0 ||
            tm_table_column_type(get(), static_cast<std::size_t>(number)) !=
                detail::type_of<T>())
            throw error(TM_ENOTFOUND, "table " + std::string(this->name()) +
                                          " has no column " + name + " of that type");
        return threadmodel::column<T>(get(), number);
    }

  private:
    detail::owned<tm_table, tm_table_free> it_;
};

/// Where events and definitions go: override what you are interested in. An exception
/// ends the reading, and comes out of source::read_all().
class receiver
{
  public:
    receiver()
    {
        sink_.payload = this;
        sink_.run = [](void *to, const tm_run *run) {
            return guard(to, [&](receiver &it) { it.run(*run); });
        };
        sink_.caveat = [](void *to, const char *sentence) {
            return guard(to, [&](receiver &it) { it.caveat(sentence); });
        };
        sink_.define_class = [](void *to, const tm_class *what) {
            return guard(to, [&](receiver &it) { it.define(*what); });
        };
        sink_.define_method = [](void *to, const tm_method *what) {
            return guard(to, [&](receiver &it) { it.define(*what); });
        };
        sink_.define_stack = [](void *to, const tm_stack *what) {
            return guard(to, [&](receiver &it) { it.define(*what); });
        };
        sink_.define_thread = [](void *to, const tm_thread *what) {
            return guard(to, [&](receiver &it) { it.define(*what); });
        };
        sink_.define_object = [](void *to, const tm_object *what) {
            return guard(to, [&](receiver &it) { it.define(*what); });
        };
        sink_.events = [](void *to, const tm_event *events, std::size_t count) {
            return guard(to, [&](receiver &it) {
                for (std::size_t i = 0; i < count; i++)
                    it.event(events[i]);
            });
        };
    }
    receiver(const receiver &) = delete;
    receiver &operator=(const receiver &) = delete;
    virtual ~receiver() = default;

    virtual void run(const tm_run &)
    {
    }
    virtual void caveat(std::string_view)
    {
    }
    virtual void define(const tm_class &)
    {
    }
    virtual void define(const tm_method &)
    {
    }
    virtual void define(const tm_stack &)
    {
    }
    virtual void define(const tm_thread &)
    {
    }
    virtual void define(const tm_object &)
    {
    }
    virtual void event(const tm_event &)
    {
    }

    /// For the C functions, as long as this object is there.
    const tm_sink *sink() const noexcept
    {
        return &sink_;
    }

    /// Throw what a callback threw, which C could not pass on.
    void rethrow()
    {
        if (failure_)
            std::rethrow_exception(std::exchange(failure_, nullptr));
    }

  private:
    template <class Call> static int guard(void *to, Call call) noexcept
    {
        receiver &it = *static_cast<receiver *>(to);

        try {
            call(it);
            return TM_OK;
        } catch (...) {
            it.failure_ = std::current_exception();
            return TM_ESTOPPED;
        }
    }

    tm_sink sink_ = TM_SINK_INIT;
    std::exception_ptr failure_;
};

/// What happened so far, to be asked.
class model
{
  public:
    explicit model(const tm_model_options *options = nullptr)
    {
        tm_model *made;

        check(tm_model_new(&made, options));
        it_.reset(made);
    }

    tm_model *get() const noexcept
    {
        return it_.get();
    }
    const tm_sink *sink() const noexcept
    {
        return tm_model_sink(get());
    }

    void ingest(const tm_event *events, std::size_t count)
    {
        check(tm_model_ingest(get(), events, count));
    }

    /// Any question of the C interface, with what it takes behind the model:
    /// ask(tm_timeline_list, nullptr), ask(tm_deadlock_list).
    template <class Question, class... Arguments>
    table ask(Question *question, Arguments &&...arguments) const
    {
        tm_table *answer = nullptr;

        check(question(&answer, static_cast<const tm_model *>(get()),
                       std::forward<Arguments>(arguments)...));
        return table(answer);
    }

  private:
    detail::owned<tm_model, tm_model_free> it_;
};

/// A file of any format that is read.
class source
{
  public:
    explicit source(const std::string &path, const tm_source_options *options = nullptr)
    {
        tm_source *opened;

        check(tm_source_open(&opened, path.c_str(), options));
        it_.reset(opened);
    }

    tm_source *get() const noexcept
    {
        return it_.get();
    }
    std::string_view format() const
    {
        return tm_source_format(get());
    }

    /// Read all of it. Of a damaged file, the readable part arrived before this throws.
    void read_all(const tm_sink *sink)
    {
        while (check(tm_source_read(get(), sink)) == TM_MORE) {
        }
    }

    /// @throws also what the receiver threw
    void read_all(receiver &to)
    {
        int rc;

        while ((rc = tm_source_read(get(), to.sink())) == TM_MORE) {
        }
        to.rethrow();
        check(rc);
    }

  private:
    detail::owned<tm_source, tm_source_close> it_;
};

/// A trace, or a log, that is written.
class writer
{
  public:
    explicit writer(const std::string &path, const tm_writer_options *options = nullptr)
    {
        check(tm_writer_open(&it_, path.c_str(), options));
    }
    writer(writer &&other) noexcept : it_(std::exchange(other.it_, nullptr))
    {
    }
    writer &operator=(writer &&other) noexcept
    {
        std::swap(it_, other.it_);
        return *this;
    }
    /// Without close() nobody learns that the end could not be written.
    ~writer()
    {
        tm_writer_close(it_);
    }

    tm_writer *get() const noexcept
    {
        return it_;
    }
    const tm_sink *sink() const noexcept
    {
        return tm_writer_sink(it_);
    }
    void flush()
    {
        check(tm_writer_flush(it_));
    }
    /// Write the end. The sink is gone then.
    void close()
    {
        check(tm_writer_close(std::exchange(it_, nullptr)));
    }

  private:
    tm_writer *it_ = nullptr;
};

#ifdef __linux__

/// Events of many threads, see recorder.h. All recorded_thread end before it does.
class recorder
{
  public:
    explicit recorder(const tm_recorder_options &options)
    {
        check(tm_recorder_open(&it_, &options));
    }
    recorder(recorder &&other) noexcept : it_(std::exchange(other.it_, nullptr))
    {
    }
    recorder &operator=(recorder &&other) noexcept
    {
        std::swap(it_, other.it_);
        return *this;
    }
    /// Without close() nobody learns that the end could not be written.
    ~recorder()
    {
        tm_recorder_close(it_);
    }

    tm_recorder *get() const noexcept
    {
        return it_;
    }
    void start(std::uint32_t every_ms)
    {
        check(tm_recorder_start(it_, every_ms));
    }
    void drain()
    {
        check(tm_recorder_drain(it_));
    }
    /// Drain the rest, and write the end.
    void close()
    {
        check(tm_recorder_close(std::exchange(it_, nullptr)));
    }

  private:
    tm_recorder *it_ = nullptr;
};

/// The calling thread's access to a recorder; a thread_local for instance.
class recorded_thread
{
  public:
    recorded_thread(const recorder &to, const tm_thread &definition)
    {
        check(tm_recorder_attach(to.get(), &definition, &it_));
    }
    recorded_thread(const recorded_thread &) = delete;
    recorded_thread &operator=(const recorded_thread &) = delete;
    ~recorded_thread()
    {
        tm_recorder_detach(it_);
    }

    tm_recorder_thread *get() const noexcept
    {
        return it_;
    }
    /// @return whether there was room
    bool report(const tm_event &event, const tm_frame *frames = nullptr,
                std::size_t frame_count = 0)
    {
        return check(tm_recorder_report(it_, &event, frames, frame_count)) == 1;
    }

  private:
    tm_recorder_thread *it_ = nullptr;
};

/**
 * A unit of work from here to the end of the scope, on one thread:
 *
 *     threadmodel::unit work(thread, order);
 *
 * Units nest. One that has no room in the thread's ring is counted as lost.
 */
class unit
{
  public:
    /// @param on      the calling thread's
    /// @param object  defined by you: its class names the kind, its name is the label
    unit(recorded_thread &on, std::uint64_t object) : on_(on)
    {
        tm_event event{};
        event.kind = TM_EVENT_UNIT_BEGIN;
        event.object = object;
        on_.report(event);
    }
    unit(const unit &) = delete;
    unit &operator=(const unit &) = delete;
    ~unit()
    {
        tm_event event{};
        event.kind = TM_EVENT_UNIT_END;
        tm_recorder_report(on_.get(), &event, nullptr, 0);
    }

  private:
    recorded_thread &on_;
};

#endif

} // namespace threadmodel

#endif
