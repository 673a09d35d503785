import { setTimeout as pause } from 'node:timers/promises';
import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { type Change, readChange } from './changes.ts';

export interface Reader {
  /** Returns whether changes of a table's rows are not needed. */
  readonly skips: (table: string) => boolean;
  /** `lsn` is the position of a commit. */
  tell(change: Change, xid: number, lsn: string): Promise<void> | void;
}

const OPENED_WITHIN_MS = 10_000;
const LINES_AT_ONCE = 2_000;
/** The number of the transaction follows. */
const BEGIN = 'BEGIN ';

/**
 * A temporary slot of logical replication, read through SQL: it ends with its connection and leaves nothing behind. It
 * has all transactions that are committed after it was opened, in commit order.
 */
export class Slot {
  readonly #client: pg.Client;
  readonly #name: string;

  private constructor(client: pg.Client, name: string) {
    this.#client = client;
    this.#name = name;
  }

  /** Opens a slot, or returns the reason for its failure and some advice. */
  static async open(url: string): Promise<Slot | string> {
    const client = new pg.Client({ connectionString: url, application_name: 'isolab record (log)' });
    client.on('error', () => {}); // failed queries report themselves
    const name = `isolab_${randomBytes(8).toString('hex')}`;
    try {
      await client.connect();
      const { rows } = await client.query<{ level: string }>(`select current_setting('wal_level') as level`);
      const why = rows[0]!.level === 'logical' ? await made(client, name) : WITHOUT_LEVEL;
      if (why === null) return new Slot(client, name);
      await client.end();
      return why;
    } catch (error) {
      await client.end().catch(() => {});
      return `The log could not be read: ${(error as Error).message}.`;
    }
  }

  /** Passes on every change that was committed since the last reading. */
  async read(reader: Reader): Promise<void> {
    const client = this.#client;
    await client.query('BEGIN');
    await client.query(
      `DECLARE isolab_log NO SCROLL CURSOR FOR select data,
        case when data like 'COMMIT%' then lsn end
      from pg_logical_slot_get_changes('${this.#name}', null, null, 'skip-empty-xacts', '1')`,
    );
    let xid = 0;
    for (;;) {
      const { rows } = await client.query<[data: string, lsn: string | null]>({
        text: `FETCH ${LINES_AT_ONCE} FROM isolab_log`,
        rowMode: 'array',
      });
      for (const [data, lsn] of rows) {
        if (data.startsWith(BEGIN)) xid = Number(data.slice(BEGIN.length));
        const told = readChange(data, reader.skips);
        const waiting = told && reader.tell(told, xid, lsn ?? '');
        if (waiting) await waiting;
      }
      if (rows.length < LINES_AT_ONCE) break;
    }
    await client.query('COMMIT');
  }

  /**
   * Waits for transactions to end and returns their outcomes, omitting the transactions that are still undecided at the
   * timeout.
   */
  async outcomes(xids: readonly string[], withinMs: number): Promise<Map<string, 'committed' | 'aborted'>> {
    const outcomes = new Map<string, 'committed' | 'aborted'>();
    const until = Date.now() + withinMs;
    for (const xid of xids)
      for (;;) {
        const { status } = await this.#ask<{ status: string | null }>('select txid_status($1::bigint) as status', xid);
        if (status === 'committed' || status === 'aborted') outcomes.set(xid, status);
        if (status !== 'in progress' || Date.now() >= until) break;
        await pause(50);
      }
    return outcomes;
  }

  /** Makes all changes up to now readable: they are on disk once a later commit is. */
  async flush(): Promise<void> {
    await this.#client.query('BEGIN');
    await this.#client.query('SET LOCAL synchronous_commit = on');
    await this.#client.query(`select pg_logical_emit_message(true, 'isolab', '')`);
    await this.#client.query('COMMIT');
  }

  async #ask<Row extends object>(sql: string, ...parameters: unknown[]): Promise<Row> {
    const { rows } = await this.#client.query<Row>(sql, parameters);
    return rows[0]!;
  }

  async end(): Promise<void> {
    await this.#client.end().catch(() => {});
  }
}

const WITHOUT_LEVEL =
  'Writes of triggers, functions, COPY and other clients would be recorded, too, if the server ran with wal_level = logical.';

/** Creates the slot, or returns the reason for its failure. */
async function made(client: pg.Client, name: string): Promise<string | null> {
  // Creating the slot waits for all open transactions.
  await client.query(`SET statement_timeout = ${OPENED_WITHIN_MS}`);
  try {
    await client.query(`select pg_create_logical_replication_slot($1, 'test_decoding', true)`, [name]);
  } catch (error) {
    return reason(error as { readonly code?: string; readonly message: string });
  }
  await client.query('SET statement_timeout = 0');
  return null;
}

function reason({ code, message }: { readonly code?: string; readonly message: string }): string {
  const loss = 'Writes of triggers, functions, COPY and other clients are not recorded';
  switch (code) {
    case '42501':
      return `${loss}: the role may not replicate. Run ALTER ROLE … REPLICATION, or record as another role.`;
    case '57014':
      return `${loss}: a transaction was open for too long. Start the recording when no transaction is open.`;
    case '53400':
      return `${loss}: all replication slots are in use. Raise max_replication_slots.`;
    case '58P01':
      return `${loss}: the server lacks its module test_decoding. Install it (postgresql-contrib).`;
    default:
      return `${loss}: ${message}.`;
  }
}
