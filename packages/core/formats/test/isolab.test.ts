import {
  type History,
  type PlainHistory,
  ReadFrom,
  type TransactionId,
  buildReadFrom,
  computeStatistics,
  countOperations,
  locateOperation,
  locateTransaction,
  toPlain,
} from '@isolab/history';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isolab } from '../src/isolab/isolab.ts';
import { asPart } from '../src/format/recorded.ts';
import { faultsOf } from '../src/isolab/recorded-faults.ts';
import { outputToMemory } from '../src/files/output.ts';
import { text as plainText } from '../src/text.ts';
import { arbitraryHistory } from '../src/conformance/arbitrary-history.ts';
import { describeFormat, readText, writeFiles } from './support/describe-format.ts';
import { EVERYTHING } from './support/everything.ts';

await describeFormat(isolab, {
  expressible: fc.oneof(arbitraryHistory(EVERYTHING), arbitraryHistory({ ...EVERYTHING, initial: null })),
});

const HEADER = '{"isolab":"history","version":1}';

test('a version that was read before is checked again in any position', async () => {
  const put = '["put","t",1,{"a":1}]';
  const read = (...ops: readonly string[]): Promise<History> =>
    readText(isolab, `{"isolab":"history","version":2}\n{"session":0,"ops":[${ops.join()}]}`);
  const { opValue, opKey } = await read(
    put,
    '["get","t",1,{"a":1}]',
    '["get","t",1,{ "a":1}]',
    '["get","t",1,{"a":1,"b":null}]',
    '["put","t","1",{"a":1}]',
    '["put","u",1,{"a":1}]',
  );
  expect(new Set(opValue)).toEqual(new Set([opValue[0]]));
  expect(Array.from(opKey, (key) => opKey.indexOf(key))).toEqual([0, 0, 0, 0, 4, 5]);
  await expect(read(put, '["scan","t",["=","a",2],[[1,{"a":1}]]]')).rejects.toThrow('a row that the predicate matches');
  await expect(read(put, '["put","u",1,{"a":"x"}]', '["put","u",2,{"a":1}]')).rejects.toThrow(
    'found the number 1 for column "a" of table "u", expected a string, as before',
  );
  await expect(read(put, '["put","t",1,{"a":1,"a":1}]')).rejects.toThrow('a key that is not in the object yet');
  await expect(read(put, '["put","t",1,{"a":{"a":1}}]')).rejects.toThrow('a text, a number, a boolean or null');
  await expect(read(put, '["put","t",1,{"a":1')).rejects.toThrow("a comma or '}'");
});

describe('isolab’s own format', () => {
  test('isolab’s own format reads a handwritten history with fields in any order', async () => {
    const history = await readText(
      isolab,
      `{"isolab":"history","version":1,"initial":0,"database":"PostgreSQL","times":"nanoseconds","comment":"ignored"}

       {"ops":[["w","x",1],["append","l",7,{"version":3}]],"session":"A","begin":5,"end":9}
       {"session":"B","status":"unknown","ops":[["r","x",1],["r","l",[7]],["r","y",0]]}`,
    );
    expect(toPlain(history)).toMatchObject({
      database: 'PostgreSQL',
      timeUnit: 'nanoseconds',
      sessions: [
        {
          name: 'A',
          transactions: [
            {
              status: 'committed',
              begin: 5n,
              end: 9n,
              operations: [
                { kind: 'write', key: 'x', value: 1n },
                { kind: 'append', key: 'l', value: 7n, version: 3n },
              ],
            },
          ],
        },
        { name: 'B', transactions: [{ status: 'unknown' }] },
      ],
    });
    expect(computeStatistics(history).reads.initial).toBe(0); // no transaction saw the unknown one
    expect(locateTransaction(history, 1 as TransactionId)).toBe('test, line 4');
  });

  describe('an outcome on a line of its own', () => {
    const statuses = async (...lines: readonly string[]): Promise<unknown> =>
      toPlain(await readText(isolab, [HEADER, ...lines, ''].join('\n'))).sessions.map(({ transactions }) =>
        transactions.map(({ status, end }) => [status, end]),
      );

    test('an outcome on a line of its own belongs to the last transaction of its session', async () => {
      const found = await statuses(
        '{"session":"A","status":"unknown","begin":1,"ops":[["w","x",1]]}',
        '{"session":"B","status":"unknown","begin":2,"ops":[["w","x",2]]}',
        '{"outcome":"committed","session":"A","end":5}',
        '{"session":"A","status":"unknown","begin":6,"ops":[["w","x",3]]}',
        '{"outcome":"aborted","session":"B","end":8}',
      );
      expect(found).toEqual([
        [
          ['committed', 5n],
          ['unknown', undefined],
        ],
        [['aborted', 8n]],
      ]);
    });

    test.each([
      ['no transaction', []],
      ['another session', ['{"session":"B","status":"unknown"}']],
      ['a transaction that says its own', ['{"session":"A"}']],
      ['one that has an outcome', ['{"session":"A","status":"unknown"}', '{"outcome":"aborted","session":"A"}']],
    ])('an outcome on a line of its own is refused after %s', async (_, lines) => {
      const line = lines.length + 2;
      await expect(statuses(...lines, '{"outcome":"committed","session":"A"}')).rejects.toThrow(
        new RegExp(`line ${line}, .*found an outcome without a transaction`),
      );
    });
  });

  const COLLECTED = '"collected":{"run":1}';
  const RECORDED = '"recorded":{"by":"isolab record","redacted":true,"clock":"c"}';
  describe.each([
    ['a collector', COLLECTED],
    ['a recorder', RECORDED],
  ])('a file that %s wrote', (_, promise) => {
    const header = `{"isolab":"history","version":1,${promise}}`;
    const lines = ['{"session":"A","status":"unknown"}', '{"outcome":"committed","session":"A"}', '{"session":"A"}'];
    const cutAt = async (text: string): Promise<number | undefined> =>
      (await readText(isolab, text)).source.notes['cutOffAfterLine'];

    test('a recorded file states where it was cut off', async () => {
      const text = `${[header, ...lines, '{"isolab":"end"}'].join('\n')}\n`;
      expect(await cutAt(text)).toBeUndefined();
      for (let length = header.length + 1; length < text.length; length++) {
        const whole = text.slice(0, length).split('\n').length - 1;
        expect(await cutAt(text.slice(0, length))).toBe(whole);
      }
    });

    test('a recorded file is still cut off in a copy, unless the format of the copy cannot state that', async () => {
      const writtenAgain = async (text: string): Promise<string> => {
        const [bytes] = [...(await writeFiles(isolab, await readText(isolab, text))).values()];
        return Buffer.from(bytes!).toString();
      };
      const whole = `${[header, ...lines, '{"isolab":"end"}'].join('\n')}\n`;
      const cut = `${[header, ...lines].join('\n')}\n`;
      const by = promise === COLLECTED ? '"recorded":{"by":"isolab collect"}' : RECORDED;
      expect(await writtenAgain(cut)).toContain(by);
      expect(await cutAt(await writtenAgain(cut))).toBe(3);
      expect(await cutAt(await writtenAgain(whole))).toBeUndefined();
      expect((await writtenAgain(whole)).includes(RECORDED)).toBe(promise === RECORDED);
      expect((await writtenAgain(whole)).includes('{"isolab":"end"}')).toBe(promise === RECORDED);
      const lossesOf = async (history: History): Promise<string[]> =>
        (await plainText.writer!()).losses(history).map(({ name }) => name);
      expect(await lossesOf(await readText(isolab, cut))).toContain('cut-off');
      expect(await lossesOf(await readText(isolab, whole))).not.toContain('cut-off');
      const part = asPart(await readText(isolab, cut));
      expect(await lossesOf(part)).not.toContain('cut-off');
      const [bytes] = [...(await writeFiles(isolab, part)).values()];
      expect(await cutAt(Buffer.from(bytes!).toString())).toBeUndefined();
    });

    test('a file that a collector wrote may have been continued', async () => {
      expect(await cutAt(`${header}\n${lines[2]}\n{"isolab":"resumed"}\n{"isolab":"end"}\n`)).toBeUndefined();
      expect(await cutAt(`${header}\n${lines[2]}\n{"isolab":"resumed"}\n`)).toBe(3);
    });

    test('a recorded file lists the faults of the database, also when it is written again', async () => {
      const faults = [
        '{"isolab":"fault","id":1,"kind":"kill","node":2,"begin":5}',
        '{"isolab":"fault","id":2,"kind":"delay","node":0,"delayMs":7,"lastsMs":300,"begin":6}',
        '{"isolab":"fault","id":1,"end":9}',
        '{"isolab":"fault","id":3,"kind":"later","begin":90,"end":91}',
      ];
      const timed = '{"session":"A","begin":1,"end":20}';
      const history = await readText(isolab, `${[header, ...faults, timed].join('\n')}\n`);
      const [kill, delay] = [
        { kind: 'kill', node: 2, begin: 5n, end: 9n },
        { kind: 'delay', node: 0, delayMs: 7, lastsMs: 300, begin: 6n, end: null },
      ];
      expect(faultsOf(history)).toEqual([kill, delay, { kind: 'later', begin: 90n, end: 91n }]);
      expect(history.txnStatus.length).toBe(1);
      const files = new Map<string, Uint8Array>();
      await (await isolab.writer!()).write(history, outputToMemory(files));
      const again = await readText(isolab, new TextDecoder().decode(files.get('')));
      expect(faultsOf(again)).toEqual([kill, delay]); // those within the time of its transactions
      await expect(readText(isolab, `${header}\n{"isolab":"falt","id":1}\n`)).rejects.toThrow('found "falt"');
    });

    test('a recorded file is refused if its collection failed, or if a line follows its end', async () => {
      const spoiled = '{"isolab":"spoiled","why":"its tables were replaced"}';
      await expect(cutAt(`${header}\n${spoiled}\n`)).rejects.toThrow(
        'a collection that failed: its tables were replaced',
      );
      const late = 'line 3, column 12: found a line after {"isolab":"end"}';
      await expect(cutAt(`${header}\n{"isolab":"end"}\n${lines[2]}\n`)).rejects.toThrow(late);
    });
  });

  test('isolab’s own format treats the first transaction as the initial transaction if the header says so', async () => {
    const header = '{"isolab":"history","version":1,"initial":0,"initialTransaction":"first"}';
    const history = await readText(
      isolab,
      `${header}
{"session":"setup","ops":[["w","x",7],["w","y",0]]}
{"session":"a","ops":[["r","x",7],["r","y",0],["r","z",0],["r","x",null]]}
`,
    );
    expect(toPlain(history).sessions.map(({ transactions }) => transactions.length)).toEqual([0, 1]);
    const { Initial, ThinAir } = ReadFrom;
    expect([...buildReadFrom(history).readFrom]).toEqual([Initial, Initial, Initial, ThinAir]);
  });

  test.each([
    ['{"session":1,"ops":[["w","x",1],["r","x",1]]}', 'a transaction that does more than write'],
    ['{"session":1,"status":"aborted","ops":[["w","x",1]]}', 'a transaction that is not committed'],
  ])('isolab’s own format refuses %s as the initial transaction', async (line, found) => {
    const text = `{"isolab":"history","version":1,"initialTransaction":"first"}\n${line}\n`;
    await expect(readText(isolab, text)).rejects.toThrow(`line 2: found ${found}, expected an initial transaction`);
  });

  test.each([
    ['"initial":{"unknown":"value"}', null],
    ['"version":1', '["w","x",{"unknown":"value"}]'],
    ['"version":1', '["append","x",{"unknown":"value"}]'],
    ['"version":1', '["r",{"unknown":"value"},1]'],
    ['"version":1', '["r","x",[{"unknown":"value"}]]'],
    ['"version":1', '["cas","x",0,{"unknown":"value"}]'],
    ['"version":1', '["range",{"unknown":"value"},"z",[]]'],
  ])('isolab’s own format refuses a missing result: %s %s', async (header, operation) => {
    const line = operation === null ? '' : `{"session":1,"ops":[${operation}]}\n`;
    const text = `{"isolab":"history","version":1,${header}}\n${line}`.replace(
      '"version":1,"version":1',
      '"version":1',
    );
    await expect(readText(isolab, text)).rejects.toThrow('found an unknown value, expected a known value');
  });

  test('isolab’s own format accepts an unknown result of an operation', async () => {
    const found = '{"unknown":"value"}';
    const ops = `["r","x",${found}],["cas","x",${found},1],["insert","x",${found},2],["range","a","z",[["x",${found}]]]`;
    const history = await readText(isolab, `{"isolab":"history","version":1}\n{"session":1,"ops":[${ops}]}\n`);
    expect([...buildReadFrom(history).readFrom]).toEqual(Array.from({ length: 4 }, () => ReadFrom.None));
  });

  test('isolab’s own format reads operations in its own spelling and in others', async () => {
    const written = '["r",1,0],["w",1,1234567890],["w",1,9223372036854775807],["r","x",5],["w",2,3]';
    const other = '[ "r",1,0],["w" ,1,1234567890], ["w",1,9223372036854775807 ],["r","x",5], [ "w", 2, 3 ]';
    const big = '["w",1,9223372036854775808],["r",-1,2],["w",3,4,{"version":5}],["r",3,4]';
    const read = async (ops: string): Promise<PlainHistory> =>
      toPlain(await readText(isolab, `${HEADER}\n{"session":1,"ops":[${ops}]}`));
    expect(await read(`${written},${big}`)).toEqual(await read(`${other}, ${big}`));
    expect((await read(big)).sessions[0]!.transactions[0]!.operations).toHaveLength(4);
  });

  test('isolab’s own format keeps the positions in another source', async () => {
    const history = await readText(
      isolab,
      `{"isolab":"history","version":1,"sessions":["A","B"],"source":{"format":"cobra-log","files":["T0.log","T1.log"],"unit":"byte","opStride":25}}
{"session":"A","at":9,"ops":[["w","x",1],["w","y",1]]}
{"session":"B","at":100,"ops":[["r","x",1],["w","y",2]],"opsAt":[9,50]}`,
    );
    expect([0, 1, 2, 3].map((op) => locateOperation(history, op))).toEqual([
      'T0.log, byte 9',
      'T0.log, byte 34',
      'T1.log, byte 109',
      'T1.log, byte 150',
    ]);
  });

  test('isolab’s own format ignores unknown fields, also those named like members of every object', async () => {
    const line = '{"session":1,"constructor":1,"__proto__":2,"note":"x","note":"y","ops":[["w",1,2]]}';
    const history = await readText(isolab, `${HEADER}\n${line}\n${line}`);
    expect(countOperations(history)).toBe(2);
  });

  test.each([
    ['[]', "line 1, column 1: found '[', expected an object"],
    [
      '{"isolab":"histories","version":1}',
      'line 1, column 35: found "isolab": "histories", expected "isolab": "history"',
    ],
    [
      '{"isolab":"history","version":3}',
      'line 1, column 33: found "version": 3, expected "version": 1 or 2, the versions that this release supports',
    ],
    ['{"isolab":"history"}', 'found "version": null, expected "version": 1'],
    ['', 'test: found no line, expected a header'],
    [
      `${HEADER}\n{"ops":[]}`,
      'line 2, column 11: found a transaction without a session, expected "session": a name or number',
    ],
    [
      `${HEADER}\n{"session":1,"status":"done"}`,
      'line 2, column 29: found "done", expected "committed" or "aborted" or "unknown"',
    ],
    [
      `${HEADER}\n{"session":1,"ops":[["x",1,2]]}`,
      'line 2, column 28: found the operation "x", expected r, w, inc, append, cas, insert, delete, range, get, put, scan, count, sum, min or max',
    ],
    [
      `${HEADER}\n{"session":1,"number":2}\n{"session":2,"number":1}\n{"session":1,"number":2}`,
      'line 4, column 25: found transaction number 2 after number 2 of the same session, expected a larger number',
    ],
    [
      `${HEADER}\n{"session":1,"number":2,"status":"unknown"}\n{"outcome":"committed","session":1,"number":1}`,
      'found the outcome of transaction 1, expected that of transaction 2',
    ],
    [`${HEADER}\n{"session":1,"ops":[["r",1]]}`, "line 2, column 27: found ']', expected the value"],
    [`${HEADER}\n{"session":1,"ops":[["r",1,2.5]]}`, "line 2, column 28: found '2.5', expected an integer"],
    [`${HEADER}\n{"session":1,"ops":[["r",1,2]["w",1,2]]}`, "line 2, column 30: found '[', expected a comma"],
    [`${HEADER}\n{"session":1,"ops":[["r",1,2],]}`, "line 2, column 31: found ']', expected a value"],
    [`${HEADER}\n{"session":1,"ops":[["r",1,2],["w",1,02]]}`, "column 38: found '02', expected a number without"],
    [`${HEADER}\n{"session":1,"ops":[["r",01,2]]}`, "column 26: found '01', expected a number without leading zeros"],
    [`${HEADER}\n{"session":1,"ops":[["r",1,`, 'line 2, column 28: found the end of the input, expected a string'],
    [
      `${HEADER}\n{"session":1,"ops":[["r",1,2`,
      "line 2, column 29: found the end of the input, expected a comma or ']'",
    ],
    [
      `${HEADER}\n{"session":1,"ops":[["r",1,2]`,
      "line 2, column 30: found the end of the input, expected a comma or ']'",
    ],
    [`${HEADER}\n{"session":1,"ops":[["r",{"keyword":1},2]]}`, "line 2, column 37: found '1', expected a string"],
    [`${HEADER}\n{"session":1,"begin":${2n ** 63n}}`, 'found 9223372036854775808, expected an integer of 64 bits'],
    [`${HEADER}\n{"session":1,"ops":[["w",1,2]]}}`, "line 2, column 32: found '}', expected the end"],
    [
      `${HEADER}\n{"session":1,"ops":[["w",1,2]]`,
      "line 2, column 31: found the end of the input, expected a comma or '}'",
    ],
    [
      `${HEADER}\n{"session":1,"ops":[["w",1,2]],"opsAt":[1,2]}`,
      'line 2, column 45: found 2 positions, expected one position for each operation, after the operations',
    ],
    [
      `${HEADER}\n{"session":1,"ops":[],"status":"aborted","ops":[["w",1,2]]}`,
      'line 2, column 42: found "ops" a second time, expected each field once',
    ],
    ['{"isolab":"history","version":1,"initial":0,"initial":1}', 'column 45: found "initial" a second time'],
    [
      '{"isolab":"history","version":1,"initialTransaction":"first","initialTransaction":"first"}',
      'column 62: found "initialTransaction" a second time',
    ],
    [
      '{"isolab":"history","version":1,"initialTransactoin":"first"}',
      'found "initialTransactoin", expected "initialTransaction"',
    ],
    [`${HEADER}\n{"session":1,"ops":[["w",1,2,{"version":1,"version":2}]]}`, 'found "version" a second time'],
    [
      `${HEADER}\n{"session":1,"stauts":"aborted"}`,
      'line 2, column 14: found "stauts", expected "status", or a less similar field name',
    ],
    [`${HEADER}\n{"session":1,"Ops":[]}`, 'found "Ops", expected "ops"'],
    [`${HEADER}\n{"session":1,"operations":[]}`, 'found "operations", expected "ops"'],
    [
      '\n{"session":1,"ops":[]}',
      'line 2, column 1: found a line without "isolab", expected the header, such as {"isolab":"history","version":1}, before the first transaction',
    ],
  ])('isolab’s own format names the mistake in %j', async (input, message) => {
    await expect(readText(isolab, input)).rejects.toThrow(message);
  });
});
