import { countSessions, type History, HistoryBuilder, OpKind, TxnStatus } from '@isolab/history';
import { type Capabilities, lossesOf, unsigned64 } from './format/capabilities.ts';
import { unexpected } from './files/errors.ts';
import { defineFormat } from './format/format.ts';
import type { ByteStream } from './files/input.ts';
import type { Output } from './files/output.ts';
import { DecimalReader, TOO_LONG, UnsignedIds } from './syntax/unsigned.ts';
import { registerOperations } from './format/register-operations.ts';
import { LineReader } from './files/line-reader.ts';

/**
 * The text format of AWDIT's own tests: `r <key> <value>` or `w <key> <value>` on each line. Any run of `-` ends a
 * transaction and any run of `=` ends a session, anywhere on a line. Empty transactions and sessions do not count.
 *
 * There is no initial state: an ordinary transaction writes it, and a read without a writer is out of thin air.
 */
export const awdit = defineFormat<ByteStream>({
  name: 'awdit-test',
  aliases: ['awdit'],
  title: "r k v and w k v lines between --- and ===, from AWDIT's tests",
  layout: 'stream',
  fileName: '*.txt',
  matches: ({ head }) => FIRST_OPERATION.test(Buffer.from(head).toString('latin1')),
  read: (input) => new AwditReader(input.name).readAll(input, LONGEST_LINE),
  writer: async () => ({ losses: (history) => lossesOf(history, CAPABILITIES), write }),
});

const FIRST_OPERATION = /^[\s=-]*[rw][ \t]+\d+[ \t]+\d+[ \t]*(?:[\r\n=-]|$)/;

const CAPABILITIES: Capabilities = {
  keys: unsigned64,
  values: unsigned64,
  initial: 'no',
};

class AwditReader extends LineReader {
  readonly #builder: HistoryBuilder;
  readonly #keys: UnsignedIds;
  readonly #values: UnsignedIds;
  readonly #number = new DecimalReader();
  #session = -1;
  #inSession = false;
  #inTxn = false;
  #nextLine = 0; // line of the transaction's next operation if no line is left empty
  #firstLine = 0;
  #gaps = false; // whether the transaction had empty lines in it, so that its operations need their own positions

  constructor(file: string) {
    super(file);
    this.#builder = new HistoryBuilder({ format: 'awdit-test', file, unit: 'line', opStride: 1 });
    this.#keys = new UnsignedIds(this.#builder.keys);
    this.#values = new UnsignedIds(this.#builder.values);
  }

  protected override readLine(bytes: Uint8Array, at: number, end: number): number {
    let mayRead = true; // whether an operation may come next: only one between two separators of a line
    for (; at < end; at++) {
      switch (bytes[at]) {
        case LINE_FEED:
          return at + 1;
        case SPACE:
        case TAB:
        case CARRIAGE_RETURN:
          break;
        case EQUALS:
        case MINUS:
          if (bytes[at] === EQUALS) this.#inSession = false;
          this.#inTxn = false;
          mayRead = true;
          break;
        case LETTER_R:
        case LETTER_W:
          if (!mayRead) this.fail(bytes, at, end, AFTER_OPERATION);
          at = this.#readOperation(bytes, at, end) - 1;
          mayRead = false;
          break;
        default:
          this.fail(bytes, at, end, mayRead ? "'r', 'w', '-' or '='" : AFTER_OPERATION);
      }
    }
    return at;
  }

  #readOperation(bytes: Uint8Array, at: number, end: number): number {
    const kind = bytes[at] === LETTER_R ? OpKind.Read : OpKind.Write;
    const number = this.#number;
    at = this.#readNumber(bytes, at + 1, end, 'key');
    const key = this.#keys.id(number.hi, number.lo);
    at = this.#readNumber(bytes, at, end, 'value');
    const value = this.#values.id(number.hi, number.lo);
    if (!this.#inTxn) this.#beginTransaction();
    this.#builder.op(kind, key, value);
    if (this.line !== this.#nextLine++) {
      this.#gaps = true;
      this.#nextLine = this.line + 1;
    }
    if (this.#gaps) this.#builder.opAt(this.line - this.#firstLine);
    return at;
  }

  #beginTransaction(): void {
    if (!this.#inSession) this.#session = this.#builder.sessions.integer(0, this.#session + 2); // counted from 1
    this.#builder.begin(this.#session, this.line);
    this.#inSession = this.#inTxn = true;
    this.#firstLine = this.#nextLine = this.line;
  }

  #readNumber(bytes: Uint8Array, at: number, end: number, what: string): number {
    const blank = at;
    while (at < end && (bytes[at] === SPACE || bytes[at] === TAB)) at++;
    if (at === blank) this.fail(bytes, at, end, `a blank before the ${what}`);
    const after = this.#number.read(bytes, at, end);
    if (after === at) this.fail(bytes, at, end, `the ${what}, a natural number`);
    if (after === TOO_LONG) this.fail(bytes, at, end, `a ${what} below 2^64`);
    return after;
  }

  protected override finish(): History {
    if (this.line === 0) throw unexpected(this.file, null, 'an empty file', 'lines such as w 0 1');
    if (this.#builder.transactions === 0) {
      throw unexpected(this.file, null, 'no operation', 'lines such as w 0 1');
    }
    return this.#builder.finish();
  }
}

async function write(history: History, output: Output): Promise<void> {
  const { sessionStart, txnStatus } = history;
  const operationsOf = registerOperations(history, unsigned64, unsigned64);
  const sink = await output.file();
  let separator = '';
  for (let s = 0; s < countSessions(history); s++) {
    if (separator !== '') separator = '===\n';
    for (let t = sessionStart[s]; t < sessionStart[s + 1]; t++) {
      if (txnStatus[t] !== TxnStatus.Committed) continue;
      let lines = '';
      for (const { isWrite, key, value } of operationsOf(t))
        if (value !== null) lines += `${isWrite ? 'w' : 'r'} ${key} ${value}\n`;
      if (lines === '') continue;
      await sink.write(separator + lines);
      separator = '---\n';
    }
  }
  await sink.close();
}

const LONGEST_LINE = 1 << 12;
const AFTER_OPERATION = "the end of the line, '-' or '='";
const [LETTER_R, LETTER_W, EQUALS, MINUS, LINE_FEED, CARRIAGE_RETURN, SPACE, TAB] = [
  0x72, 0x77, 0x3d, 0x2d, 10, 13, 32, 9,
];
