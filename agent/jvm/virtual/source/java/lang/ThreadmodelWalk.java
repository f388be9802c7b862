// SPDX-License-Identifier: Apache-2.0
package java.lang;

import java.util.ArrayDeque;
import java.util.Iterator;
import jdk.internal.vm.ThreadContainer;
import jdk.internal.vm.ThreadContainers;

/**
 * Goes through the virtual threads that there are, which the VM itself does not list: by
 * the containers that the JDK keeps account of them in, for its own dumps. They come and
 * go meanwhile, so it is one at a time, and no list of them is made.
 */
public final class ThreadmodelWalk {
    private final ArrayDeque<ThreadContainer> found = new ArrayDeque<>();
    private ThreadContainer container = ThreadContainers.root();
    private Iterator<Thread> threads = container.threads().iterator();

    /** Whether those that no executor started are among them. */
    public boolean isWhole() {
        return ThreadContainers.trackAllThreads();
    }

    /** @return null: there are no more */
    public Thread next() {
        while (container != null) {
            while (threads.hasNext()) {
                Thread thread = threads.next();
                if (thread instanceof VirtualThread) {
                    return thread;
                }
            }
            for (Iterator<ThreadContainer> i = container.children().iterator(); i.hasNext();) {
                found.add(i.next());
            }
            container = found.poll();
            threads = container == null ? null : container.threads().iterator();
        }
        return null;
    }
}
