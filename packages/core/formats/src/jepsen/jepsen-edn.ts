import { KV_CALL, firstEdnMap } from '../events/edn-head.ts';
import { defineFormat } from '../format/format.ts';
import type { ByteStream } from '../files/input.ts';

/**
 * Jepsen's histories in EDN, as Elle reads them: maps one after the other, or in a single vector or list.
 *
 *     {:type :invoke, :f :txn, :value [[:append 3 1] [:r 4 nil]], :process 0, :time 17, :index 0}
 *     {:type :ok, :f :txn, :value [[:append 3 1] [:r 4 [7 8]]], :process 0, :time 23, :index 1}
 *
 * jepsen.ts defines the events. Keys and values are single tokens. The only numbers accepted are integers.
 */
export const jepsenEdn = defineFormat<ByteStream>({
  name: 'jepsen-edn',
  aliases: ['elle', 'edn'],
  title: "Jepsen's operation histories in EDN, as Elle reads them",
  layout: 'stream',
  fileName: 'history.edn',
  matches: ({ head }) => {
    const map = firstEdnMap(head);
    return TYPE.test(map) && !KV_CALL.test(map);
  },
  read: async (input) => {
    const [{ readJepsen }, { EdnEventReader }] = await Promise.all([
      import('./jepsen.ts'),
      import('./jepsen-edn-events.ts'),
    ]);
    return readJepsen('edn', input, EdnEventReader);
  },
  writer: async () => {
    const [{ jepsenWriter }, { EDN }] = await Promise.all([
      import('./jepsen-writer.ts'),
      import('./jepsen-notation.ts'),
    ]);
    return jepsenWriter(EDN);
  },
});

const TYPE = /:type[\s,]*:(invoke|ok|fail|info)\b/;
