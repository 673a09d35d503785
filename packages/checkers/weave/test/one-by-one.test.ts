import type { Verdict } from '@isolab/contract';
import { type PlainTransaction, fromPlain } from '@isolab/history';
import { TestContext, defaultsOf, h, prepare, randomNumbers } from '@isolab/testkit';
import { verifyCertificate } from '@isolab/verifier';
import { expect, test } from 'vitest';
import { weave } from '../src/weave.ts';

const OPTIONS = defaultsOf(weave);

/** Clients that take one lock after another, and give it back: every value repeats, and calls overlap. */
function locking(clients: number, calls: number, locks: number) {
  const random = randomNumbers(7);
  const sessions = Array.from({ length: clients }, (_, s) => ({
    name: BigInt(s),
    transactions: [] as PlainTransaction[],
  }));
  const holder = new Map<string, number>();
  let time = 0n;
  let pending: { client: number; begin: bigint; operations: PlainTransaction['operations'] }[] = [];
  for (let call = 0; call < calls; call++) {
    const free = Array.from(sessions.keys()).filter((client) => pending.every((one) => one.client !== client));
    const client = free[Math.floor(random() * (clients - pending.length))]!;
    const lock = `lock ${Math.floor(random() * locks)}`;
    const held = holder.get(lock);
    if (held !== undefined && held !== client) continue;
    if (held === undefined) holder.set(lock, client);
    else holder.delete(lock);
    const [before, after] = held === undefined ? [0n, 1n] : [1n, 0n];
    const operations = [
      { kind: 'read' as const, key: lock, value: before },
      { kind: 'write' as const, key: lock, value: after },
    ];
    pending.push({ client, begin: time++, operations });
    if (pending.length < 3 && call + 1 < calls) continue;
    for (const { client: s, begin, operations: done } of pending.toSorted(() => random() - 0.5))
      sessions[s]!.transactions.push({ status: 'committed', operations: done, begin, end: time++ });
    pending = [];
  }
  return fromPlain({ initial: 0n, sessions });
}

test.each([
  ['strict-serializable', 3],
  ['linearizable', 3],
  ['linearizable', 20],
] as const)('repeated values are no choice at %s, where few transactions overlap: %i locks', (level, locks) => {
  const history = locking(6, 3000, locks);
  const counted: string[] = [];
  const context = {
    certify: true,
    findAll: false,
    stage() {},
    count: (name: string) => void counted.push(name),
    progress() {},
    tick() {},
  };
  const verdict = weave.check(prepare(history), level, OPTIONS, context) as Verdict;
  if (verdict.status !== 'satisfied') throw new Error(verdict.status);
  expect(verifyCertificate(history, level, 'satisfied', verdict.certificate!)).toEqual({ ok: true });
  expect(counted).toEqual([]);
});

test('a session whose clock contradicts its order is no order in real time', () => {
  const context = new TestContext();
  const check = (history: ReturnType<typeof h>): string =>
    (weave.check(prepare(history), 'strict-serializable', OPTIONS, context) as Verdict).status;
  expect(
    check(h`w(x,1) @10-11 | w(x,1) @5-6
    r(x,1) @12-13`),
  ).toBe('violated');
  expect(
    check(h`w(x,1) @5-6 | w(x,1) @10-11
    r(x,1) @12-13`),
  ).toBe('satisfied');
});
