/** Process that runs a user's module with all its sessions. A crash of the module affects no other process. */
import { started } from '@isolab/history/started';
import process from 'node:process';
import { Worker } from 'node:worker_threads';
import type { Asked, FromModule, ToModule } from './module-messages.ts';

type Callable = (...given: readonly unknown[]) => unknown;
type Members = Readonly<Record<string, unknown>>;

let driver: Members = {};
let database: Members = {};
const sessions = new Map<number, Members>();

process.on('message', (message: ToModule) => void reply(message));
process.on('disconnect', () => process.exit());
process.on('uncaughtException', failOutside);
process.on('unhandledRejection', failOutside);
endWithParent();

async function reply(message: ToModule): Promise<void> {
  const { id } = message;
  let answer: FromModule;
  try {
    answer = { id, value: await done(message) };
  } catch (error) {
    answer = { id, failed: error instanceof Lacking ? 'lacking' : outcomeOf(error), why: wordsOf(error) };
  }
  try {
    process.send!(answer);
  } catch (error) {
    process.send!({ id, failed: 'lacking', why: `it returned a value that is not plain data (${wordsOf(error)})` });
  }
}

/** Error of a module that lacks a method. */
class Lacking extends Error {}

async function done(asked: Asked): Promise<unknown> {
  switch (asked.to) {
    case 'load': {
      driver = membersOf(await exportOf(asked.url), 'its default export');
      methodOf(driver, 'open', 'its default export');
      const { title, isolations, data, dialect } = driver;
      return { title, isolations, data, dialect };
    }
    case 'open': {
      database = membersOf(await methodOf(driver, 'open', 'its default export')(asked.given), 'the result of open');
      for (const name of ['prepare', 'connect']) methodOf(database, name, 'the result of open');
      const { description, isTemporary, outlivesProcess } = database;
      return { description, isTemporary, outlivesProcess };
    }
    case 'prepare':
      return methodOf(database, 'prepare', 'the result of open')(asked.data, asked.keep, asked.statements);
    case 'connect': {
      const given = await methodOf(database, 'connect', 'the result of open')(asked.isolation);
      const session = membersOf(given, 'the result of connect');
      for (const name of ['begin', 'commit', 'rollback']) methodOf(session, name, 'the result of connect');
      sessions.set(asked.session, session);
      return typeof session['sql'] === 'function' ? { begin: session['beginsWith'] ?? 'BEGIN' } : undefined;
    }
    case 'ask':
      return methodOf(sessionOf(asked.session), asked.method, 'the result of connect')(...asked.given);
    case 'close': {
      const closing = asked.session === null ? database : sessions.get(asked.session);
      if (asked.session !== null) sessions.delete(asked.session);
      return typeof closing?.['close'] === 'function' ? methodOf(closing, 'close', '')() : undefined;
    }
  }
}

function sessionOf(number: number): Members {
  const session = sessions.get(number);
  if (session) return session;
  throw Object.assign(new Error('the session is closed'), { outcome: 'lost' });
}

async function exportOf(url: string): Promise<unknown> {
  const module = (await import(url)) as Members;
  if (!('default' in module)) throw new Lacking('it has no default export; expected export default { open … }');
  return module['default'];
}

function membersOf(value: unknown, what: string): Members {
  if (typeof value === 'object' && value !== null) return value as Members;
  throw new Lacking(`${what} is ${value === null ? 'null' : `of type ${typeof value}`}, expected an object`);
}

function methodOf(object: Members, name: string, what: string): Callable {
  const method = object[name];
  if (typeof method !== 'function') throw new Lacking(`${what} has no method ${name}`);
  return method.bind(object) as Callable;
}

function outcomeOf(error: unknown): 'aborted' | 'lost' | 'error' {
  const outcome = typeof error === 'object' && error !== null ? (error as Members)['outcome'] : undefined;
  return outcome === 'aborted' || outcome === 'lost' ? outcome : 'error';
}

function wordsOf(error: unknown): string {
  try {
    return error instanceof Error ? String(error.message) : String(error);
  } catch {
    return 'an error without a message';
  }
}

function failOutside(error: unknown): void {
  process.send?.({ id: null, why: wordsOf(error) }, () => process.exit(1));
}

/** Ends this process when isolab is killed. A thread watches, because the module may block the event loop. */
function endWithParent(): void {
  const source = `
    const { ppid } = process;
    setInterval(() => { if (process.ppid !== ppid) process.kill(process.pid, 'SIGKILL'); }, 500);
  `;
  started(new Worker(source, { eval: true, env: {}, execArgv: [] }), failOutside).unref();
}
