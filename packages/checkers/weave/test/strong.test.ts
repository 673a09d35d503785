import { draws } from '@isolab/testkit';
import { describe, expect, test } from 'vitest';
import { KINDS, type Kind, agreeOnRandomRuns } from './agreement.ts';

// A soak by hand: ISOLAB_SOAK=1000000 ISOLAB_SEED=7 npm run soak
const SOAK = numberFrom('ISOLAB_SOAK');
const SEED = numberFrom('ISOLAB_SEED') ?? (SOAK === null ? 1 : Date.now() % 1_000_000);
const NAMES = Object.keys(KINDS) as Kind[];
const DRAWN = draws(2000);
const RUNS = Math.ceil((SOAK ?? DRAWN) / NAMES.length);

describe('all levels agree with the oracle with any options, and their certificates hold', () => {
  test.each(NAMES)(
    'all levels agree with the oracle with any options, and their certificates hold on random histories: %s',
    async (kind) => {
      let told = Date.now();
      const seen = await agreeOnRandomRuns(kind, RUNS, SEED, (done) => {
        if (SOAK === null || (done < RUNS && Date.now() - told < SECONDS_BETWEEN * 1000)) return;
        told = Date.now();
        process.stdout.write(`${kind}: ${done} of ${RUNS} histories agree (seed ${SEED})\n`);
      });
      if (SOAK !== null) process.stdout.write(`${kind}: ${JSON.stringify(Object.fromEntries([...seen].toSorted()))}\n`);
      // Few histories need not have all of them.
      for (const verdict of RUNS < 500 ? [] : ['satisfied commit-order', 'satisfied event-order', 'violated cycle'])
        expect(seen.get(verdict) ?? 0).toBeGreaterThan(10);
    },
  );
});

test('random histories reach every attempt', async () => {
  const tallies = [];
  for (const kind of ['unique', 'repeated', 'rows'] as const) tallies.push(await agreeOnRandomRuns(kind, 400, 3));
  const reached = tallies.flatMap((tally) => [...tally.keys()]);
  const attempts = [
    'replay:',
    'replay in real time',
    'replay with facts:',
    'replay of an annealed guess (1):',
    'replay of an annealed guess (2):',
    'replay of an annealed guess (1) by sessions',
    'facts near the contradiction',
    'one by one',
  ];
  const missed = attempts.filter((attempt) => !reached.some((counter) => counter.startsWith(`gave up ${attempt}`)));
  expect(missed).toEqual([]);
});

const SECONDS_BETWEEN = 10;

function numberFrom(name: string): number | null {
  const text = process.env[name];
  if (text === undefined) return null;
  if (!/^\d+$/.test(text)) throw new Error(`${name} is "${text}", expected a number such as 100000`);
  return Number(text);
}
