import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll } from 'vitest';
import { type HuntOptions, type HuntSettings, hunt } from '../src/index.ts';

const root = mkdtempSync(join(tmpdir(), 'isolab-hunt-'));
afterAll(() => rmSync(root, { recursive: true, force: true }));
let folders = 0;
export const freshFolder = (): string => join(root, String(folders++));

/** A database in memory with snapshot isolation, which it also calls serializable. */
export const MEMORY = `module:${fileURLToPath(new URL('fixtures/memory.mjs', import.meta.url))}`;

export const settings = (given: Partial<HuntSettings> = {}): HuntSettings => ({
  database: [MEMORY],
  isolation: null,
  level: null,
  drawing: 'known',
  workload: null,
  transactions: 150,
  seed: '1',
  seconds: null,
  trials: 20,
  counts: false,
  sessionSetup: [],
  layout: null,
  faults: null,
  shard: null,
  ...given,
});

export const options = (folder: string, given: Partial<HuntOptions> = {}): HuntOptions => ({
  folder,
  reproduces: false,
  connectMs: 5_000,
  stallMs: 5_000,
  checkMs: 30_000,
  signal: new AbortController().signal,
  ...given,
});

/** Address of a database that has a fault on purpose. */
export const broken = (file: string, bug: string): string =>
  `module:${fileURLToPath(new URL(`fixtures/${file}`, import.meta.url))}?${bug}`;

/** Hunts with nothing but the address. Without a number of transactions, time ends the histories. */
export const huntOf = (database: string, trials: number, transactions: number | null = 320) =>
  hunt(settings({ database: [database], transactions, trials }), options(freshFolder(), { stallMs: 30_000 }));
