import { type Program, defineWorkload } from '../workload/workload.ts';
import { get, insert, select, sum, update, withId } from './asking.ts';
import { Numbers, type Table } from '../workload/table.ts';

const ACCOUNTS = {
  name: 'accounts',
  columns: { owner: 'integer', balance: 'integer' },
  index: 'owner',
} as const satisfies Table;

const FIRST_BALANCE = 100;

/**
 * An owner may overdraw an account as long as the other accounts cover it. Two concurrent withdrawals may exceed that
 * cover.
 */
export const bankAudit = defineWorkload({
  name: 'bank-audit',
  title: 'transfers, withdrawals that the owner’s other accounts cover, and audits that only read',
  source: 'Fekete, O’Neil and O’Neil; Cahill (SmallBank)',
  data: 'tables',
  tables: [ACCOUNTS],
  parameters: {
    owners: { default: 4, help: 'number of owners', range: [1, 1e6] },
    accounts: { default: 2, help: 'number of accounts of an owner', range: [1, 1000] },
    audits: { default: 0.3, help: 'share of audits', range: [0, 1], fractional: true },
  },
  prepare({ owners, accounts, audits }, _sessions, _random, earlierRuns = 0) {
    const versions = new Numbers(0, earlierRuns);
    function* open(owner: number): Program {
      for (let i = 1; i <= accounts; i++)
        yield* insert(ACCOUNTS, { id: owner * accounts + i, owner, balance: FIRST_BALANCE, v: versions.next() });
    }
    const put = (id: number, balance: number) => update(ACCOUNTS, withId(id), { balance, v: versions.next() });
    return {
      load: Array.from({ length: owners }, (_, owner) => () => open(owner)),
      session: (_, random) => () => {
        const isAudit = random.chance(audits);
        const isTransfer = random.chance(0.5);
        const owner = random.below(owners);
        const asksForSum = random.chance(0.2);
        const asksForAll = random.chance(0.5);
        const amount = random.between(1, FIRST_BALANCE);
        const [from, to] = [random.between(1, owners * accounts), random.between(1, owners * accounts)];
        const choice = random.below(accounts);
        return function* (): Program {
          if (isAudit) {
            if (asksForSum) yield* sum(ACCOUNTS, true, 'balance');
            else yield* select(ACCOUNTS, asksForAll ? true : ['<', 'balance', 0]);
          } else if (isTransfer) {
            const [payer, payee] = [yield* get(ACCOUNTS, from), yield* get(ACCOUNTS, to)];
            if (payer === null || payee === null || from === to) return;
            yield* put(from, Number(payer['balance']) - amount);
            yield* put(to, Number(payee['balance']) + amount);
          } else {
            const own = yield* select(ACCOUNTS, ['=', 'owner', owner]);
            const total = own.reduce((all, { balance }) => all + Number(balance), 0);
            const chosen = own[choice % Math.max(1, own.length)];
            if (chosen === undefined || total < amount) return;
            yield* put(chosen.id, Number(chosen['balance']) - amount);
          }
        };
      },
    };
  },
});
