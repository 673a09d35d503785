import { KV_CALL, firstEdnMap } from '../events/edn-head.ts';
import { defineFormat } from '../format/format.ts';
import { readForms } from '../events/forms.ts';
import type { ByteStream } from '../files/input.ts';

/**
 * The logs of a key-value store of strings in porcupine's tests: EDN maps, one per line.
 *
 *     {:process 0, :type :invoke, :f :append, :key "3", :value "x 0 1 y"}
 *     {:process 0, :type :ok, :f :append, :key "3", :value "x 0 1 y"}
 *     {:process 1, :type :invoke, :f :get, :key "3", :value nil}
 *     {:process 1, :type :ok, :f :get, :key "3", :value "x 0 1 y"}
 *
 * A process is a session and a call is a transaction of one operation: `get` reads the whole string, `put` replaces it,
 * `append` adds to its end. Every key is initially "". Begin and end times are the numbers of the events, from 1. A
 * call that does not return has an unknown outcome; the format has no other failures.
 */
export const porcupineKv = defineFormat<ByteStream>({
  name: 'porcupine-kv',
  title: "get, put and append of strings, as in porcupine's key-value tests",
  layout: 'stream',
  fileName: '*.txt',
  matches: ({ head }) => KV_CALL.test(firstEdnMap(head)),
  read: async (input) => {
    const { KvReader } = await import('./porcupine-kv-reader.ts');
    const calls = new KvReader(input);
    const { reader } = calls;
    await readForms(input, { syntax: 'edn', reader, readForm: (line) => calls.readEvent(line) });
    return calls.finish();
  },
  writer: async () => (await import('./porcupine-kv-writer.ts')).kvWriter,
});
