import { countSessions, type History, TxnStatus } from '@isolab/history';
import { type Capabilities, lossesOf, unsigned64 } from '../format/capabilities.ts';
import { BincodeReader, COUNT_BYTES, readCount, readHeader, SUCCESS } from './dbcop-bincode-reader.ts';
import { SOME_TIME, parametersOf } from './dbcop-parameters.ts';
import { DBCOP } from './dbcop-capabilities.ts';
import { defineFormat } from '../format/format.ts';
import type { ByteStream } from '../files/input.ts';
import type { Output } from '../files/output.ts';
import { readWindows } from '../files/windows.ts';
import { registerOperations } from '../format/register-operations.ts';
import { BinaryFile } from '../files/binary-file.ts';

/**
 * The binary history of dbcop and of all tools that adopted its benchmarks. The layout is in dbcop-bincode-reader.ts.
 */
export const dbcopBincode = defineFormat<ByteStream>({
  name: 'dbcop-bincode',
  title: 'history.bincode of dbcop, also in the artifacts of PolySI and VeriStrong',
  layout: 'stream',
  fileName: 'history.bincode',
  isBinary: true,
  matches: ({ head }) => looksLikeHistory(head),
  read: async (input, options) => {
    const reader = new BincodeReader(input, options);
    await readWindows(input, (bytes, start, end, last) => reader.read(bytes, start, end, last));
    return reader.finish();
  },
  writer: async () => ({ losses: (history) => lossesOf(history, CAPABILITIES), write }),
});

const CAPABILITIES: Capabilities = { ...DBCOP, initial: 0n, database: true };

/** Looks for a plausible header, and reads up to the flags of the first event, because there is no magic number. */
function looksLikeHistory(head: Uint8Array): boolean {
  const header = readHeader(head);
  if (header === null || 'problem' in header) return false;
  const view = new DataView(head.buffer, head.byteOffset, head.byteLength);
  let at = header.length;
  if (header.sessions === 0) return at === head.length;
  for (let sessions = header.sessions; ; sessions--, at += COUNT_BYTES) {
    if (sessions === 0) return at === head.length;
    if (at + COUNT_BYTES > head.length) return true;
    const txns = readCount(view, at, '');
    if (typeof txns === 'string') return false;
    if (txns > 0) break;
  }
  at += COUNT_BYTES;
  if (at + COUNT_BYTES > head.length) return true;
  const events = readCount(view, at, '');
  if (typeof events === 'string') return false;
  at += COUNT_BYTES;
  const isFlag = (byte: number): boolean => byte >= head.length || head[byte] <= 1;
  return isFlag(at) && (events === 0 || isFlag(at + SUCCESS));
}

async function write(history: History, output: Output): Promise<void> {
  const { sessionStart, txnStatus, source } = history;
  const operationsOf = registerOperations(history, unsigned64, unsigned64);
  const file = new BinaryFile(await output.file());
  const count = (number: number): void => file.littleEndian(BigInt(number));
  for (const parameter of Object.values(parametersOf(history))) count(parameter);
  for (const text of [source.database ?? '', SOME_TIME, SOME_TIME]) {
    const bytes = new TextEncoder().encode(text);
    count(bytes.length);
    file.bytes(bytes);
  }
  count(countSessions(history));
  for (let s = 0; s < countSessions(history); s++) {
    count(sessionStart[s + 1] - sessionStart[s]);
    for (let t = sessionStart[s]; t < sessionStart[s + 1]; t++) {
      const events = operationsOf(t);
      count(events.length);
      for (const { isWrite, key, value } of events) {
        file.byte(isWrite ? 1 : 0);
        file.littleEndian(key);
        file.littleEndian(value ?? 0n);
        file.byte(1); // success
      }
      file.byte(txnStatus[t] === TxnStatus.Committed ? 1 : 0);
      await file.flush();
    }
  }
  await file.close();
}
