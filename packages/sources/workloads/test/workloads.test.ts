import { OpKind, buildReadFrom, checkShape, findInvalid, transactionOf } from '@isolab/history';
import { describe, expect, test } from 'vitest';
import {
  FAULTS,
  MINI_TRANSACTIONS,
  ParameterError,
  Random,
  type Request,
  WORKLOADS,
  findWorkload,
  resolveParameters,
  simulate,
} from '../src/index.ts';

const OPTIONS = { level: 'serializable', sessions: 5, transactions: 40, seed: 1 } as const;
const SMALL: Record<string, Record<string, string>> = {
  tpcc: { items: '100', customers: '20', districts: '2' },
  rubis: { users: '50' },
  twitter: { users: '30' },
  blindw: { keys: '100' },
  ranges: { keys: '100' },
};
const parametersOf = (name: string) => resolveParameters(findWorkload(name)!, SMALL[name] ?? {});

/** The requests of some transactions, all answered as if nothing were there. */
function requests(name: string, given: Record<string, string>, count: number): Request[][] {
  const workload = findWorkload(name)!;
  const next = workload.prepare(resolveParameters(workload, given), 4, new Random(1)).session(0, new Random(2));
  return Array.from({ length: count }, () => {
    const asked: Request[] = [];
    const program = next()();
    for (let step = program.next(); !step.done; step = program.next(null)) asked.push(step.value);
    return asked;
  });
}

const share = <T>(items: readonly T[], holds: (item: T) => boolean): number =>
  items.filter(holds).length / items.length;

describe.each(WORKLOADS.map(({ name }) => name))('%s', (name) => {
  const { history, committed } = simulate(findWorkload(name)!, parametersOf(name), OPTIONS);

  test('the workload gives a valid history with unique values', () => {
    expect(findInvalid(history)).toBeNull();
    const index = buildReadFrom(history);
    expect([...index.readFrom].filter((from) => from === -2)).toEqual([]);
    if (findWorkload(name)!.data === 'tables') return; // a deleted row is as absent as one that never was
    expect(index.repeatedWrites).toBe(0);
    expect([...index.readFrom].filter((from) => from === -3)).toEqual([]);
  });

  test('the workload commits as many transactions as asked for', () => expect(committed).toBe(5 * 40));

  test('the workload is the same for the same seed, and another one for another', () => {
    const again = simulate(findWorkload(name)!, parametersOf(name), OPTIONS).history;
    expect(again).toEqual(history);
    expect(simulate(findWorkload(name)!, parametersOf(name), { ...OPTIONS, seed: 2 }).history).not.toEqual(history);
  });
});

describe('the shapes of transactions', () => {
  test('general: share of reads and number of operations', () => {
    const all = requests('general', { reads: '0.3', operations: '8' }, 2_000);
    expect(all.every((asked) => asked.length === 8)).toBe(true);
    expect(share(all.flat(), ({ kind }) => kind === 'read')).toBeCloseTo(0.3, 1);
  });

  test('general: long transactions', () => {
    const all = requests('general', { 'long-transactions': '0.25', operations: '4' }, 2_000);
    expect(share(all, (asked) => asked.length === 40)).toBeCloseTo(0.25, 1);
    expect(all.every((asked) => asked.length === 40 || asked.length === 4)).toBe(true);
  });

  test('general: a session may write only keys of its own', () => {
    const written = requests('general', { 'own-keys': 'true', keys: '100' }, 500)
      .flat()
      .filter(({ kind }) => kind === 'write');
    expect(written.every((request) => 'key' in request && (request.key as number) < 25)).toBe(true);
  });

  test('general: tenants share no key', () => {
    const options = { ...OPTIONS, sessions: 6, transactions: 30 };
    const { history } = simulate(
      findWorkload('general')!,
      resolveParameters(findWorkload('general')!, { tenants: '3', keys: '10' }),
      options,
    );
    const keysOf = Array.from({ length: 6 }, (_, s) => {
      const [first, end] = [history.sessionStart[s]!, history.sessionStart[s + 1]!];
      return new Set(history.opKey.subarray(history.txnStart[first]!, history.txnStart[end]!));
    });
    const shared = keysOf.map((own) => keysOf.filter((others) => [...own].some((key) => others.has(key))).length);
    expect(shared).toEqual([2, 2, 2, 2, 2, 2]);
    expect(new Set(keysOf.flatMap((keys) => [...keys])).size).toBe(30);
  });

  test('times are left out on request, and nothing else is', () => {
    const run = (times: boolean) =>
      simulate(findWorkload('general')!, parametersOf('general'), { ...OPTIONS, times }).history;
    const { txnBegin, txnBegun, txnCommitting, txnEnd, source, ...rest } = run(false);
    expect([txnBegin, txnBegun, txnCommitting, txnEnd, source.timeUnit]).toEqual([null, null, null, null, 'none']);
    expect(run(true)).toMatchObject(rest);
  });

  test('cobra: 20 % read, 40 % write, 40 % update', () => {
    const all = requests('cobra', {}, 4_000);
    expect(share(all, (asked) => asked.length === 16)).toBeCloseTo(0.4, 1);
    expect(share(all, (asked) => asked.every(({ kind }) => kind === 'read'))).toBeCloseTo(0.2, 1);
  });

  test('reports have changes of one key of a pair, changes of the other, and reads of both', () => {
    const all = requests('reports', { pairs: '2' }, 300);
    const shapes = all.map((asked) =>
      asked.map((one) => `${one.kind} ${'key' in one && Number(one.key) % 2}`).join(', '),
    );
    expect(new Set(shapes)).toEqual(new Set(['write 0, read 1', 'read 1, write 1', 'read 1, read 0']));
    for (const asked of all) expect(new Set(asked.map((one) => 'key' in one && Number(one.key) >> 1)).size).toBe(1);
  });

  test('blindw: eight different keys, all read or all written', () => {
    const all = requests('blindw', { reads: '0.9' }, 2_000);
    expect(all.every((asked) => new Set(asked.map((r) => 'key' in r && r.key)).size === 8)).toBe(true);
    expect(share(all, (asked) => asked.every(({ kind }) => kind === 'read'))).toBeCloseTo(0.9, 1);
    expect(share(all, (asked) => asked.every(({ kind }) => kind === 'write'))).toBeCloseTo(0.1, 1);
  });

  test.each([
    ['B', 0.2, 0.2],
    ['RQH', 0.5, 0.13],
    ['IDH', 0.1, 0.35],
  ])('ranges: mix %s', (mix, queries, inserts) => {
    const all = requests('ranges', { mix }, 1_000).flat();
    expect(share(all, ({ kind }) => kind === 'range')).toBeCloseTo(queries, 1);
    expect(share(all, ({ kind }) => kind === 'insert')).toBeCloseTo(inserts, 1);
  });

  test('list-append: a key is replaced after its last write', () => {
    const appended = requests('list-append', { 'writes-per-key': '5' }, 2_000)
      .flat()
      .filter(({ kind }) => kind === 'append');
    const counts = new Map<unknown, number>();
    for (const request of appended) if ('key' in request) counts.set(request.key, (counts.get(request.key) ?? 0) + 1);
    expect(Math.max(...counts.values())).toBe(5);
  });

  test('mini-transactions: all 20 forms, and no other', () => {
    const names = new Map<unknown, string>();
    const forms = requests('mini-transactions', { forms: 'all' }, 2_000).map((asked) => {
      names.clear();
      return asked
        .map((request) => {
          const key = 'key' in request ? request.key : null;
          if (!names.has(key)) names.set(key, names.size === 0 ? 'x' : 'y');
          return (request.kind === 'read' ? 'R' : 'W') + names.get(key)!;
        })
        .join('');
    });
    expect(new Set(forms)).toEqual(new Set(MINI_TRANSACTIONS));
  });

  test('mini-transactions have the shape that checkers of them require', () => {
    const { history } = simulate(findWorkload('mini-transactions')!, parametersOf('mini-transactions'), OPTIONS);
    expect(checkShape(history, buildReadFrom(history), 'mini-transactions').holds).toBe(true);
  });

  test('tpcc: a row that was there before is only written after it was read', () => {
    const { history } = simulate(findWorkload('tpcc')!, parametersOf('tpcc'), { ...OPTIONS, transactions: 100 });
    const loader = history.txnSession[0];
    const loaded = new Set(history.opKey.filter((_, op) => history.txnSession[transactionOf(history, op)] === loader));
    let updates = 0;
    for (let op = 0; op < history.opKind.length; op++) {
      const t = transactionOf(history, op);
      const key = history.opKey[op]!;
      if (history.opKind[op] !== OpKind.Write || history.txnSession[t] === loader || !loaded.has(key)) continue;
      updates++;
      expect(history.opKey.subarray(history.txnStart[t], op)).toContain(key);
    }
    expect(updates).toBeGreaterThan(500);
  });
});

describe('parameters', () => {
  const general = findWorkload('general')!;

  test.each([
    [{ kees: '3' }, 'no parameter kees'],
    [{ keys: 'many' }, 'a number from 1'],
    [{ keys: '0' }, 'a number from 1'],
    [{ keys: '1.5' }, 'a whole number'],
    [{ reads: '1.5' }, 'a number from 0 to 1'],
    [{ reads: '' }, 'a number from 0 to 1'],
    [{ lists: 'yes' }, 'true or false'],
    [{ distribution: 'normal' }, 'one of uniform, zipfian'],
  ])('parameters refuses %o', (given, message) => {
    expect(() => resolveParameters(general, given as Record<string, string>)).toThrow(ParameterError);
    expect(() => resolveParameters(general, given as Record<string, string>)).toThrow(message);
  });

  test('parameters takes the others from the defaults', () =>
    expect(resolveParameters(general, { reads: '0.25' })).toMatchObject({ reads: 0.25, operations: 15, lists: false }));
});

describe('faults that do not go together', () => {
  const general = findWorkload('general')!;
  const run = (level: 'causal' | 'serializable', faults: object, given = {}) =>
    simulate(general, resolveParameters(general, given), { ...OPTIONS, level, faults });

  test.each([
    ['serializable', { 'lost-session': 1 }, {}, 'needs replicas'],
    ['causal', { 'dirty-read': 1 }, {}, FAULTS['dirty-read'].at],
    ['serializable', { partition: 1, 'split-snapshot': 1 }, {}, 'cannot be combined'],
    ['causal', {}, { lists: 'true' }, 'cannot merge lists'],
  ] as const)('%s with %o', (level, faults, given, message) => {
    expect(() => run(level, faults, given)).toThrow(message);
  });
});

describe('slow reads', () => {
  test.each([
    ['rw-register', ['read']],
    ['list-append', ['read-list']],
    ['counters', ['read']],
    ['ranges', ['range', 'read']],
  ])('slow reads of %s are the keys of four transactions, with a pause after the first of them', (name, kinds) => {
    const usual = requests(name, {}, 40);
    const slow = requests(name, { 'slow-reads': '1' }, 10);
    for (const [i, asked] of slow.entries()) {
      const parts = usual.slice(4 * i, 4 * i + 4);
      expect(asked.findIndex(({ kind }) => kind === 'wait')).toBe(parts[0]!.length);
      expect(asked).toHaveLength(parts.flat().length + 1);
    }
    const asked = slow.flat().map(({ kind }) => kind);
    expect([...new Set(asked)].toSorted()).toEqual([...kinds, 'wait'].toSorted());
  });

  test('slow reads are those of the first client only, and a client of the simulated database ends them, too', () => {
    const parameters = resolveParameters(findWorkload('rw-register')!, { 'slow-reads': '1' });
    const { history } = simulate(findWorkload('rw-register')!, parameters, OPTIONS);
    const isWriter = Array.from({ length: 5 }, () => false);
    for (let op = 0; op < history.opKind.length; op++)
      if (history.opKind[op] === OpKind.Write) isWriter[history.txnSession[transactionOf(history, op)]!] = true;
    expect(isWriter.filter((writes) => !writes)).toHaveLength(1);
  });
});

test('the amounts of a counter show each increment, even if it was added twice', () => {
  const added = requests('counters', { keys: '1', 'increments-per-key': '33' }, 60)
    .flat()
    .flatMap((one) => (one.kind === 'increment' && one.key === 0 ? [one.value] : []));
  expect(added.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 33 }, (_, i) => 3 ** i));
  expect(Number.isSafeInteger(2 * added.reduce((sum, one) => sum + one))).toBe(true);
});
