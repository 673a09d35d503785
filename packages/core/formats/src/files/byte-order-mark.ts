import { unexpected } from './errors.ts';
import type { ByteStream } from './input.ts';

/** Removes the byte-order mark from the text of a stream. Refuses UTF-16, which has another mark. */
export function withoutByteOrderMark(stream: ByteStream): ByteStream {
  const { file: _, ...withoutFile } = stream;
  const { head, name, chunks, readInto } = stream;
  const [first, second, third] = head;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) {
    throw unexpected(name, null, 'text in UTF-16', 'UTF-8; convert it, for example with iconv -f UTF-16 -t UTF-8');
  }
  if (first !== 0xef || second !== 0xbb || third !== 0xbf) return stream;
  let isSkipped = false;
  return {
    ...withoutFile,
    head: head.subarray(MARK_BYTES),
    chunks: (async function* () {
      let left = MARK_BYTES;
      for await (const chunk of chunks) {
        const skipped = Math.min(left, chunk.length);
        left -= skipped;
        if (skipped < chunk.length) yield chunk.subarray(skipped);
      }
    })(),
    ...(readInto && {
      readInto: (room: Uint8Array) => {
        if (!isSkipped) {
          isSkipped = true;
          for (let left = MARK_BYTES, read = -1; left > 0 && read !== 0; left -= read)
            read = readInto(new Uint8Array(left));
        }
        return readInto(room);
      },
    }),
  };
}

const MARK_BYTES = 3;
