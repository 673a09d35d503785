// Slow: collects from a PostgreSQL that it starts.
import { copyFileSync, mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { type EmbeddedServer, startEmbedded } from '@isolab/collector';
import { LEVELS, type LevelName, implies } from '@isolab/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ExitCode } from '../src/terminal/exit.ts';
import { run } from '../src/index.ts';
import { printerTo } from './support/isolab.ts';

const folder = mkdtempSync(join(tmpdir(), 'isolab-real-'));
let server: EmbeddedServer;

beforeAll(async () => {
  server = await startEmbedded();
});
afterAll(() => server?.database.close(), 60_000);

interface Checked {
  readonly levels: Readonly<Record<string, string>>;
  readonly reason: string | null;
  readonly anomalies: readonly { readonly name: string }[];
}

const pathOf = (isolation: string, workload: string): string =>
  join(folder, `${isolation}-${workload}.jsonl`.replace(' ', '-'));

/** Collects a history, and returns its verdicts at these levels, or at all. */
async function collected(
  isolation: string,
  workload: string,
  settings: readonly string[] = [],
  level = 'all',
  transactions = '30',
): Promise<Checked> {
  const path = pathOf(isolation, workload);
  const set = settings.flatMap((setting) => ['--set', setting]);
  const shared = ['--db', server.address, '--isolation', isolation, '--workload', workload, '--force'];
  const code = await run(
    ['collect', path, ...shared, '--sessions', '8', '--transactions', transactions, ...set],
    printerTo([], []),
  );
  expect(code).toBe(ExitCode.Satisfied);
  return checked(path, level);
}

async function checked(path: string, level: string): Promise<Checked> {
  const out: string[] = [];
  await run(['check', path, '--level', level, '--output', 'json'], printerTo(out, []));
  return JSON.parse(out.join('')) as Checked;
}

const KEPT = join(import.meta.dirname, '../../../../reports/local'); // tests remove their temporary folder

/** Fails with the reason of an unknown verdict, and keeps the history. */
async function expectSatisfied(path: string, level: string): Promise<void> {
  const { levels, reason } = await checked(path, level);
  if (levels[level] === 'satisfied') return;
  mkdirSync(KEPT, { recursive: true });
  const kept = join(KEPT, basename(path));
  copyFileSync(path, kept);
  expect.unreachable(`${level} is ${levels[level]}: ${reason ?? 'no reason'}. The history is ${kept}`);
}

let runs = 0;
const ran = async (...args: readonly string[]): Promise<{ code: number; out: string; path: string }> => {
  const path = join(folder, `run-${runs++}.jsonl`);
  const out: string[] = [];
  const code = await run(['run', path, '--db', server.address, ...args], printerTo(out, []));
  return { code, out: out.join('\n'), path };
};

const WORKLOADS: readonly (readonly [name: string, ...settings: readonly string[]])[] = [
  ['general', 'keys=60', 'operations=6'],
  ['mini-transactions', 'keys=20'],
  ['list-append', 'max-operations=4'],
  ['tpcc', 'items=50', 'customers=10', 'districts=3'],
];

describe.each(WORKLOADS)('PostgreSQL under %s', (workload, ...settings) => {
  test('PostgreSQL keeps serializability at SERIALIZABLE', async () => {
    const { levels } = await collected('serializable', workload, settings, 'serializable');
    expect(levels['serializable']).toBe('satisfied');
  });

  test('PostgreSQL keeps snapshot isolation at REPEATABLE READ', async () => {
    const { levels } = await collected('repeatable read', workload, settings, 'snapshot-isolation');
    expect(levels['snapshot-isolation']).toBe('satisfied');
  });

  test('PostgreSQL keeps read committed at READ COMMITTED', async () => {
    const { levels } = await collected('read committed', workload, settings, 'read-committed');
    expect(levels['read-committed']).toBe('satisfied');
  });
});

describe('PostgreSQL keeps in real time', () => {
  const KEYED = [['general', 'keys=60', 'operations=6'], ['list-append'], ['contention']] as const;

  test.each([
    ['serializable', ['strict-serializable', 'strong-snapshot-isolation'], [...KEYED, ['rows']]],
    ['repeatable read', ['strong-snapshot-isolation'], [...KEYED, ['rows']]],
    ['read committed', ['oracle-read-committed'], KEYED],
  ] as const)('PostgreSQL keeps in real time at %s %s', async (isolation, kept, workloads) => {
    for (const [workload, ...settings] of workloads) {
      const { levels } = await collected(isolation, workload, settings);
      const violated = Object.keys(levels).filter(
        (level) => levels[level] === 'violated' && kept.some((one) => implies(one, level as LevelName)),
      );
      expect({ workload, violated }).toEqual({ workload, violated: [] });
      for (const level of kept)
        if (levels[level] !== 'satisfied') await expectSatisfied(pathOf(isolation, workload), level);
    }
  });

  test.each(['serializable', 'repeatable read'])(
    'PostgreSQL keeps in real time the levels of isolab run with --level all: %s',
    async (isolation) => {
      const { code, out } = await ran('--isolation', isolation, '--level', 'all', '--output', 'json');
      expect(code).toBe(ExitCode.Satisfied);
      const { levels } = JSON.parse(out) as Checked;
      for (const level of LEVELS.filter(({ name }) => implies('strong-snapshot-isolation', name)))
        expect([level.name, levels[level.name]]).not.toEqual([level.name, 'violated']);
      expect(levels['strict-serializable']).toBe(isolation === 'serializable' ? 'satisfied' : 'violated');
    },
  );
});

describe('PostgreSQL shows', () => {
  test('write skew at REPEATABLE READ, where transactions read two accounts and update one', async () => {
    const { levels } = await collected('repeatable read', 'mini-transactions', ['keys=6'], 'all', '60');
    expect(levels).toMatchObject({ 'snapshot-isolation': 'satisfied', serializable: 'violated' });
  });

  test('non-repeatable reads and lost updates at READ COMMITTED', async () => {
    const repeated = await collected('read committed', 'mini-transactions', ['keys=6', 'forms=all'], 'all', '60');
    expect(repeated.levels).toMatchObject({ 'cut-isolation': 'violated', 'read-atomic': 'violated' });
    const updates = await collected('read committed', 'mini-transactions', ['keys=6', 'forms=updates'], 'all', '60');
    expect(updates.levels['snapshot-isolation']).toBe('violated');
  });
});

describe('isolab run', () => {
  test.each([
    ['read committed', 'read-atomic'],
    ['read committed', 'snapshot-isolation'],
    ['repeatable read', 'serializable'],
  ])('isolab run shows by default that %s is not %s', async (isolation, level) => {
    const { code, out } = await ran('--isolation', isolation, '--level', level, '--seed', `${runs}`);
    expect(out).toContain(`violated   ${level}`);
    expect(code).toBe(ExitCode.Violated); // it was asked for by its name
  });

  test.each(['read committed', 'repeatable read', 'serializable'])(
    'isolab run reports with --level all the claims of %s first, and exits by that alone',
    async (isolation) => {
      const claims = { 'read committed': 'read-committed', 'repeatable read': 'snapshot-isolation' }[isolation];
      const { code, out } = await ran('--isolation', isolation, '--level', 'all');
      expect(code).toBe(ExitCode.Satisfied);
      expect(out).toMatch(new RegExp(`^satisfied  ${claims ?? 'serializable'}`));
      expect(out).toContain('for information');
    },
  );

  test('isolab run reports by other outputs the claimed and the requested levels', async () => {
    const { code, out } = await ran('--isolation', 'read committed', '--level', 'all', '--output', 'json');
    expect(code).toBe(ExitCode.Satisfied);
    expect(JSON.parse(out)).toMatchObject({ levels: { 'read-committed': 'satisfied', 'read-atomic': 'violated' } });
    const junit = await ran('--isolation', 'read committed', '--level', 'all', '--output', 'junit');
    expect(junit.code).toBe(ExitCode.Satisfied);
    expect(junit.out).toContain('name="read-committed"');
    expect(junit.out).not.toMatch(/<failure|<error/);
    const both = await ran('--isolation', 'read committed', '--level', 'read-atomic', '--output', 'json');
    expect(both.code).toBe(ExitCode.Violated);
    expect(JSON.parse(both.out)).toMatchObject({
      levels: { 'read-committed': 'satisfied', 'read-atomic': 'violated' },
    });
  });
});
