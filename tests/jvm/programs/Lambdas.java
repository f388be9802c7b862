// SPDX-License-Identifier: Apache-2.0

import java.util.ArrayList;
import java.util.List;

/** Waits on lambdas and references to methods: each is of a class without a name. */
final class Lambdas {
    private Lambdas() {
    }

    private static void rest() {
    }

    private static void waitOn(Object object) throws InterruptedException {
        synchronized (object) {
            object.wait(1);
        }
    }

    public static void main(String[] arguments) throws InterruptedException {
        List<Runnable> all = new ArrayList<>();
        all.add(() -> { });
        for (int i = 0; i < 3; i++) {
            int number = i;
            all.add(() -> Truth.say("number", number));
        }
        all.add(Lambdas::rest);
        all.add(Thread::yield);
        for (Runnable one : all) {
            waitOn(one);
        }
    }
}
