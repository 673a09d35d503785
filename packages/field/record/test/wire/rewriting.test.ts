import { describe, expect, test } from 'vitest';
import { all, back, front } from './messages.ts';
import { as, opened, rewriting } from './sessions.ts';

const NONE = Buffer.alloc(0);

test('hidden columns are added to a simple query, and taken out of its answers', () => {
  const { client, server, log } = opened(rewriting);
  expect(client(front.query('select a, b /*1*/'))).toEqual(front.query('select a, b /*1*/+'));
  expect(server(back.fields('a', 'b', 'ours'))).toEqual(back.fields('a', 'b'));
  expect(server(back.row('1', null, 'k'))).toEqual(back.row('1', null));
  expect(server(back.row('', '2', null))).toEqual(back.row('', '2'));
  expect(server(all(back.complete('SELECT 2'), back.ready()))).toEqual(all(back.complete('SELECT 2'), back.ready()));
  expect(log.events.slice(1, 3)).toEqual(['1 row k', '1 row null']);
});

test('several statements of a query are answered in turn, up to an error', () => {
  const { client, server, log } = opened(rewriting);
  client(front.query('a /*1*/;b;c /*silent*/;d /*1*/'));
  const sent = all(back.fields('x', 'ours'), back.row('1', 'k'), back.complete('A'), back.fields('x'), back.row('2'));
  const seen = all(back.fields('x'), back.row('1'), back.complete('A'), back.fields('x'), back.row('2'));
  expect(server(sent)).toEqual(seen);
  const end = all(back.complete('B'), back.error('23505'), back.ready('E'));
  expect(server(end)).toEqual(end);
  expect(log.events.filter((event) => /completes|fails|ready/.test(event))).toEqual([
    '1 completes A',
    '2 completes B',
    '3 fails 23505',
    '4 fails null',
    'ready E',
  ]);
});

test.each([
  [[], []],
  [[1], [1]],
  [
    [1, 0],
    [1, 0, 0, 0],
  ],
])('result formats %j are sent as %j where two columns are hidden', (formats, sent) => {
  const { client } = opened(rewriting);
  client(front.parse('select a, b /*2*/'));
  const parts = { parameters: ['x', null], parameterFormats: [1] };
  expect(client(front.bind({ ...parts, formats }))).toEqual(front.bind({ ...parts, formats: sent }));
});

test('a silent statement answers as one without rows', () => {
  const { client, server, log } = opened(rewriting);
  const parse = front.parse('update t /*silent*/', 's');
  expect(client(parse)).toEqual(front.parse('update t /*silent*/+', 's'));
  client(front.describeStatement('s'));
  client(front.bind({ statement: 's' }));
  client(front.describePortal());
  // Its rows are all ours, however many the client would have at a time.
  expect(client(front.execute('', 3))).toEqual(front.execute('', 0));
  client(front.sync());
  const described = all(back.parsed(), back.parameters(), back.fields('ours'), back.bound(), back.fields('ours'));
  expect(server(described)).toEqual(all(back.parsed(), back.parameters(), back.noData(), back.bound(), back.noData()));
  expect(server(all(back.row('k'), back.row('l')))).toEqual(NONE);
  expect(server(all(back.complete('UPDATE 2'), back.ready()))).toEqual(all(back.complete('UPDATE 2'), back.ready()));
  expect(log.events).toEqual([
    '1 sends update t /*silent*/+ ()',
    '1 row k',
    '1 row l',
    '1 completes UPDATE 2',
    'ready I',
  ]);
});

test('a portal that is suspended continues as the same execution', () => {
  const { client, server, log } = opened(rewriting);
  client(all(front.parse('select /*1*/'), front.bind({ portal: 'p', parameters: ['5'] }), front.execute('p', 1)));
  client(front.flush());
  const first = all(back.parsed(), back.bound(), back.row('a', 'k'), back.suspended());
  expect(server(first)).toEqual(all(back.parsed(), back.bound(), back.row('a'), back.suspended()));
  client(all(front.execute('p', 1), front.sync()));
  expect(server(all(back.row('b', 'l'), back.complete('SELECT 1')))).toEqual(
    all(back.row('b'), back.complete('SELECT 1')),
  );
  server(back.ready('T'));
  expect(log.events).toEqual([
    '1 sends select /*1*/+ (5)',
    '1 row k',
    '1 suspends',
    '1 resumes',
    '1 row l',
    '1 completes SELECT 1',
    'ready T',
  ]);
});

test('an error passes over messages up to Sync, and names that were not made are not known', () => {
  const { client, server, log } = opened(rewriting);
  client(all(front.parse('select old /*1*/', 's'), front.sync()));
  server(all(back.parsed(), back.ready()));
  // The name is taken, which the server says after the client has used it.
  client(all(front.parse('select new', 's'), front.bind({ statement: 's' }), front.execute(), front.sync()));
  client(all(front.bind({ statement: 's' }), front.execute(), front.sync()));
  server(all(back.error('42P05'), back.ready()));
  // Sent before that was known, it was treated as the new one; from now on it is the old one again.
  client(all(front.bind({ statement: 's' }), front.execute(), front.sync()));
  expect(log.events.filter((event) => !event.startsWith('ready'))).toEqual([
    '1 sends select new ()',
    '2 sends select new ()',
    '1 fails 42P05',
    '3 sends select old /*1*/+ ()',
  ]);
});

test('a message between an error and Sync is passed over, too', () => {
  const { client, server, log } = opened(rewriting);
  client(all(front.parse('a'), front.bind(), front.execute(), front.flush()));
  server(all(back.parsed(), back.bound(), back.error('22012')));
  client(all(front.parse('b'), front.bind(), front.execute(), front.query('c'), front.sync(), front.query('d')));
  server(all(back.ready(), back.complete('D'), back.ready()));
  expect(log.events).toEqual(['1 sends a ()', '1 fails 22012', '2 sends d', 'ready I', '2 completes D', 'ready I']);
});

test('many runs in a row are answered in order', () => {
  const { client, server, log } = opened(rewriting);
  const count = 1000;
  for (let i = 0; i < count; i++) {
    client(all(front.parse(`select ${i} /*1*/`), front.bind(), front.describePortal(), front.execute(), front.sync()));
  }
  for (let i = 0; i < count; i++) {
    const begin = [back.parsed(), back.bound()];
    const end = [back.complete('SELECT 1'), back.ready()];
    expect(server(all(...begin, back.fields('a', 'ours'), back.row(`${i}`, 'k'), ...end))).toEqual(
      all(...begin, back.fields('a'), back.row(`${i}`), ...end),
    );
  }
  expect(log.events.filter((event) => event.includes('row')).at(-1)).toBe('1000 row k');
});

test('COPY in the middle of a query, and of a run of the extended protocol', () => {
  const { client, server, log, problems } = opened(rewriting);
  client(front.query('a /*1*/;copy t from stdin;b /*1*/'));
  server(all(back.fields('x', 'ours'), back.complete('SELECT 0'), back.copyIn()));
  client(all(front.copyData('1\n'), front.copyDone()));
  const rest = all(back.complete('COPY 1'), back.fields('x', 'ours'), back.row('1', 'k'));
  expect(server(rest)).toEqual(all(back.complete('COPY 1'), back.fields('x'), back.row('1')));
  server(all(back.complete('SELECT 1'), back.ready()));
  // The first Sync is read among the data, and not answered.
  client(all(front.parse('copy t from stdin'), front.bind(), front.execute(), front.sync()));
  server(all(back.parsed(), back.bound(), back.copyIn()));
  client(all(front.copyFail('no more'), front.sync()));
  server(all(back.error('57014'), back.ready()));
  client(front.query('c /*1*/'));
  const answers = all(back.fields('x', 'ours'), back.row('1', 'k'), back.complete('C'), back.ready());
  expect(server(answers)).toEqual(all(back.fields('x'), back.row('1'), back.complete('C'), back.ready()));
  expect(log.events.filter((event) => /completes|fails/.test(event))).toEqual([
    '1 completes SELECT 0',
    '2 completes COPY 1',
    '3 completes SELECT 1',
    '4 fails 57014',
    '5 completes C',
  ]);
  expect(problems).toEqual([]);
});

test('a COPY that fails before it reads may answer a Sync more than was thought', () => {
  const { client, server, log, problems } = opened(rewriting);
  client(all(front.parse('copy t from stdin'), front.bind(), front.execute(), front.sync()));
  server(all(back.parsed(), back.bound(), back.copyIn()));
  client(all(front.copyData('1'), front.copyDone(), front.sync()));
  server(all(back.error('57014'), back.ready(), back.ready()));
  client(front.query('b'));
  server(all(back.complete('B'), back.ready()));
  expect(log.events.slice(1)).toEqual(['1 fails 57014', 'ready I', 'ready I', '2 sends b', '2 completes B', 'ready I']);
  expect(problems).toEqual([]);
});

test('prepared statements that are given up, in messages or in SQL, are forgotten', () => {
  const { client, server, log } = opened(rewriting);
  for (const name of ['a', 'b', 'C', 'd']) client(front.parse(`select ${name}`, name));
  client(
    all(front.closeStatement('a'), front.sync(), front.query('DEALLOCATE PREPARE b;'), front.query('deallocate "C"')),
  );
  server(all(back.parsed(), back.parsed(), back.parsed(), back.parsed(), back.closed(), back.ready()));
  server(all(back.complete('DEALLOCATE'), back.ready(), back.complete('DEALLOCATE'), back.ready()));
  log.events.length = 0;
  for (const name of ['a', 'b', 'C', 'd']) client(all(front.bind({ statement: name }), front.execute()));
  client(front.sync());
  expect(log.events).toEqual([
    ...[3, 4, 5].map((id) => `${id} sends (a statement that was not prepared by a message)`),
    '6 sends select d ()',
  ]);
  server(all(back.error('26000'), back.ready()));
  client(front.query('discard all'));
  server(all(back.complete('DISCARD ALL'), back.ready()));
  log.events.length = 0;
  client(all(front.bind({ statement: 'd' }), front.execute(), front.sync()));
  expect(log.events).toEqual(['8 sends (a statement that was not prepared by a message)']);
});

test('a Parse of several statements passes as it is', () => {
  const { client, server, log } = opened(rewriting);
  const parse = front.parse('select 1 /*1*/; select 2');
  expect(client(parse)).toEqual(parse);
  client(all(front.bind(), front.execute(), front.sync()));
  server(all(back.error('42601'), back.ready()));
  expect(log.events.at(-2)).toBe('1 fails 42601');
});

test('a function call is recorded without its text, whether it works or fails', () => {
  const { client, server, log } = opened(rewriting);
  client(all(front.functionCall(), front.functionCall()));
  server(all(back.functionResult(), back.ready('T'), back.error('42883'), back.ready('E')));
  expect(log.events).toEqual([
    '1 sends (a function call)',
    '2 sends (a function call)',
    '1 completes null',
    'ready T',
    '2 fails 42883',
    'ready E',
  ]);
});

describe('a place in the text', () => {
  // The first and the third statement have one character more at their ends.
  const text = 'sélect 😀 /*1*/; select 2; select /*1*/';
  const places: readonly (readonly [sent: number, client: number])[] = [
    [1, 1],
    [15, 15],
    [16, 16],
    [17, 16],
    [18, 17],
    [39, 38],
    [40, 39],
  ];

  test.each(places)('a place in the text that was sent as %i is %i for the client', (sent, place) => {
    const { client, server } = opened(rewriting);
    client(front.query(text));
    const failed = all(back.notice(sent), back.error('42703', 'ERROR', sent), back.ready());
    expect(server(failed)).toEqual(all(back.notice(place), back.error('42703', 'ERROR', place), back.ready()));
  });

  test('a place in the text is found for statements that were prepared, too', () => {
    const { client, server } = opened((sql) => [as(sql, { added: { at: 0, text: 'new ' } })]);
    client(all(front.parse('select x', 's'), front.sync(), front.bind({ statement: 's' }), front.sync()));
    expect(server(back.error('42703', 'ERROR', 12))).toEqual(back.error('42703', 'ERROR', 8));
    server(all(back.ready(), back.ready()));
  });

  test.each(['-7', '00001', 'x', '', '99999999999'])('a place in the text that reads %j stays as it is', (place) => {
    const { client, server } = opened((sql) => [as(sql, { added: { at: sql.length, text: ' new' } })]);
    client(front.query('select x'));
    const strange = all(back.error('42703', 'ERROR', place), back.ready());
    expect(server(strange)).toEqual(strange);
  });
});

test('the last words of a server leave the outcome open', () => {
  const { client, server, session, log, problems } = opened(rewriting);
  client(front.query('commit'));
  const last = back.error('57P01', 'FATAL');
  expect(server(last)).toEqual(last);
  session.end();
  expect(log.events).toEqual(['1 sends commit', 'closes, gone']);
  expect(problems).toEqual([]);
});

test.each([
  ['an unknown type', Buffer.from([1, 0, 0, 0, 4])],
  ['a length below its own', Buffer.from([0x44, 0, 0, 0, 3])],
  ['an answer to nothing', back.complete('SELECT 1')],
])('after %s, all passes and nothing is recorded', (_, wrong) => {
  const { client, server, log, problems } = opened(rewriting);
  const rest = all(wrong, back.row('1', 'k'), Buffer.from('anything'));
  expect(server(rest)).toEqual(rest);
  const later = all(front.query('select /*1*/'), Buffer.from('anything'));
  expect(client(later)).toEqual(later);
  expect(log.events).toEqual(['closes, unfollowed']);
  expect(problems).toHaveLength(1);
});

test('a log that fails learns that the session is over, and the session continues', () => {
  const { client, server, log, problems } = opened((sql) => {
    if (sql === 'bad') throw new Error('no plan');
    return rewriting(sql);
  });
  client(all(front.parse('select /*1*/', 's'), front.query('bad'), front.bind({ statement: 's' }), front.execute()));
  client(front.sync());
  server(all(back.parsed(), back.complete('BAD'), back.ready()));
  // A statement that was prepared with hidden columns still has them.
  expect(server(all(back.bound(), back.row('1', 'k')))).toEqual(all(back.bound(), back.row('1')));
  expect(log.events).toEqual(['closes, unfollowed']);
  expect(problems).toEqual(['the log of a session failed, so the rest of the session is not recorded: no plan']);
});

test('text in any encoding is sent with the very bytes that came', () => {
  const { client } = opened((sql) => [as(sql, { added: { at: sql.length, text: '+' } })]);
  const latin = Buffer.concat([Buffer.from("select '"), Buffer.from([0xe4, 0xff]), Buffer.from("'\0")]);
  const query = Buffer.concat([Buffer.from([0x51, 0, 0, 0, latin.length + 4]), latin]);
  const longer = Buffer.concat([query.subarray(0, -1), Buffer.from('+\0')]);
  longer.writeInt32BE(longer.length - 1, 1);
  expect(client(query)).toEqual(longer);
  expect(client(front.query("select 'äß€'"))).toEqual(front.query("select 'äß€'+"));
});

test('unused rows pass in pieces', () => {
  const { client, server, session } = opened();
  client(front.query('copy t to stdout'));
  server(back.copyOut());
  const data = back.copyData('x'.repeat(100_000));
  expect(server(data.subarray(0, 10))).toEqual(data.subarray(0, 10));
  expect(server(data.subarray(10))).toEqual(data.subarray(10));
  expect(session.isWaiting).toBe(false);
});
