// SPDX-License-Identifier: Apache-2.0

/** What the programs here share: threads that may throw, and looking at their states. */
final class Truth {
    private Truth() {
    }

    interface Work {
        void run() throws InterruptedException;
    }

    static Thread start(String name, Work work) {
        Thread thread = thread(name, work);
        thread.start();
        return thread;
    }

    static Thread thread(String name, Work work) {
        return new Thread(() -> {
            try {
                work.run();
            } catch (InterruptedException e) {
                throw new IllegalStateException(name + " was interrupted", e);
            }
        }, name);
    }

    /** Wait until another thread is in a state: then the VM has reported why. */
    static void await(Thread thread, Thread.State state) throws InterruptedException {
        while (thread.getState() != state) {
            Thread.sleep(1);
        }
    }

    static void say(String key, long value) {
        System.out.println(key + "=" + value);
    }
}
