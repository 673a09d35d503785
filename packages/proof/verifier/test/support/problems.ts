import type { History } from '@isolab/history';
import { expect } from 'vitest';
import type { LevelName } from '@isolab/contract';
import { problemOf } from './certificates.ts';

/** A certificate that is to be refused with this problem. */
export type Row = readonly [name: string, level: LevelName, certificate: unknown, problem: string];

/** Expects a valid certificate to be accepted, and each other one to be refused with its problem. */
export function expectProblems(
  history: History,
  verdict: 'satisfied' | 'violated',
  valid: Row,
  rows: readonly Row[],
): void {
  expect(problemOf(history, valid[1], verdict, valid[2])).toBeNull();
  const found = rows.map(([name, level, certificate]) => [name, problemOf(history, level, verdict, certificate)]);
  expect(found).toEqual(rows.map(([name, , , problem]) => [name, problem]));
}

export const accepted = (level: LevelName, certificate: unknown): Row => ['accepted', level, certificate, ''];
