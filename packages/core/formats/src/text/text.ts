import {
  type History,
  OpKind,
  type TransactionId,
  TxnStatus,
  atomOf,
  countKeys,
  countTransactions,
  foldInitialTransaction,
  namesOnlyCount,
} from '@isolab/history';
import { type Capabilities, anyInteger, lossesOf, naturals, spelling } from '../format/capabilities.ts';
import { type Loss, defineFormat } from '../format/format.ts';
import type { ByteStream } from '../files/input.ts';
import type { Output } from '../files/output.ts';
import { LONGEST_LINE, type TextPart, TextReader, placeBetweenTransactions } from './text-reader.ts';
import { inParts } from '../files/file-parts.ts';
import { readLineWindows } from '../files/windows.ts';
import { registerOperations } from '../format/register-operations.ts';

/**
 * The text format of PolySI, Plume and IsoVista: one operation per line, `r(key,value,session,transaction)` or `w(…)`.
 * Every key is initially 0. Transaction −1 marks operations of aborted transactions; only their writes count.
 */
export const text = defineFormat<ByteStream>({
  name: 'text',
  aliases: ['polysi', 'plume', 'isovista'],
  title: 'r(k,v,s,t) lines of PolySI, Plume and IsoVista',
  layout: 'stream',
  fileName: '*.txt',
  matches: ({ head }) => /^\s*[rw]\(\d+,\d+,\d+,-?\d+\)\s/.test(firstText(head)),
  read: async (input, { initialTransaction = 'stated', threads }) => {
    const reader = new TextReader(input);
    const first = await inParts<TextPart>(input, threads, {
      task: 'read text',
      leastSize: 8,
      header: new Uint8Array(0),
      placeIn: placeBetweenTransactions,
      append: (part) => reader.append(part),
    });
    await readLineWindows(first, (bytes, start, end) => reader.readLines(bytes, start, end), LONGEST_LINE);
    const history = reader.finish();
    return initialTransaction === 'stated' ? withoutConventionalInitialTransaction(history) : history;
  },
  writer: async () => ({
    losses: (history) => withMistakableTransaction(lossesOf(history, CAPABILITIES), history),
    write,
  }),
});

const CAPABILITIES: Capabilities = {
  aborted: 'writes',
  sessionNames: naturals,
  transactionNames: (name) => anyInteger(name) && name !== ABORTED,
  keys: naturals,
  values: naturals,
  initial: 0n,
};

async function write(history: History, output: Output): Promise<void> {
  const { txnSession, txnStatus, txnNames, sessionNames } = history;
  const operationsOf = registerOperations(history, naturals, naturals);
  const session = spelling(sessionNames, naturals, 0n);
  const name =
    txnNames && !namesOnlyCount(txnNames)
      ? spelling(txnNames, (atom) => anyInteger(atom) && atom !== ABORTED, 1n)
      : (t: number) => BigInt(t);
  const sink = await output.file();
  for (let t = 0; t < countTransactions(history); t++) {
    if (txnStatus[t] === TxnStatus.Unknown) continue;
    const aborted = txnStatus[t] === TxnStatus.Aborted;
    const end = `,${session(txnSession[t]!)},${aborted ? ABORTED : name(t)})\n`;
    for (const { isWrite, key, value } of operationsOf(t))
      if (isWrite || !aborted) await sink.write(`${isWrite ? 'w' : 'r'}(${key},${value ?? 0n}${end}`);
  }
  await sink.close();
}

const firstText = (head: Uint8Array): string => Buffer.from(head.subarray(0, LONGEST_LINE)).toString('latin1');

const ABORTED = -1n;

/**
 * Removes IsoVista's explicit initial transaction: transaction 0 of session 0, first and alone, writes 0 to every key.
 */
function withoutConventionalInitialTransaction(history: History): History {
  const { sessionNames, txnNames } = history;
  if (!hasConventionalShape(history)) return history;
  if (atomOf(sessionNames, 0) !== 0n || (txnNames !== null && atomOf(txnNames, 0) !== 0n)) return history;
  const folded = foldInitialTransaction(history, 0 as TransactionId).history;
  return { ...folded, source: { ...folded.source, notes: { ...folded.source.notes, initialTransactions: 1 } } };
}

/** Adds to the losses a first transaction that would look like the initial transaction. */
function withMistakableTransaction(losses: readonly Loss[], history: History): readonly Loss[] {
  if (!hasConventionalShape(history)) return losses;
  return [...losses, { name: 'initial-values', count: 1, fate: 'become the initial state, with their transaction' }];
}

function hasConventionalShape(history: History): boolean {
  const { sessionStart, txnStart, txnStatus, txnPosition, opKind, opKey, opValue, values } = history;
  if (txnStatus.length < 2 || sessionStart[1] !== 1 || txnStatus[0] !== TxnStatus.Committed) return false;
  const written = new Set<number>();
  for (let op = 0; op < txnStart[1]!; op++) {
    if (opKind[op] !== OpKind.Write || atomOf(values, opValue[op]!) !== 0n) return false;
    written.add(opKey[op]!);
  }
  return written.size > 0 && written.size === countKeys(history) && !txnPosition.some((at) => at < txnPosition[0]!);
}
