/** Adds statements beside reads and writes to the transactions of a workload: locks, savepoints, changes of no row. */
import type { Random } from './workload/random.ts';
import type { Parameter, Program, Request, Settings, Transaction, Workload } from './workload/workload.ts';

const share = (help: string): Parameter => ({ default: 0, help, range: [0, 1], fractional: true });

/** Parameters of the added statements, each 0 by default. */
const STATEMENTS = {
  'locking-reads': share('share of reads with FOR UPDATE or FOR SHARE, where the database has them'),
  savepoints: share('share of operations before which a write is made and undone by ROLLBACK TO SAVEPOINT'),
  'empty-changes': share('share of operations before which an UPDATE or DELETE finds no row'),
  'early-snapshots': share('share of transactions that take their snapshot before the first operation'),
} as const;

/** At shares of 0, the requests of existing seeds stay unchanged. */
export function withStatements<Own extends Settings>(workload: Workload<Own>): Workload {
  return {
    ...(workload as unknown as Workload),
    parameters: { ...workload.parameters, ...STATEMENTS },
    prepare(parameters, sessions, random, earlierRuns) {
      const run = workload.prepare(parameters as Own, sessions, random, earlierRuns);
      if (Object.keys(STATEMENTS).every((name) => parameters[name] === 0)) return run;
      const isOfLists = workload.data === 'lists' || parameters['lists'] === true;
      let undone = FIRST_UNDONE;
      return {
        load: run.load,
        session(index, own) {
          const next = run.session(index, own);
          const drawn = own.fork('statements');
          return () => extended(next(), parameters, drawn, isOfLists ? 'append' : 'write', () => undone++);
        },
      };
    },
  };
}

function extended(
  transaction: Transaction,
  parameters: Settings,
  random: Random,
  writes: 'append' | 'write',
  value: () => number,
): Transaction {
  const has = (name: keyof typeof STATEMENTS): boolean => random.chance(parameters[name] as number);
  return function* (): Program {
    if (has('early-snapshots')) yield { kind: 'take-snapshot' };
    const program = transaction();
    for (let step = program.next(undefined); !step.done;) {
      const request = step.value;
      if ('key' in request && has('savepoints')) {
        yield { kind: 'savepoint' };
        yield { kind: writes, key: request.key, value: value() };
        yield { kind: 'rollback-to-savepoint' };
      }
      if ('key' in request && has('empty-changes')) yield { kind: random.pick(EMPTY_CHANGES), key: ABSENT_KEY };
      step = program.next(yield has('locking-reads') ? locked(request, random) : request);
    }
  };
}

const locked = (request: Request, random: Random): Request =>
  request.kind === 'read' || request.kind === 'read-list'
    ? { ...request, lock: random.pick(['update', 'share']) }
    : request;

const EMPTY_CHANGES = ['update-nothing', 'delete-nothing'] as const;
/** Key that no workload uses. */
const ABSENT_KEY = 999_999_937;
/** Versions of keys begin at 1, and stay below this number. */
const FIRST_UNDONE = 500_000_000;
