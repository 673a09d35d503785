import { defineFormat } from '../format/format.ts';
import type { ByteStream } from '../files/input.ts';

/**
 * Jepsen's histories in JSON, as elle-cli reads them: one array of objects, or one object per line.
 *
 *     {"type":"ok","f":"txn","value":[["append",3,1],["r",4,[7,8]]],"process":0,"time":23,"index":1}
 *
 * jepsen.ts defines the events. Keywords are strings, nil is null, sets are arrays. A key or value that was a
 * keyword remains a string, as in the file. The only numbers accepted are integers.
 */
export const jepsenJson = defineFormat<ByteStream>({
  name: 'jepsen-json',
  aliases: ['elle-json'],
  title: "Jepsen's operation histories in JSON, as elle-cli reads them",
  layout: 'stream',
  fileName: 'history.json',
  matches: ({ head }) => FIRST_EVENT.test(Buffer.from(head).toString('latin1')),
  read: async (input) => {
    const [{ readJepsen }, { JsonEventReader }] = await Promise.all([
      import('./jepsen.ts'),
      import('./jepsen-json-events.ts'),
    ]);
    return readJepsen('json', input, JsonEventReader);
  },
  writer: async () => {
    const [{ jepsenWriter }, { JSON_NOTATION }] = await Promise.all([
      import('./jepsen-writer.ts'),
      import('./jepsen-notation.ts'),
    ]);
    return jepsenWriter(JSON_NOTATION);
  },
});

const FIRST_EVENT = /^\s*(\[\s*)?\{(?!\s*"isolab")[^]*?"type"\s*:\s*"(invoke|ok|fail|info)"/;
