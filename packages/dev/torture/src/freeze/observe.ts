import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import type { Budget, LevelName } from '@isolab/contract';
import { loadCheckers } from 'isolab';
import { readDocumentAt } from '@isolab/formats';
import { countOperations } from '@isolab/history';
import { type CheckerRef, type Prepared, type Report, prepare, runUnjudged } from '@isolab/runner';
import { Random } from '@isolab/workloads';
import { AIMS, draw } from '../agreement/draw.ts';

/** Output of one checker on one history at one level. */
export interface Observation {
  readonly of: string;
  readonly said: string;
}

interface Subject {
  readonly name: string;
  open(): Promise<Prepared>;
}

interface Progress {
  readonly observations: readonly Observation[];
  readonly done: number;
  readonly total: number;
}

/** Observes all histories, in a fixed order. */
export async function* observeAll({
  random,
  seed,
}: {
  readonly random: number;
  readonly seed: number;
}): AsyncGenerator<Progress> {
  const checkers = await loadCheckers();
  const subjects = [...realHistories(), ...randomHistories(random, seed)];
  for (const [done, { name, open }] of subjects.entries()) {
    const prepared = await open();
    const observations: Observation[] = [];
    for (const checker of checkers) observations.push(...(await observe(name, prepared, checker)));
    yield { observations, done: done + 1, total: subjects.length };
  }
}

async function observe(name: string, prepared: Prepared, checker: CheckerRef): Promise<Observation[]> {
  const { info } = checker.checker;
  if (countOperations(prepared.history) > (MOST_OPERATIONS[info.name] ?? Infinity)) return [];
  const observations: Observation[] = [];
  for (const level of info.levels as readonly LevelName[]) {
    const report = await runUnjudged({ checker, prepared, level }, { certify: true, ...budgetOf(info.name) });
    observations.push({ of: `${name}, ${info.name}, ${level}`, said: saying(report) });
  }
  return observations;
}

/** Z3's step limit depends on the clock. */
const budgetOf = (name: string): { budget?: Budget } =>
  name === 'baselines-smt' ? {} : { budget: { steps: MOST_STEPS } };

/** Parts of a report that must not change; without times and texts. */
function saying({ verdict, counters }: Report): string {
  const counts = Object.entries(counters).map(([counter, count]) => `${counter} ${count}`);
  return [...verdictParts(verdict), ...counts].join(', ');
}

function verdictParts(verdict: Report['verdict']): string[] {
  if (verdict.status === 'unknown') return [`unknown: ${verdict.reason}`];
  if (verdict.status === 'satisfied') return ['satisfied', hashOf(verdict.certificate)];
  const [first] = verdict.anomalies;
  return ['violated', first!.name, `of ${first!.transactions.join(' ')}`, hashOf(first!.certificate)];
}

const hashOf = (certificate: object | undefined): string =>
  certificate === undefined
    ? 'no certificate'
    : `certificate ${createHash('sha256').update(JSON.stringify(certificate)).digest('hex').slice(0, 16)}`;

function realHistories(): Subject[] {
  const folder = process.env['ISOLAB_DATASETS'];
  if (folder === undefined) {
    console.error('ISOLAB_DATASETS is not set: only random histories are observed.');
    return [];
  }
  const { entries } = JSON.parse(readFileSync(join(folder, 'MANIFEST.json'), 'utf8')) as {
    readonly entries: readonly { id: string; format: string; location: string; bytes: number }[];
  };
  return entries
    .filter(({ bytes, format }) => bytes > 0 && format !== 'polyg')
    .map(({ id, location }) => ({
      name: id,
      open: async () => {
        const document = await readDocumentAt(join(folder, location));
        if (document.kind !== 'history') throw new Error(`${id} is a ${document.kind}`);
        return prepare(document.history);
      },
    }));
}

const randomHistories = (count: number, seed: number): Subject[] =>
  Array.from({ length: count }, (_, i) => ({
    name: `random history ${i} of seed ${seed}`,
    open: () => Promise.resolve(prepare(draw(AIMS[i % AIMS.length]!, new Random(`${seed}/${i}`)))),
  }));

const MOST_STEPS = 200_000;
/** Larger histories would take too long. */
const MOST_OPERATIONS: Readonly<Record<string, number>> = {
  'baselines-sat': 300,
  'baselines-smt': 20,
  'baselines-asp': 20,
};
