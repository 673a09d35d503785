/** An application that isolab starts, and the database that it uses through the proxy. */
import { type ChildProcess, type StdioOptions, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { startEmbedded } from '@isolab/collector';
import { type Engine, type RunningEngine, findEngine, isEngineAddress, start, startIn } from '@isolab/engines';
import { started } from 'isolab/skin';
import { descendantsOf, endAll } from './descendants.ts';
import { callersIn } from './callers.ts';
import { UsageError } from './exit.ts';

interface Upstream {
  readonly url: string;
  /** States that isolab has started the database. */
  readonly isOurs: boolean;
  end(): Promise<void>;
}

const WITH_LOG = { wal_level: 'logical' };
/** The settings that the recorder needs, and a wait for locks that is as long as in other servers. */
const WITH_BINARY_LOG = {
  log_bin: 'binlog',
  binlog_format: 'ROW',
  binlog_row_image: 'FULL',
  binlog_row_metadata: 'FULL',
  innodb_lock_wait_timeout: '50',
};

/** Starts an engine; MariaDB without a version is the system's own one, if there is one. */
function startEngine(engine: Engine, address: string): Promise<RunningEngine> {
  if (engine.runs.kind !== 'mariadb') return start(engine, WITH_LOG);
  const isOfSystem = address === 'mariadb' && existsSync('/usr/sbin/mariadbd');
  return isOfSystem ? startIn('/', engine, WITH_BINARY_LOG) : start(engine, WITH_BINARY_LOG);
}

export async function upstreamOf(address: string): Promise<Upstream> {
  if (/^(postgres(ql)?|mysql|mariadb):\/\//.test(address)) return { url: address, isOurs: false, end: async () => {} };
  const engine = address === 'embedded' ? null : isEngineAddress(address) ? findEngine(address) : undefined;
  if (engine === undefined || (engine && engine.runs.kind !== 'postgres' && engine.runs.kind !== 'mariadb'))
    throw new UsageError(
      `--db is ${address.trim() === '' ? 'empty (is a variable unset?)' : address}; expected postgres://user:password@host/name, mariadb://…, embedded, or an engine such as postgres@18.4 or mariadb.`,
    );
  if (engine) {
    const running = await startEngine(engine, address);
    return { url: running.addresses[0]!, isOurs: true, end: () => running.end() };
  }
  const server = await startEmbedded(undefined, WITH_LOG);
  return { url: server.address, isOurs: true, end: () => server.database.close() };
}

/** Address that the application uses instead of the database's own. */
export function throughProxy(url: string, host: string, port: number): string {
  const through = new URL(url);
  through.hostname = host === '0.0.0.0' || host === '::' ? 'localhost' : host;
  through.port = String(port);
  return through.href;
}

/** The variables that drivers read, with the parts of an address. */
function variablesFor(url: string): Readonly<Record<string, string>> {
  const { protocol, hostname, port, username, password, pathname } = new URL(url);
  const parts = [hostname, port, decodeURIComponent(username), decodeURIComponent(password)];
  const values = [...parts, decodeURIComponent(pathname.slice(1))];
  const named = (prefix: string, names: readonly string[]): Record<string, string> =>
    Object.fromEntries(names.map((name, i) => [`${prefix}${name}`, values[i]!]));
  if (protocol.startsWith('postgres'))
    return { DATABASE_URL: url, ...named('PG', ['HOST', 'PORT', 'USER', 'PASSWORD', 'DATABASE']) };
  return {
    // Most clients know only the scheme of MySQL.
    DATABASE_URL: url.replace(/^mariadb:/, 'mysql:'),
    ...named('MYSQL_', ['HOST', 'PORT', 'USER', 'PASSWORD', 'DATABASE']),
    ...named('MYSQL_', ['HOST', 'TCP_PORT', 'USER', 'PWD']),
  };
}

interface RunOptions {
  /** States that statements get the file and line of their callers, as comments. */
  readonly tellsCallers: boolean;
  /** Place of the application's output: the same as isolab's, its errors only, or nowhere. */
  readonly output: 'inherit' | 'errors' | 'ignore';
  readonly interrupted: AbortSignal;
  /** Time after an interruption, after which the application and its processes are killed. */
  readonly patienceMs?: number;
}

/** Runs the application with the proxy in the environment variables that most applications read. */
export function runCommand(words: readonly string[], url: string, options: RunOptions): Promise<number> {
  const { tellsCallers, output, interrupted, patienceMs } = options;
  const [program, ...rest] = words;
  const env = { ...process.env, ...(tellsCallers && callersIn(process.env)), ...variablesFor(url) };
  return new Promise((resolve, reject) => {
    const stdio = output === 'errors' ? (['ignore', 2, 2] as const) : output;
    const child = started(spawn(program!, rest, { stdio: stdio as StdioOptions, env }), ({ message }) =>
      reject(new UsageError(`${program} could not be started: ${message}.`)),
    );
    interrupted.addEventListener('abort', () => {
      child.kill('SIGINT');
      if (patienceMs !== undefined) setTimeout(() => void kill(child), patienceMs).unref();
    });
    child.on('close', (code, signal) => resolve(code ?? (signal ? 128 : 0)));
  });
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const below = descendantsOf(child.pid);
  child.kill('SIGKILL');
  await endAll(below, 500);
}
