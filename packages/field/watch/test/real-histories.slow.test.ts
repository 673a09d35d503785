// Slow: watches every real history at hand.
import { LEVELS, type LevelName } from '@isolab/contract';
import { readDocumentAt } from '@isolab/formats';
import { type History, buildReadFrom, toRegisters } from '@isolab/history';
import { check } from 'isolab';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { realHistories, realHistory, unless } from '@isolab/needs';
import { describe, expect, test } from 'vitest';
import { recordingOrder, watchWhole } from './whole.ts';

/** Real histories, and those in the folder `field` beside them; ISOLAB_WATCH_ALL asks for all of them. */
const isAll = process.env['ISOLAB_WATCH_ALL'] !== undefined;
const MOST_BYTES = isAll ? Infinity : 4_000;

interface Entry {
  readonly id: string;
  readonly format: string;
  readonly location: string;
  readonly bytes: number;
}

const found = realHistories<Entry>()
  .filter(({ format, bytes }) => format !== 'polyg' && bytes > 0 && bytes <= MOST_BYTES)
  .map(({ id, location }): [string, string] => [id, realHistory(location)]);

const field = realHistory('../field');
const inField =
  !isAll || !existsSync(field)
    ? []
    : readdirSync(field, { recursive: true, encoding: 'utf8' })
        .filter((path) => path.endsWith('.jsonl.gz'))
        .map((path): [string, string] => [path, join(field, path)]);

describe('the verdict at the end is that of isolab check', unless('datasets'), () => {
  test('there are some', () => expect(found.length).toBeGreaterThan(0));

  test.each([...found, ...inField])('%s', async (id, path) => {
    const document = await readDocumentAt(path);
    if (document.kind !== 'history') throw new Error(`${path} is a ${document.kind}`);
    const { history } = document;
    const offline = await verdictsOf(history);
    if (!isAll && id === SLOW_IN_ITS_ORDER) delete offline['generalized-snapshot-isolation'];
    const levels = Object.keys(offline) as LevelName[];
    if (levels.length === 0) return;
    const registers = toRegisters(history).history;
    const values = buildReadFrom(registers).repeatedWrites > 0 ? 'repeated' : 'auto';
    const status = await watchWhole(registers, levels, recordingOrder(registers, 1), values);
    const online = Object.fromEntries(levels.map((level) => [level, WORD[status.levels[level]!]]));
    expect([online, status.whyUndecided]).toEqual([offline, {}]);
    expect(status.believed + status.late + status.unwritten).toBe(0);
  });
});

/** In the order of a recording, weave takes half a minute for one level of this history; ISOLAB_WATCH_ALL asks for it. */
const SLOW_IN_ITS_ORDER = 'porcupine:jepsen/etcd_022.log';

/** Some levels take weave very long on histories that were not made for them; those are left out. */
const timeMs = isAll ? 20_000 : 5_000;
const OFFLINE = { checker: 'weave', allowVacuous: true, allowCutOff: true, place: 'thread', timeMs } as const;

const WORD = { stands: 'satisfied', violated: 'violated', undecided: 'unknown' } as const;

/** Verdicts at all levels that weave decides. */
async function verdictsOf(history: History): Promise<Partial<Record<LevelName, string>>> {
  const verdicts: Partial<Record<LevelName, string>> = {};
  for (const { name } of LEVELS) {
    const options = { ...OFFLINE, level: name };
    const verdict = await check(history, options).then(
      (result) => result.verdict,
      () => 'unknown',
    );
    if (verdict !== 'unknown') verdicts[name] = verdict;
  }
  return verdicts;
}
