import { type DemandFinding, findingsOf } from '@isolab/contract';
import { type History, countTransactions } from '@isolab/history';
import { decide } from '@isolab/oracle';
import { describe, expect, test } from 'vitest';
import { distributionDemands, faultDemands, workloadDemands } from '../src/conformance/index.ts';
import { KEY_DISTRIBUTIONS } from '../src/workload/distributions.ts';
import {
  type InjectedFault,
  type Program,
  Versions,
  WORKLOADS,
  type Workload,
  defineFault,
  defineWorkload,
  resolveParameters,
} from '../src/index.ts';

/** Nothing is decided: features that ask a checker cannot be shown. */
const blind = { check: async () => 'unknown' as const, met: () => 0.5 };

const failuresOf = (findings: readonly DemandFinding[]): string[] =>
  findings.flatMap(({ check, holds, found }) => (holds === false ? [`${check}: ${found}`] : []));

const FEW: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  tpcc: { items: '100', customers: '20', districts: '2' },
  rubis: { users: '50' },
  twitter: { users: '30' },
  blindw: { keys: '100' },
  ranges: { keys: '100' },
};

test.each(WORKLOADS.map((workload) => [workload.name, workload] as const))(
  'the workload %s conforms, as far as no checker is asked',
  async (name, workload) => {
    const demands = workloadDemands(workload, resolveParameters(workload, FEW[name] ?? {}), blind);
    const asked = demands.filter(({ name: each }) => !each.startsWith('a database'));
    expect(failuresOf(await findingsOf(asked, () => {}))).toEqual([]);
  },
);

describe('a workload with a mistake is found out', () => {
  const mine = (program: (key: number, versions: Versions, fraction: number) => Program, more: object = {}): Workload =>
    defineWorkload({
      name: 'mine',
      title: 'mine',
      source: 'me',
      data: 'registers',
      parameters: { keys: { default: 4, help: 'number of keys' } },
      keys: ({ keys }) => keys,
      prepare({ keys }) {
        const versions = new Versions();
        return {
          load: [],
          session: (_, random) => () => {
            const key = random.below(keys);
            return () => program(key, versions, random.fraction());
          },
        };
      },
      ...more,
    }) as unknown as Workload;
  const update = function* (key: number, versions: Versions): Program {
    yield { kind: 'read', key };
    yield { kind: 'write', key, value: versions.next(key) };
  };
  let runs = 0;

  test.each<[string, Workload, RegExp]>([
    ['nothing', mine(update), /^$/],
    [
      'an endless transaction',
      mine(function* (key) {
        for (;;) yield { kind: 'read', key };
      }),
      /its transactions end: a transaction had not ended after 10000 requests/,
    ],
    [
      'state outside prepare',
      mine(function* (key, versions) {
        yield { kind: 'read', key: (key + runs++) % 4 };
        yield* update(key, versions);
      }),
      /the same seed gives the same requests/,
    ],
    [
      'values that repeat',
      mine(function* (key) {
        yield { kind: 'write', key, value: 1 };
      }),
      /no value is written to a key twice: \d+ writes/,
    ],
    [
      'a key out of bounds',
      mine(function* (key, versions) {
        yield* update(key + 1, versions);
      }),
      /its keys lie within its bounds: the key 4, but keys\(\) is 4/,
    ],
  ])('%s', async (_, workload, expected) => {
    const demands = workloadDemands(workload, resolveParameters(workload, {}), blind);
    const findings = await findingsOf(
      demands.filter(({ name }) => !name.startsWith('a database')),
      () => {},
    );
    expect(failuresOf(findings).join('\n')).toMatch(expected);
  });

  test('a workload with a mistake is found out that shows no fault, because its clients never meet', async () => {
    const alone = mine(update, { prepare: aloneForEach, keys: () => 6 });
    const satisfied = { check: async () => 'satisfied' as const, met: () => 0 };
    const findings = await findingsOf(workloadDemands(alone, resolveParameters(alone, {}), satisfied), () => {});
    expect(failuresOf(findings).join('\n')).toMatch(
      /^a database with a fault is detected: no violation with any of dirty-read, /,
    );
    expect(findings.find(({ check }) => check === 'its transactions overlap on keys')).toMatchObject({ holds: null });
  });

  function aloneForEach() {
    const versions = new Versions();
    return { load: [], session: (index: number) => () => () => update(index, versions) };
  }
});

describe('distributions', () => {
  test.each(KEY_DISTRIBUTIONS.map((each) => [each.name, each] as const))('%s conforms', async (_, distribution) => {
    const findings = await findingsOf(distributionDemands({ ...distribution, name: 'mine' }), () => {});
    expect(failuresOf(findings)).toEqual([]);
  });

  let count = 0;
  test.each([
    ['too large', () => () => 7, 'it drew 7 for the size 1'],
    ['no whole number', (size: number) => () => size / 3, 'it drew 0.333'],
    ['not by its source', (size: number) => () => count++ % size, 'the same seed draws the same numbers'],
    ['with state in between', drawing(), 'the same seed draws the same numbers'],
  ])('%s is found out', async (_, draw, expected) => {
    const findings = await findingsOf(distributionDemands({ name: 'mine', title: 'mine', draw }), () => {});
    expect(failuresOf(findings).join('\n')).toContain(expected);
  });

  function drawing() {
    let last = 0;
    return (size: number) => (random: { below(bound: number): number }) => (last = (last + random.below(size)) % size);
  }
});

describe('faults', () => {
  /** Sessions of few short transactions, which the oracle decides. */
  const judge = {
    check: async (history: History, level: Parameters<typeof decide>[1]) =>
      countTransactions(history) > 7
        ? ('unknown' as const)
        : decide(history, level).satisfied
          ? ('satisfied' as const)
          : ('violated' as const),
  };
  const lost: InjectedFault = defineFault({
    name: 'mine',
    title: 'a read finds nothing',
    breaks: ['read-committed'],
    at: 'serializable',
    inject: ({ engine, strikes }) => ({ read: (attempt, key) => (strikes() ? 0 : engine.read(attempt, key)) }),
  });
  const only = async (fault: InjectedFault, name: string) =>
    failuresOf(
      await findingsOf(
        faultDemands(fault, judge).filter((each) => each.name.startsWith(name)),
        () => {},
      ),
    );

  test('at rate 0 a fault changes nothing', async () => {
    expect(await only(lost, 'at rate 0')).toEqual([]);
    const always = { ...lost, inject: () => ({ read: () => 0 }) };
    expect(await only(always, 'at rate 0')).toEqual(['at rate 0 it changes nothing: another history']);
  });

  test('the same seed gives the same history', async () => {
    expect(await only(lost, 'the same seed')).toEqual([]);
    let count = 0;
    const counting = { ...lost, inject: lost.inject.bind(null) };
    const stateful: InjectedFault = {
      ...counting,
      inject: ({ engine }) => ({ read: (attempt, key) => (count++ % 7 === 0 ? 0 : engine.read(attempt, key)) }),
    };
    expect(await only(stateful, 'the same seed')).toHaveLength(1);
  });
});
