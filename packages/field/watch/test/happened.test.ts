// Whether an operation is evidence, for each kind of operation and each outcome: a watcher never raises an alarm about less.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { LevelName } from '@isolab/contract';
import { CONTRADICTIONS, EVIDENT_FATES, FATES, contradictionAs, parseHistory } from '@isolab/testkit';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DEFAULTS, watchFolder } from '../src/index.ts';
import { linesOf } from './lines.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'isolab-watch-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const LEVELS: readonly LevelName[] = ['read-committed', 'serializable'];

/** Passed-over rows and counts are about all rows, which a window does not have. */
const isLookedAt = (operations: string): boolean => !/scan\([^{]*\{(?!1: \{)|count|sum|min|max/.test(operations);

// Range reads are refused.
const WATCHED = Object.entries(CONTRADICTIONS).filter(([, { operations }]) => !operations.includes('range('));

describe.each(WATCHED)('%s', (_, contradiction) => {
  test.each(FATES)('%s', async (fate) => {
    const options = { ...DEFAULTS, name: 'lines', levels: LEVELS, horizon: { transactions: 2, ms: Infinity } };
    const { watcher, close } = await watchFolder(folder, options);
    for (const line of await linesOf(parseHistory(contradictionAs(contradiction, fate)))) {
      watcher.take(Buffer.from(`${line}\n`));
      await watcher.judge();
    }
    const { levels } = await watcher.finish();
    close();
    const isEvidence = EVIDENT_FATES.includes(fate) && isLookedAt(contradiction.operations);
    const right = isEvidence ? ['violated'] : ['stands'];
    // Lists with a choice of appenders are not decided.
    if (fate === 'inferred') right.push('undecided');
    expect(right).toContain(levels.serializable);
    expect(isEvidence || levels['read-committed'] !== 'violated').toBe(true);
  });
});
