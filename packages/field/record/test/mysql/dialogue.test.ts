import { expect, test } from 'vitest';
import { Dialogue } from '../../src/mysql/wire/dialogue.ts';
import { Framer, framed } from '../../src/mysql/wire/framer.ts';
import { type ClientFacts, clientFactsOf, greetingOf } from '../../src/mysql/wire/protocol.ts';

const FACTS: ClientFacts = { capabilities: 0x00_8f_a2_8f, mariadb: 0, user: 'u', database: null, program: null };

/** A column `id` of the table `t`, and the answer to `select id from t`: 7. */
const text = (value: string): Buffer => Buffer.concat([Buffer.from([value.length]), Buffer.from(value)]);
const COLUMN = Buffer.concat([
  ...['def', 'shop', 't', 't', 'id', 'id'].map(text),
  Buffer.from([12, 63, 0, 11, 0, 0, 0, 3, 3, 0, 0, 0, 0]),
]);
const EOF = Buffer.from([0xfe, 0, 0, 2, 0]);
const ANSWER = [Buffer.from([1]), COLUMN, EOF, text('7'), EOF];

function heard(answers: readonly Buffer[], command = '\u0003select id from t') {
  const rows: unknown[] = [];
  let left = 0;
  const listener = {
    sends: () => void left++,
    completes: () => void left--,
    wantsRows: () => true,
    answers: (_: unknown, result: { readonly rows: readonly unknown[] }) => void rows.push(...result.rows),
  };
  const dialogue = new Dialogue(FACTS, listener, () => 0n);
  dialogue.sends(Buffer.from(command));
  for (const answer of answers) dialogue.answers(answer);
  expect(left).toBe(dialogue.pending);
  return { rows, pending: dialogue.pending };
}

test('a result is read', () => {
  expect(heard(ANSWER)).toEqual({ rows: [['7']], pending: 0 });
});

const ERROR = Buffer.concat([Buffer.from([0xff, 0x28, 0x04]), Buffer.from('#42000no')]);

test.each([
  ['a preparation', '\u0016delete from t', [Buffer.from([0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0])]],
  ['a refused preparation', '\u0016delete', [ERROR]],
  ['a refused schema', '\u0002nowhere', [ERROR]],
  ['a ping', '\u000E', [Buffer.from([0, 0, 0, 2, 0, 0, 0])]],
  ['statistics', '\u0009', [Buffer.from('Uptime: 1')]],
])('%s is complete after its answer', (_, command, answers) => {
  expect(heard(answers, command)).toEqual({ rows: [], pending: 0 });
});

test('packets are found however the stream is cut', () => {
  const stream = Buffer.concat(ANSWER.map(framed));
  for (let cut = 1; cut < stream.length; cut++) {
    const framer = new Framer();
    const packets = [stream.subarray(0, cut), stream.subarray(cut)].flatMap((chunk) => [...framer.push(chunk)]);
    expect(packets.map(({ payload }) => payload)).toEqual(ANSWER);
    expect(framer.isIdle).toBe(true);
  }
});

test('a payload of more than 16 MB is one packet', () => {
  const framer = new Framer();
  const head = (size: number): Buffer => framed(Buffer.alloc(size)).subarray(0, 4);
  const stream = Buffer.concat([head(0xff_ff_ff), Buffer.alloc(0xff_ff_ff), head(0), framed(Buffer.from('x'))]);
  expect([...framer.push(stream)].map(({ size }) => size)).toEqual([0xff_ff_ff, 1]);
});

test('malformed packets cause a RangeError or are read, and cause nothing else', () => {
  let seed = 1;
  const random = (below: number): number => (seed = (seed * 48_271) % 0x7f_ff_ff_ff) % below;
  for (let i = 0; i < 20_000; i++) {
    const answers = ANSWER.map((packet) => Buffer.from(packet));
    for (let changes = 1 + random(3); changes > 0; changes--) {
      const packet = answers[random(answers.length)]!;
      if (random(4) === 0) answers[random(answers.length)] = packet.subarray(0, random(packet.length + 1));
      else packet[random(packet.length)] = random(256);
    }
    try {
      heard(answers);
      greetingOf(answers[1]!);
      clientFactsOf(answers[1]!);
    } catch (error) {
      expect(error).toBeInstanceOf(RangeError);
    }
  }
});
