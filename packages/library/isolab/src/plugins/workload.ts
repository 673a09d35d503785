import {
  type Answer,
  type Parameter,
  type Program,
  type Random,
  type Request,
  type Run,
  type Settings,
  type Transaction,
  type Workload,
  isTableRequest,
} from '@isolab/workloads';
import { predicateProblem } from '@isolab/history';
import { call } from './call.ts';
import { PluginError, shown } from './errors.ts';
import { type Fields, insistOnShape, isRecord, kebab, method, oneOf, optional, text } from './shape.ts';

export const isWorkload = (value: Fields): boolean => 'prepare' in value && 'parameters' in value;

/** Wraps the workload of a plug-in with checks of its requests. */
export function asWorkload(value: unknown, where: string): Workload {
  insistOnShape(value, where, 'workload', SHAPE, (fields) => parameterProblems(fields['parameters']));
  const workload = value as Workload;
  return {
    ...workload,
    source: workload.source ?? where,
    ...(workload.keys && {
      keys: (parameters: Settings, sessions: number) =>
        call(
          where,
          () => `keys(${shown(parameters)}, ${sessions})`,
          () => workload.keys!(parameters, sessions),
        ),
    }),
    prepare(parameters, sessions, random, earlierRuns) {
      const asked = (): string => `prepare(${shown(parameters)}, ${sessions}, …)`;
      const run = call(where, asked, () => workload.prepare(parameters, sessions, random, earlierRuns));
      return checkedRun(run, where, workload);
    },
  };
}

const SHAPE = {
  name: kebab,
  title: text,
  data: oneOf('registers', 'lists', 'rows', 'tables'),
  parameters: (value: unknown) => (isRecord(value) ? null : 'an object, {} if there are none'),
  prepare: method,
  keys: optional(method),
};

function parameterProblems(parameters: unknown): string[] {
  return Object.entries(parameters as Readonly<Record<string, unknown>>).flatMap(([name, value]) => {
    if (!isRecord(value)) return [`the parameter ${name} is ${shown(value)}, expected { default, help }`];
    const { default: standard, help, choices, range } = value as unknown as Parameter;
    if (!['string', 'number', 'boolean'].includes(typeof standard))
      return [`the default of ${name} is ${shown(standard)}, expected a string, a number, true or false`];
    if (typeof help !== 'string' || help === '') return [`the parameter ${name} has no help`];
    if (choices !== undefined && !(Array.isArray(choices) && choices.includes(standard as string)))
      return [`the choices of ${name} are ${shown(choices)}, expected a list with its default in it`];
    if (
      range !== undefined &&
      !(Array.isArray(range) && Number(range[0]) <= Number(standard) && Number(standard) <= Number(range[1]))
    )
      return [`the range of ${name} is ${shown(range)}, expected [low, high] around its default`];
    return [];
  });
}

function checkedRun(run: unknown, where: string, { data }: Workload): Run {
  if (!isRecord(run) || typeof run['session'] !== 'function' || !isIterable(run['load']))
    throw new PluginError(
      `${where}: prepare returned ${shown(run)}, expected { load: [], session: (index, random) => … }`,
    );
  const { load, session } = run as unknown as Run;
  const what = { where, data };
  return {
    load: checkedLoad(load, what),
    session(index: number, random: Random) {
      const next = call(
        where,
        () => `session(${index}, …)`,
        () => session.call(run, index, random),
      ) as unknown;
      if (typeof next !== 'function')
        throw new PluginError(
          `${where}: session(${index}, …) returned ${shown(next)}, expected a function that returns transactions`,
        );
      let transactions = 0;
      return () => {
        const asked = `transaction ${++transactions} of session ${index}`;
        return checkedTransaction(
          call(where, () => `for ${asked}`, next as () => unknown),
          asked,
          what,
        );
      };
    },
  };
}

const isIterable = (value: unknown): boolean =>
  isRecord(value) && typeof (value as unknown as Iterable<unknown>)[Symbol.iterator] === 'function';

interface Whose {
  readonly where: string;
  readonly data: Workload['data'];
}

function* checkedLoad(load: Run['load'], whose: Whose): Generator<Transaction> {
  const iterator = load[Symbol.iterator]();
  for (let number = 1; ; number++) {
    const asked = `transaction ${number} of the load`;
    const { value, done } = call(
      whose.where,
      () => `for ${asked}`,
      () => iterator.next(),
    );
    if (done) return;
    yield checkedTransaction(value, asked, whose);
  }
}

function checkedTransaction(transaction: unknown, what: string, { where, data }: Whose): Transaction {
  if (typeof transaction !== 'function')
    throw new PluginError(`${where}: ${what} is ${shown(transaction)}, expected a function* that yields requests`);
  return function* (): Program {
    const program = call(where, () => what, transaction as () => unknown);
    if (!isRecord(program) || typeof program['next'] !== 'function')
      throw new PluginError(
        `${where}: ${what} returned ${shown(program)}, expected a generator: function* () { yield … }`,
      );
    const requests = program as unknown as Program;
    let answer: Answer;
    for (let number = 1; ; number++) {
      const { value, done } = call(
        where,
        () => `request ${number} of ${what}`,
        () => requests.next(answer),
      );
      if (done) return;
      if (number > MOST_REQUESTS)
        throw new PluginError(`${where}: ${what} did not end after ${MOST_REQUESTS} requests`);
      const problem = requestProblem(value, data);
      if (problem !== null)
        throw new PluginError(`${where}: request ${number} of ${what} is ${shown(value)}, expected ${problem}`);
      answer = yield value as Request;
    }
  };
}

/** More requests than any useful transaction has. */
const MOST_REQUESTS = 10_000_000;

/** Describes the expected request; returns null if the value is a request that the workload's kind of data supports. */
function requestProblem(request: unknown, data: Workload['data']): string | null {
  if (!isRecord(request) || typeof request['kind'] !== 'string') return "a request, such as { kind: 'read', key }";
  const { kind, key, value, expected } = request;
  if (kind === 'abort') return null;
  if (kind === 'wait')
    return typeof request['isOver'] === 'function' && typeof request['over'] === 'function'
      ? null
      : 'the methods isOver and over';
  if (data === 'tables') return tableProblem(request, kind);
  const fields = REQUESTS[kind];
  if (fields === undefined) return `one of the kinds ${Object.keys(REQUESTS).join(', ')}, abort`;
  if (fields.includes('key') && !isKey(key)) return 'a key that is a whole number from 0 to 2^31 − 1, or a text';
  if (fields.includes('value') && !isValue(value)) return 'a value that is a whole number from 1 to 2^31 − 1';
  if (fields.includes('expected') && expected !== null && !isValue(expected)) return 'a value, or null, as expected';
  if (fields.includes('low') && !(isWhole(request['low']) && isWhole(request['high'])))
    return 'whole numbers as low and high';
  return null;
}

const REQUESTS: Readonly<Record<string, readonly string[]>> = {
  read: ['key'],
  write: ['key', 'value'],
  append: ['key', 'value'],
  'read-list': ['key'],
  insert: ['key', 'value'],
  delete: ['key', 'value'],
  range: ['low', 'high'],
  'compare-and-set': ['key', 'value', 'expected'],
};

function tableProblem(request: Fields, kind: string): string | null {
  if (!isTableRequest({ kind }))
    return 'one of the kinds get, select, aggregate, join, insert-row, update, delete-rows, abort';
  const { table, where, row } = request;
  if (!isRecord(table) || typeof table['name'] !== 'string') return 'one of the workload’s tables as table';
  if (kind === 'get') return isWhole(request['id']) ? null : 'a whole number as id';
  if (kind === 'insert-row')
    return isRecord(row) && isWhole(row['id']) && isWhole(row['v']) ? null : 'a row with id and v';
  const problem = predicateProblem(where);
  return problem === null ? null : `a predicate as where: ${problem.expected}`;
}

/** Bound on numbers that all databases, including the simulated database, can store. */
const GREATEST = 2 ** 31 - 1;
const isWhole = (value: unknown): boolean => Number.isInteger(value) && Math.abs(value as number) <= GREATEST;
const isKey = (value: unknown): boolean =>
  (isWhole(value) && (value as number) >= 0) || (typeof value === 'string' && value !== '');
const isValue = (value: unknown): boolean => isWhole(value) && (value as number) >= 1;
