import { setImmediate } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { DIALOGUE, type Turn, sentBy } from './dialogue.ts';
import { all, back, front } from './messages.ts';
import { numbersFrom } from './random.ts';
import { type Opened, type Plan, fresh, opened, rewriting, unchanged } from './sessions.ts';

/** What both sides are sent of a dialogue that comes in chunks. */
function played(session: Opened, turns: readonly Turn[], chunk: () => number) {
  const toClient: Buffer[] = [];
  const toServer: Buffer[] = [];
  for (const { from, bytes } of turns) {
    for (let at = 0; at < bytes.length; ) {
      const end = Math.min(bytes.length, at + chunk());
      if (from === 'client') session.session.client(Buffer.from(bytes.subarray(at, end)));
      else session.session.server(Buffer.from(bytes.subarray(at, end)));
      toServer.push(session.toServer());
      toClient.push(session.toClient());
      at = end;
    }
  }
  return { toClient: all(...toClient), toServer: all(...toServer) };
}

const WHOLE = (): number => Infinity;

describe('a dialogue', () => {
  const { below } = numbersFrom(1);
  const chunkings: readonly [string, () => number][] = [
    ['whole', WHOLE],
    ['byte by byte', () => 1],
    ...Array.from({ length: 50 }, (_, i): [string, () => number] => [`at random ${i}`, () => 1 + below(40)]),
  ];

  test.each(chunkings)('passes byte for byte where the plan changes nothing: %s', (_, chunk) => {
    const session = fresh();
    const { toClient, toServer } = played(session, DIALOGUE, chunk);
    expect(toServer).toEqual(sentBy('client'));
    expect(toClient).toEqual(sentBy('server'));
    expect(session.problems).toEqual([]);
  });

  test.each(chunkings)('is rewritten and recorded the same however it is cut into chunks: %s', (_, chunk) => {
    const session = fresh(rewriting);
    const given = played(session, DIALOGUE, chunk);
    expect(given).toEqual(played(fresh(rewriting), DIALOGUE, WHOLE));
    expect(given.toClient.includes('h1')).toBe(false);
    expect(session.log.events).toEqual(EVENTS);
    expect(session.problems).toEqual([]);
  });

  test('that is cut at any byte leaves a log that says no more than what had come', () => {
    const total = DIALOGUE.reduce((sum, { bytes }) => sum + bytes.length, 0);
    for (const plan of [unchanged, rewriting]) {
      const whole = fresh(plan);
      const sent = played(whole, DIALOGUE, WHOLE);
      for (let cut = 0; cut < total; cut++) {
        const session = fresh(plan);
        const begun = played(session, cutAt(cut), WHOLE);
        session.session.end();
        session.session.end();
        const events = session.log.events.filter((event) => event !== 'closes');
        expect(events).toEqual(whole.log.events.slice(0, events.length));
        expect(session.log.events.length - events.length).toBe(session.facts.length);
        expect(begun.toClient).toEqual(sent.toClient.subarray(0, begun.toClient.length));
        expect(begun.toServer).toEqual(sent.toServer.subarray(0, begun.toServer.length));
      }
    }
  });

  test('waits for plans that take their time, and the server does not', async () => {
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
  '1 row x | k v',
  '1 row null | k ',
  '1 completes SELECT 2',
  '2 row  | k',
  '2 completes UPDATE 1',
  '3 row 1 | ',
  '3 completes SELECT 1',
  'ready I',
];
