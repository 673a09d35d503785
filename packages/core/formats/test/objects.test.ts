import { describe, expect, test } from 'vitest';
import { FormatError, directoryOfBytes, inputOfBytes, readOperationsFrom } from '../src/index.ts';

const EDN = `; a comment
[{:process 0, :type :invoke, :f :cas, :value [1 2]} ; and another
 {:process :nemesis, :type :info, :f :kill, :value nil}
 #jepsen.history.Op{:process 0, :type :ok, :f :cas, :value [1 2]}
 {:process 1, :type :invoke, :f :read, :value nil}
 {:process 1, :type :ok, :f :read, :value #{:a "b" 3}}
 {:process 1, :type :invoke, :f :cas, :value [3 4]}
 {:process 1, :type :fail, :f :cas, :value [3 4]}]`;
const JSON_TEXT =
  '[{"process":0,"type":"invoke","f":"read","value":null},\n{"process":0,"type":"ok","f":"read","value":{"0":1.5}}]';
const LOG =
  '0\t:invoke\t:read\tnil\n:nemesis\t:info\t:start\tnil\n0\t:ok\t:read\t3\n1\t:invoke\t:write\t4\n1\t:info\t:write\t4\t:timed-out\n';
const ETCD =
  'INFO  jepsen.util - 3\t:invoke\t:cas\t[1 2]\nINFO  jepsen.util - 3\t:fail\t:cas\t[1 2]\nINFO  jepsen.util - 4\t:invoke\t:read\tnil\nINFO  jepsen.util - 4\t:fail\t:read\t:timed-out\n';
const KV =
  '{:process 0, :type :invoke, :f :append, :key "3", :value "x"}\n{:process 0, :type :ok, :f :append, :key "3", :value "x"}\n{:process 1, :type :invoke, :f :get, :key "3", :value nil}\n{:process 1, :type :ok, :f :get, :key "3", :value "x"}\n';
const OWN =
  '{"isolab":"operations","version":1}\n{"process":"p","f":"add","argument":[1,{"a":2}],"call":0.5,"return":2}\n{"process":1,"f":"read","call":1}\n';

const read = (text: string, format?: string) =>
  readOperationsFrom(inputOfBytes('file', text), format === undefined ? {} : { format });

test.each<[string, string, unknown[][]]>([
  [
    'jepsen-edn',
    EDN,
    [
      [0, 'cas', [1, 2], [1, 2], 0, 2],
      [1, 'read', null, new Set([':a', 'b', 3]), 3, 4],
    ],
  ],
  ['jepsen-json', JSON_TEXT, [[0, 'read', null, new Map([['0', 1.5]]), 0, 1]]],
  [
    'jepsen-log',
    LOG,
    [
      [0, 'read', null, 3, 0, 2],
      [1, 'write', 4, undefined, 3, null],
    ],
  ],
  ['porcupine-etcd', ETCD, [[3, 'cas', [1, 2], false, 0, 1]]],
  [
    'porcupine-kv',
    KV,
    [
      [0, 'append', ['3', 'x'], 'x', 0, 1],
      [1, 'get', '3', 'x', 2, 3],
    ],
  ],
  [
    'operations',
    OWN,
    [
      ['p', 'add', [1, new Map([['a', 2]])], null, 0.5, 2],
      [1, 'read', null, undefined, 1, null],
    ],
  ],
])('%s', async (format, text, expected) => {
  const document = await read(text);
  expect(document.format).toBe(format);
  const { operations } = document.history;
  expect(
    operations.map(({ process, f, argument, result, call, return: returned }) => [
      process,
      f,
      argument,
      result,
      call,
      returned,
    ]),
  ).toEqual(expected);
});

describe('a mistake is reported with its place', () => {
  test.each<[string, string]>([
    ['', 'file: found no known format'],
    [
      '{:type :invoke, :f :read, :process 0}\n{:type :okay}',
      'file, line 2: found the type okay, expected invoke, ok, fail or info',
    ],
    ['{:type :invoke, :f :read, :process 0}\n[3]', 'file, line 2: found [3], expected an event'],
    ['{:type :ok, :f :read, :process 0}', 'line 1: found read of type ok, expected invoke'],
    ['{:type :invoke, :f :read, :process 0} {', 'file'],
    ['{"isolab":"operations","version":2}\n', 'file, line 1: found the version 2, expected 1'],
    ['{"isolab":"operations","version":1}\n', 'file: found no operation, expected one operation per line'],
    [
      '{"isolab":"operations","version":1}\n{"process":0,"f":"r"}',
      'file, line 2: found no call, expected a number as call',
    ],
    ['{"isolab":"operations","version":1}\n{"f":"r","call":1}', 'file, line 2: found no process'],
    [
      '{"isolab":"operations","version":1}\n{"process":0,"f":"r","call":1,"result":2}',
      'found a result without a return',
    ],
    [
      '{"isolab":"operations","version":1}\n{"process":0,"f":"r","call":1,"retrun":2}',
      'found the field "retrun", expected one of process',
    ],
    [
      '{"isolab":"operations","version":1}\n{"process":0,"f":"r","call":5,"return":2}',
      'line 2: found a return at 2, before the call at 5',
    ],
  ])('%j', async (text, message) => {
    await expect(read(text)).rejects.toThrow(message);
    await expect(read(text)).rejects.toThrow(FormatError);
  });

  test('a format that is not there', () => expect(read(EDN, 'nonsense')).rejects.toThrow('unknown format nonsense'));

  test('a folder', async () => {
    const { history } = await readOperationsFrom(directoryOfBytes('store', { 'history.txt': LOG, 'test.jepsen': 'x' }));
    expect(history.operations).toHaveLength(2);
    await expect(readOperationsFrom(directoryOfBytes('store', {}))).rejects.toThrow(
      'store: found a folder without history.edn',
    );
  });
});

test('a file that is cut or damaged anywhere is read or refused, and crashes nothing', async () => {
  for (const text of [EDN, JSON_TEXT, LOG, ETCD, KV, OWN])
    for (let at = 0; at < text.length; at++)
      for (const damaged of [
        text.slice(0, at),
        `${text.slice(0, at)}}${text.slice(at + 1)}`,
        `${text.slice(0, at)}\u0000${text.slice(at)}`,
      ])
        await read(damaged).catch((error: unknown) => expect(error).toBeInstanceOf(FormatError));
});
