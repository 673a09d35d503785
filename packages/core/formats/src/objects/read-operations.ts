import {
  EventError,
  type JepsenEvent,
  OperationError,
  type OperationHistory,
  type Value,
  makeHistory,
  operationsOf,
  pairsOf,
} from '@isolab/operations';
import { withoutByteOrderMark } from '../files/byte-order-mark.ts';
import { FormatError, unexpected } from '../files/errors.ts';
import { KV_CALL, firstEdnMap } from '../events/edn-head.ts';
import { type ByteStream, type Input, type InputOptions, openInput } from '../files/input.ts';
import { insideStore } from '../jepsen/jepsen-store.ts';
import { looksLogged, readEvents, readLog } from './jepsen-events.ts';
import { OWN_HEADER, readOwnOperations } from './own-operations.ts';

const OPERATION_FORMATS = [
  'operations',
  'jepsen-edn',
  'jepsen-json',
  'jepsen-log',
  'porcupine-etcd',
  'porcupine-kv',
] as const;

export type OperationFormat = (typeof OPERATION_FORMATS)[number];

export interface OperationDocument {
  readonly name: string;
  readonly format: OperationFormat;
  readonly history: OperationHistory;
  /** Initial state of each object as the format states it; absent if it does not. */
  readonly initial?: Value;
}

export interface OperationOptions extends InputOptions {
  readonly format?: string;
}

/** Reads operations from a path, from standard input for `-`, or from the folder of a Jepsen test. */
export async function readOperationsAt(path: string, options: OperationOptions = {}): Promise<OperationDocument> {
  return readOperationsFrom(await openInput(path, options), options);
}

export async function readOperationsFrom(given: Input, options: OperationOptions = {}): Promise<OperationDocument> {
  const input = withoutByteOrderMark(await streamOf(given));
  const format = formatOf(input, options.format);
  try {
    if (format === 'operations') return { name: input.name, format, history: await readOwnOperations(input) };
    const events = await eventsIn(input, format);
    if (format === 'porcupine-kv') return { name: input.name, format, history: keyValueCalls(events), initial: '' };
    const history = operationsOf(events, format === 'porcupine-etcd' ? ['cas'] : []);
    return { name: input.name, format, history };
  } catch (error) {
    throw inFormat(error, input.name);
  }
}

/** Reads the events of a Jepsen history, in any of Jepsen's formats. */
export async function readJepsenEvents(path: string, options: OperationOptions = {}): Promise<readonly JepsenEvent[]> {
  const input = withoutByteOrderMark(await streamOf(await openInput(path, options)));
  const format = formatOf(input, options.format);
  if (format === 'operations') throw unexpected(input.name, null, 'isolab’s own operations', 'events of Jepsen');
  return eventsIn(input, format);
}

const eventsIn = (input: ByteStream, format: OperationFormat): Promise<JepsenEvent[]> =>
  format === 'jepsen-log' || format === 'porcupine-etcd'
    ? readLog(input)
    : readEvents(input, format === 'jepsen-json' ? 'json' : 'edn');

async function streamOf(given: Input): Promise<ByteStream> {
  const input = await insideStore(given);
  if (input.kind === 'stream') return input;
  throw unexpected(
    input.name,
    null,
    'a folder without history.edn and history.txt',
    'a file, or the folder of a Jepsen test that contains one of these files',
  );
}

function formatOf(input: ByteStream, named: string | undefined): OperationFormat {
  if (named !== undefined && named !== 'auto') {
    const known = OPERATION_FORMATS.find((format) => format === (SHORT[named] ?? named));
    if (known) return known;
    throw new FormatError(input.name, null, `unknown format ${named}; expected one of ${OPERATION_FORMATS.join(', ')}`);
  }
  const head = Buffer.from(input.head).toString('latin1');
  if (OWN_HEADER.test(head)) return 'operations';
  const map = firstEdnMap(input.head);
  if (KV_CALL.test(map)) return 'porcupine-kv';
  if (map !== '' && /:type\b/.test(map)) return 'jepsen-edn';
  if (/^\s*\[?\s*\{\s*"/.test(head)) return 'jepsen-json';
  if (looksLogged(head)) return head.includes('jepsen.util') ? 'porcupine-etcd' : 'jepsen-log';
  throw unexpected(input.name, null, 'no known format', `one of ${OPERATION_FORMATS.join(', ')}`);
}

const SHORT: Readonly<Record<string, string>> = { edn: 'jepsen-edn', json: 'jepsen-json' };

/** Converts calls of Porcupine's key-value tests to operations on a map. The key of a call is in a separate field. */
function keyValueCalls(events: readonly JepsenEvent[]): OperationHistory {
  const operations = pairsOf(events).map(({ invocation, completion }) => {
    const { f, value, process, index, line, fields } = invocation;
    const key = fields.get('key') ?? null;
    return {
      process,
      f,
      argument: f === 'get' ? key : [key, value],
      result: completion === null ? undefined : completion.value,
      call: index,
      return: completion === null ? null : completion.index,
      place: `line ${line}`,
    };
  });
  return makeHistory(operations);
}

/** Adds the name of the file to an error of the model of operations. */
function inFormat(error: unknown, file: string): unknown {
  if (error instanceof EventError) return new FormatError(file, null, error.message);
  if (error instanceof OperationError) return new FormatError(file, null, error.message);
  return error;
}
