import { type History, OpKind } from '@isolab/history';
import { type Capabilities, anyInteger, lossesOf } from '../format/capabilities.ts';
import { unexpected } from '../files/errors.ts';
import { type Loss, defineFormat } from '../format/format.ts';
import type { ByteStream } from '../files/input.ts';
import { readDocument } from '../files/windows.ts';
import { beginsWithOperation, parseNotation } from './parse-notation.ts';
import { isWord, writeNotation } from './print-notation.ts';
import { rangesOf } from './print-rows.ts';

/**
 * A history in a few characters, for documentation, bug reports and tests. Each line is a session, and `|`
 * separates transactions. `!` precedes an aborted transaction, `?` precedes a transaction of unknown outcome, and `@3-7`
 * follows a transaction that was called at 3 and returned at 7. Operations:
 *
 *     w(x,1)  r(x,1)  r(x,nil)  r(x,?)  a(x,1)  r(x,[1 2])  r(x,[?])  cas(x,1,2)  cas!(x,1,2)
 *     ins(x,nil,1)  ins!(x,9,1)  del(x,1,9)  range(a,c,a=1 b=9!)  range(*,*)
 *
 *     get(doctors/1, {on_call: true})  put(doctors/1, nil)  scan(doctors, on_call = true, {1: {on_call: true}, 2: ?})
 *     count(doctors, on_call = true, 2)  sum(doctors, true, age, 70)  min(…)  max(…)
 *
 * `cas!` failed, `ins!` and `del!` found a tombstone, and `b=9!` is a dead row. Keys are words or integers, values are
 * integers, `nil` or `?`. Every key is initially 0, unless the first line states another value: `initial nil`, or
 * `initial 0 x=5 y=nil doctors/1={on_call: true}`; rows are absent. Tables and columns are words, or texts in double
 * quotes; conditions are those of SQL. A session without transactions cannot be written.
 */
export const notation = defineFormat<ByteStream>({
  name: 'notation',
  title: 'r(x,0) w(x,1), one session per line, as in this documentation',
  layout: 'stream',
  fileName: '*.txt',
  matches: ({ head }) => beginsWithOperation(Buffer.from(head.subarray(0, LONGEST_HEAD)).toString('utf8')),
  read: async (input) => {
    const history = parseNotation(Buffer.from(await readDocument(input, LONGEST_TEXT)).toString('utf8'), input.name);
    if (history.txnStatus.length > 0) return history;
    throw unexpected(input.name, null, 'no transaction', 'lines such as r(x,0) w(x,1)');
  },
  writer: async () => ({
    losses: (history) => [
      ...lossesOf(history, { ...CAPABILITIES, ...rangesOf(history, isWord) }),
      ...lossOfUnit(history),
    ],
    write: writeNotation,
  }),
});

/** Times are written unchanged, but their unit is lost. */
function lossOfUnit({ source: { timeUnit } }: History): Loss[] {
  const isLost = timeUnit !== 'none' && timeUnit !== 'events';
  return isLost ? [{ name: 'times', count: 1, fate: `keep their numbers but not their unit, ${timeUnit}` }] : [];
}

const CAPABILITIES: Capabilities = {
  operations: Object.values(OpKind),
  aborted: 'yes',
  unknown: 'yes',
  keys: isWord,
  values: anyInteger,
  initial: 'any',
  nilValues: true,
  unknownReads: true,
  times: true,
  timeBounds: true,
};

const LONGEST_HEAD = 1 << 12;
/** Far longer than any handwritten history. */
const LONGEST_TEXT = 1 << 26;
