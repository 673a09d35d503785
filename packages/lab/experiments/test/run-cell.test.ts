import { loadChecker, open } from 'isolab';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Series } from '../src/experiment/experiment.ts';
import { runChecker } from '../src/measurement/run-cell.ts';

test('a reason names the file of the history, and no folder', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'isolab-cell-'));
  try {
    const path = join(folder, 'lists.jsonl');
    writeFileSync(path, '{"isolab":"history","version":1}\n{"session":1,"ops":[["append","x",1],["r","x",[1]]]}\n');
    const input = await open(path);
    if (input.kind !== 'history') throw new Error('It is no history.');
    const series = { name: 'weave', checker: 'weave' } as Series;
    const limits = { seconds: 10, megabytes: 1000 };
    const options = { limits, verify: false, place: 'thread' } as const;
    const { reason } = await runChecker(await loadChecker('weave'), series, 'causal', input.prepared, options);
    expect(reason).toContain('lists.jsonl');
    expect(reason).not.toContain(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
