// @ts-check
/**
 * A file format of histories. In this format each line is a transaction, after the name of its session:
 *
 *     my-format 1
 *     alice: r(x)=0 w(x)=1
 *     7: r(x)=1
 *     end
 *
 * Change it to your format, and test it after each step: `isolab test ./my-format.mjs`.
 */
import {
  FormatError,
  HistoryBuilder,
  OpKind,
  ReadFrom,
  TxnStatus,
  atomOf,
  buildReadFrom,
  defineFormat,
  lossesOf,
  mismatch,
  readLines,
} from 'isolab/plugin';

/** @import { AtomRange, Capabilities } from 'isolab/plugin' */

const HEADER = 'my-format 1';
/** The last line, which shows that a file was not cut off. */
const END = 'end';

export default defineFormat({
  name: 'my-format',
  title: 'a transaction per line, such as alice: r(x)=0 w(x)=1',
  layout: 'stream',
  fileName: '*.my-format',

  /** Whether a file has this format, by its first bytes; no two formats may claim the same file. */
  matches: (input) => 'head' in input && new TextDecoder().decode(input.head.subarray(0, HEADER.length)) === HEADER,

  async read(input) {
    if (!('chunks' in input)) throw new FormatError(input.name, null, mismatch('a directory', 'a file'));
    const fail = (/** @type {number} */ line, /** @type {string} */ found, /** @type {string} */ expected) =>
      new FormatError(input.name, `line ${line}`, mismatch(found, expected));
    const history = new HistoryBuilder({
      format: 'my-format',
      file: input.name,
      unit: 'line',
      opStride: 0,
      initial: 0n,
    });
    let hasEnded = false;
    let last = 0;
    for await (const { text, number, isWhole } of readLines(input)) {
      last = number;
      if (hasEnded || !isWhole)
        throw fail(number, JSON.stringify(text), hasEnded ? 'nothing after end' : 'a whole line');
      hasEnded = text === END;
      if (hasEnded) continue;
      if (number === 1) {
        if (text !== HEADER) throw fail(1, JSON.stringify(text), HEADER);
        continue;
      }
      const [, session, operations] = LINE.exec(text) ?? [];
      if (session === undefined || operations === undefined)
        throw fail(number, JSON.stringify(text), 'a transaction such as alice: r(x)=0 w(x)=1');
      history.begin(history.session(atomOfWord(session)), number); // committed, unless history.outcome says otherwise
      for (const [, kind, key = '', value = ''] of operations.matchAll(/([rw])\(([^)]+)\)=(\d+)/g)) {
        const id = history.values.atom(BigInt(value));
        history.op(kind === 'r' ? OpKind.Read : OpKind.Write, history.keys.atom(atomOfWord(key)), id);
      }
    }
    if (!hasEnded) throw fail(last, 'the end of the file', END);
    if (history.operations === 0) throw new FormatError(input.name, null, mismatch('no transaction', 'one at least'));
    return history.finish();
  },

  /** Omit it for a format that is only read; the test then damages and cuts the files in `examples: ['…']`. */
  writer: async () => ({
    losses: (history) => lossesOf(history, CAPABILITIES),
    async write(history, output) {
      const { sessionNames, txnStart, txnSession, txnStatus, opKind, opKey, opValue, keys, values } = history;
      const { readFrom } = buildReadFrom(history);
      const [keyNames, sessions] = [new Names('k'), new Names('s')];
      const sink = await output.file();
      await sink.write(`${HEADER}\n`);
      for (let t = 0; t < txnStatus.length; t++) {
        if (txnStatus[t] !== TxnStatus.Committed) continue; // losses() has reported the number of omitted transactions
        const said = [];
        for (let op = at(txnStart, t); op < at(txnStart, t + 1); op++) {
          const isRead = opKind[op] === OpKind.Read;
          if (!isRead && opKind[op] !== OpKind.Write) continue;
          const value = isRead && readFrom[op] === ReadFrom.Initial ? 0n : atomOf(values, at(opValue, op));
          const key = keyNames.of(atomOf(keys, at(opKey, op)));
          if (isSmall(value)) said.push(`${isRead ? 'r' : 'w'}(${key})=${value}`);
        }
        const session = sessions.of(atomOf(sessionNames, at(txnSession, t)));
        if (said.length > 0) await sink.write(`${session}: ${said.join(' ')}\n`);
      }
      await sink.write(`${END}\n`);
      await sink.close();
    },
  }),
});

/** A transaction; names begin with a letter, or are whole numbers. */
const LINE =
  /^((?:0|[1-9]\d{0,14}|[a-z][a-z0-9-]*)):((?: [rw]\((?:0|[1-9]\d{0,14}|[a-z][a-z0-9-]*)\)=(?:0|[1-9]\d{0,14}))+)$/;

/** Numbers are bigints in isolab, all other names are strings. */
const atomOfWord = (/** @type {string} */ word) => (/^\d/.test(word) ? BigInt(word) : word);
/** @type {AtomRange} */
const isSmall = (atom) => typeof atom === 'bigint' && atom >= 0n && atom < 10n ** 15n;
/** @type {AtomRange} */
const isWord = (atom) => isSmall(atom) || (typeof atom === 'string' && /^[a-z][a-z0-9-]*$/.test(atom));

/** An entry of a column. @param {{ readonly [index: number]: number }} column @param {number} index */
const at = (column, index) => Number(column[index]);

/** Capabilities of the format, which determine the losses of a conversion. @type {Capabilities} */
const CAPABILITIES = {
  aborted: 'no',
  unknown: 'no',
  emptyTransactions: false,
  emptySessions: false,
  sessionNames: isWord,
  transactionNames: 'ordinal',
  keys: isWord,
  values: isSmall,
  initial: 0n,
};

/** Words for names that the format cannot spell. */
class Names {
  /** @param {string} prefix */
  constructor(prefix) {
    this.prefix = prefix;
    /** @type {Map<unknown, string>} */
    this.words = new Map();
  }

  /** @param {import('isolab/plugin').Atom} name */
  of(name) {
    if (isWord(name)) return String(name);
    const known = this.words.get(name) ?? `${this.prefix}${this.words.size + 1}`;
    this.words.set(name, known);
    return known;
  }
}
