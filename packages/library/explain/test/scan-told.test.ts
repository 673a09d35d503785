import { type History, type PlainOperation, matches, slice, toRegisters } from '@isolab/history';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { RowView } from '../src/rows/row-view.ts';
import { scanTold } from '../src/rows/scan-told.ts';
import { IS_ON, historyOf, histories, put, scan } from './support/row-histories.ts';

/** Parts of a lowered history; `kept` says of each operation whether it stays. */
function partOf(whole: History, kept: (op: number) => boolean): RowView {
  const lowered = toRegisters(whole);
  const ops = Uint8Array.from(lowered.history.opKind, (_, op) => (kept(op) ? 1 : 0));
  const part = slice(lowered.history, { ops });
  return new RowView(part.history, { history: whole, opOf: part.opOf.map((op) => lowered.opOf[op]!) }, false);
}

/** Part of each scan that a view keeps. */
function scansOf(view: RowView, numOps: number): number[][] {
  const groups = new Map<number, number[]>();
  for (let op = 0; op < numOps; op++) {
    if (view.kindOf(op) !== 'scan') continue;
    const head = view.headOf(op);
    groups.set(head, [...(groups.get(head) ?? []), op]);
  }
  return [...groups.values()];
}

describe('the text of a scan', () => {
  test('the text of a complete scan has the results of the scan for the rows of the part', () => {
    const told = { whole: 0, inPart: 0 };
    fc.assert(
      fc.property(histories, fc.array(fc.boolean(), { minLength: 1, maxLength: 30 }), (whole, coins) => {
        const kept = (op: number): boolean => coins[op % coins.length]!;
        const view = partOf(whole, kept);
        const rows = view.allRows();
        const numOps = toRegisters(whole).history.opKind.reduce((n, _, op) => n + Number(kept(op)), 0);
        for (const ops of scansOf(view, numOps)) {
          const { returned, isWhole } = scanTold(view, ops, rows);
          told[isWhole ? 'whole' : 'inPart']++;
          const said = view.returnedBy(ops[0]!);
          // The text is true in any case.
          for (const row of returned.keys()) expect(said).toContain(row);
          const where = view.fullWhereOf(ops[0]!);
          const mayMatch = rows.filter((row) => view.versionsOf(row).some((version) => matches(where, version)));
          if (!isWhole) continue;
          expect(mayMatch.filter((row) => !returned.has(row) && said.includes(row))).toEqual([]);
          // The part itself says the result of the scan for a row that lacks some of its writes.
          const inPart = new Set(ops.map((op) => view.rowOf(op)));
          expect(mayMatch.filter((row) => !inPart.has(row) && !view.hasAllWrites(row))).toEqual([]);
        }
      }),
      { numRuns: 2000 },
    );
    expect(Math.min(told.whole, told.inPart)).toBeGreaterThan(20);
  });

  test('the text of a scan is a count where just as many rows of the part may have matched', () => {
    const counted = (result: number): PlainOperation =>
      ({ ...scan(IS_ON, {}), aggregate: { kind: 'count', result } }) as PlainOperation;
    const on = [put(1, { on: true }), put(2, { on: true })];
    const told = (result: number, left: (op: number) => boolean): boolean[] => {
      const whole = historyOf([on, [counted(result)]]);
      const view = partOf(whole, (op) => !left(op));
      const numOps = toRegisters(whole).history.opKind.filter((_, op) => !left(op)).length;
      return scansOf(view, numOps).map((ops) => scanTold(view, ops, view.allRows()).isWhole);
    };
    // Lowered, the writes are the operations 0 and 2, the statements of the scan about rows 4 and 5; between them are
    // its matches.
    expect(told(2, () => false)).toEqual([true]);
    expect(told(2, (op) => op === 5)).toEqual([true]);
    expect(told(2, (op) => op === 2 || op === 3 || op === 5)).toEqual([false]);
    expect(told(0, (op) => op === 5)).toEqual([true]);
  });
});

test('in a large history some rows show which columns change', () => {
  const numRows = 150_000;
  const rows = Array.from({ length: numRows }, (_, i) => i);
  const writes = (n: number) => rows.map((i) => put(i, { on: true, n: i + n, same: 7 }));
  const view = partOf(historyOf([writes(0), writes(numRows)]), () => true);
  expect([...view.columnsOf('t')]).toEqual(['n']);
});
