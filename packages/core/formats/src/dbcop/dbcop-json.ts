import { buildReadFrom, countSessions, type History, TxnStatus } from '@isolab/history';
import { type Capabilities, lossesOf, unsigned64 } from '../format/capabilities.ts';
import { withMistakableZeros } from './dbcop-initial-zeros.ts';
import { SOME_TIME, parametersOf } from './dbcop-parameters.ts';
import { DBCOP } from './dbcop-capabilities.ts';
import { defineFormat } from '../format/format.ts';
import type { ByteStream } from '../files/input.ts';
import type { Output } from '../files/output.ts';
import { readDocument } from '../files/windows.ts';
import { registerOperations } from '../format/register-operations.ts';

/**
 * The JSON of newer versions of dbcop, written in the same way as dbcop's command line does. The grammar is in
 * dbcop-json-reader.ts.
 */
export const dbcopJson = defineFormat<ByteStream>({
  name: 'dbcop-json',
  title: 'JSON of dbcop: sessions of {"events": …, "committed": …}, bare or in a wrapper with parameters',
  layout: 'stream',
  fileName: '*.json',
  matches: ({ head }) => {
    const text = Buffer.from(head).toString('latin1');
    return WRAPPER.test(text) || SESSIONS.test(text);
  },
  read: async (input) => {
    const { DbcopJsonReader } = await import('./dbcop-json-reader.ts');
    return new DbcopJsonReader(input.name, await readDocument(input)).read();
  },
  writer: async () => ({
    losses: (history) => withMistakableZeros(lossesOf(history, CAPABILITIES), history, buildReadFrom(history).readFrom),
    write,
  }),
});

const WRAPPER = /^\s*\{\s*"(?:params|info|start|end|data)"\s*:/;
/** Matches up to the first transaction, or to the end if there is none. */
const SESSIONS = /^\s*\[\s*\[[\s[\],]*(?:\{\s*"(?:events|committed)"\s*:|$)/;

// Our reader also accepts keys that are strings, but dbcop's command line does not.
const CAPABILITIES: Capabilities = { ...DBCOP, database: true };

async function write(history: History, output: Output): Promise<void> {
  const { sessionStart, txnStatus, source } = history;
  const operationsOf = registerOperations(history, unsigned64, unsigned64);
  const sink = await output.file();
  const header = { params: parametersOf(history), info: source.database ?? '', start: SOME_TIME, end: SOME_TIME };
  await sink.write(`${JSON.stringify(header).slice(0, -1)},"data":[`);
  for (let s = 0; s < countSessions(history); s++) {
    await sink.write(s > 0 ? ',\n[' : '\n[');
    for (let t = sessionStart[s]; t < sessionStart[s + 1]; t++) {
      const events = operationsOf(t).map(
        ({ isWrite, key, value }) => `{"${isWrite ? 'Write' : 'Read'}":{"variable":${key},"version":${value}}}`,
      );
      const committed = txnStatus[t] === TxnStatus.Committed;
      await sink.write(`${t > sessionStart[s] ? ',' : ''}\n{"events":[${events.join(',')}],"committed":${committed}}`);
    }
    await sink.write(']');
  }
  await sink.write(']}\n');
  await sink.close();
}
