// SPDX-License-Identifier: Apache-2.0

/** The same, where the owner is a virtual thread or who is blocked is one. */
final class VirtualHeld extends Held {
    public static void main(String[] arguments) throws InterruptedException {
        long ms = Long.parseLong(arguments[1]);
        boolean owns = arguments[0].equals("owner");
        Thread.Builder platform = Thread.ofPlatform();
        Thread.Builder virtual = Thread.ofVirtual();
        Thread next =
                (owns ? platform : virtual).name("next").unstarted(() -> hold(0, null));
        (owns ? virtual : platform).name("owner").start(() -> hold(ms, next)).join();
        next.join();
    }
}
