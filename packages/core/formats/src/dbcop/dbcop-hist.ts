import {
  type Atom,
  type History,
  OpKind,
  ReadFrom,
  TxnStatus,
  UNKNOWN_VALUE,
  buildReadFrom,
  countSessions,
  countTransactions,
} from '@isolab/history';
import { type Capabilities, lossesOf, spelling, unsigned64 } from '../format/capabilities.ts';
import { DBCOP } from './dbcop-capabilities.ts';
import { HistReader, isNumeral, isVariable } from './dbcop-hist-reader.ts';
import { withMistakableZeros } from './dbcop-initial-zeros.ts';
import { type Loss, defineFormat } from '../format/format.ts';
import type { ByteStream } from '../files/input.ts';
import type { Output } from '../files/output.ts';
import { readLineWindows } from '../files/windows.ts';

/** The text that newer versions of dbcop offer for writing by hand; the grammar is in dbcop-hist-reader.ts. */
export const dbcopHist = defineFormat<ByteStream>({
  name: 'dbcop-hist',
  title: '[x:=1 y==2] transactions between ---, the text format of dbcop',
  layout: 'stream',
  fileName: '*.hist',
  matches: ({ head }) => FIRST_EVENT.test(Buffer.from(head).toString('utf8')),
  read: async (input) => {
    const reader = new HistReader(input.name);
    await readLineWindows(input, (bytes, start, end) => reader.readLines(bytes, start, end));
    return reader.finish();
  },
  writer: async () => ({ losses, write }),
});

/** First event behind comments, empty lines and separators. */
const FIRST_EVENT = /^(?:[\s-]|\/\/.*\n)*\[[ \t]*[\p{Alphabetic}\p{N}_]+(?::=\d|==[\d?])/u;

/** A number is spelled with digits alone, so a name may not look like one. */
const fitsVariable = (atom: Atom): boolean => {
  if (typeof atom === 'bigint') return isNumeral(atom.toString());
  return typeof atom === 'string' && isVariable(atom) && !isNumeral(atom);
};

const CAPABILITIES: Capabilities = { ...DBCOP, emptyTransactions: false, keys: fitsVariable };

function losses(history: History): readonly Loss[] {
  const found = lossesOf(history, CAPABILITIES);
  if (countTransactions(history) === 0) {
    found.push({ name: 'empty-sessions', count: countSessions(history), fate: 'leave nothing to write' });
  }
  return withMistakableZeros(found, history, buildReadFrom(history).readFrom);
}

async function write(history: History, output: Output): Promise<void> {
  const { sessionStart, txnStart, txnStatus, opKind, opKey, opValue } = history;
  const { readFrom } = buildReadFrom(history);
  const key: (id: number) => unknown = spelling(history.keys, fitsVariable, 0n); // names, where all of them fit
  const value = spelling(history.values, unsigned64, 1n, UNKNOWN_VALUE + 1);
  const sink = await output.file();
  for (let s = 0; s < countSessions(history); s++) {
    if (s > 0) await sink.write('---\n');
    for (let t = sessionStart[s]; t < sessionStart[s + 1]; t++) {
      const events: string[] = [];
      for (let op = txnStart[t]; op < txnStart[t + 1]; op++) {
        const known = opValue[op] > UNKNOWN_VALUE;
        if (opKind[op] === OpKind.Write && known) events.push(`${key(opKey[op])}:=${value(opValue[op])}`);
        else if (opKind[op] !== OpKind.Read) continue;
        else if (readFrom[op] === ReadFrom.Initial) events.push(`${key(opKey[op])}==?`);
        else if (known) events.push(`${key(opKey[op])}==${value(opValue[op])}`);
      }
      if (events.length === 0) continue;
      await sink.write(`[${events.join(' ')}]${txnStatus[t] === TxnStatus.Committed ? '' : '!'}\n`);
    }
  }
  await sink.close();
}
