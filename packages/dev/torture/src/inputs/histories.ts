import {
  FormatError,
  type HistoryFormat,
  type Input,
  directoryOfBytes,
  findFormat,
  inputOfBytes,
  outputToMemory,
  readDocumentFrom,
} from '@isolab/formats';
import { type History, TxnStatus, countOperations, findInvalid, sameHistory } from '@isolab/history';
import type { Random } from '@isolab/workloads';

/** Finds a problem with reading files as a format; null if they are refused, or read completely. */
export async function judgeHistory(
  name: string,
  files: ReadonlyMap<string, Uint8Array>,
  random: Random,
): Promise<string | null> {
  const { layout } = findFormat(name)!;
  const input = inputOf(files, layout);
  try {
    const document = await readDocumentFrom(input, {
      initialTransaction: 'ordinary',
      ...(random.chance(0.8) && { format: name }),
    });
    if (document.kind === 'polygraph') return null;
    return (await whyNotWhole(document.history)) ?? whyNotCounted(document.format.name, document.history, files);
  } catch (error) {
    if (error instanceof FormatError) return null;
    throw error;
  }
}

function inputOf(files: ReadonlyMap<string, Uint8Array>, layout: 'stream' | 'directory'): Input {
  if (layout === 'directory') return directoryOfBytes('input', Object.fromEntries(files));
  return inputOfBytes('input', files.values().next().value!);
}

/** A history that was read must be unchanged after isolab's own format. */
async function whyNotWhole(history: History): Promise<string | null> {
  const invalid = findInvalid(history);
  if (invalid !== null) return `the history is invalid: ${invalid}`;
  const isolab = findFormat('isolab') as HistoryFormat;
  const written = new Map<string, Uint8Array>();
  await (await isolab.writer!()).write(history, outputToMemory(written));
  try {
    const back = await isolab.read(inputOf(written, 'stream') as never, {});
    return sameHistory(back, history) ? null : 'written in isolab’s format and read back, it differs';
  } catch (error) {
    return `written in isolab’s format, it cannot be read back: ${(error as Error).message}`;
  }
}

/** Checks that no part of a file was dropped: for line formats, counts the contents again by other means. */
function whyNotCounted(format: string, history: History, files: ReadonlyMap<string, Uint8Array>): string | null {
  const counted = COUNTS[format]?.(files);
  if (!counted) return null;
  const read = {
    transactions: history.txnStatus.length,
    operations: countOperations(history),
    committed: history.txnStatus.filter((status) => status === TxnStatus.Committed).length,
  };
  for (const [what, expected] of Object.entries(counted))
    if (read[what as keyof Counted] !== expected)
      return `it was read with ${read[what as keyof Counted]} ${what}, but contains ${expected}`;
  return null;
}

interface Counted {
  readonly transactions?: number;
  readonly operations?: number;
  readonly committed?: number;
}

type Files = ReadonlyMap<string, Uint8Array>;

const COUNTS: Readonly<Record<string, (files: Files) => Counted>> = {
  isolab: (files) => countIsolab(linesOf(files.values().next().value!)),
  text: (files) => {
    const lines = linesOf(files.values().next().value!);
    // Reads of aborted transactions are left out.
    return { operations: lines.filter((line) => !/^r\(.*,-1\)/.test(line)).length };
  },
  'viper-json': (files) => {
    const logs = [...files].filter(([name]) => name.endsWith('.log')).map(([, bytes]) => bytes);
    const lines = logs.flatMap(linesOf).map((line) => JSON.parse(line) as { isInitial?: boolean });
    return { transactions: lines.filter(({ isInitial }) => isInitial !== true).length };
  },
};

function countIsolab(lines: readonly string[]): Counted {
  let transactions = 0;
  let operations = 0;
  let committed = 0;
  const [header = '{}', ...others] = lines;
  const isCollected = 'collected' in (JSON.parse(header) as object);
  for (const [i, line] of others.entries()) {
    let record: Readonly<Record<string, unknown>>;
    try {
      record = JSON.parse(line) as Record<string, unknown>;
    } catch (error) {
      // An incomplete last line remains from a killed collector.
      if (isCollected && i === others.length - 1) break;
      throw error;
    }
    if (line.trimStart().startsWith('{"isolab"')) continue;
    if ('outcome' in record) {
      if (record['outcome'] === 'committed') committed++;
      continue;
    }
    transactions++;
    operations += (record['ops'] as unknown[] | undefined)?.length ?? 0;
    if ((record['status'] ?? 'committed') === 'committed') committed++;
  }
  return { transactions, operations, committed };
}

const linesOf = (bytes: Uint8Array): string[] =>
  new TextDecoder()
    .decode(bytes)
    .split('\n')
    .filter((line) => line.trim() !== '');
