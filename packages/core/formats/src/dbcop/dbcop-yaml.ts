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
import { DBCOP } from './dbcop-capabilities.ts';
import { defineFormat } from '../format/format.ts';
import type { ByteStream } from '../files/input.ts';
import type { Output } from '../files/output.ts';
import { readDocument } from '../files/windows.ts';

/** The history of dbcop in YAML: its bincode file without the header. */
export const dbcopYaml = defineFormat<ByteStream>({
  name: 'dbcop-yaml',
  title: 'YAML of dbcop: sequences of {events, success}',
  layout: 'stream',
  fileName: '*.yaml',
  matches: ({ head }) => {
    const text = Buffer.from(head).toString('latin1');
    return FIRST_TRANSACTION.test(text) || NO_TRANSACTION.test(text);
  },
  read: async (input, options) => {
    const { DbcopYamlReader } = await import('./dbcop-yaml-reader.ts');
    return new DbcopYamlReader(input.name, await readDocument(input), options).read();
  },
  writer: async () => ({ losses: (history) => lossesOf(history, CAPABILITIES), write }),
});

/** First transaction behind comments and all that opens collections. */
const FIRST_TRANSACTION = /^(?:[\s\-,[\]{]|#.*\n)*(?:events|success):\s/;
const NO_TRANSACTION = /^(?:\s*-\s+\[\s*\])+\s*$/;

const CAPABILITIES: Capabilities = { ...DBCOP, initial: 0n };

async function write(history: History, output: Output): Promise<void> {
  const { sessionStart, txnStart, txnStatus, opKind, opKey, opValue } = history;
  const { readFrom } = buildReadFrom(history);
  const key = spelling(history.keys, unsigned64, 0n);
  const value = spelling(history.values, unsigned64, 1n, UNKNOWN_VALUE + 1);
  const event = (op: number, isWrite: boolean, shown: bigint): string =>
    `\n    - write: ${isWrite}\n      variable: ${key(opKey[op])}\n      value: ${shown}\n      success: true`;

  const sink = await output.file();
  if (countSessions(history) === 0) await sink.write('[]\n');
  for (let s = 0; s < countSessions(history); s++) {
    const first = sessionStart[s];
    if (first === sessionStart[s + 1]) await sink.write('- []\n');
    for (let t = first; t < sessionStart[s + 1]; t++) {
      let events = '';
      for (let op = txnStart[t]; op < txnStart[t + 1]; op++) {
        const known = opValue[op] > UNKNOWN_VALUE;
        if (opKind[op] === OpKind.Write && known) events += event(op, true, value(opValue[op]));
        else if (opKind[op] !== OpKind.Read) continue;
        else if (readFrom[op] === ReadFrom.Initial) events += event(op, false, 0n);
        else if (known) events += event(op, false, value(opValue[op]));
      }
      const committed = txnStatus[t] === TxnStatus.Committed;
      await sink.write(`${t === first ? '-' : ' '} - events:${events || ' []'}\n    success: ${committed}\n`);
    }
  }
  await sink.close();
}
