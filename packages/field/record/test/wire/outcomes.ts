import { open } from 'isolab';
import { readFileSync } from 'node:fs';
import { expect } from 'vitest';

interface Line {
  readonly session?: string;
  readonly status?: string;
  readonly outcome?: string;
  readonly ops?: readonly unknown[];
}

/** Transactions of a readable recording by session, in order. */
export async function outcomesIn(path: string): Promise<Readonly<Record<string, readonly string[]>>> {
  expect((await open(path)).kind).toBe('history');
  const outcomes: Record<string, string[]> = {};
  for (const text of readFileSync(path, 'utf8').trimEnd().split('\n')) {
    const { session, status = 'committed', outcome, ops } = JSON.parse(text) as Line;
    if (session === undefined) continue;
    const told = (outcomes[session] ??= []);
    if (ops) told.push(status);
    else if (outcome) told[told.length - 1] = outcome;
  }
  return outcomes;
}
