import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import process from 'node:process';
import { pathToFileURL } from 'node:url';
import { isTableRequest } from '@isolab/workloads';
import { type KeyQuestion, answerTo, spelled } from '../database/answers.ts';
import type { Connection, Database, Driver, Isolation, Limits, ProcessFaults } from '../database/database.ts';
import { CollectorError } from '../database/errors.ts';
import { RETURNING_ROWS, RowRequests } from '../rows/sql-rows.ts';
import { type Dialect, DIALECTS } from './dialects.ts';
import type { Asked } from './module-messages.ts';
import { ModuleProcess, spelledRequest } from './module-process.ts';
import { describedBy } from './module-shape.ts';
import { type Query, SqlRequests } from './sql.ts';

/** Returns the driver for a user's module, `module:./my-driver.mjs?option=value`. One process runs all its sessions. */
export async function moduleDriver(address: string): Promise<Driver> {
  const { name, url, options } = parseModuleAddress(address);
  const description = new ModuleProcess(name);
  try {
    const found = describedBy(await description.askWithin(LOADING_MS, { to: 'load', url }));
    if (typeof found === 'string') throw new CollectorError(`${name} is not a driver: ${found}.`);
    const { dialect, ...said } = found;
    const speaks = dialect === null ? null : { ...DIALECTS[dialect], parameter };
    return {
      ...said,
      schemes: ['module'],
      needs: null,
      takesSessionSetup: true,
      open: (_, limits) => open(name, url, options, speaks, limits),
    };
  } finally {
    description.kill();
  }
}

const LOADING_MS = 10_000;

async function open(
  name: string,
  url: string,
  options: Readonly<Record<string, string>>,
  dialect: Dialect | null,
  limits: Limits,
): Promise<Database> {
  const { connectMs, startMs = connectMs, sessionSetup = [], lockWaitMs } = limits;
  const given = { options, sessionSetup, ...(lockWaitMs !== undefined && { lockWaitMs }) };
  let module = new ModuleProcess(name);
  let sessions = 0;
  let requests = dialect && new SqlRequests(dialect);
  let restored: Asked | null = null;
  const begin = async (begun: ModuleProcess): Promise<unknown> => {
    await begun.askWithin(LOADING_MS, { to: 'load', url });
    return begun.askWithin(startMs, { to: 'open', given });
  };
  const faults: ProcessFaults = {
    nodes: 1,
    kill: () => module.crash(),
    async restart() {
      const next = new ModuleProcess(name);
      try {
        await begin(next);
        if (restored !== null) await nothing(next, restored);
      } catch (error) {
        next.kill();
        throw error;
      }
      module = next;
    },
    pause: async () => module.signal('SIGSTOP'),
    resume: async () => module.signal('SIGCONT'),
  };
  try {
    const opened = await begin(module);
    const { description, isTemporary, outlivesProcess } = opened as Readonly<Record<string, unknown>>;
    return {
      description: typeof description === 'string' ? description : name,
      ...(isTemporary === true && { isTemporary }),
      ...((isTemporary !== true || outlivesProcess === true) && { faults }),
      underWay: () => module.underWay(),
      ...(dialect && { takesLayout: true, takesStatements: true }),
      ...(dialect?.locks && { takesLocks: true }),
      prepare(data, keep, tables = [], layout = undefined) {
        requests = dialect && new SqlRequests(dialect, data, layout);
        const statementsOf = (keeps: boolean): string[] =>
          requests?.tables(keeps, tables) ?? ROWS.tables(tables, keeps);
        restored = { to: 'prepare', data, keep: true, statements: statementsOf(true) };
        return nothing(module, { to: 'prepare', data, keep, statements: statementsOf(keep) });
      },
      connect: (isolation) => connect(module, sessions++, isolation, requests, limits),
      close: () => module.close(),
    };
  } catch (error) {
    module.kill();
    throw error;
  }
}

async function connect(
  module: ModuleProcess,
  session: number,
  { name }: Pick<Isolation, 'name'>,
  requests: SqlRequests | null,
  { connectMs, sessionSetup = [] }: Limits,
): Promise<Connection> {
  const offered = await module.askWithin(connectMs, { to: 'connect', session, isolation: name });
  const asked = (method: string, ...given: readonly unknown[]): Asked => ({ to: 'ask', session, method, given });
  const query: Query = async (sql, values) => rowsOf(await module.ask(asked('sql', sql, values)), sql, module.name);
  return {
    begin: () => nothing(module, asked('begin')),
    async ask(question) {
      if (requests !== null) return requests.ask(query, question);
      if (isTableRequest(question)) return ROWS.ask(query, question);
      const request = asked(...callFor(question));
      if (VOID.has(question.kind)) return nothing(module, request);
      return answerTo(question, await module.ask(request), module.name);
    },
    ...(requests && { perform: (request) => requests.perform(query, request) }),
    commit: () => nothing(module, asked('commit')),
    rollback: () => nothing(module, asked('rollback')),
    ...(offered !== undefined && {
      sql: {
        begin: String((offered as { readonly begin: unknown }).begin),
        session: sessionSetup,
        send: async (text) => rowsOf(await module.ask(asked('sql', text, [])), text, module.name),
      },
    }),
    underWay: () => module.underWay(session),
    close: async () => void (await module.ask({ to: 'close', session })),
    abandon: () => module.abandon(session),
  };
}

/** Requests without an answer. */
const VOID: ReadonlySet<KeyQuestion['kind']> = new Set(['write', 'append', 'increment']);

/** Modules that support tables receive SQL with $1, $2 and so on for values. */
const parameter = (n: number): string => `$${n}`;
const ROWS = new RowRequests({ parameter, afterTable: '', ...RETURNING_ROWS });

/** Returns the rows of a statement, or fails with the problem in them. */
function rowsOf(answer: unknown, statement: string, name: string): readonly Readonly<Record<string, unknown>>[] {
  const isRow = (one: unknown): one is Record<string, unknown> =>
    typeof one === 'object' && one !== null && !Array.isArray(one);
  if (Array.isArray(answer) && answer.every(isRow)) return answer;
  throw new CollectorError(
    `${name} was asked ${spelled(statement)} and answered ${spelled(answer)}, expected rows: [{"id":1}].`,
  );
}

/** Calls a method that must return no value, because a returned error message would otherwise be ignored. */
async function nothing(module: ModuleProcess, asked: Asked): Promise<void> {
  const answer = await module.ask(asked);
  if (answer === undefined || answer === null) return;
  throw new CollectorError(
    `${module.name} was asked ${spelledRequest(asked)} and answered ${spelled(answer)}, expected nothing: errors are thrown.`,
  );
}

/** Returns the name and arguments of the method for a request. */
function callFor(question: KeyQuestion): [method: string, ...given: unknown[]] {
  switch (question.kind) {
    case 'read-list':
      return ['readList', question.key];
    case 'read':
      return ['read', question.key];
    case 'range':
      return ['range', question.low, question.high];
    case 'compare-and-set':
      return ['compareAndSet', question.key, question.expected, question.value];
    default:
      return [question.kind, question.key, question.value];
  }
}

function parseModuleAddress(address: string): { name: string; url: string; options: Record<string, string> } {
  const [, name = '', query = ''] = /^module:([^?]*)\??(.*)$/s.exec(address)!;
  if (name === '') throw new CollectorError('module: needs a file or a package, such as module:./my-driver.mjs.');
  return { name, url: urlOf(name), options: Object.fromEntries(new URLSearchParams(query)) };
}

/** Resolves the module, a path or the name of a package, from the working directory. */
function urlOf(name: string): string {
  const file = path.resolve(name);
  const isPath = /^\.{0,2}[/\\]/.test(name) || path.isAbsolute(name);
  if (existsSync(file) && (isPath || /\.[cm]?[jt]s$/.test(name))) return pathToFileURL(file).href;
  if (isPath) throw new CollectorError(`The driver ${name} does not exist: no file ${file}.`);
  try {
    return pathToFileURL(createRequire(`${process.cwd()}/`).resolve(name)).href;
  } catch (error) {
    throw new CollectorError(
      `The package ${name} was not found from ${process.cwd()}, or has no main module. Install it there (npm install ${name}), or name a file: module:./my-driver.mjs.`,
      { cause: error },
    );
  }
}
