/**
 * Searches for the smallest histories that distinguish the levels of isolab and writes them to
 * src/generated/witnesses.ts: `node packages/proof/lattice/dist/witnesses-main.js SECONDS`. The search starts from the
 * histories already in the file.
 */
import { writeFileSync } from 'node:fs';
import process from 'node:process';
import { parseNotation, printNotation } from '@isolab/formats';
import { implies } from '@isolab/contract';
import { LEVEL_RECORDS, builtInLevel } from '@isolab/levels';
import type { History } from '@isolab/history';
import { decideDefinition } from '@isolab/oracle';
import { smallHistories } from './compare.ts';
import { WITNESSES } from './generated/witnesses.ts';
import { LITMUS } from './litmus.ts';
import { randomHistory, randomNumbers } from './random.ts';
import { reduceWhile, sizeOf } from './size.ts';

const say = (text: string): boolean => process.stderr.write(`${text}\n`);
const names = LEVEL_RECORDS.map(({ name }) => name);
const pairs = names.flatMap((strong) =>
  names.filter((weak) => !implies(strong, weak)).map((weak) => [strong, weak] as const),
);
const nameOf = (strong: string, weak: string): string => `${strong} ${weak}`;

interface Witness {
  readonly text: string;
  readonly size: number;
  readonly satisfied: readonly string[];
}

const holds = (history: History, name: string): boolean => decideDefinition(history, builtInLevel(name)!).satisfied;

/** Witnesses by text, without duplicates, and the smallest witness of each pair. */
const known = new Map<string, Witness>();
const smallest = new Map<string, Witness>();

function keep(history: History): Witness {
  const text = printNotation(history).trim();
  const old = known.get(text);
  if (old) return old;
  const witness = { text, size: sizeOf(history), satisfied: names.filter((name) => holds(history, name)) };
  known.set(text, witness);
  for (const [strong, weak] of separatedBy(witness)) {
    const best = smallest.get(nameOf(strong, weak));
    if (best === undefined || witness.size < best.size) smallest.set(nameOf(strong, weak), witness);
  }
  return witness;
}

const separatedBy = ({ satisfied }: Witness): (readonly [string, string])[] =>
  pairs.filter(([strong, weak]) => satisfied.includes(strong) && !satisfied.includes(weak));

/** Also examines a reduced history for each pair that has no history yet, or only a larger history of the same kind. */
function look(history: History): void {
  const isNew = (strong: string, weak: string): boolean => !smallest.has(nameOf(strong, weak));
  const satisfied = new Set(names.filter((name) => holds(history, name)));
  for (const [strong, weak] of pairs) {
    if (!satisfied.has(strong) || satisfied.has(weak) || !isNew(strong, weak)) continue;
    keep(reduceWhile(history, (smaller) => holds(smaller, strong) && !holds(smaller, weak)));
  }
}

const isDone = (): boolean => pairs.every(([strong, weak]) => smallest.has(nameOf(strong, weak)));

for (const history of smallHistories()) keep(history);
say(`${known.size} small histories; ${pairs.length - smallest.size} of ${pairs.length} pairs are left`);
for (const text of [...LITMUS, ...WITNESSES.map((each) => each.text)]) keep(parseNotation(text));
say(`${pairs.length - smallest.size} pairs are left`);
const until = performance.now() + 1000 * Number(process.argv[2] ?? 60);
const numbers = randomNumbers(Number(process.argv[3] ?? 1));
while (performance.now() < until && !isDone())
  look(randomHistory(numbers, { transactions: 4, sessions: 4, operations: 3, keys: 2 }));

const chosen = new Set<Witness>();
for (const [strong, weak] of pairs) {
  const witness = smallest.get(nameOf(strong, weak));
  if (witness) chosen.add(witness);
}
const unseparated = pairs.filter(([strong, weak]) => !smallest.has(nameOf(strong, weak)));
const sorted = [...chosen].toSorted((a, b) => a.size - b.size || (a.text < b.text ? -1 : 1));
const lines = [
  '// Written by packages/proof/lattice/dist/witnesses-main.js.',
  "import type { LevelName } from '@isolab/levels';",
  '',
  '/** The smallest histories that were found to separate levels, small ones first, with all levels that they satisfy. */',
  'export const WITNESSES: readonly { readonly text: string; readonly satisfied: readonly LevelName[] }[] = [',
  ...sorted.map(({ text, satisfied }) => `  ${JSON.stringify({ text, satisfied })},`),
  '];',
  '',
  '/** Pairs whose first level is not stated to imply the second, and that no history is known to separate. */',
  'export const UNSEPARATED: readonly (readonly [LevelName, LevelName])[] = [',
  ...unseparated.map((pair) => `  ${JSON.stringify(pair)},`),
  '];',
  '',
];
writeFileSync(new URL('../src/generated/witnesses.ts', import.meta.url), lines.join('\n'));
say(`${sorted.length} histories; ${unseparated.length} pairs without a history`);
