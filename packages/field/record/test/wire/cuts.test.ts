/** A dialogue with a real server, cut at many bytes: the recorded outcome of each transaction. */
import { open } from 'isolab';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { Journal } from '../../src/recorded/journal.ts';
import { Plans } from '../../src/recording/plans.ts';
import { Recording } from '../../src/recording/recording.ts';
import { NO_REDACTION } from '../../src/recorded/redaction.ts';
import { Session } from '../../src/recording/session.ts';
import { readCatalog } from '../../src/sql/catalog.ts';
import { loadParser } from '../../src/sql/parser.ts';
import type { SessionFacts } from '../../src/wire/statement.ts';
import { startProxy } from '../../src/wire/proxy.ts';
import type { Turn } from './dialogue.ts';
import { all, front } from './messages.ts';
import { RawClient, messagesIn } from './raw-client.ts';
import { useServer } from './servers.ts';
import { fresh } from './sessions.ts';

const server = useServer(`
  create table accounts (id int primary key, balance int);
  insert into accounts select i, 0 from generate_series(1, 20) i`);

const folder = mkdtempSync(join(tmpdir(), 'isolab-record-cuts-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Messages that a client sends at once, up to the last answer. */
interface Step {
  readonly messages: readonly Buffer[];
  /** Row that only this transaction writes: the message that may commit it, and its outcome. */
  readonly ends?: {
    readonly row: number;
    readonly message: number;
    readonly outcome: 'committed' | 'aborted';
    readonly isAnswered?: boolean;
  };
}

const write = (row: number): string => `update accounts set balance = balance + 1 where id = ${row}`;
const asked = (sql: string): Step => ({ messages: [front.query(sql)] });
const ends = (row: number, outcome: 'committed' | 'aborted', sql: string): Step => ({
  messages: [front.query(sql)],
  ends: { row, message: 0, outcome },
});
const run = (sql: string): Buffer[] => [front.parse(sql), front.bind(), front.describePortal(), front.execute()];

const STEPS: readonly Step[] = [
  ends(1, 'committed', write(1)),
  asked('begin'),
  asked(write(2)),
  asked('select * from accounts where id = 2'),
  { messages: [front.query('commit')], ends: { row: 2, message: 0, outcome: 'committed', isAnswered: true } },
  asked('begin'),
  asked(write(3)),
  ends(3, 'aborted', 'rollback'),
  { messages: [...run(write(4)), front.sync()], ends: { row: 4, message: 4, outcome: 'committed' } },
  {
    messages: [...['begin', write(5), 'commit'].map((sql) => front.query(sql)), front.query('select 1')],
    ends: { row: 5, message: 2, outcome: 'committed' },
  },
  ends(6, 'committed', `${write(6)}; select id from accounts where id = 6`),
  ends(7, 'aborted', `${write(7)}; nonsense()`),
  asked('begin isolation level serializable'),
  asked(write(8)),
  asked('select 1 / 0'),
  ends(8, 'aborted', 'commit'),
  asked('begin; savepoint a'),
  asked(write(9)),
  asked('rollback to a'),
  asked(write(10)),
  { messages: [...run('commit'), front.sync()], ends: { row: 10, message: 3, outcome: 'committed', isAnswered: true } },
  {
    messages: [...run('begin'), ...run(write(11)), ...run('commit'), front.sync()],
    ends: { row: 11, message: 11, outcome: 'committed' },
  },
  {
    messages: [...run(write(12)), front.sync(), ...run('select 1')],
    ends: { row: 12, message: 4, outcome: 'committed' },
  },
  { messages: [front.sync()] },
];

/** First byte after which a transaction may be committed, and the first after which its end is known. */
interface End {
  readonly may: number;
  readonly told: number;
  readonly outcome: string;
  /** Whether all its statements were answered before it could be committed. */
  readonly isAnswered: boolean;
}

interface Captured {
  readonly turns: readonly Turn[];
  readonly decided: ReadonlyMap<number, End>;
}

type Opens = (facts: SessionFacts) => Session;

/** The bytes that a session is fed with, in the order in which they came. */
async function capture(opens: Opens): Promise<Captured> {
  const turns: Turn[] = [];
  const { port: behind } = new URL(server.url);
  const tap = createServer((client) => {
    const database = connect({ port: Number(behind), host: '127.0.0.1' });
    client.on('error', () => {}).pipe(database);
    database.on('error', () => {}).on('data', (bytes) => turns.push({ from: 'server', bytes }));
    database.pipe(client);
  });
  const port = await new Promise<number>((resolve) =>
    tap.listen(0, '127.0.0.1', () => resolve((tap.address() as { port: number }).port)),
  );
  const proxy = await startProxy({
    upstream: { host: '127.0.0.1', port },
    tls: null,
    open: opens,
    settingsQueries: SETTINGS,
    onProblem: (problem) => expect(problem).toBe(null),
  });
  const url = new URL(server.url);
  url.port = String(proxy.port);
  const client = await RawClient.connect(url.href);
  const length = (): number => turns.reduce((sum, { bytes }) => sum + bytes.length, 0);
  const decided = new Map<number, End>();
  for (const { messages, ends: end } of STEPS) {
    const start = length();
    turns.push({ from: 'client', bytes: all(...messages) });
    const first = turns.length;
    const readies = messages.filter((message) => 'QS'.includes(String.fromCharCode(message[0]!))).length;
    await client.ask(all(...messages), 'Z', Math.max(1, readies));
    if (!end) continue;
    const answers = all(...turns.slice(first).map(({ bytes }) => bytes));
    const may = start + all(...messages.slice(0, end.message + 1)).length;
    const told = start + all(...messages).length + endOf(answers);
    decided.set(end.row, { may, told, outcome: end.outcome, isAnswered: end.isAnswered === true });
  }
  client.close();
  await proxy.close();
  tap.close();
  return { turns, decided };
}

const SETTINGS = { level: 'SHOW default_transaction_isolation', schemas: 'SELECT to_json(current_schemas(false))' };

/** Place behind the answer that ends a transaction: that to COMMIT or ROLLBACK, or else that all is done. */
function endOf(answers: Buffer): number {
  const messages = messagesIn(answers);
  const isTag = ([type, bytes]: readonly [string, Buffer]): boolean =>
    type === 'C' && /^(COMMIT|ROLLBACK)\0/.test(bytes.toString('latin1', 5));
  const found = messages.findIndex(isTag);
  const last = found >= 0 ? found : messages.findIndex(([type]) => type === 'Z');
  return all(...messages.slice(0, last + 1).map(([, bytes]) => bytes)).length;
}

/** Outcomes in a file of the transactions that wrote the rows of STEPS. */
function outcomesOf(text: string): ReadonlyMap<number, string> {
  const outcomes = new Map<number, string>();
  let last: number | null = null;
  for (const line of text.trimEnd().split('\n').slice(1)) {
    const {
      ops,
      status = 'committed',
      outcome,
    } = JSON.parse(line) as {
      ops?: [kind: string, table: string, id: number][];
      status?: string;
      outcome?: string;
    };
    const row = ops?.find(([kind]) => kind === 'put')?.[2];
    if (ops) last = row ?? null;
    if (row !== undefined) outcomes.set(row, status);
    if (outcome !== undefined && last !== null) outcomes.set(last, outcome);
  }
  return outcomes;
}

/**
 * Outcomes that a file may state after this many bytes. `isOver` says that the connection was lost, else the proxy was
 * killed.
 */
function allowed({ may, told, outcome, isAnswered }: End, cut: number, isOver: boolean): readonly string[] {
  if (cut < may) return ['none', 'aborted'];
  if (outcome === 'aborted') return isOver && cut >= told ? ['none', 'aborted'] : ['none', 'aborted', 'unknown'];
  if (cut >= told) return isOver ? ['committed'] : ['committed', 'unknown', ...(isAnswered ? [] : ['none'])];
  // Its operations are in the file before it can be committed.
  return isAnswered ? ['unknown'] : ['unknown', 'none'];
}

async function recordings() {
  const [{ xid }] = (await server.ask('select txid_current()::text as xid')) as [{ xid: string }];
  const catalog = await readCatalog(
    (sql) => server.ask(sql),
    () => true,
    false,
  );
  const parser = await loadParser();
  const plans = new Plans({ parser, ask: async () => [], catalog, isWhole: () => true, onCatalog: () => {} });
  const path = join(folder, 'recording.jsonl');
  return () => {
    const journal = new Journal(path);
    let time = 0n;
    const isInitial = (xmin: number): boolean => xmin < Number(xid);
    const now = (): bigint => ++time;
    const recording = new Recording({ journal, plans, redaction: NO_REDACTION, isInitial, wholeNumber: String, now });
    journal.add('{"isolab":"history","version":2,"times":"nanoseconds"}\n');
    journal.flush();
    return {
      opens: (facts: SessionFacts) => new Session(recording, 'a', facts, new Set()),
      text: () => readFileSync(path, 'utf8'),
      finish() {
        recording.finish();
        journal.close();
      },
    };
  };
}

/** Every third byte and the bytes around the ends of turns and outcomes; every byte if ISOLAB_LONG is set. */
function cutsOf(turns: readonly Turn[], decided: ReadonlyMap<number, End>, total: number): number[] {
  const bytes = [...Array.from({ length: total + 1 }).keys()];
  if (process.env['ISOLAB_LONG'] !== undefined) return bytes;
  let end = 0;
  const places = [
    ...turns.map((turn) => (end += turn.bytes.length)),
    ...[...decided.values()].flatMap(({ may, told }) => [may, told]),
  ];
  const near = new Set(places.flatMap((place) => [place - 1, place, place + 1]));
  return bytes.filter((cut) => cut % 3 === 0 || near.has(cut));
}

test('the recording states exactly the known facts', async () => {
  const begin = await recordings();
  const first = begin();
  const { turns, decided } = await capture(first.opens);
  first.finish();
  expect(decided.size).toBe(11);
  const total = turns.reduce((sum, { bytes }) => sum + bytes.length, 0);
  const texts = new Set<string>();
  for (const cut of cutsOf(turns, decided, total)) {
    const { opens, text, finish } = begin();
    const { session, toServer, toClient, problems } = fresh(undefined, {
      user: new URL(server.url).username, // it resolves names
      settingsQueries: SETTINGS,
      open: opens as never,
    });
    let left = cut;
    for (const { from, bytes } of turns) {
      session[from](bytes.subarray(0, left));
      toServer();
      toClient();
      left -= bytes.length;
      if (left <= 0) break;
    }
    const killed = text();
    session.end();
    finish();
    const over = text();
    const outcomes = [outcomesOf(killed), outcomesOf(over)] as const;
    const wrong = [...decided].flatMap(([row, end]) =>
      outcomes.flatMap((said, i) => {
        const outcome = said.get(row) ?? 'none';
        return allowed(end, cut, i === 1).includes(outcome) ? [] : [{ cut, row, outcome, isOver: i === 1 }];
      }),
    );
    if (wrong.length > 0 || problems.length > 0) expect({ wrong, problems }).toEqual({ wrong: [], problems: [] });
    texts.add(killed).add(over);
  }
  const path = join(folder, 'said.jsonl');
  for (const text of texts) {
    writeFileSync(path, text);
    expect((await open(path)).kind).toBe('history');
  }
});
