import { countSessions, type History, TxnStatus } from '@isolab/history';
import { type Capabilities, lossesOf, unsigned64 } from '../format/capabilities.ts';
import { DBCOP } from './dbcop-capabilities.ts';
import { defineFormat } from '../format/format.ts';
import type { ByteStream } from '../files/input.ts';
import type { Output } from '../files/output.ts';
import { readDocument } from '../files/windows.ts';
import { type RegisterOperation, registerOperations } from '../format/register-operations.ts';

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

/** First transaction after comments and all openings of collections. */
const FIRST_TRANSACTION = /^(?:[\s\-,[\]{]|#.*\n)*(?:events|success):\s/;
const NO_TRANSACTION = /^(?:\s*-\s+\[\s*\])+\s*$/;

const CAPABILITIES: Capabilities = { ...DBCOP, initial: 0n };

async function write(history: History, output: Output): Promise<void> {
  const { sessionStart, txnStatus } = history;
  const operationsOf = registerOperations(history, unsigned64, unsigned64);
  const eventOf = ({ isWrite, key, value }: RegisterOperation): string =>
    `\n    - write: ${isWrite}\n      variable: ${key}\n      value: ${value ?? 0n}\n      success: true`;
  const sink = await output.file();
  if (countSessions(history) === 0) await sink.write('[]\n');
  for (let s = 0; s < countSessions(history); s++) {
    const first = sessionStart[s];
    if (first === sessionStart[s + 1]) await sink.write('- []\n');
    for (let t = first; t < sessionStart[s + 1]; t++) {
      const events = operationsOf(t).map(eventOf).join('');
      const committed = txnStatus[t] === TxnStatus.Committed;
      await sink.write(`${t === first ? '-' : ' '} - events:${events || ' []'}\n    success: ${committed}\n`);
    }
  }
  await sink.close();
}
