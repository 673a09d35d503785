/** SmallBank, Voter and Wikipedia on keys and values, as IsoPredict and MonkeyDB take them from OLTP-Bench. */
import { distinct, uniform, zipfian } from './workload/distributions.ts';
import { type Key, type Program, type Request, defineWorkload, read } from './workload/workload.ts';

/** Returns the writes of a run, each with its own value. */
function writes(): (key: Key) => Request {
  let values = 0;
  return (key) => ({ kind: 'write', key, value: ++values });
}

function* update(keys: readonly Key[], write: (key: Key) => Request): Program {
  for (const key of keys) yield read(key);
  for (const key of keys) yield write(key);
}

export const smallbank = defineWorkload({
  name: 'smallbank',
  title: 'balances, deposits, withdrawals and payments of a bank',
  source: 'IsoPredict, MonkeyDB',
  data: 'registers',
  parameters: { accounts: { default: 5, help: 'number of accounts', range: [2, 1e7] } },
  prepare({ accounts }) {
    const write = writes();
    return {
      load: [],
      session: (_, random) => () => {
        const [a, b] = distinct(uniform(accounts), accounts, 2, random);
        const [savings, checking, other] = [`savings:${a}`, `checking:${a}`, `checking:${b}`];
        const kind = random.weighted([
          [15, 'balance'],
          [15, 'deposit-checking'],
          [15, 'transact-savings'],
          [15, 'amalgamate'],
          [15, 'write-check'],
          [25, 'send-payment'],
        ] as const);
        return function* (): Program {
          if (kind === 'deposit-checking') return yield* update([checking], write);
          if (kind === 'transact-savings') return yield* update([savings], write);
          if (kind === 'amalgamate') return yield* update([savings, checking, other], write);
          if (kind === 'send-payment') return yield* update([checking, other], write);
          yield read(savings);
          yield read(checking);
          if (kind === 'write-check') yield write(checking);
        };
      },
    };
  },
});

export const voter = defineWorkload({
  name: 'voter',
  title: 'votes by telephone, of which each number has a few',
  source: 'IsoPredict, MonkeyDB',
  data: 'registers',
  parameters: {
    contestants: { default: 6, help: 'number of contestants', range: [1, 1e6] },
    phones: { default: 5, help: 'number of telephones', range: [1, 1e7] },
  },
  prepare({ contestants, phones }) {
    const write = writes();
    return {
      load: [],
      session: (_, random) => () => {
        const [contestant, phone] = [random.below(contestants), random.below(phones)];
        return function* (): Program {
          yield read(`contestant:${contestant}`);
          yield* update([`votes:${phone}`], write);
        };
      },
    };
  },
});

export const wikipedia = defineWorkload({
  name: 'wikipedia',
  title: 'readers, editors and watch lists of an encyclopedia',
  source: 'IsoPredict, MonkeyDB',
  data: 'registers',
  parameters: {
    pages: { default: 5, help: 'number of pages', range: [1, 1e7] },
    users: { default: 5, help: 'number of users', range: [1, 1e7] },
  },
  prepare({ pages, users }) {
    const write = writes();
    const popular = zipfian(pages, 0.5);
    let changes = 0;
    return {
      load: [],
      session: (_, random) => () => {
        const [page, user] = [popular(random), random.below(users)];
        const kind = random.weighted([
          [40, 'read-anonymously'],
          [20, 'read-as-user'],
          [10, 'watch'],
          [10, 'unwatch'],
          [20, 'edit'],
        ] as const);
        const change = changes++;
        return function* (): Program {
          if (kind === 'watch' || kind === 'unwatch') {
            yield write(`watch:${user}:${page}`);
            yield write(`user:${user}`);
            return;
          }
          if (kind !== 'read-anonymously') yield read(`user:${user}`);
          yield read(`page:${page}`);
          yield read(`${kind === 'edit' ? `watch:${user}` : 'text'}:${page}`);
          if (kind !== 'edit') return;
          yield write(`text:${page}`);
          yield write(`page:${page}`);
          yield write(`change:${change}`);
          yield* update([`edits:${user}`], write);
        };
      },
    };
  },
});
