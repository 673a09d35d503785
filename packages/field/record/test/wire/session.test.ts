import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { DIALOGUE, type Turn, sentBy } from './dialogue.ts';
import { all, back, front } from './messages.ts';
import { numbersFrom } from './random.ts';
import { type Plan, fresh, isBeginning, opened, played, rewriting, unchanged } from './sessions.ts';

const WHOLE = (): number => Infinity;

describe('a dialogue', () => {
  const { below } = numbersFrom(1);
  const CHUNKINGS: readonly [string, number, () => number][] = [
    ['whole', 1, WHOLE],
    ['byte by byte', 1, () => 1],
    ['in small chunks', 50, () => 1 + below(12)],
    ['in larger chunks', 50, () => 1 + below(200)],
  ];

  test.each(CHUNKINGS)('a dialogue passes byte for byte where the plan changes nothing: %s', (_, times, chunk) => {
    for (let i = 0; i < times; i++) {
      const session = fresh();
      const { toClient, toServer } = played(session, DIALOGUE, chunk);
      expect(toServer).toEqual(sentBy('client'));
      expect(toClient).toEqual(sentBy('server'));
      expect(session.problems).toEqual([]);
    }
  });

  test.each(CHUNKINGS)('a dialogue is rewritten and recorded the same: %s', (_, times, chunk) => {
    const whole = played(fresh(rewriting), DIALOGUE, WHOLE);
    expect(whole.toClient.includes('h1')).toBe(false);
    for (let i = 0; i < times; i++) {
      const session = fresh(rewriting);
      expect(played(session, DIALOGUE, chunk)).toEqual(whole);
      expect(session.log.events).toEqual(EVENTS);
      expect(session.problems).toEqual([]);
    }
  });

  test('a dialogue that is cut at any byte leaves a log of the received bytes only', () => {
    const total = DIALOGUE.reduce((sum, { bytes }) => sum + bytes.length, 0);
    for (const plan of [unchanged, rewriting]) {
      const whole = fresh(plan);
      const sent = played(whole, DIALOGUE, WHOLE);
      for (let cut = 0; cut < total; cut++) {
        const session = fresh(plan);
        const begun = played(session, cutAt(cut), WHOLE);
        session.session.end();
        session.session.end();
        const events = session.log.events.filter((event) => event !== 'closes, gone');
        expect(events).toEqual(whole.log.events.slice(0, events.length));
        expect(session.log.events.length - events.length).toBe(session.facts.length);
        expect(isBeginning(begun.toClient, sent.toClient)).toBe(true);
        expect(isBeginning(begun.toServer, sent.toServer)).toBe(true);
      }
    }
  });

  test('a dialogue waits for plans that take their time, and the server does not', async () => {
    const later: Plan = (sql) => setImmediate().then(() => rewriting(sql));
    const session = opened(later);
    expect(session.client(all(front.query('select a /*1*/'), front.query('select b')))).toEqual(Buffer.alloc(0));
    expect(session.session.isWaiting).toBe(true);
    expect(session.server(back.notice())).toEqual(back.notice());
    for (let i = 0; i < 5; i++) await setImmediate();
    expect(session.toServer()).toEqual(all(front.query('select a /*1*/+'), front.query('select b')));
    expect(session.session.isWaiting).toBe(false);
    const answers = all(back.fields('a', 'h'), back.row('1', '2'), back.complete('SELECT 1'), back.ready());
    expect(session.server(answers)).toEqual(
      all(back.fields('a'), back.row('1'), back.complete('SELECT 1'), back.ready()),
    );
  });
});

function cutAt(cut: number): readonly Turn[] {
  const turns: Turn[] = [];
  let left = cut;
  for (const { from, bytes } of DIALOGUE) {
    turns.push({ from, bytes: bytes.subarray(0, left) });
    left -= bytes.length;
    if (left <= 0) break;
  }
  return turns;
}

const EVENTS = [
  '1 sends select a /*2*/;+',
  '2 sends  update t /*silent*/;+',
  '3 sends  select 1',
  '1 row k v',
  '1 row k null',
  '1 completes SELECT 2',
  '2 row k',
  '2 completes UPDATE 1',
  '3 row 1',
  '3 completes SELECT 1',
  'ready I',
  'ready I',
  '4 sends begin;',
  '5 sends  nonsense;',
  '6 sends  select 2 /*1*/+',
  '4 completes BEGIN',
  '5 fails 42601',
  '6 fails null',
  'ready E',
  '7 sends rollback',
  '7 completes ROLLBACK',
  'ready I',
  '8 sends select a, b /*2*/+ (7, binary null)',
  '8 resumes',
  '8 row k v',
  '8 suspends',
  '8 row k v',
  '8 completes SELECT 1',
  'ready I',
  '9 sends update /*silent*/+ ()',
  '10 sends broken ()',
  '11 sends next ()',
  '9 row k',
  '9 completes UPDATE 1',
  '10 fails 42601',
  'ready I',
  '11 row 9',
  '11 completes SELECT 1',
  'fails to commit 40001',
  'ready I',
  'ready I',
  'ready I',
  '12 sends select z ()',
  '12 row z',
  '12 completes SELECT 1',
  '13 sends select x /*1*/+ ()',
  '14 sends select x /*1*/+ ()',
  '13 resumes',
  '13 row k',
  '13 suspends',
  '14 row k',
  '14 suspends',
  '13 row k',
  '13 suspends',
  'ready I',
  '15 sends select /*1*/+',
  '15 row k',
  '15 row null',
  '15 completes SELECT 2',
  'ready I',
  '16 sends select w /*2*/+',
  '16 row  ',
  '16 row k null',
  '16 completes SELECT 2',
  'ready I',
  '17 sends select slow /*1*/+',
  '17 row k',
  '17 fails 57014',
  'ready I',
  '18 sends copy t from stdin',
  '18 fails 57014',
  'ready I',
  '19 sends copy both',
  '19 completes COPY 2',
  'ready I',
  '20 sends copy t from stdin;',
  '21 sends  select 3',
  '20 completes COPY 2',
  '21 row 3',
  '21 completes SELECT 1',
  'ready I',
  '22 sends copy t to stdout',
  '22 completes COPY 1',
  'ready I',
  '23 sends copy t from stdin ()',
  '23 completes COPY 1',
  'ready I',
  '24 sends (a function call)',
  '24 completes null',
  'ready I',
];
