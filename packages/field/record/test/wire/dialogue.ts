/** A dialogue that uses all of the protocol, in the order in which it goes over the wire. */
import { all, back, front } from './messages.ts';

export interface Turn {
  readonly from: 'client' | 'server';
  readonly bytes: Buffer;
}

const client = (...messages: readonly Buffer[]): Turn => ({ from: 'client', bytes: all(...messages) });
const server = (...messages: readonly Buffer[]): Turn => ({ from: 'server', bytes: all(...messages) });

export const GREETING: readonly Turn[] = [
  server(back.negotiate(), back.sasl('SCRAM-SHA-256')),
  client(front.password('SCRAM-SHA-256\0\0\0\0\x05n,,n=')),
  server(back.askPassword(), back.authenticationOk(), back.parameter('application_name', 'psql'), back.keyData()),
  server(back.ready()),
];

const SIMPLE: readonly Turn[] = [
  client(front.query('select a /*2*/; update t /*silent*/; select 1')),
  server(
    back.fields('a', 'h1', 'h2'),
    back.row('x', 'k', 'v'),
    back.row(null, 'k', null),
    back.complete('SELECT 2'),
    back.fields('h'),
    back.row('k'),
    back.complete('UPDATE 1'),
    back.notice(),
    back.fields('?column?'),
    back.row('1'),
    back.complete('SELECT 1'),
    back.ready(),
  ),
  client(front.query('')),
  server(back.empty(), back.ready()),
  client(front.query('begin; nonsense; select 2 /*1*/')),
  server(back.complete('BEGIN'), back.error('42601'), back.parameter('application_name', 'other'), back.ready('E')),
  client(front.query('rollback')),
  server(back.complete('ROLLBACK'), back.notification(), back.ready()),
];

const bind = { parameters: ['7', null], parameterFormats: [0, 1], formats: [0, 1] };

const EXTENDED: readonly Turn[] = [
  client(front.parse('select a, b /*2*/', 's1'), front.describeStatement('s1'), front.flush()),
  server(back.parsed(), back.parameters(), back.fields('a', 'b', 'h1', 'h2')),
  client(front.bind({ ...bind, statement: 's1', portal: 'p' }), front.describePortal('p'), front.execute('p', 1)),
  client(front.execute('p', 1), front.closePortal('p'), front.sync()),
  server(back.bound(), back.fields('a', 'b', 'h1', 'h2'), back.row('1', '2', 'k', 'v'), back.suspended()),
  server(back.row('3', '4', 'k', 'v'), back.complete('SELECT 1'), back.closed(), back.ready()),
  client(front.parse('update /*silent*/'), front.bind(), front.describePortal(), front.execute('', 5)),
  client(front.parse('broken'), front.bind(), front.execute(), front.sync(), front.parse('next'), front.bind()),
  client(front.execute(), front.sync()),
  server(back.parsed(), back.bound(), back.fields('h'), back.row('k'), back.complete('UPDATE 1')),
  server(back.error('42601'), back.ready(), back.parsed(), back.bound(), back.row('9'), back.complete('SELECT 1')),
  server(back.error('40001'), back.ready()),
  client(front.closeStatement('s1'), front.sync()),
  server(back.closed(), back.ready()),
];

const COPY: readonly Turn[] = [
  client(front.query('copy t from stdin; select 3')),
  server(back.copyIn()),
  client(front.copyData('1\n'), front.copyData('2\n'), front.copyDone()),
  server(back.complete('COPY 2'), back.fields('c'), back.row('3'), back.complete('SELECT 1'), back.ready()),
  client(front.query('copy t to stdout')),
  server(back.copyOut(), back.copyData('1\n'), back.copyDone(), back.complete('COPY 1'), back.ready()),
  client(front.parse('copy t from stdin'), front.bind(), front.execute(), front.sync()),
  server(back.parsed(), back.bound(), back.copyIn()),
  client(front.copyData('1\n'), front.copyDone(), front.sync()),
  server(back.complete('COPY 1'), back.ready()),
  client(front.functionCall()),
  server(back.functionResult(), back.ready()),
];

const RARE: readonly Turn[] = [
  // A name that is taken, and the unnamed statement, which is replaced.
  client(front.parse('select x /*1*/', 's2'), front.parse('select y /*1*/', 's2'), front.sync()),
  server(back.parsed(), back.error('42P05'), back.ready()),
  client(front.parse('select y /*1*/'), front.parse('select z'), front.bind(), front.execute(), front.flush()),
  server(back.parsed(), back.parsed(), back.bound(), back.row('z'), back.complete('SELECT 1')),
  // Two portals in turn, one of them closed before its end, and messages that may come at any time between rows.
  client(front.bind({ statement: 's2', portal: 'p1' }), front.bind({ statement: 's2', portal: 'p2' })),
  client(front.execute('p1', 1), front.flush(), front.execute('p2', 1), front.flush(), front.execute('p1', 1)),
  client(front.closePortal('p2'), front.closePortal('p3'), front.sync()),
  server(back.bound(), back.bound(), back.row('1', 'k'), back.notice(), back.suspended(), back.notification()),
  server(back.row('1', 'k'), back.parameter('TimeZone', 'UTC'), back.suspended(), back.row('2', 'k')),
  server(back.suspended(), back.closed(), back.closed(), back.ready()),
  // Rows without columns of the client's, with empty ones, and with a long one.
  client(front.query('select /*1*/')),
  server(back.fields('h'), back.row('k'), back.notice(), back.row(null), back.complete('SELECT 2'), back.ready()),
  client(front.query('select w /*2*/')),
  server(back.fields('w', 'h1', 'h2'), back.row('', '', ''), back.parameter('application_name', 'third')),
  server(back.row('wide', 'k', null), back.complete('SELECT 2'), back.ready()),
  client(front.query('select slow /*1*/')),
  server(back.fields('slow', 'h'), back.row('1', 'k'), back.error('57014'), back.ready()),
  client(front.query('copy t from stdin')),
  server(back.copyIn()),
  client(front.copyData('1\n'), front.copyFail('no more')),
  server(back.error('57014'), back.ready()),
  client(front.query('copy both')),
  server(back.copyBoth(), back.copyData('1\n')),
  client(front.copyData('2\n'), front.copyDone()),
  server(back.copyData('3\n'), back.copyDone(), back.complete('COPY 2'), back.ready()),
];

export const DIALOGUE: readonly Turn[] = [
  ...GREETING,
  ...SIMPLE,
  ...EXTENDED,
  ...RARE,
  ...COPY,
  client(front.terminate()),
];

/** All bytes that a side sends. */
export const sentBy = (side: Turn['from'], turns: readonly Turn[] = DIALOGUE): Buffer =>
  all(...turns.filter(({ from }) => from === side).map(({ bytes }) => bytes));
