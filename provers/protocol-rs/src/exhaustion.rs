//! Running out of memory, answered as far as stable Rust lets a program answer.
//!
//! A failed allocation aborts a Rust program, and there is no stable hook in between. So the
//! allocator of every runner is the system's, with one difference: where it has no memory to give
//! while a request is in hand, the `out-of-memory` record of that request, composed before it began,
//! is written to standard output and the process ends with status 1. Requests after it in the same
//! process are not answered; the harness sees the end of output and knows which ones.
//!
//! Memory that the kernel promised and cannot deliver is not seen here: the kernel kills the
//! process, and the harness records that.

use std::alloc::{GlobalAlloc, Layout, System};
use std::io;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

use crate::record::Record;
use crate::system::{Failure, FailureKind};

/// The system's allocator, with last words.
struct WithLastWords;

#[global_allocator]
static ALLOCATOR: WithLastWords = WithLastWords;

/// The record of the request in hand, or null.
static LAST_WORDS: AtomicPtr<Vec<u8>> = AtomicPtr::new(ptr::null_mut());

// SAFETY: every call is passed on to the system's allocator unchanged, and what it returns is
// returned unchanged, or the process ends.
unsafe impl GlobalAlloc for WithLastWords {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller's promises are those `System` asks for.
        or_end(unsafe { System.alloc(layout) })
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: as above.
        or_end(unsafe { System.alloc_zeroed(layout) })
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        // SAFETY: as above.
        or_end(unsafe { System.realloc(pointer, layout, size) })
    }
}

#[inline]
fn or_end(pointer: *mut u8) -> *mut u8 {
    if pointer.is_null() {
        say_last_words();
    }
    pointer
}

#[cold]
fn say_last_words() {
    // Taken out, so that a second thread without memory says nothing.
    let words = LAST_WORDS.swap(ptr::null_mut(), Ordering::AcqRel);
    if words.is_null() {
        return;
    }
    // SAFETY: a non-null pointer comes from `Box::into_raw` in `LastWords::prepare` and is freed
    // only by whoever swaps it out, which here is nobody: the process ends. `write` and `_exit`
    // allocate nothing.
    unsafe {
        let mut rest: &[u8] = &*words;
        while !rest.is_empty() {
            let written = libc::write(libc::STDOUT_FILENO, rest.as_ptr().cast(), rest.len());
            match usize::try_from(written) {
                Ok(written) if written > 0 => rest = &rest[written..],
                _ => break,
            }
        }
        libc::_exit(1);
    }
}

/// While this lives, a failed allocation is answered with its record.
pub(crate) struct LastWords(());

impl LastWords {
    /// Makes the `out-of-memory` record of request `id` the answer to a failed allocation.
    pub(crate) fn prepare(id: &str) -> io::Result<LastWords> {
        let failure = Failure {
            kind: FailureKind::OutOfMemory,
            message: "the system has no more memory to give to this process".to_owned(),
            option: None,
            rule: None,
        };
        let line = Record::error(Some(id), &failure).to_line()?;
        replace(Box::into_raw(Box::new(line)));
        Ok(LastWords(()))
    }
}

impl Drop for LastWords {
    fn drop(&mut self) {
        replace(ptr::null_mut());
    }
}

fn replace(words: *mut Vec<u8>) {
    let before = LAST_WORDS.swap(words, Ordering::AcqRel);
    if !before.is_null() {
        // SAFETY: it came from `Box::into_raw` and the swap made us its only holder.
        drop(unsafe { Box::from_raw(before) });
    }
}
