import { defineFormat } from '../format/format.ts';
import type { ByteStream } from '../files/input.ts';

/**
 * Jepsen logs of one compare-and-set register, as in porcupine's tests: a line for each event, with fields
 * separated by blanks.
 *
 *     INFO  jepsen.util - 0 :invoke :cas [1 2]
 *     INFO  jepsen.util - 0 :fail   :cas [1 2]
 *
 * A process is a session and a call is a transaction of one operation on the key "register", which is initially nil.
 * Begin and end times are the numbers of the lines.
 *
 * A failed compare-and-set took place and found another value than expected. Other failures name a reason instead of
 * the value, such as `:timed-out`: the call did not take place, and a read saw nothing. `:info` means that the outcome is
 * unknown: the call stays open, like a call without completion.
 */
export const porcupineEtcd = defineFormat<ByteStream>({
  name: 'porcupine-etcd',
  title: "Jepsen's log lines of one register, as in porcupine's etcd tests",
  layout: 'stream',
  fileName: 'etcd_<n>.log',
  matches: ({ head }) => FIRST_LINE.test(Buffer.from(head.subarray(0, LONGEST_LINE)).toString('latin1')),
  read: async (input) => {
    const { EtcdReader } = await import('./porcupine-etcd-reader.ts');
    return new EtcdReader(input).readAll(input, LONGEST_LINE);
  },
  writer: async () => (await import('./porcupine-etcd-writer.ts')).etcdWriter,
});

const LONGEST_LINE = 1 << 12;
const FIRST_LINE = /^\s*INFO\s+jepsen\.util\s+-\s+(\d+|:\S+)\s+:/;
