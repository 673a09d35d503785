import type { JepsenEvent, Value } from '@isolab/operations';
import { textOf } from '@isolab/operations';
import { IllegalHistory, type JepsenOptions, type JepsenResults, integerOf, okReads, shown } from './events.ts';

/** A read that contradicts the accounts, under Jepsen's names. */
interface BankError {
  readonly type: 'unexpected-key' | 'nil-balance' | 'wrong-total' | 'negative-value';
  readonly event: JepsenEvent;
  readonly badness: number;
  readonly total?: bigint;
  readonly [field: string]: unknown;
}

/**
 * Checks that every read has the total balance, and that no account is negative unless allowed. Accounts and total are
 * taken from the first read unless a total is given, as in elle-cli.
 */
export function bank(events: readonly JepsenEvent[], options: JepsenOptions = {}): JepsenResults {
  const reads = okReads(events);
  if (reads.length === 0) return { 'valid?': 'unknown', error: 'no read is ok', 'read-count': 0, 'error-count': 0 };
  const first = balancesOf(reads[0]!);
  const accounts = new Set([...first.keys()].map(textOf));
  const total =
    options.totalAmount === undefined
      ? sumOf(
          [...first.values()].filter((balance) => balance !== null),
          reads[0]!,
        )
      : BigInt(options.totalAmount);
  const errors = reads.flatMap((read) => errorIn(read, accounts, total, options.allowNegativeBalances === true) ?? []);
  const byType = new Map<string, BankError[]>();
  for (const error of errors) byType.set(error.type, [...(byType.get(error.type) ?? []), error]);
  return {
    'valid?': errors.length === 0,
    'read-count': reads.length,
    'error-count': errors.length,
    'first-error': errors.length === 0 ? null : plain(errors[0]!),
    errors: Object.fromEntries([...byType].map(([type, each]) => [type, summaryOf(each)])),
  };
}

function balancesOf(event: JepsenEvent): ReadonlyMap<Value, Value> {
  if (event.value instanceof Map) return event.value as ReadonlyMap<Value, Value>;
  throw new IllegalHistory(event, 'a read of another form', 'a map of accounts to balances');
}

const sumOf = (balances: readonly Value[], event: JepsenEvent): bigint =>
  balances.reduce<bigint>((sum, balance) => sum + integerOf(balance, event, 'a balance'), 0n);

function errorIn(event: JepsenEvent, accounts: ReadonlySet<string>, total: bigint, mayOwe: boolean): BankError | null {
  const balances = balancesOf(event);
  const unexpected = [...balances.keys()].filter((key) => !accounts.has(textOf(key)));
  if (unexpected.length > 0) return { type: 'unexpected-key', unexpected, event, badness: unexpected.length };
  const nils = [...balances].filter(([, balance]) => balance === null);
  if (nils.length > 0) return { type: 'nil-balance', nils: new Map(nils), event, badness: nils.length };
  const sum = sumOf([...balances.values()], event);
  const off = Number(sum - total);
  if (off !== 0)
    return { type: 'wrong-total', total: sum, event, badness: total > 0n ? Math.abs(off / Number(total)) : 0 };
  const negative = [...balances.values()].filter((balance) => Number(balance) < 0);
  if (mayOwe || negative.length === 0) return null;
  return { type: 'negative-value', negative, event, badness: -Number(sumOf(negative, event)) };
}

function summaryOf(errors: readonly BankError[]): object {
  const worst = errors.reduce((most, error) => (error.badness >= most.badness ? error : most));
  const totals = errors.filter(({ type }) => type === 'wrong-total').toSorted((a, b) => Number(a.total! - b.total!));
  return {
    count: errors.length,
    first: plain(errors[0]!),
    worst: plain(worst),
    last: plain(errors.at(-1)!),
    ...(totals.length > 0 && { lowest: plain(totals[0]!), highest: plain(totals.at(-1)!) }),
  };
}

function plain(error: BankError): object {
  const fields = Object.entries(error).filter(([name]) => name !== 'event' && name !== 'badness');
  return { ...Object.fromEntries(fields), op: shown(error.event) };
}
