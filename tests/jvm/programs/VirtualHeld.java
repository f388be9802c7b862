// SPDX-License-Identifier: Apache-2.0

/**
 * The same, where the owner is a virtual thread or who is blocked is one. Says when that
 * is so.
 */
final class VirtualHeld extends Held {
    public static void main(String[] arguments) throws InterruptedException {
        long ms = Long.parseLong(arguments[1]);
        boolean owns = arguments[0].equals("owner");
        Thread.Builder platform = Thread.ofPlatform();
        Thread.Builder virtual = Thread.ofVirtual();
        Thread next =
                (owns ? platform : virtual).name("next").unstarted(() -> hold(0, null));
        Thread owner = (owns ? virtual : platform).name("owner")
                .start(() -> hold(ms, next));
        Truth.await(next, Thread.State.BLOCKED);
        System.out.println("blocked");
        owner.join();
        next.join();
    }
}
