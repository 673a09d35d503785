/**
 * SARIF 2.1.0, which code scanning and editors read: a run for each history, with a result for each requested level.
 * The head has a run of its own without results, so that every other run begins with a comma.
 */
import { join } from 'node:path';
import { eachLevel, visibleLine } from 'isolab/skin';
import { type CheckResult, findAnomaly } from 'isolab/check';
import type { Story } from 'isolab';
import type { Failure } from './failure.ts';
import { reasonAt } from './judge.ts';
import { version } from '../terminal/own-package.ts';
import type { Form } from './output-files.ts';

interface SarifResult {
  readonly ruleId: string;
  readonly level: 'error' | 'none';
  readonly kind: 'fail' | 'open' | 'pass';
  readonly message: { readonly text: string };
  readonly locations: readonly object[];
  readonly relatedLocations?: readonly object[];
}

export class Sarif {
  readonly #runs: string[] = [];

  add(result: CheckResult, story: Story | null): void {
    this.#runs.push(`,${run(result.path, resultsOf(result, story))}`);
  }

  fail(failure: Failure): void {
    this.#runs.push(failed(failure));
  }

  last(): string {
    return this.#runs.at(-1)!;
  }

  whole(): string {
    return [HEAD, ...this.#runs, FOOT].join('\n');
  }

  form(): Form {
    return { head: HEAD, foot: FOOT, failed };
  }
}

const HEAD = `{"$schema":"https://json.schemastore.org/sarif-2.1.0.json","version":"2.1.0","runs":[${run('', [])}`;
const FOOT = ']}';

/** A history that could not be checked has an open result, never a pass. */
function failed({ path, message }: Failure): string {
  return `,${run(path, [resultOf('unknown', 'open', message, [placeOf(path, undefined, undefined)])])}`;
}

/** Results on one history: one for all violated levels that were named (or for all levels), and one for each other level. */
function resultsOf(result: CheckResult, story: Story | null): SarifResult[] {
  const { path, named, levels } = result;
  const asked = eachLevel(levels).filter(([level]) => named.length === 0 || named.includes(level));
  const whole = [placeOf(path, undefined, undefined)];
  const violated = asked.filter(([, at]) => at!.verdict === 'violated').map(([level]) => level);
  return [
    ...(violated.length === 0 ? [] : [violation(result, violated, story)]),
    ...asked.flatMap(([level, at]) => {
      if (at!.verdict === 'violated') return [];
      return at!.verdict === 'unknown'
        ? [resultOf('unknown', 'open', `${level}: ${reasonAt(level, result)}`, whole)]
        : [resultOf('satisfied', 'pass', `${level} is satisfied`, whole)];
    }),
  ];
}

function violation({ path, anomalies }: CheckResult, levels: readonly string[], story: Story | null): SarifResult {
  const name = story?.anomaly?.name ?? anomalies[0]?.name ?? 'violated';
  const what = story === null ? '' : `${story.title}: ${story.summary} `;
  const [first, ...others] = story === null ? [] : placesOf(path, story);
  return {
    ...resultOf(name, 'fail', `${what}Violated: ${levels.join(', ')}.`, [first ?? placeOf(path, undefined, undefined)]),
    relatedLocations: others,
  };
}

function run(path: string, results: readonly SarifResult[]): string {
  const rules = [...new Set(results.map(({ ruleId }) => ruleId))].map((id) => ({
    id,
    shortDescription: { text: findAnomaly(id)?.title ?? TITLES[id] ?? id },
    help: { text: `isolab explain ${id}` },
  }));
  const driver = { name: 'isolab', version: version(), rules };
  return JSON.stringify({ tool: { driver }, automationDetails: { id: `isolab/${path}` }, results });
}

const TITLES: Readonly<Record<string, string>> = {
  unknown: 'a level that could not be decided',
  satisfied: 'a level that the history satisfies',
  violated: 'a level that the history violates',
};

const resultOf = (
  ruleId: string,
  kind: SarifResult['kind'],
  text: string,
  locations: readonly object[],
): SarifResult => ({
  ruleId,
  level: kind === 'fail' ? 'error' : 'none',
  kind,
  message: { text: visibleLine(text) },
  locations,
});

/** Places of the transactions of the violation: the line where the file has lines, and the file of a folder. */
const placesOf = (path: string, { transactions }: Story): object[] =>
  transactions
    .filter(({ role, session }) => role !== 'context' && session !== null)
    .map(({ label, place }) => {
      const [, file, unit, position] = /^(?:(.+), )?(\w+) (\d+)$/.exec(place ?? '') ?? [];
      return placeOf(file === undefined ? path : join(path, file), unit === 'line' ? position : undefined, label);
    });

/** Escapes a path for a relative reference, in which # and ? would end it. */
const uriOf = (path: string): string =>
  encodeURI(path.replaceAll('\\', '/')).replaceAll('#', '%23').replaceAll('?', '%3F');

const placeOf = (path: string, line: string | undefined, label: string | undefined): object => ({
  physicalLocation: {
    artifactLocation: { uri: uriOf(path) },
    region: { startLine: line === undefined ? 1 : Number(line) },
  },
  ...(label !== undefined && { message: { text: label } }),
});
