// SPDX-License-Identifier: Apache-2.0
// The locks of Rust's own library are futexes. With an argument two threads take two
// locks in opposite orders, and the program hangs.
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Barrier, Condvar, Mutex};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

static SHELF: Mutex<u32> = Mutex::new(0);
static READY: Condvar = Condvar::new();
static TAKES: AtomicBool = AtomicBool::new(false);
static LEFT: Mutex<u32> = Mutex::new(0);
static RIGHT: Mutex<u32> = Mutex::new(0);

fn nap(ms: u64) {
    std::thread::sleep(Duration::from_millis(ms))
}

fn named(name: String, run: impl FnOnce() + Send + 'static) -> JoinHandle<()> {
    Builder::new().name(name).spawn(run).unwrap()
}

fn put() {
    // The taker waits before there is anything.
    while !TAKES.load(Ordering::SeqCst) {
        nap(1);
    }
    for _ in 0..20 {
        let mut count = SHELF.lock().unwrap();
        nap(2);
        *count += 1;
        READY.notify_one();
    }
}

fn take() {
    let mut count = SHELF.lock().unwrap();
    TAKES.store(true, Ordering::SeqCst);
    while *count < 60 {
        count = READY.wait(count).unwrap();
    }
}

fn cross(first: &Mutex<u32>, met: &Barrier, second: &Mutex<u32>) {
    let _first = first.lock().unwrap();
    met.wait();
    let _second = second.lock().unwrap();
}

fn main() {
    let mut threads = Vec::new();
    if std::env::args().count() > 1 {
        let met: &'static Barrier = Box::leak(Box::new(Barrier::new(2)));
        threads.push(named("left".into(), move || cross(&LEFT, met, &RIGHT)));
        threads.push(named("right".into(), move || cross(&RIGHT, met, &LEFT)));
    } else {
        threads.push(named("taker".into(), take));
        threads.extend((0..3).map(|i| named(format!("putter-{i}"), put)));
    }
    for thread in threads {
        thread.join().unwrap();
    }
}
