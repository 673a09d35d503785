import { mkdtempSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Journal } from '../../src/recorded/journal.ts';
import { Plans } from '../../src/recording/plans.ts';
import { Recording } from '../../src/recording/recording.ts';
import { NO_REDACTION } from '../../src/recorded/redaction.ts';
import { Session } from '../../src/recording/session.ts';
import { Tuples, takenAgain } from '../../src/recorded/tuples.ts';
import { scansOnly, settle } from '../../src/recorded/settle.ts';
import type { Catalog, Table } from '../../src/sql/catalog.ts';
import { loadParser } from '../../src/sql/parser.ts';
import type { Planned } from '../../src/sql/planned.ts';
import type { Sent } from '../../src/wire/statement.ts';

const parser = await loadParser();
const folder = mkdtempSync(join(tmpdir(), 'isolab-record-'));
let files = 0;

const ACCOUNTS: Table = {
  name: 'accounts',
  schema: 'public',
  table: 'accounts',
  columns: [
    { name: 'id', type: 'integer' },
    { name: 'amount', type: 'integer' },
  ],
  key: ['id'],
  unique: [['id']],
  problem: null,
  sideEffect: null,
  returnsStaleOld: false,
  isWhole: true,
  notInLog: null,
  definition: '',
  storage: '',
};

const CATALOG: Catalog = {
  tables: new Map([['public.accounts', ACCOUNTS]]),
  functions: new Set(),
  setters: new Set(),
  definers: new Set(),
  aggregates: new Set(['count']),
  version: 180_004,
  defersTriggers: false,
  xid: null,
};

/** Rows are `id,amount,writer`; those of updates have the old version behind. */
type RowTexts = readonly string[];

/** Makes a recording in memory with clients, and a way to read its file. */
export function recorded({ answer = null }: { readonly answer?: readonly (string | null)[] | null } = {}) {
  const path = join(folder, `${files++}.jsonl`);
  const journal = new Journal(path);
  let time = 0n;
  const plans = new Plans({
    parser,
    ask: async () => [],
    catalog: CATALOG,
    isWhole: () => true,
    onCatalog: () => {},
  });
  const recording = new Recording({
    journal,
    plans,
    redaction: NO_REDACTION,
    isInitial: (xmin) => xmin < 100,
    wholeNumber: String,
    now: () => ++time,
  });
  journal.add('{"isolab":"history","version":2,"times":"nanoseconds"}\n');
  const lines = (): Record<string, unknown>[] => {
    journal.flush();
    return readFileSync(path, 'utf8')
      .trimEnd()
      .split('\n')
      .slice(1)
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  };
  const finish = async (): Promise<void> => {
    recording.finish();
    journal.close();
    const tuples = new Tuples(await takenAgain(path, () => false), new Set());
    await settle(path, scansOnly({ isUndisturbed: () => true, redefined: new Map(), tuples }));
  };
  return { path, recording, lines, finish, client: (name: string) => client(recording, name, answer) };
}

const FACTS = {
  user: 'me',
  database: 'db',
  applicationName: null,
  settings: { level: 'read committed' },
  reported: {},
};

/** `answer` is the server's answer to the question for the session's settings. */
function client(recording: Recording, name: string, settings: readonly (string | null)[] | null) {
  const session = new Session(recording, name, FACTS, new Set());
  let asked = 0;
  const ask = async () => (asked++, settings);
  const send = async (sql: string): Promise<Sent> => {
    const [statement] = (await session.plan(sql, false, ask)) as readonly Planned[];
    return session.sends(statement!, null);
  };
  const answer = (sent: Sent, tag: string, rows: readonly RowTexts[] = []): void => {
    for (const row of rows) sent.row!(row);
    sent.complete(tag);
  };
  /** Sends a statement and answers it; `status` is that of ReadyForQuery. */
  const says = async (sql: string, tag: string, status: 'I' | 'T', rows: readonly RowTexts[] = []): Promise<void> => {
    answer(await send(sql), tag, rows);
    session.ready(status);
  };
  const asks = {
    get asked() {
      return asked;
    },
  };
  return Object.assign(asks, { session, send, answer, says });
}

/** The hidden columns of one version. */
export const version = (id: number, amount: number, writer: number): string[] => [String(writer), `(${id},${amount})`];
