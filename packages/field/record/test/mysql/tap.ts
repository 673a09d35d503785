import { type Connection, type QueryOptions, createConnection } from 'mysql2';
import { Readable } from 'node:stream';
import { setTimeout as pause } from 'node:timers/promises';
import { type AddressInfo, type Server, type Socket, connect, createServer } from 'node:net';

const SETUP = [
  'drop table if exists tap',
  'create table tap (id int primary key auto_increment, v int)',
  'drop procedure if exists tapped',
  'create procedure tapped() begin select 1; insert into tap(v) values (77); select * from tap; end',
];

/** Statements whose answers depend on the session, on its state, or on their bytes. */
const BATTERY = [
  'select row_count(), found_rows(), last_insert_id()',
  'show warnings',
  'select 1; select 2',
  'select * from nosuch',
  `select 'a\\'b', "x"`,
  "set sql_mode = 'ANSI_QUOTES'",
  'select "id" from tap',
  'set sql_mode = default',
  'create temporary table hidden (x int)',
  'insert into hidden values (1)',
  'select * from hidden',
  'drop temporary table hidden',
  'insert into tap(v) values (1), (2)',
  'select last_insert_id(), row_count()',
  'select count(*) from tap',
  'update tap set v = v + 1',
  'delete from tap where id = 1',
  'begin',
  'select * from tap for update',
  'savepoint s',
  'update tap set v = 9',
  'rollback to s',
  'commit',
  'call tapped()',
  'select 1 into @x',
  "prepare s1 from 'select ?'",
  'execute s1 using @x',
  'deallocate prepare s1',
  "select repeat('x', 200000) as big, null, 1.5, 1e10, x'4142', b'101'",
  'explain select * from tap',
  'set names latin1',
  "select 'é'",
  'set names utf8mb4',
  'use isolab',
  '/* c */ select 2 /* d */',
  '-- x\nselect 3',
  '',
  'truncate tap',
  'set autocommit = 0',
  'insert into tap(v) values (5)',
  'select * from tap',
  'rollback',
  'set autocommit = 1',
  "xa start 'x'",
  'insert into tap(v) values (6)',
  "xa end 'x'",
  "xa rollback 'x'",
  'lock tables tap read',
  'unlock tables',
  'with q as (select 1 as a) select * from q union select 2',
  "signal sqlstate '45000'",
  'select /*!50000 7 */',
  'insert into tap(v) values (8) returning id',
  'replace into tap values (1, 1)',
  'insert into tap values (1, 2) on duplicate key update v = 3',
];

/** Sends COM_STMT_EXECUTE with a cursor, and fetches its rows with COM_STMT_FETCH; mysql2 itself has no cursors. */
async function fetchInPieces(client: Connection, chunks: readonly Buffer[]): Promise<void> {
  const prepared = await new Promise<{ statement: { id: number } }>((resolve) => {
    client.prepare('select id, v from tap order by id', (_, statement) => {
      resolve({ statement: statement as unknown as { id: number } });
    });
  });
  const { stream } = client as unknown as { stream: Socket };
  stream.removeAllListeners('data').resume();
  const id = Buffer.alloc(4);
  id.writeUInt32LE(prepared.statement.id);
  const commands = [
    [0x17, ...id, 1, 1, 0, 0, 0],
    [0x1c, ...id, 1, 0, 0, 0],
    [0x1c, ...id, 9, 0, 0, 0],
    [0x1a, ...id],
    [0x03, ...Buffer.from('select 1')],
  ];
  for (const payload of commands) {
    const before = chunks.length;
    stream.write(Buffer.from([payload.length, 0, 0, 0, ...payload]));
    while (chunks.length === before) await pause(5);
    await pause(30);
  }
}

/** Returns the bytes that a server sends for a battery of statements, with single and with several statements. */
export async function serverBytes(address: string): Promise<readonly Buffer[]> {
  const { hostname, port } = new URL(address);
  const chunks: Buffer[] = [];
  const tap: Server = createServer((client: Socket) => {
    const server = connect(Number(port), hostname);
    client.pipe(server);
    server.on('data', (chunk) => chunks.push(chunk)).pipe(client);
    client.on('error', () => {});
    server.on('error', () => {});
  });
  await new Promise<void>((resolve) => void tap.listen(0, '127.0.0.1', resolve));
  const url = new URL(address.replace('mariadb:', 'mysql:'));
  url.port = String((tap.address() as AddressInfo).port);
  const all: Buffer[] = [];
  for (const multipleStatements of [false, true]) {
    const client = createConnection({ uri: url.href, multipleStatements });
    client.on('error', () => {});
    const done = (run: (resolve: () => void) => void): Promise<void> => new Promise<void>(run);
    await done((resolve) => client.query('select 1', () => resolve()));
    for (const sql of SETUP) await done((resolve) => client.query(sql, () => resolve()));
    const start = chunks.length;
    for (const sql of BATTERY) {
      await done((resolve) => client.query(sql, () => resolve()));
      if (!multipleStatements) await done((resolve) => client.execute(sql, [], () => resolve()));
    }
    await done((resolve) => client.execute('select ? as a, ? as b', [1, new Date(0)], () => resolve()));
    await done((resolve) => client.execute('select ? as a, ? as b', ['x', null], () => resolve()));
    const sql = "load data local infile 'rows' into table tap";
    const infileStreamFactory = () => Readable.from([Buffer.from('50\t1\n'), Buffer.from('51\t2\n')]);
    await done((resolve) => client.query({ sql, infileStreamFactory } as QueryOptions, () => resolve()));
    await done((resolve) => client.ping(() => resolve()));
    await fetchInPieces(client, chunks);
    all.push(Buffer.concat(chunks.slice(start)));
    client.destroy();
  }
  await new Promise((resolve) => tap.close(resolve));
  return all;
}
