/** One timed region: monotonic clock inside, CPU time and peak memory around it. */

import { closeSync, openSync, readFileSync, writeSync } from "node:fs";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/**
 * What one execution of a phase took.
 *
 * @typedef {object} Measurement
 * @property {bigint} wallNs
 * @property {number} userNs
 * @property {number} systemNs
 * @property {number | null} peakRssBytes null where the peak cannot be reset: the peak of a whole
 *   process is not that of a phase
 */

/**
 * Bytes that are mapped and given back to see whether the mark falls: more than glibc ever takes from
 * its heap, which it keeps (mallopt(3): M_MMAP_THRESHOLD grows up to 32 MiB).
 */
const PROBE_BYTES = 40 * 2 ** 20;

/** How often the mark is looked at, a millisecond apart. */
const PROBE_ATTEMPTS = 100;

/** V8's garbage collector, which is called where nothing is timed. */
const collect = (() => {
  setFlagsFromString("--expose-gc");
  return /** @type {() => void} */ (runInNewContext("gc"));
})();

/** Collects garbage, and with it gives back the memory of buffers that nobody holds. */
export function collectGarbage() {
  collect();
}

/** Takes measurements of this process. */
export class Meter {
  #peak = PeakMemory.open();

  /**
   * Runs a region and measures it. Nothing stands between the clock's two readings but the region:
   * peak memory is reset and CPU time read before, both are read after.
   *
   * @param {() => void} region
   * @returns {Measurement}
   */
  measure(region) {
    const resettable = this.#peak?.reset() ?? false;
    const before = process.cpuUsage();
    const start = process.hrtime.bigint();
    region();
    const end = process.hrtime.bigint();
    const { user, system } = process.cpuUsage(before);
    const peakRssBytes = resettable ? (this.#peak?.read() ?? null) : null;
    // A clock too coarse to see the region cannot say that it took no time.
    const wallNs = end > start ? end - start : 1n;
    return { wallNs, userNs: user * 1000, systemNs: system * 1000, peakRssBytes };
  }
}

/** The kernel's high-water mark of resident memory (proc(5): `VmHWM`, reset by `clear_refs`). */
class PeakMemory {
  #clearRefs;

  /** @param {number} clearRefs descriptor of the file */
  constructor(clearRefs) {
    this.#clearRefs = clearRefs;
  }

  /** Undefined where the kernel keeps no such mark or does not let it be reset. */
  static open() {
    try {
      const peak = new PeakMemory(openSync("/proc/self/clear_refs", "w"));
      if (peak.#fallsWhenReset()) {
        return peak;
      }
      closeSync(peak.#clearRefs);
    } catch {
      // There is no such file here.
    }
    return undefined;
  }

  /**
   * Sandboxes exist that take the write and keep the mark; a mark that does not fall after memory was
   * given back is none. After the collector took the buffer, a thread of V8 may still be about to unmap it.
   */
  #fallsWhenReset() {
    const before = this.#peakOfProbe();
    if (before === null) {
      return false;
    }
    collectGarbage();
    for (let attempt = 0; attempt < PROBE_ATTEMPTS; attempt += 1) {
      const after = this.reset() ? this.read() : null;
      if (after === null || after + PROBE_BYTES / 2 < before) {
        return after !== null;
      }
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
    return false;
  }

  #peakOfProbe() {
    new Uint8Array(PROBE_BYTES).fill(1);
    return this.read();
  }

  reset() {
    try {
      return writeSync(this.#clearRefs, "5", 0) === 1;
    } catch {
      return false;
    }
  }

  read() {
    try {
      const found = /^VmHWM:\s*([0-9]+) kB$/mu.exec(readFileSync("/proc/self/status", "latin1"));
      return found === null ? null : Number(found[1]) * 1024;
    } catch {
      return null;
    }
  }
}
