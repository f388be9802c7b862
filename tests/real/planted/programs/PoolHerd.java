// SPDX-License-Identifier: Apache-2.0
import java.util.concurrent.locks.LockSupport;
import org.apache.commons.pool.impl.GenericObjectPool;

/**
 * Clients of a pool of one object, each with little use of it. Commons Pool 1.3 wakes
 * all who wait whenever an object comes back; Commons Pool 2 wakes one.
 */
final class PoolHerd {
    private static final class Parts
            extends org.apache.commons.pool.BasePoolableObjectFactory {
        @Override
        public Object makeObject() {
            return new Object();
        }
    }

    private static final class Parts2
            extends org.apache.commons.pool2.BasePooledObjectFactory<Object> {
        @Override
        public Object create() {
            return new Object();
        }

        @Override
        public org.apache.commons.pool2.PooledObject<Object> wrap(Object object) {
            return new org.apache.commons.pool2.impl.DefaultPooledObject<>(object);
        }
    }

    private static void use() {
        LockSupport.parkNanos(20_000);
    }

    private static void old(Plan plan, int clients, int each) throws Exception {
        GenericObjectPool pool = new GenericObjectPool(new Parts(), 1);
        plan.begin();
        plan.crowd("client", clients, number -> {
            for (int i = 0; i < each; i++) {
                Object part = pool.borrowObject();
                use();
                pool.returnObject(part);
            }
        });
    }

    private static void current(Plan plan, int clients, int each) throws Exception {
        var pool = new org.apache.commons.pool2.impl.GenericObjectPool<>(new Parts2());
        pool.setMaxTotal(1);
        plan.begin();
        plan.crowd("client", clients, number -> {
            for (int i = 0; i < each; i++) {
                Object part = pool.borrowObject();
                use();
                pool.returnObject(part);
            }
        });
    }

    public static void main(String[] arguments) throws Exception {
        Plan plan = new Plan(arguments);
        int clients = plan.number("clients", 300);
        int each = plan.number("each", 20);
        if (plan.flag("wake_all", true)) old(plan, clients, each);
        else current(plan, clients, each);
        plan.end((long) clients * each);
    }
}
