/**
 * `npm run torture -- [SUITE|all] [COUNT|short|long] [--seed N] [--minutes N] [--jobs N]`: prints the number of
 * attempts of each kind that isolab survived.
 */
import process from 'node:process';
import { parseArgs } from 'node:util';
import { runInParts } from './parts.ts';
import type { Suite } from './suite/suite.ts';
import { SUITES } from './suites.ts';

const USAGE = `npm run torture -- [SUITE|all] [COUNT|short|long] [--seed N] [--minutes N] [--jobs N]

Attempts are made in parts of the short form, each with the next seed, in --jobs processes (1).
With --minutes, each suite goes on with the next seed until its time is over.
Ctrl-C prints the counts of the parts that are finished.

${SUITES.map(({ name, title, short, long }) => `  ${name.padEnd(14)}${title} (short: ${short}, long: ${long})`).join('\n')}`;

const { values, positionals } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    minutes: { type: 'string', default: '0' },
    jobs: { type: 'string', default: '1' },
    help: { type: 'boolean', default: false },
  },
  allowPositionals: true,
});
const [name = 'all', size = 'short'] = positionals;
const suites = name === 'all' ? SUITES : SUITES.filter((suite) => suite.name === name);
const firstSeed = Number(values.seed);
const minutes = Number(values.minutes);
const jobs = Number(values.jobs);
const isCount = size === 'short' || size === 'long' || (/^\d+$/.test(size) && Number(size) > 0);
const isRight = Number.isSafeInteger(firstSeed) && minutes >= 0 && Number.isInteger(jobs) && jobs > 0;

/** Interval of progress reports of a long run. */
const TELL_MS = 60_000;

const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stop.abort());

if (values.help) console.log(USAGE);
else if (suites.length === 0 || !isCount || !isRight) {
  console.error(USAGE);
  process.exitCode = 3;
} else {
  let failed = 0;
  for (const suite of suites) if (!stop.signal.aborted) failed += await torture(suite, countOf(suite, size));
  process.exitCode = failed > 0 ? 1 : stop.signal.aborted ? 2 : 0;
}

function countOf({ short, long }: Suite, asked: string): number {
  if (asked === 'short') return short;
  return asked === 'long' ? long : Number(asked);
}

async function torture(suite: Suite, count: number): Promise<number> {
  console.log(`${suite.name}: ${suite.title}; ${count} attempts, from seed ${firstSeed}`);
  const begin = performance.now();
  let told = begin;
  const tally = await runInParts(suite, {
    count,
    seed: firstSeed,
    until: begin + 60_000 * minutes,
    jobs,
    signal: stop.signal,
    onFailure: (failure) => console.error(`FAILED ${failure}`),
    onPart: (done) => {
      const now = performance.now();
      if (now - told < TELL_MS || done >= count) return;
      told = now;
      const minutesLeft = ((now - begin) * (count - done)) / done / 60_000;
      console.error(`  ${done} of ${count} attempts; about ${minutesLeft.toFixed(0)} minutes left`);
    },
  });
  for (const line of tally.lines()) console.log(line);
  if (stop.signal.aborted) console.log('  interrupted: unfinished attempts are not counted');
  console.log(`  in ${((performance.now() - begin) / 1000).toFixed(0)} s\n`);
  return tally.total().failed;
}
