import { describe, expect, test } from 'vitest';
import {
  type LevelWord,
  type CheckResult,
  type Opened,
  type Story,
  certificate,
  check,
  drawDot,
  drawSvg,
  generate,
  open,
  shrink,
  stories,
  story as tell,
  storyMarkdown,
  verify,
  viewHtml,
} from '../src/index.ts';

const DOCTORS = `initial nil doctors/1={name: 'alice', on_call: true} doctors/2={name: 'bob', on_call: true}`;
const ON_CALL = 'doctors, on_call = true';
const ALICE = "{name: 'alice', on_call: true}";

interface Case {
  readonly name: string;
  readonly text: string;
  readonly level: LevelWord;
  readonly called: string;
  readonly ruledOut: readonly string[];
  readonly summary: string;
}

/** The classic cases. */
const CASES: readonly Case[] = [
  {
    name: 'two doctors leave, since two were counted',
    text: `${DOCTORS}
count(${ON_CALL}, 2) put(doctors/1, {name: 'alice', on_call: false})
count(${ON_CALL}, 2) put(doctors/2, {name: 'bob', on_call: false})`,
    level: 'serializable',
    called: 'G2',
    ruledOut: ['plain-serializable'],
    summary:
      'T1 does not see T2’s update of doctors/2 (on_call true → false), after which its predicate does not match (it counts 2 rows of doctors where on_call = true); T2 does not see T1’s update of doctors/1 (on_call true → false), after which its predicate does not match (it counts 2 rows of doctors where on_call = true): whichever came first, the other should have seen its write.',
  },
  {
    name: 'two doctors leave, since two were seen',
    text: `${DOCTORS}
scan(${ON_CALL}, {1: ${ALICE}, 2: {name: 'bob', on_call: true}}) put(doctors/1, {name: 'alice', on_call: false})
scan(${ON_CALL}, {1: ${ALICE}, 2: {name: 'bob', on_call: true}}) put(doctors/2, {name: 'bob', on_call: false})`,
    level: 'serializable',
    called: 'G2-item',
    ruledOut: ['plain-serializable'],
    summary:
      'T1 does not see T2’s update of doctors/2 (on_call true → false) (its scan of doctors where on_call = true returns doctors/2 = {on_call: true}), and T2 does not see T1’s update of doctors/1 (on_call true → false) (its scan of doctors where on_call = true returns doctors/1 = {on_call: true}): whichever came first, the other should have seen its write.',
  },
  {
    name: 'one room is booked twice',
    text: `scan(bookings, room = 7 and begin < 12 and end > 10, {}) put(bookings/1, {room: 7, begin: 10, end: 12})
count(bookings, room = 7 and begin < 12 and end > 10, 0) put(bookings/2, {room: 7, begin: 11, end: 12})`,
    level: 'serializable',
    called: 'G2',
    ruledOut: ['plain-serializable'],
    summary:
      'T1 does not see T2’s insert of bookings/2 {begin: 11, end: 12, room: 7}, which its predicate matches (its scan of bookings where room = 7 and begin < 12 and end > 10 returns nothing); T2 does not see T1’s insert of bookings/1 {begin: 10, end: 12, room: 7}, which its predicate matches (it counts 0 rows of bookings where room = 7 and begin < 12 and end > 10): whichever came first, the other should have seen its write.',
  },
  {
    name: 'an insert that a count has missed, although another write of its transaction was seen',
    text: `put(doctors/3, {on_call: true}) w(x,1)
r(x,1) count(${ON_CALL}, 0)`,
    level: 'causal',
    called: 'non-monotonic-read',
    ruledOut: ['read-committed', 'adya-snapshot-isolation'],
    summary:
      'T2 sees T1’s x = 1 but does not see its insert of doctors/3 {on_call: true}, which its predicate matches (it counts 0 rows of doctors where on_call = true).',
  },
  {
    name: 'the read-only anomaly, with a scan',
    text: `initial nil accounts/"x"={owner: 1, v: 0} accounts/"y"={owner: 1, v: 0}
put(accounts/"y", {owner: 1, v: 20})
scan(accounts, owner = 1, {"x": {owner: 1, v: 0}, "y": {owner: 1, v: 0}}) put(accounts/"x", {owner: 1, v: -11})
scan(accounts, owner = 1, {"x": {owner: 1, v: 0}, "y": {owner: 1, v: 20}})`,
    level: 'serializable',
    called: 'G2-item',
    ruledOut: ['plain-serializable'],
    summary: '',
  },
  {
    name: 'a scan that is repeated and sees more',
    text: `scan(${ON_CALL}, {}) scan(${ON_CALL}, {3: ${ALICE}})
put(doctors/3, ${ALICE})`,
    level: 'snapshot-isolation',
    called: 'PMP',
    ruledOut: ['read-atomic', 'adya-snapshot-isolation'],
    summary:
      'T1 scans doctors where on_call = true, which does not return doctors/3, and later scans doctors where on_call = true, which returns doctors/3 = {on_call: true}: T2 inserts doctors/3 {on_call: true}, and only one of the two scans sees T2.',
  },
  {
    name: 'a scan that is repeated and sees less',
    text: `initial nil doctors/1={on_call: true}
scan(${ON_CALL}, {1: {on_call: true}}) scan(${ON_CALL}, {})
put(doctors/1, nil)`,
    level: 'snapshot-isolation',
    called: 'PMP',
    ruledOut: ['read-atomic', 'adya-snapshot-isolation'],
    summary:
      'T1 scans doctors where on_call = true, which returns doctors/1 = {on_call: true}, and later scans doctors where on_call = true, which does not return doctors/1: T2 deletes doctors/1, and only one of the two scans sees T2.',
  },
  {
    name: 'a count that is repeated and sees less',
    text: `initial nil doctors/1={on_call: true}
count(${ON_CALL}, 1) count(${ON_CALL}, 0)
put(doctors/1, nil)`,
    level: 'snapshot-isolation',
    called: 'PMP',
    ruledOut: ['cut-isolation'],
    summary:
      'T1 counts 1 row of doctors where on_call = true, doctors/1 among them, and later counts 0 rows of doctors where on_call = true, doctors/1 not among them, without writing that row in between.',
  },
  {
    name: 'a scan that sees half of a transaction',
    text: `scan(${ON_CALL}, {3: {on_call: true}})
put(doctors/3, {on_call: true}) put(doctors/4, {on_call: true})`,
    level: 'snapshot-isolation',
    called: 'G1-predicate',
    ruledOut: ['read-atomic', 'adya-snapshot-isolation'],
    summary:
      'T1’s scan of doctors where on_call = true sees T2’s insert of doctors/3 {on_call: true} but not its insert of doctors/4 {on_call: true}.',
  },
  {
    name: 'a row of an aborted transaction',
    text: `!put(doctors/3, {on_call: true})
scan(${ON_CALL}, {3: {on_call: true}})`,
    level: 'read-committed',
    called: 'G1a',
    ruledOut: ['read-committed-pl2', 'linearizable'],
    summary:
      'T2 scans doctors where on_call = true, which returns doctors/3 = {on_call: true}, as left by T1, which aborted.',
  },
  {
    name: 'an own insert that the own scan misses',
    text: `put(doctors/3, {on_call: true}) scan(${ON_CALL}, {})`,
    level: 'read-committed',
    called: 'not-my-own-write',
    ruledOut: ['read-committed-pl2'],
    summary:
      'T1 inserts doctors/3 {on_call: true} and then scans doctors where on_call = true, which does not return doctors/3: it misses its own write.',
  },
  {
    name: 'a deleted row that is still returned',
    text: `initial nil doctors/1={on_call: true}
put(doctors/1, nil) | scan(${ON_CALL}, {1: {on_call: true}})`,
    level: 'causal',
    called: 'session-guarantee-violation',
    ruledOut: ['read-atomic'],
    summary:
      'T2 comes after T1 in session 0 but does not see its delete of doctors/1 (its scan of doctors where on_call = true returns doctors/1 = {on_call: true}).',
  },
  {
    name: 'an update by a predicate that is lost',
    text: `initial nil doctors/1={on_call: false, shift: 1}
scan(${ON_CALL}, {}) put(doctors/1, {on_call: true, shift: 1})
scan(${ON_CALL}, {}) put(doctors/1, {on_call: true, shift: 2})`,
    level: 'snapshot-isolation',
    called: 'lost-update-predicate',
    ruledOut: ['adya-snapshot-isolation'],
    summary: '',
  },
  {
    name: 'two inserts that two scans see in opposite orders',
    text: `put(doctors/1, {on_call: true})
put(doctors/2, {on_call: true})
scan(${ON_CALL}, {1: {on_call: true}})
scan(${ON_CALL}, {2: {on_call: true}})`,
    level: 'prefix',
    called: 'G-nonadjacent-predicate',
    ruledOut: ['prefix', 'adya-snapshot-isolation'],
    summary:
      'T3 sees T1’s insert of doctors/1 {on_call: true} but does not see T2’s insert of doctors/2 {on_call: true}, which its predicate matches (its scan of doctors where on_call = true returns only 1); T4 sees T2’s insert of doctors/2 {on_call: true} but does not see T1’s insert of doctors/1 {on_call: true}, which its predicate matches (its scan of doctors where on_call = true returns only 2): they disagree on whether T2 or T1 came first.',
  },
  {
    name: 'a maximum that misses what would be greater',
    text: `initial nil bids/1={amount: 3}
max(bids, true, amount, 3) put(bids/2, {amount: 4})
max(bids, true, amount, 3) put(bids/3, {amount: 4})`,
    level: 'serializable',
    called: 'G2',
    ruledOut: ['plain-serializable'],
    summary:
      'T1 does not see T2’s insert of bids/3 {amount: 4}, which would change the result (it finds 3 to be the max of amount in bids); T2 does not see T1’s insert of bids/2 {amount: 4}, which would change the result (it finds 3 to be the max of amount in bids): whichever came first, the other should have seen its write.',
  },
];

async function checked(text: string, level: LevelWord): Promise<{ subject: Opened; result: CheckResult }> {
  const subject = await open({ text });
  return { subject, result: await check(subject, { level, allowVacuous: true }) };
}

describe('violations over rows', () => {
  test('violations over rows are shrunk to the rows and the parts of conditions that matter', async () => {
    const noise = Array.from(
      { length: 20 },
      (_, i) =>
        `put(doctors/${i + 10}, {on_call: ${i % 2 === 0}, shift: 5, ward: 2}) scan(doctors, ward = 2 and shift = 6, {})`,
    );
    const text = `initial nil doctors/2={on_call: true, shift: 2, ward: 2}
put(doctors/1, {on_call: true, shift: 1, ward: 2, name: 'alice'}) | ${noise.join(' | ')}
scan(doctors, ward = 2 and (on_call = true or on_call = false) and shift = 1, {1: {on_call: true, shift: 1, ward: 2, name: 'alice'}}) put(doctors/7, {shift: 3, ward: 2, on_call: false})
scan(doctors, ward = 2 and shift = 3, {}) put(doctors/2, {on_call: true, shift: 1, ward: 2})`;
    const { subject, result } = await checked(text, 'serializable');
    const small = await shrink(subject, result);
    expect(small.isMinimal).toBe(true);
    const reread = await check(small.history, { level: 'serializable', allowVacuous: true });
    expect([reread.verdict, small.history.scans.table.length]).toEqual(['violated', 2]);
    const story = (await tell(subject, result))!;
    expect(story.prose.map(({ text: line }) => line)).toContain(
      'Conditions of scans are shown without irrelevant parts; the source has the full conditions.',
    );
    expect(story.transactions.map(({ operations }) => operations.map(({ text: line }) => line))).toEqual([
      ['doctors/2 = {shift: 2, ward: 2}', 'doctors/7 = absent'],
      ['scan doctors where shift = 1', '→ not 2', 'insert doctors/7 {on_call: false, shift: 3, ward: 2}'],
      ['scan doctors where ward = 2 and shift = 3', '→ not 7', 'update doctors/2: shift 2 → 1'],
    ]);
  });

  test.each(CASES)('$name', async ({ text, level, called, ruledOut, summary }) => {
    const { subject, result } = await checked(text, level);
    expect(result.verdict).toBe('violated');
    expect(await verify(subject, certificate(subject, result)!)).toMatchObject({ ok: true });
    const story = (await tell(subject, result))!;
    expect({ called: story.anomaly!.name, ruledOut: story.ruledOut }).toEqual({ called, ruledOut });
    if (summary !== '') expect(story.summary).toBe(summary);
    expectTables(story);
    expect(drawSvg(story)).not.toMatch(LOWERED);
    for (const page of [viewHtml(story), storyMarkdown(story), drawDot(story)])
      expect(page.length).toBeGreaterThan(100);
    await expectSameAgain(story, level);
  });
});

/** A row as text, or an operation of a lowered history. */
const LOWERED = /\{(?:&quot;|\\?")[\w ]+(?:&quot;|\\?"):[^ ]|[rw]\(\w+\/|undefined|\[object/;

/** Nothing that a person reads speaks of lowered operations, or of rows as text. */
function expectTables({ transactions, prose, summary, copies }: Story): void {
  const texts = [
    summary,
    copies!.notation!,
    ...prose.map(({ text }) => text),
    ...transactions.flatMap(({ operations }) => operations.map(({ text }) => text)),
  ];
  for (const text of texts) expect(text).not.toMatch(LOWERED);
}

/** A pasted history violates the level, as long as the notation can express it. */
async function expectSameAgain({ copies }: Story, level: LevelWord): Promise<void> {
  const { notation } = copies!;
  if (notation!.includes('…')) return;
  expect((await checked(notation!, level)).result.verdict).toBe('violated');
}

test('counts and sums of many transactions without times are explained, though none of them is by the first order', async () => {
  const { history } = await generate({
    workload: 'rows',
    parameters: { rows: '100', values: '20' },
    transactions: 20,
    faults: { 'write-skew': 0.002 },
    seed: 3,
    times: false,
  });
  for (const level of ['serializable', 'snapshot-isolation'] as const)
    expect((await check(history, { level })).verdict).toBe('satisfied');
});

test('a list beside scans whose rows change back and forth is left to axioms, since weave needs unique values for lists', async () => {
  const history = await open({
    text: `initial nil
a(l,1) put(t/1, {on: true}) | a(m,1) put(t/1, {on: false}) | put(t/1, {on: true})
r(l,[1]) r(m,[]) scan(t, on = true, {})`,
  });
  const ask = { level: 'plain-serializable', allowVacuous: true } as const;
  expect(await check(history, ask)).toMatchObject({ verdict: 'violated', runs: [{ checker: 'axioms' }] });
  expect(await check(history, { ...ask, checker: 'weave' })).toMatchObject({
    verdict: 'unknown',
    levels: { 'plain-serializable': { unknown: { detail: expect.stringMatching(/weave needs unique-values/) } } },
  });
});

test('a compare-and-set that failed stays where a history with rows is shrunk', async () => {
  const history = await open({
    text: `initial nil
w(x,1) @1-2 | put(t/1, {on: true}) @3-4
cas!(x,1,2) @5-6`,
  });
  const result = await check(history, { level: 'linearizable' });
  expect(result.verdict).toBe('violated');
  const small = await shrink(history, result);
  expect((await check(small.history, { level: 'linearizable' })).verdict).toBe('violated');
});

test('a row that a read sees and a scan misses is reported, though the anomaly is named by the result of the scan', async () => {
  const history = await open({
    text: `initial nil
get(t/3, {on: false}) scan(t, on = true, {1: {on: true}})
put(t/3, {on: false}) put(t/1, {on: true}) put(t/2, {on: true})`,
  });
  const { stories: told } = await stories(history, await check(history, { level: 'snapshot-isolation' }));
  expect(told.map(({ anomaly, summary }) => [anomaly?.name, summary])).toEqual([
    [
      'G1-predicate',
      'T1 sees T2’s insert of t/3 {on: false} but does not see its insert of t/2 {on: true}, which its predicate matches (its scan of t where on = true returns only 1).',
    ],
  ]);
});
