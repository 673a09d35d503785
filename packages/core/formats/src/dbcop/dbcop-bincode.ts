import {
  type History,
  OpKind,
  ReadFrom,
  TxnStatus,
  UNKNOWN_VALUE,
  buildReadFrom,
  countSessions,
} from '@isolab/history';
import { type Capabilities, lossesOf, spelling, unsigned64 } from '../format/capabilities.ts';
import {
  BincodeReader,
  COUNT_BYTES,
  EVENT_BYTES,
  PARAMETER_BYTES,
  SUCCESS,
  VALUE,
  VARIABLE,
  readCount,
  readHeader,
} from './dbcop-bincode-reader.ts';
import { SOME_TIME, parametersOf } from './dbcop-parameters.ts';
import { DBCOP } from './dbcop-capabilities.ts';
import { defineFormat } from '../format/format.ts';
import type { ByteStream } from '../files/input.ts';
import type { ByteSink, Output } from '../files/output.ts';
import { readWindows } from '../files/windows.ts';

/** The binary history of dbcop and of all tools that took over its benchmarks; the layout is in dbcop-bincode-reader.ts. */
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

/** There is no magic number: looks for a header that makes sense, and on to the flags of the first event. */
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
  const { sessionStart, txnStart, txnStatus, opKind, opKey, opValue, source } = history;
  const { readFrom } = buildReadFrom(history);
  const key = spelling(history.keys, unsigned64, 0n);
  const value = spelling(history.values, unsigned64, 1n, UNKNOWN_VALUE + 1);
  const isWrite = (op: number): boolean => opKind[op] === OpKind.Write && opValue[op] > UNKNOWN_VALUE;
  const isRead = (op: number): boolean =>
    opKind[op] === OpKind.Read && (readFrom[op] === ReadFrom.Initial || opValue[op] > UNKNOWN_VALUE);

  const file = new BincodeFile(await output.file());
  const sessions = countSessions(history);
  for (const parameter of Object.values(parametersOf(history))) file.count(parameter);
  for (const text of [source.database ?? '', SOME_TIME, SOME_TIME]) await file.string(text);
  file.count(sessions);
  for (let s = 0; s < sessions; s++) {
    file.count(sessionStart[s + 1] - sessionStart[s]);
    for (let t = sessionStart[s]; t < sessionStart[s + 1]; t++) {
      let events = 0;
      for (let op = txnStart[t]; op < txnStart[t + 1]; op++) if (isWrite(op) || isRead(op)) events++;
      file.count(events);
      for (let op = txnStart[t]; op < txnStart[t + 1]; op++) {
        if (isWrite(op)) file.event(1, key(opKey[op]), value(opValue[op]));
        else if (isRead(op)) file.event(0, key(opKey[op]), readFrom[op] === ReadFrom.Initial ? 0n : value(opValue[op]));
        if (file.isFull) await file.flush();
      }
      file.flag(txnStatus[t] === TxnStatus.Committed ? 1 : 0);
      if (file.isFull) await file.flush();
    }
    if (file.isFull) await file.flush();
  }
  await file.close();
}

/** Collects a file's pieces, and passes them on when they are many. */
class BincodeFile {
  readonly #sink: ByteSink;
  #bytes = new Uint8Array(PIECE_BYTES);
  #view = new DataView(this.#bytes.buffer);
  #at = 0;

  constructor(sink: ByteSink) {
    this.#sink = sink;
  }

  flag(flag: number): void {
    this.#bytes[this.#at++] = flag;
  }

  count(count: number): void {
    this.#integer(BigInt(count), 0);
    this.#at += COUNT_BYTES;
  }

  event(kind: 0 | 1, variable: bigint, value: bigint): void {
    this.#bytes[this.#at] = kind;
    this.#integer(variable, VARIABLE);
    this.#integer(value, VALUE);
    this.#bytes[this.#at + SUCCESS] = 1;
    this.#at += EVENT_BYTES;
  }

  async string(text: string): Promise<void> {
    const bytes = new TextEncoder().encode(text);
    this.count(bytes.length);
    await this.flush();
    await this.#sink.write(bytes);
  }

  /** To be asked at least once for each of the pieces above. */
  get isFull(): boolean {
    return this.#at > PIECE_BYTES - SPARE_BYTES;
  }

  async close(): Promise<void> {
    await this.flush();
    await this.#sink.close();
  }

  #integer(integer: bigint, offset: number): void {
    this.#view.setBigUint64(this.#at + offset, integer, true);
  }

  /** A sink may keep the bytes that it gets, so every piece has a buffer of its own. */
  async flush(): Promise<void> {
    await this.#sink.write(this.#bytes.subarray(0, this.#at));
    this.#bytes = new Uint8Array(PIECE_BYTES);
    this.#view = new DataView(this.#bytes.buffer);
    this.#at = 0;
  }
}

const PIECE_BYTES = 1 << 16;
/** More than one turn of any of the writer's loops adds. */
const SPARE_BYTES = PARAMETER_BYTES + COUNT_BYTES + EVENT_BYTES + 1;
