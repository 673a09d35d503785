import { loadChecker, open } from 'isolab';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import type { Series } from '../src/experiment/experiment.ts';
import { Histories } from '../src/datasets/histories.ts';
import type { Datasets } from '../src/datasets/datasets.ts';
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

const examples = fileURLToPath(new URL('../../../../datasets/examples/', import.meta.url));
const histories = new Histories(tmpdir(), {} as Datasets, null);

/** Stages before the runs of cells on one history: each cell is prepared, and the first cell asks for everything. */
async function stagesOfCells(file: string) {
  const path = join(examples, file);
  const prepareNow = await histories.read({ id: file, path, sha256: '', format: null, sizes: null, counters: {} });
  if (typeof prepareNow === 'string') throw new Error(prepareNow);
  const cells = [prepareNow(), prepareNow()];
  cells[0]!.inputFor((await loadChecker('weave')).checker);
  cells[0]!.evidence();
  return cells.map(({ clock }) => clock.stages);
}

test('the preparation of a cell does not depend on the cells before', async () => {
  const [first, second] = await stagesOfCells('text/two-sessions.txt');
  expect(first!.map(({ name }) => name)).toEqual(['read', 'index', 'evidence']);
  expect(second).toEqual([first![0]]);
});

test('the preparation of a polygraph includes reading it', async () => {
  expect(await stagesOfCells('polyg/choice.polyg')).toMatchObject([[{ name: 'read' }], [{ name: 'read' }]]);
});
