/**
 * Records the transactions of an application, for isolab to check. Copy this file; it needs Node 18 and your driver (`pg`, or
 * `mysql2/promise`).
 *
 *   const recorder = new Recorder('history-{pid}.jsonl', { initial: 0 });
 *   await recorder.transaction(client, async (tx) => {   // commits at the end, rolls back if it throws
 *     const value = …;                                   // your SELECT
 *     tx.read('x', value);
 *     …;                                                 // your UPDATE
 *     tx.write('x', value + 1);
 *   });
 *   recorder.close();
 *
 * A transaction is in the file before COMMIT is sent, as one of unknown outcome, and its outcome follows: so whatever ends
 * the process leaves a right history. Each process has a file of its own: {pid} in the path stands for its number.
 */
import { randomBytes } from 'node:crypto';
import { closeSync, openSync, readFileSync, readlinkSync, writeSync } from 'node:fs';
import process from 'node:process';

const now = () => process.hrtime.bigint();

export class Recorder {
  #path;
  #file;
  #broken = null;
  #sessions = new WeakMap(); // by connection
  #prefix = `${process.pid}-${randomBytes(3).toString('hex')}`;
  #last = 0;
  #underWay = 0;

  /**
   * The file of one process.
   * @param {string} path
   * @param {{ initial?: unknown, initialOf?: Iterable<[unknown, unknown]>, database?: string }} options What every key
   *   holds at first, what some keys hold instead, and what the database is.
   */
  constructor(path, { initial = null, initialOf = [], database } = {}) {
    this.#path = path.replace('{pid}', String(process.pid));
    const header = {
      isolab: '"history"',
      version: 2,
      times: '"nanoseconds"',
      initial: atom(initial),
      initialOf: `[${Array.from(initialOf, ([key, value]) => `[${keyText(key)},${atom(value)}]`)}]`,
      ...(database !== undefined && { database: JSON.stringify(database) }),
      recorded: JSON.stringify({ by: 'isolab-recorder.mjs', ...clock() }),
    };
    try {
      this.#file = openSync(this.#path, 'ax', 0o600);
    } catch (error) {
      if (error.code !== 'EEXIST') throw error;
      throw new Error(
        `${this.#path} exists, but a recorder needs a new file; name another one, such as history-{pid}.jsonl`,
        { cause: error },
      );
    }
    this.#write(object(header));
  }

  /** A row that was there before the recording. Say so before it is read. */
  existing(table, key, row) {
    this.#write(`{"rows":[[${tableName(table)},${keyText(key)},${rowText(row)}]]}`);
  }

  /** Begins a transaction of a connection, just before BEGIN is sent. */
  begin(connection) {
    this.#insistOpen();
    if ('idleCount' in connection || 'getConnection' in connection)
      throw new TypeError('a pool uses another connection for each statement; pass a connection of the pool');
    // Pools of mysql2 wrap a connection anew each time.
    const known = connection.connection ?? connection;
    if (!this.#sessions.has(known)) this.#sessions.set(known, ++this.#last);
    this.#underWay++;
    const over = () => this.#underWay--;
    return new Transaction(`${this.#prefix}.${this.#sessions.get(known)}`, (line) => this.#write(line), over);
  }

  /**
   * Runs `work` as one transaction of a connection (a client of `pg`, not its pool), and returns its result. `begin` is the
   * statement that begins it.
   */
  async transaction(connection, work, { begin = 'BEGIN' } = {}) {
    const tx = this.begin(connection);
    let result;
    try {
      await connection.query(begin);
      result = await work(tx);
      tx.committing();
    } catch (error) {
      // What is not committed is undone at the latest when the connection ends.
      await connection.query('ROLLBACK').catch(() => {});
      tx.aborted();
      throw error;
    }
    let answer;
    try {
      answer = await connection.query('COMMIT');
    } catch (error) {
      if (tx.commitFailed(error) === 'aborted') await connection.query('ROLLBACK').catch(() => {});
      throw error;
    }
    // PostgreSQL answers ROLLBACK to a COMMIT after a statement that failed.
    if (answer?.command === 'ROLLBACK') tx.aborted();
    else tx.committed();
    return result;
  }

  /** Ends the file. Without this, it is one that was cut off. */
  close() {
    this.#insistOpen();
    if (this.#underWay > 0) throw new Error(`${this.#underWay} transactions are in progress; end them before close()`);
    this.#write('{"isolab":"end"}');
    closeSync(this.#file);
    this.#broken = 'it is closed';
  }

  /** Writes a line with one call, which the system keeps when the process is killed. */
  #write(line) {
    this.#insistOpen();
    const bytes = Buffer.from(`${line}\n`);
    try {
      for (let done = 0; done < bytes.length;) done += writeSync(this.#file, bytes, done);
    } catch (error) {
      this.#broken = error.message; // nothing can follow half a line
      throw error;
    }
  }

  #insistOpen() {
    if (this.#broken !== null) throw new Error(`${this.#path} cannot be written: ${this.#broken}`);
  }
}

/** What one transaction read and wrote, in its order, with the values that the application sees. */
class Transaction {
  #session;
  #write;
  #over;
  #operations = [];
  #state = 'in progress';
  #times = { begin: now() };

  constructor(session, write, over) {
    this.#session = session;
    this.#write = write;
    this.#over = over;
  }

  /** A read of a key: a text or whole number. null is no value. */
  read(key, value) {
    this.#add(`["r",${keyText(key)},${atom(value)}]`);
  }

  write(key, value) {
    this.#add(`["w",${keyText(key)},${atom(value)}]`);
  }

  /** A read of a row by its primary key: an object of its columns, null if there is no such row. */
  readRow(table, key, row) {
    this.#add(`["get",${tableName(table)},${keyText(key)},${rowText(row)}]`);
  }

  /** The whole row after an INSERT or UPDATE; null after a DELETE. */
  writeRow(table, key, row) {
    this.#add(`["put",${tableName(table)},${keyText(key)},${rowText(row)}]`);
  }

  /** Call this before COMMIT is sent; from now on the outcome is unknown until something says it. */
  committing() {
    this.#insist('in progress');
    this.#times.committing = now();
    this.#line('unknown');
    this.#state = 'committing';
  }

  committed() {
    this.#insist('committing');
    this.#end('committed');
  }

  /** It certainly did not commit. */
  aborted() {
    this.#end('aborted');
  }

  /** Its outcome will never be known. */
  unknown() {
    if (this.#state === 'in progress') this.#line('unknown');
    this.#isOver();
  }

  /** What became of a COMMIT that failed: aborted if the database refused it, else unknown. */
  commitFailed(error) {
    const outcome = outcomeOfCommit(error);
    if (outcome === 'aborted') this.aborted();
    else this.unknown();
    return outcome;
  }

  #add(operation) {
    this.#insist('in progress');
    // Where it reads first, the database has taken its snapshot now. A write may not have been sent yet.
    if (this.#operations.length === 0 && /^\["(r|get)"/.test(operation)) this.#times.begun = now();
    this.#operations.push(operation);
  }

  #end(outcome) {
    const end = now();
    try {
      if (this.#state === 'in progress') this.#line(outcome, { end });
      else if (this.#state === 'committing')
        this.#write(`{"outcome":"${outcome}","session":"${this.#session}","end":${end}}`);
    } catch {
      // The database has answered, which the application must hear; the file is one that was cut off.
    }
    this.#isOver();
  }

  #line(status, end = {}) {
    const line = {
      session: JSON.stringify(this.#session),
      status: `"${status}"`,
      ...this.#times,
      ...end,
      ops: `[${this.#operations}]`,
    };
    this.#write(object(line));
  }

  #isOver() {
    if (this.#state !== 'over') this.#over();
    this.#state = 'over';
  }

  #insist(state) {
    if (this.#state !== state) throw new Error(`this transaction is ${this.#state}, not ${state}`);
  }
}

/** What an error of COMMIT says: `aborted` where the database certainly refused it, else `unknown`. */
export const outcomeOfCommit = (error) =>
  isRefusal(String(error?.sqlState ?? error?.code ?? '')) ? 'aborted' : 'unknown';

/** Whether a SQLSTATE says that COMMIT was refused: a conflict or a constraint, or a statement had failed before. */
export const isRefusal = (sqlState) =>
  (/^(23|40)[0-9A-Z]{3}$/.test(sqlState) && sqlState !== '40003') || sqlState === '25P02';

/** Names the clock of this machine: files of several processes that name the same one can be put together with their times. */
function clock() {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return { clock: `${boot} ${readlinkSync('/proc/self/ns/time')}` };
  } catch {
    return {};
  }
}

const object = (fields) => `{${Object.entries(fields).map(([name, value]) => `"${name}":${value}`)}}`;

function atom(value) {
  if (typeof value === 'bigint') return value.toString();
  if (value === null || typeof value === 'string' || Number.isSafeInteger(value)) return JSON.stringify(value);
  throw new TypeError(`a value is ${String(value)}; expected a text, a bigint, a whole number or null`);
}

function tableName(name) {
  if (typeof name === 'string' && name !== '' && !name.includes('/')) return JSON.stringify(name);
  throw new TypeError(`a table is named ${String(name)}; expected a text without "/"`);
}

function keyText(key) {
  if (typeof key === 'bigint') return key.toString();
  if (typeof key === 'string' || Number.isSafeInteger(key)) return JSON.stringify(key);
  throw new TypeError(`a key is ${String(key)}; expected a text, a bigint or a whole number`);
}

function rowText(row) {
  if (row === null) return 'null';
  const columns = Object.entries(row).map(([column, value]) => {
    const isNumber = typeof value === 'number' && Number.isFinite(value);
    const isPlain = value === null || typeof value === 'string' || typeof value === 'boolean';
    if (column !== '' && (isPlain || (isNumber && (!Number.isInteger(value) || Number.isSafeInteger(value)))))
      return `${JSON.stringify(column)}:${JSON.stringify(value)}`;
    throw new TypeError(
      `column ${column} is ${String(value)}; expected a text, a number of at most 53 bits, true, false or null. Convert it to a text, in the same way at every read and write`,
    );
  });
  return `{${columns}}`;
}
