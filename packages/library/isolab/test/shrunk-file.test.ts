import { LEVELS } from '@isolab/contract';
import { HISTORY_FORMATS, outputToMemory } from '@isolab/formats';
import { type History, fromPlain } from '@isolab/history';
import { draws, printHistory, randomNumbers, randomRows, randomRun, withExchanges } from '@isolab/testkit';
import { expect, test } from 'vitest';
import { check, open, shrink } from '../src/index.ts';

/** A history as the file that isolab writes of it, read again. */
async function reread(history: History) {
  const files = new Map<string, Uint8Array>();
  const writer = await HISTORY_FORMATS.find(({ name }) => name === 'isolab')!.writer!();
  await writer.write(history, outputToMemory(files));
  return open({ bytes: files.get('')!, name: 'shrunk.jsonl' });
}

/** Random histories of rows, some with aggregates, of exchanges and ranges, and of registers and lists, in turn. */
async function drawn(seed: number): Promise<History> {
  const random = randomNumbers(seed);
  const kind = { repeated: random() < 0.3, open: random() < 0.3 };
  if (seed % 4 === 0) return fromPlain(randomRows(random, { ...kind, aggregates: random() < 0.5 }));
  if (seed % 4 === 1) return fromPlain(withExchanges(randomRun(random, kind), random));
  if (seed % 4 === 2) return fromPlain(randomRun(random, { ...kind, lists: random() < 0.5 }));
  const opened = await open({ text: sums(random) }, { format: 'notation' });
  return opened.prepared.history;
}

/** Writers of three rows, and sums of one version of each row, drawn at random: so a sum by itself is always explained. */
function sums(random: () => number): string {
  const versions = [[1], [2], [4]];
  let next = 4;
  const writers = Array.from({ length: 3 }, () =>
    versions
      .flatMap((values, row) => {
        if (random() < 0.4) return [];
        values.push((next *= 2));
        return [`put(t/${row}, {v: ${next}})`];
      })
      .join(' '),
  );
  const readers = Array.from({ length: 2 }, () => {
    const sum = versions.reduce((all, values) => all + values[Math.floor(random() * values.length)]!, 0);
    return `sum(t, true, v, ${sum})`;
  });
  const initial = 'initial nil t/0={v: 1} t/1={v: 2} t/2={v: 4}';
  return [initial, ...[...writers, ...readers].filter((line) => line !== '')].join('\n');
}

test('a shrunk history violates the level as a file, too, for every kind of violation', async () => {
  const kinds = new Map<string, number>();
  for (let seed = 0; seed < draws(240); seed++) {
    const history = await drawn(seed);
    const level = LEVELS[Math.floor(randomNumbers(seed)() * LEVELS.length)]!.name;
    const result = await check(history, { level });
    if (result.verdict !== 'violated') continue;
    const shrunk = await shrink(history, result);
    const again = await check(await reread(shrunk.history), { level });
    const kind = shrunk.anomaly?.certificate?.kind ?? 'none';
    kinds.set(kind, (kinds.get(kind) ?? 0) + 1);
    if (again.verdict !== 'violated') expect.fail(`seed ${seed}, ${level}: ${again.verdict}\n${printHistory(history)}`);
  }
  // Each kind of evidence was met, also that which reads do not show.
  for (const kind of ['aggregates', 'internal', 'cycle']) expect([kind, kinds.has(kind)]).toEqual([kind, true]);
});
