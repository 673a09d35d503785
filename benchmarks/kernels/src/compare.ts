/** Compares the kernels of two commits: `npm run bench compare COMMIT [OTHER] [-- --quick --rounds 10 --kernel K]`. */
import process from 'node:process';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type Compared, compareCommits } from './comparison/compare.ts';
import { isTooSlow } from './comparison/statistics.ts';

const USAGE =
  'npm run bench compare COMMIT [OTHER] [-- --quick --rounds 10 --threshold 5 --kernel NAME]; OTHER defaults to the work tree';

const interruption = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => interruption.abort());
process.exitCode = await main();

async function main(): Promise<number> {
  try {
    const { values, positionals } = parseArgs({
      allowPositionals: true,
      options: {
        quick: { type: 'boolean', default: false },
        rounds: { type: 'string', default: '10' },
        threshold: { type: 'string', default: '5' },
        kernel: { type: 'string', multiple: true, default: [] },
      },
    });
    const [first, second, ...more] = positionals;
    if (first === undefined || more.length > 0) throw new Error(`Missing commit. ${USAGE}`);
    const threshold = numberOf('--threshold', values.threshold, 0);
    const compared = await compareCommits({
      root: fileURLToPath(new URL('../../../', import.meta.url)),
      first,
      second,
      programs: fileURLToPath(new URL('.', import.meta.url)),
      words: [...(values.quick ? ['--quick'] : []), ...values.kernel],
      rounds: numberOf('--rounds', values.rounds, 3),
      signal: interruption.signal,
      say: (text) => process.stderr.write(`compare: ${text}\n`),
    });
    return tell(compared, threshold / 100, first, second ?? 'the work tree');
  } catch (error) {
    if (interruption.signal.aborted) return 130;
    process.stderr.write(`compare: ${(error as Error).message}\n`);
    return 3;
  }
}

function numberOf(flag: string, word: string, least: number): number {
  const number = Number(word);
  if (word.trim() !== '' && number >= least && (Number.isInteger(number) || least === 0)) return number;
  throw new Error(`${flag} is ${word}; expected a number of at least ${least}. ${USAGE}`);
}

function tell({ comparisons, absent }: Compared, threshold: number, first: string, second: string): number {
  const rows = comparisons.map((each) => [
    each.name,
    `${each.first.toFixed(2)} ms`,
    `${each.second.toFixed(2)} ms`,
    each.ratio.toFixed(3),
    `${each.low.toFixed(3)} to ${each.high.toFixed(3)}`,
    isTooSlow(each, threshold) ? 'SLOWER' : each.verdict,
  ]);
  const table = [['median CPU time', first, second, 'ratio', '99 % interval', ''], ...rows];
  const widths = table[0]!.map((_, column) => Math.max(...table.map((cells) => cells[column]!.length)));
  for (const cells of table)
    console.log(
      cells
        .map((cell, column) => cell.padEnd(widths[column]!))
        .join('  ')
        .trimEnd(),
    );
  for (const { name, where, reason } of absent) console.log(`${name}: not in ${where} (${reason})`);
  return comparisons.some((each) => isTooSlow(each, threshold)) ? 1 : 0;
}
