// SPDX-License-Identifier: Apache-2.0
package io.github.threadmodel;

import java.util.concurrent.atomic.AtomicLong;
import jdk.jfr.Category;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;

/**
 * A unit of work that a program states: a request, a task, a message.
 *
 * <pre>{@code
 * private static final Unit.Kind ORDER = Unit.kind("order");
 *
 * void handle(Order order) {
 *     try (Unit unit = ORDER.begin()) {
 *         ...
 *     }
 * }
 * }</pre>
 *
 * <p>This file has no dependencies and may be copied into a program as it is, in this
 * package. The agent records units, and so does a recording by JFR, as events named {@code
 * threadmodel.Unit}. Where neither records, a unit costs a test of two flags and no object.
 *
 * <p>Units nest: what begins inside another unit of its thread is a part of it. A unit of
 * {@link Kind#begin()} ends on the thread on which it began. One of {@link Kind#open} may go
 * to other threads: {@link #leave()} there, {@link #resume()} here.
 */
public final class Unit implements AutoCloseable {
    /** Of one thread, in a recording of the agent alone: there is nothing to remember. */
    private static final Unit INNERMOST = new Unit(null, 0, false);
    /** Where nothing is recorded. */
    private static final Unit NONE = new Unit(null, 0, true);

    private static final AtomicLong LAST_ID = new AtomicLong();
    private static final boolean HAS_JFR = hasJfr();
    /** The agent sets this where it is attached later. */
    private static boolean agent = hasAgent();

    private final Recorded recorded; // null: JFR records no units
    private final long id;
    private final boolean isVoid;

    private Unit(Recorded recorded, long id, boolean isVoid) {
        this.recorded = recorded;
        this.id = id;
        this.isVoid = isVoid;
    }

    /**
     * Return the kind of a name, such as {@code "order"} or {@code "GET /orders"}. Keep it in
     * a static field.
     */
    public static Kind kind(String name) {
        return new Kind(name);
    }

    /** Return whether anything records units now. */
    public static boolean isRecorded() {
        return agent || HAS_JFR && Recorded.isOn();
    }

    /** A kind of units: the name by which tables sum them up. */
    public static final class Kind {
        private final String name;
        private int number = -1; // of the agent; -1: not asked for

        private Kind(String name) {
            if (name == null) {
                throw new NullPointerException("the name of a kind of units is null");
            }
            this.name = name;
        }

        /** Begin a unit that ends on this thread. */
        public Unit begin() {
            return isRecorded() ? begin(0, null, 0) : NONE;
        }

        /** Begin one that ends on this thread, and label it: with a URL, for instance. */
        public Unit begin(String label) {
            return isRecorded() ? begin(0, label, 0) : NONE;
        }

        /** Begin a unit that may go to other threads. */
        public Unit open() {
            return isRecorded() ? begin(LAST_ID.incrementAndGet(), null, 0) : NONE;
        }

        /**
         * Begin a unit that may go to other threads.
         *
         * @param label null: none
         * @param parent the unit that submitted it; null: the thread's innermost
         */
        public Unit open(String label, Unit parent) {
            return isRecorded()
                    ? begin(LAST_ID.incrementAndGet(), label, parent == null ? 0 : parent.id)
                    : NONE;
        }

        private Unit begin(long id, String label, long parent) {
            Recorded event = HAS_JFR ? Recorded.begun(this.name, label, id, parent) : null;
            if (agent) {
                begin0(number(), id, label, parent);
            }
            return event == null && id == 0 ? INNERMOST : new Unit(event, id, false);
        }

        private int number() {
            if (number < 0) {
                number = kind0(name);
            }
            return number;
        }

        @Override
        public String toString() {
            return name;
        }
    }

    /** This thread no longer works on the unit, which another thread will resume. */
    public void leave() {
        move(false);
    }

    /** This thread works on the unit from now on. */
    public void resume() {
        move(true);
    }

    private void move(boolean isResumed) {
        if (isVoid) {
            return;
        }
        if (id == 0) {
            throw new IllegalStateException(
                    "a unit of Kind.begin() stays on its thread; use Kind.open()");
        }
        if (recorded != null) {
            Moved.commit(id, isResumed);
        }
        if (agent) {
            move0(id, isResumed);
        }
    }

    /** End the unit. */
    @Override
    public void close() {
        if (isVoid) {
            return;
        }
        if (agent) {
            end0(id);
        }
        if (recorded != null) {
            recorded.over();
        }
    }

    /** A unit in a recording by JFR. */
    @Name("threadmodel.Unit")
    @Label("Unit of Work")
    @Category("threadmodel")
    @StackTrace(false)
    static final class Recorded extends Event {
        private static final Recorded ANY = new Recorded();

        @Label("Kind") String kind;
        @Label("Label") String label;
        @Label("Id") long id;
        @Label("Parent") long parent;
        @Label("Thread on which it began") Thread beginThread;

        static boolean isOn() {
            return ANY.isEnabled();
        }

        static Recorded begun(String kind, String label, long id, long parent) {
            if (!isOn()) {
                return null;
            }
            Recorded it = new Recorded();
            it.kind = kind;
            it.label = label;
            it.id = id;
            it.parent = parent;
            it.beginThread = Thread.currentThread();
            it.begin();
            return it;
        }

        void over() {
            end();
            commit();
        }
    }

    /** A unit that leaves its thread, or is resumed by another one. */
    @Name("threadmodel.UnitMove")
    @Label("Move of a Unit of Work")
    @Category("threadmodel")
    @StackTrace(false)
    static final class Moved extends Event {
        @Label("Id") long id;
        @Label("Resumed") boolean resumed;

        static void commit(long id, boolean isResumed) {
            Moved it = new Moved();
            it.id = id;
            it.resumed = isResumed;
            it.commit();
        }
    }

    private static boolean hasJfr() {
        try {
            Class.forName("jdk.jfr.Event");
            return true;
        } catch (ClassNotFoundException | LinkageError e) {
            return false;
        }
    }

    /* The VM looks for native methods in agents. */
    private static boolean hasAgent() {
        try {
            return isRecorded0();
        } catch (UnsatisfiedLinkError e) {
            return false;
        }
    }

    private static native boolean isRecorded0();

    private static native int kind0(String name);

    private static native void begin0(int kind, long id, String label, long parent);

    private static native void move0(long id, boolean isResumed);

    private static native void end0(long id);
}
