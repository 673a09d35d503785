import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { faultsOf } from '@isolab/formats';
import { Random, findWorkload, resolveParameters } from '@isolab/workloads';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { plannedFaults } from '../src/faults/schedule.ts';
import { type Database, collect, parseFaultSchedule, scheduleOfHistory } from '../src/index.ts';
import { SERIAL, fakeDatabase, readBack } from './fake.ts';

const validate = new Ajv2020().compile(
  JSON.parse(readFileSync(new URL('../schema/faults.schema.json', import.meta.url), 'utf8')) as object,
);

const file = (faults: unknown, more: object = {}): string =>
  JSON.stringify({ isolab: 'fault schedule', version: 1, faults, ...more });

const KILL = { kind: 'kill', node: 1, atMs: 100, lastsMs: 50 };
const THINK = { kind: 'think', atMs: 200, lastsMs: 30, delayMs: 5 };

test('a schedule is read as it is written, and as the schema says', () => {
  const text = file([KILL, THINK, { kind: 'reset', atMs: 230, lastsMs: 0 }]);
  expect(validate(JSON.parse(text))).toBe(true);
  const { kinds, schedule } = parseFaultSchedule(text, 'f.json');
  expect(kinds).toEqual(['kill', 'think', 'reset']);
  expect(schedule).toEqual([KILL, THINK, { kind: 'reset', atMs: 230, lastsMs: 0 }]);
});

describe('an invalid schedule is refused, with the place', () => {
  test.each([
    ['{"isolab":', 'is not valid JSON'],
    ['[]', 'f.json is [], expected an object'],
    [file([KILL], { version: 2 }), 'is not a fault schedule'],
    [file([KILL], { every: 3 }), 'f.json has the field "every", expected $schema, isolab, version, faults'],
    [file([]), 'f.json: faults is [], expected a list of at least one fault'],
    [file(undefined), 'f.json: faults is missing'],
    [file([KILL, 7]), 'f.json: faults[1] is 7, expected an object'],
    [file([{ ...KILL, kind: 'melt' }]), 'faults[0].kind is "melt", expected one of kill, pause'],
    [file([{ ...KILL, atMs: -1 }]), 'faults[0].atMs is -1, expected a whole number of at least 0'],
    [file([{ ...KILL, lastsMs: 1.5 }]), 'faults[0].lastsMs is 1.5, expected'],
    [file([{ ...KILL, node: '1' }]), 'faults[0].node is "1", expected'],
    [file([{ ...KILL, delayMs: 5 }]), 'faults[0].delayMs does not apply to kill'],
    [file([{ ...THINK, node: 0 }]), 'faults[0].node does not apply to think'],
    [file([{ kind: 'delay', atMs: 1, lastsMs: 1 }]), 'faults[0].delayMs is missing'],
    [file([{ ...KILL, afterMs: 1 }]), 'faults[0] has the field "afterMs"'],
  ])('%s', (text, message) => {
    expect(() => parseFaultSchedule(text, 'f.json')).toThrow(message);
    if (text.endsWith('}')) expect(validate(JSON.parse(text))).toBe(false);
  });

  test('faults that overlap, which the schema cannot say', () => {
    expect(() => parseFaultSchedule(file([KILL, { ...THINK, atMs: 149 }]), 'f.json')).toThrow(
      'fault 2, think, begins at 149 ms, before the previous fault ends at 150 ms',
    );
  });

  test('an invalid schedule is a history without faults, or with one that cannot be replayed', () => {
    expect(() => scheduleOfHistory([], 'h.jsonl')).toThrow('h.jsonl has no faults');
    expect(() => scheduleOfHistory([{ kind: 'melt', begin: 1n, end: null }], 'h.jsonl')).toThrow('has the fault melt');
  });
});

test('a collection that continues runs only the rest of the schedule', () => {
  const options = parseFaultSchedule(file([KILL, THINK]), 'f.json');
  const left = (fromMs: number) => [...plannedFaults(options, 2, fromMs, new Random(1))].map(({ kind }) => kind);
  expect([left(0), left(100), left(101), left(500)]).toEqual([['kill', 'think'], ['kill', 'think'], ['think'], []]);
});

describe('a collection by a schedule', () => {
  const folder = mkdtempSync(join(tmpdir(), 'isolab-fault-schedule-'));
  const nothing = async (): Promise<void> => {};
  const struck = (): Database => {
    const database = fakeDatabase();
    return {
      ...database,
      faults: { nodes: 2, kill: nothing, restart: () => pause(30), pause: nothing, resume: nothing },
      async connect(isolation) {
        const connection = await database.connect(isolation);
        return { ...connection, ask: (question) => pause(1).then(() => connection.ask(question)) };
      },
    };
  };
  const options = (name: string) => ({
    isolation: SERIAL,
    workload: findWorkload('general')!,
    parameters: resolveParameters(findWorkload('general')!, { keys: '5', operations: '3' }),
    sessions: 3,
    transactions: Infinity,
    seconds: 0.6,
    seed: 1,
    path: join(folder, `${name}.jsonl`),
  });

  test('a collection by a schedule strikes at its times, and the recorded schedule can be played again exactly', async () => {
    const faults = parseFaultSchedule(file([KILL, { ...THINK, atMs: 300 }]), 'f.json');
    await collect({ database: struck(), ...options('first'), faults });
    const recorded = faultsOf(await readBack(join(folder, 'first.jsonl')));
    expect(recorded).toMatchObject([
      { kind: 'kill', node: 1, lastsMs: 50 },
      { kind: 'think', lastsMs: 30, delayMs: 5 },
    ]);
    // It lasted longer than planned, since the repair took a while.
    expect(Number(recorded[0]!.end! - recorded[0]!.begin) / 1e6).toBeGreaterThan(75);
    const again = scheduleOfHistory(recorded, 'first.jsonl');
    for (const [i, { atMs }] of again.schedule.entries()) {
      expect(atMs).toBeGreaterThanOrEqual(faults.schedule[i]!.atMs);
      expect(atMs).toBeLessThan(faults.schedule[i]!.atMs + 150);
    }
    expect(again.schedule.map((fault) => ({ ...fault, atMs: 0 }))).toEqual(
      faults.schedule.map((fault) => ({ ...fault, atMs: 0 })),
    );
    const header = JSON.parse(readFileSync(join(folder, 'first.jsonl'), 'utf8').split('\n')[0]!) as object;
    expect(header).toMatchObject({ collected: { faults } });
  });

  test('a collection by a schedule is refused where it strikes a node that is not there', async () => {
    const faults = parseFaultSchedule(file([{ ...KILL, node: 2 }]), 'f.json');
    await expect(collect({ database: struck(), ...options('absent'), faults })).rejects.toThrow(
      'applies the fault kill to node 2, but there are 2 nodes, from 0 on',
    );
  });
});
