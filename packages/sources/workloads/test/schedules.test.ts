import { OpKind } from '@isolab/history';
import { decide } from '@isolab/oracle';
import { describe, expect, test } from 'vitest';
import { Random, type SimulatedLevel, findWorkload, resolveParameters, simulate } from '../src/index.ts';
import { Round } from '../src/rounds.ts';
import type { Request } from '../src/workload/workload.ts';

type Wait = Extract<Request, { kind: 'wait' }>;
const waitOf = (round: Round, role: number, statement: number): Wait => round.turn(role, statement) as Wait;

/** The order of a round of two roles with two statements each, by who may go next. */
function orderOf(seed: number, patience = 60_000): string {
  const round = new Round([2, 2], patience, new Random(seed));
  const at = [0, 0];
  let order = '';
  while (at[0]! < 3 || at[1]! < 3) {
    const role = [0, 1].find((each) => at[each]! < 3 && waitOf(round, each, at[each]!).isOver())!;
    order += String(role);
    round.done(role, at[role]!++);
  }
  return order;
}

describe('a round', () => {
  test('a round lets one statement go at a time, in orders that differ', () => {
    const orders = new Set(Array.from({ length: 400 }, (_, seed) => orderOf(seed)));
    expect(orders.size).toBe(20); // six places, three of them of the first role
    expect(orderOf(7)).toBe(orderOf(7));
  });

  test('a round has a client wait until it is its turn, or its patience ends', async () => {
    const seed = [...Array(50).keys()].find((each) => orderOf(each).startsWith('01'))!;
    const patient = new Round([2, 2], 60_000, new Random(seed));
    const turn = waitOf(patient, 1, 0).over();
    patient.done(0, 0);
    await turn;
    await waitOf(new Round([2, 2], 1, new Random(seed)), 1, 0).over();
    const simulated = waitOf(new Round([2, 2], 60_000, new Random(seed)), 1, 0);
    expect(simulated.isOver()).toBe(false);
    let looks = 0;
    while (!simulated.isOver()) expect(++looks).toBeLessThan(1000);
  });

  test('a round does not wait for who has left', async () => {
    const seed = [...Array(50).keys()].find((each) => orderOf(each).startsWith('000'))!;
    const round = new Round([2, 2], 60_000, new Random(seed));
    const turn = waitOf(round, 1, 0).over();
    round.leave(0);
    await expect(turn).resolves.toBeUndefined();
  });
});

describe('schedules', () => {
  /** Number of tiny histories, out of this many, that violate a level. */
  function violations(
    template: string,
    level: SimulatedLevel,
    sessions: number,
    violated: Parameters<typeof decide>[1],
  ) {
    const workload = findWorkload('schedules')!;
    const parameters = resolveParameters(workload, { template });
    let count = 0;
    for (let seed = 0; seed < 60; seed++) {
      const options = { level, sessions, transactions: 1, counts: 'all', seed } as const;
      if (!decide(simulate(workload, parameters, options).history, violated).satisfied) count++;
    }
    return count;
  }

  test.each([
    ['fractured-read', 'read-committed', 3, 'read-atomic'],
    ['non-repeatable-read', 'read-committed', 2, 'read-atomic'],
    ['lost-update', 'causal', 2, 'snapshot-isolation'],
    ['write-skew', 'strong-snapshot-isolation', 2, 'serializable'],
  ] as const)('%s: one round in ten shows it at %s', (template, level, sessions, violated) => {
    expect(violations(template, level, sessions, violated)).toBeGreaterThan(6);
  });

  test.each(['write-skew', 'long-fork', 'read-only-anomaly'])(
    '%s: none shows it where it cannot happen',
    (template) => {
      expect(violations(template, 'strict-serializable', 4, 'strict-serializable')).toBe(0);
    },
  );

  test('schedules has two clients play all roles of a template for four in turn', () => {
    const workload = findWorkload('schedules')!;
    const options = { level: 'serializable', sessions: 2, transactions: 30, seed: 1 } as const;
    const { opKind } = simulate(workload, resolveParameters(workload, { template: 'long-fork' }), options).history;
    for (const kind of [OpKind.Read, OpKind.Write])
      expect(opKind.filter((each) => each === kind).length).toBeGreaterThan(10);
  });

  test('schedules gives no two groups a key in common, and clients that are left over the keys of a group', () => {
    const workload = findWorkload('schedules')!;
    const run = workload.prepare(resolveParameters(workload, {}), 9, new Random(1));
    const keysOf = (session: number): Set<unknown> => {
      const next = run.session(session, new Random(session));
      const keys = new Set<unknown>();
      for (let i = 0; i < 20; i++) {
        const program = next()();
        for (let step = program.next(); !step.done; step = program.next(null))
          if ('key' in step.value) keys.add(step.value.key);
      }
      return keys;
    };
    const all = [...Array(9).keys()].map(keysOf);
    const group = (first: number): Set<unknown> => new Set(all.slice(first, first + 4).flatMap((keys) => [...keys]));
    expect([...group(0)].filter((key) => group(4).has(key))).toEqual([]);
    const both = new Set([...group(0), ...group(4)]);
    expect(all[8]!.size).toBeGreaterThan(0);
    for (const key of all[8]!) expect(both).toContain(key);
  });
});
