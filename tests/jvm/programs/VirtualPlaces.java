// SPDX-License-Identifier: Apache-2.0

/**
 * A virtual thread is blocked in one method; later it waits in another while it holds a
 * monitor that a third one acquired.
 */
final class VirtualPlaces {
    private static final class Door {}

    private static final class Held {}

    private static final class Waited {}

    private static final Door door = new Door();
    private static final Held held = new Held();
    private static final Waited waited = new Waited();

    private static void enter() {
        synchronized (door) {
            door.hashCode();
        }
    }

    private static void take() throws InterruptedException {
        synchronized (held) {
            await();
        }
    }

    private static void await() throws InterruptedException {
        synchronized (waited) {
            waited.wait(50);
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        Thread it;
        synchronized (door) {
            it = Thread.ofVirtual().name("it").start(() -> {
                try {
                    enter();
                    take();
                } catch (InterruptedException wrong) {
                    throw new IllegalStateException(wrong);
                }
            });
            Truth.await(it, Thread.State.BLOCKED);
        }
        it.join();
    }
}
