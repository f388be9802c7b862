// SPDX-License-Identifier: Apache-2.0

import java.util.ArrayList;
import java.util.List;

/**
 * Writers set pages and print them on one press. In the slow edition a page is set while
 * the press is held, so every writer waits for all others; in the fixed one it is set
 * before.
 */
final class Press {
    private static final int WRITERS = 4, PAGES = 500, LETTERS = 100_000;

    private final boolean isFixed;
    private long printed;

    private Press(boolean isFixed) {
        this.isFixed = isFixed;
    }

    /** About a nanosecond of work a letter. */
    private static long set(int page, int letters) {
        long sum = page;
        for (int i = 0; i < letters; i++) {
            sum = sum * 6364136223846793005L + i;
        }
        return sum;
    }

    private synchronized void print(long page) {
        printed += page & 1;
    }

    private synchronized void setAndPrint(int page) {
        print(set(page, LETTERS));
    }

    private void write() {
        for (int page = 0; page < PAGES; page++) {
            int draft = (int) set(page, LETTERS / 10);
            if (isFixed) {
                print(set(draft, LETTERS));
            } else {
                setAndPrint(draft);
            }
        }
    }

    /** @param arguments "slow" or "fixed" */
    public static void main(String[] arguments) throws InterruptedException {
        Press press = new Press(arguments.length > 0 && arguments[0].equals("fixed"));
        List<Thread> writers = new ArrayList<>();
        for (int i = 0; i < WRITERS; i++) {
            writers.add(new Thread(press::write, "writer-" + i));
        }
        for (Thread writer : writers) {
            writer.start();
        }
        for (Thread writer : writers) {
            writer.join();
        }
        System.out.println(press.printed >= 0 ? "printed" : "torn");
    }
}
