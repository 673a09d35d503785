/** `npm run torture -- [SUITE|all] [COUNT|short|long] [--seed N] [--minutes N]`: prints how many attempts of each kind isolab survived. */
import process from 'node:process';
import { parseArgs } from 'node:util';
import type { Suite } from './suite.ts';
import { SUITES } from './suites.ts';
import { Tally } from './tally.ts';

const USAGE = `npm run torture -- [SUITE|all] [COUNT|short|long] [--seed N] [--minutes N]

With --minutes, each suite goes on with the next seed until its time is over.

${SUITES.map(({ name, title, short, long }) => `  ${name.padEnd(14)}${title} (short: ${short}, long: ${long})`).join('\n')}`;

const { values, positionals } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    minutes: { type: 'string', default: '0' },
    help: { type: 'boolean', default: false },
  },
  allowPositionals: true,
});
const [name = 'all', size = 'short'] = positionals;
const suites = name === 'all' ? SUITES : SUITES.filter((suite) => suite.name === name);
const firstSeed = Number(values.seed);
const minutes = Number(values.minutes);
const isCount = size === 'short' || size === 'long' || (/^\d+$/.test(size) && Number(size) > 0);
if (values.help) console.log(USAGE);
else if (suites.length === 0 || !isCount || !Number.isSafeInteger(firstSeed) || !(minutes >= 0)) {
  console.error(USAGE);
  process.exitCode = 3;
} else {
  let failed = 0;
  for (const suite of suites) {
    const end = performance.now() + 60_000 * minutes;
    let seed = firstSeed;
    do failed += await torture(suite, countOf(suite, size), seed++);
    while (performance.now() < end);
  }
  process.exitCode = failed > 0 ? 1 : 0;
}

function countOf({ short, long }: Suite, asked: string): number {
  if (asked === 'short') return short;
  return asked === 'long' ? long : Number(asked);
}

async function torture(suite: Suite, count: number, seed: number): Promise<number> {
  console.log(`${suite.name}: ${suite.title}; ${count} attempts, seed ${seed}`);
  const begin = performance.now();
  const tally = new Tally((failure) => console.error(`FAILED ${failure}`));
  await suite.run(count, seed, tally);
  for (const line of tally.lines()) console.log(line);
  console.log(`  in ${((performance.now() - begin) / 1000).toFixed(0)} s\n`);
  return tally.total().failed;
}
