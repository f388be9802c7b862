// SPDX-License-Identifier: Apache-2.0
import java.util.stream.IntStream;

/** Threads that need classes which others initialise: args[0] names the program. */
public final class Initialisers {
    private static boolean oneHolds;
    private static boolean otherHolds;

    /** Each goes on once both are in an initialiser. */
    static synchronized void meet(boolean isOne) {
        if (isOne) {
            oneHolds = true;
        } else {
            otherHolds = true;
        }
        Initialisers.class.notifyAll();
        try {
            while (!oneHolds || !otherHolds) {
                Initialisers.class.wait();
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    static class Left {
        static int count;

        static {
            meet(true);
            Right.touch();
        }

        static void touch() {
        }
    }

    static class Right {
        static {
            meet(false);
            Left.count++;
        }

        static void touch() {
        }
    }

    static class Base {
        static {
            meet(true);
            pause(100);
            new Derived();
        }
    }

    static class Derived extends Base {
    }

    static class Table {
        static final int[] VALUES =
            IntStream.range(0, 64).parallel().map(i -> i + offset()).toArray();

        static int offset() {
            pause(5);
            return 1;
        }
    }

    static class Slow {
        static {
            start("second", Slow::touch);
            pause(6000);
        }

        static void touch() {
        }
    }

    static void pause(long ms) {
        try {
            Thread.sleep(ms);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void start(String name, Runnable body) {
        new Thread(body, name).start();
    }

    /** @param arguments what the threads do */
    public static void main(String[] arguments) {
        switch (arguments[0]) {
            case "circle":
                start("left", Left::touch);
                start("right", Right::touch);
                break;
            case "supertype":
                start("base", () -> new Base());
                start("derived", () -> {
                    meet(false);
                    new Derived();
                });
                break;
            case "parallel":
                start("starter", () -> System.out.println(Table.VALUES.length));
                break;
            case "beside":
                start("left", Left::touch);
                start("right", Right::touch);
                start("worker", () -> {
                    for (;;) {
                        pause(20);
                    }
                });
                break;
            default:
                start("first", Slow::touch);
                break;
        }
        pause(300);
        System.out.println("ready");
        System.out.flush();
    }
}
