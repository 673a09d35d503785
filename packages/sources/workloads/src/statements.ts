/**
 * Adds to the transactions of a workload: locks, savepoints, changes of no row, rollbacks, slow reads.
 */
import { slowReads } from './slow-reads.ts';
import type { Random } from './workload/random.ts';
import type { Parameter, Program, Request, Settings, Transaction, Workload } from './workload/workload.ts';

const share = (help: string): Parameter => ({ default: 0, help, range: [0, 1], fractional: true });

/** Parameters of the added statements, each 0 by default. */
const STATEMENTS = {
  rollbacks: share('share of transactions that end with ROLLBACK'),
  'locking-reads': share('share of reads with FOR UPDATE or FOR SHARE, where the database has them'),
  savepoints: share('share of operations before which a write is made and undone by ROLLBACK TO SAVEPOINT'),
  'empty-changes': share('share of operations before which an UPDATE or DELETE finds no row'),
  'early-snapshots': share('share of transactions that take their snapshot before the first operation'),
} as const;
/** Absent from workloads of tables, whose check takes longer the more searches a transaction has. */
const SLOW_READS = {
  'slow-reads': share('share of transactions of the first client that pause, and only read, the keys of four'),
} as const;

/** At shares of 0, the requests of existing seeds stay unchanged. */
export function withStatements<Own extends Settings>(workload: Workload<Own>): Workload {
  const added = { ...STATEMENTS, ...(workload.data !== 'tables' && SLOW_READS) };
  return {
    ...(workload as unknown as Workload),
    parameters: { ...workload.parameters, ...added },
    prepare(parameters, sessions, random, earlierRuns) {
      const run = workload.prepare(parameters as Own, sessions, random, earlierRuns);
      if (Object.keys(added).every((name) => parameters[name] === 0)) return run;
      const writes = parameters['lists'] === true ? 'append' : WRITES[workload.data];
      let undone = FIRST_UNDONE;
      return {
        load: run.load,
        session(index, own) {
          const next = run.session(index, own);
          const drawn = own.fork('statements');
          const slow = own.fork('slow-reads');
          const isSlow = (): boolean => index === 0 && slow.chance(Number(parameters['slow-reads'] ?? 0));
          const some = (): Transaction => (isSlow() ? slowReads(next, slow) : next());
          return () => extended(some(), parameters, drawn, writes, () => undone++);
        },
      };
    },
  };
}

function extended(
  transaction: Transaction,
  parameters: Settings,
  random: Random,
  writes: Writes,
  value: () => number,
): Transaction {
  const has = (name: keyof typeof STATEMENTS): boolean => random.chance(parameters[name] as number);
  return function* (): Program {
    if (has('early-snapshots')) yield { kind: 'take-snapshot' };
    const program = transaction();
    for (let step = program.next(undefined); !step.done;) {
      const request = step.value;
      const undone = undoneBefore(request, writes, value);
      if (undone !== null && has('savepoints')) {
        yield { kind: 'savepoint' };
        yield undone;
        yield { kind: 'rollback-to-savepoint' };
      }
      if ('key' in request && has('empty-changes')) yield { kind: random.pick(EMPTY_CHANGES), key: ABSENT_KEY };
      step = program.next(yield has('locking-reads') ? locked(request, random) : request);
    }
    if (has('rollbacks')) yield { kind: 'abort' };
  };
}

/** Returns a change of the rows of a request, for a rollback to undo; null if it has no rows of its own. */
function undoneBefore(request: Request, writes: Writes, value: () => number): Request | null {
  if ('key' in request) return { kind: writes, key: request.key, value: value() };
  return request.kind === 'update' ? { kind: 'delete-rows', table: request.table, where: request.where } : null;
}

const locked = (request: Request, random: Random): Request =>
  request.kind === 'read' || request.kind === 'read-list'
    ? { ...request, lock: random.pick(['update', 'share']) }
    : request;

const WRITES = {
  registers: 'write',
  counters: 'increment',
  lists: 'append',
  rows: 'write',
  tables: 'write',
} as const satisfies Record<Workload['data'], Request['kind']>;
type Writes = (typeof WRITES)[Workload['data']];

const EMPTY_CHANGES = ['update-nothing', 'delete-nothing'] as const;
/** Key that no workload uses. */
const ABSENT_KEY = 999_999_937;
/** Versions of keys begin at 1, and stay below this number. */
const FIRST_UNDONE = 500_000_000;
