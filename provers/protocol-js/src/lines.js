/** Lines of bounded length: a line that is too long is passed over, never held. */

/** Longest line in bytes, its end not counted. */
export const MAXIMUM_LINE_BYTES = 4 * 1024 * 1024;

/** What stands for a line longer than MAXIMUM_LINE_BYTES, which is gone. */
export const TOO_LONG = Symbol("a line that is too long");

const LINE_END = 0x0a;

/**
 * The lines of a stream without their ends. A last line without an end is a line.
 *
 * @param {AsyncIterable<Uint8Array>} stream
 * @returns {AsyncGenerator<Uint8Array | typeof TOO_LONG, void, undefined>}
 */
export async function* linesOf(stream) {
  /** @type {Uint8Array[]} */
  let parts = [];
  let length = 0;
  let begun = false;
  const finish = () => {
    const line = length > MAXIMUM_LINE_BYTES ? TOO_LONG : Uint8Array.from(Buffer.concat(parts));
    parts = [];
    length = 0;
    begun = false;
    return line;
  };
  for await (const chunk of stream) {
    let start = 0;
    while (start < chunk.length) {
      const found = chunk.indexOf(LINE_END, start);
      const end = found === -1 ? chunk.length : found;
      begun = true;
      length += end - start;
      if (length > MAXIMUM_LINE_BYTES) {
        parts = [];
      } else {
        parts.push(chunk.subarray(start, end));
      }
      start = end + 1;
      if (found !== -1) {
        yield finish();
      }
    }
  }
  if (begun) {
    yield finish();
  }
}
