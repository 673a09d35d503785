import { type Atom, buildReadFrom, countSessions, countTransactions, type History, TxnStatus } from '@isolab/history';
import { type Capabilities, lossesOf, unsigned64 } from '../format/capabilities.ts';
import { DBCOP } from './dbcop-capabilities.ts';
import { HistReader, isNumeral, isVariable } from './dbcop-hist-reader.ts';
import { withMistakableZeros } from './dbcop-initial-zeros.ts';
import { type Loss, defineFormat } from '../format/format.ts';
import type { ByteStream } from '../files/input.ts';
import type { Output } from '../files/output.ts';
import { registerOperations } from '../format/register-operations.ts';

/**
 * The text format that newer versions of dbcop offer for handwritten histories. The grammar is in dbcop-hist-reader.ts.
 */
export const dbcopHist = defineFormat<ByteStream>({
  name: 'dbcop-hist',
  title: '[x:=1 y==2] transactions between ---, the text format of dbcop',
  layout: 'stream',
  fileName: '*.hist',
  matches: ({ head }) => FIRST_EVENT.test(Buffer.from(head).toString('utf8')),
  read: (input) => new HistReader(input.name).readAll(input),
  writer: async () => ({ losses, write }),
});

/** First event after comments, empty lines and separators. */
const FIRST_EVENT = /^(?:[\s-]|\/\/.*\n)*\[[ \t]*[\p{Alphabetic}\p{N}_]+(?::=\d|==[\d?])/u;

/** A number is written as digits alone, so a name must not look like a number. */
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
  const { sessionStart, txnStatus } = history;
  const operationsOf = registerOperations(history, fitsVariable, unsigned64); // keys are names if all of them fit
  const sink = await output.file();
  for (let s = 0; s < countSessions(history); s++) {
    if (s > 0) await sink.write('---\n');
    for (let t = sessionStart[s]; t < sessionStart[s + 1]; t++) {
      const events = operationsOf(t).map(({ isWrite, key, value }) => `${key}${isWrite ? ':=' : '=='}${value ?? '?'}`);
      if (events.length === 0) continue;
      await sink.write(`[${events.join(' ')}]${txnStatus[t] === TxnStatus.Committed ? '' : '!'}\n`);
    }
  }
  await sink.close();
}
