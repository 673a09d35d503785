import process from 'node:process';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { sentBy } from './dialogue.ts';
import { isFaithful } from './fidelity.ts';
import { mutated } from './mutations.ts';
import { numbersFrom } from './random.ts';
import { type Opened, type Plan, fresh, isBeginning, played, rewriting, unchanged } from './sessions.ts';

const RUNS = Number(process.env['ISOLAB_FUZZ'] ?? (process.env['ISOLAB_LONG'] === undefined ? 1_000 : 3_000));

/** Properties of any session, however broken. */
function expectSound({ log, session, problems, facts }: Opened): void {
  session.end();
  const closes = problems.length > 0 ? 'closes, unfollowed' : 'closes, gone';
  expect(log.events.filter((event) => event.startsWith('closes')).length).toBe(facts.length);
  if (facts.length > 0) expect(log.events.at(-1)).toBe(closes);
  expect(problems.length).toBeLessThanOrEqual(1);
  const over = log.events
    .filter((event) => /completes|fails \w+$/.test(event))
    .map((event) => Number.parseInt(event, 10));
  expect(new Set(over).size).toBe(over.length);
}

const CHUNKS: readonly ((below: (limit: number) => number) => () => number)[] = [
  () => () => Infinity,
  () => () => 1,
  (below) => () => 1 + below(12),
  (below) => () => 1 + below(200),
];

test(`${RUNS} dialogues with something wrong in them`, async () => {
  const later: Plan = (sql) => Promise.resolve(rewriting(sql));
  let lost = 0;
  for (let seed = 0; seed < RUNS; seed++) {
    if (seed > 0 && seed % 50_000 === 0) process.stderr.write(`${seed} of ${RUNS} dialogues\n`);
    const numbers = numbersFrom(seed);
    const turns = mutated(numbers);
    const chunk = CHUNKS[(seed >> 2) % 4]!(numbers.below);
    const plan = [unchanged, rewriting, unchanged, later][seed % 4]!;
    const session = fresh(plan);
    try {
      const { toClient, toServer } = played(session, turns, chunk);
      if (plan === unchanged) {
        expect(isBeginning(toServer, sentBy('client', turns))).toBe(true);
        expect(isBeginning(toClient, sentBy('server', turns))).toBe(true);
      }
      if (session.problems.length > 0) lost++;
      if (plan === unchanged && session.problems.length > 0) {
        expect(toServer.length).toBe(sentBy('client', turns).length);
        expect(toClient.length).toBe(sentBy('server', turns).length);
      }
      expect(isFaithful('client', sentBy('client', turns), toServer)).toBe(true);
      expect(isFaithful('server', sentBy('server', turns), toClient)).toBe(true);
      if (plan === later) await setImmediate();
      expectSound(session);
    } catch (error) {
      throw new Error(`the dialogue of seed ${seed} went wrong`, { cause: error });
    }
  }
  expect(lost).toBeGreaterThan(RUNS / 10);
  // Lengths of a gigabyte were promised, and never came.
  expect(process.memoryUsage().arrayBuffers).toBeLessThan(1 << 28);
});
