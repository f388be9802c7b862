// SPDX-License-Identifier: Apache-2.0

import java.io.IOException;
import java.io.InputStream;
import java.lang.ref.WeakReference;
import java.util.concurrent.locks.LockSupport;

/**
 * A class that each of many loaders defines anew. It blocks once, and then nothing
 * keeps it: the VM has unloaded it before the next one comes.
 */
final class Unloaded {
    /** The class that is loaded: it parks, and waits on an object of its own class. */
    static final class Guest implements Runnable {
        @Override
        public void run() {
            LockSupport.parkNanos(this, 1);
            rest();
        }

        private synchronized void rest() {
            try {
                wait(1);
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        }
    }

    /** Defines the class itself, where others would leave it to their parents. */
    private static final class Loader extends ClassLoader {
        private final byte[] bytes;

        Loader(byte[] bytes) {
            super(null);
            this.bytes = bytes;
        }

        @Override
        protected Class<?> findClass(String name) {
            return defineClass(name, bytes, 0, bytes.length);
        }
    }

    private Unloaded() {
    }

    private static WeakReference<Class<?>> visit(byte[] bytes) throws Exception {
        Class<?> guest = new Loader(bytes).loadClass(Guest.class.getName());
        var constructor = guest.getDeclaredConstructor();
        constructor.setAccessible(true);
        ((Runnable) constructor.newInstance()).run();
        return new WeakReference<>(guest);
    }

    public static void main(String[] arguments) throws Exception {
        byte[] bytes = read(Guest.class.getName() + ".class");
        for (int i = 0; i < Integer.parseInt(arguments[0]); i++) {
            WeakReference<Class<?>> guest = visit(bytes);
            while (guest.get() != null) {
                System.gc();
            }
        }
    }

    private static byte[] read(String name) throws IOException {
        try (InputStream in = Unloaded.class.getResourceAsStream(name)) {
            return in.readAllBytes();
        }
    }
}
