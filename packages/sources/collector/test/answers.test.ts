import { describe, expect, test } from 'vitest';
import { type Question, answerTo, numberIn } from '../src/database/answers.ts';
import { CollectorError } from '../src/database/errors.ts';
import { parseReply } from '../src/drivers/exec-reply.ts';

const READ: Question = { kind: 'read', key: 7 };
const LIST: Question = { kind: 'read-list', key: 7 };
const INSERT: Question = { kind: 'insert', key: 7, value: 5 };
const RANGE: Question = { kind: 'range', low: 1, high: 9 };
const CAS: Question = { kind: 'compare-and-set', key: 7, expected: 3, value: 4 };
const ROW = { key: 7, value: 3, dead: false };

describe('answers of a database', () => {
  test.each<[Question, unknown, unknown]>([
    [READ, 3, 3],
    [READ, null, null],
    [READ, Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
    [READ, -0, 0],
    [LIST, [], []],
    [LIST, [1, 2], [1, 2]],
    [INSERT, [], []],
    [INSERT, [ROW], [ROW]],
    [RANGE, [ROW, { ...ROW, key: 8 }], [ROW, { ...ROW, key: 8 }]],
    [CAS, true, true],
    [{ kind: 'write', key: 7, value: 1 }, { rows: 1 }, undefined],
  ])('the answer to %o may be %o', (question, raw, answer) => {
    expect(answerTo(question, raw)).toEqual(answer);
  });

  test.each<[Question, unknown]>([
    ...[undefined, 1.5, '3', true, {}, [], [3], Number.NaN, Infinity, 2 ** 53, 3n].map((raw): [Question, unknown] => [
      READ,
      raw,
    ]),
    ...[undefined, null, 3, {}, [[1]], [1.5], [null], ['1'], [2 ** 53]].map((raw): [Question, unknown] => [LIST, raw]),
    ...[
      undefined,
      null,
      3,
      [3],
      [ROW, ROW],
      [{ ...ROW, key: 8 }],
      [{ ...ROW, dead: 0 }],
      [{ ...ROW, value: null }],
    ].map((raw): [Question, unknown] => [INSERT, raw]),
    ...[null, [{ ...ROW, key: 10 }], [ROW, ROW], [{ ...ROW, key: '7' }], [[7, 3]]].map((raw): [Question, unknown] => [
      RANGE,
      raw,
    ]),
    ...[undefined, null, 1, 'true', {}].map((raw): [Question, unknown] => [CAS, raw]),
  ])('the answer to %o is not %o', (question, raw) => {
    expect(() => answerTo(question, raw)).toThrow(CollectorError);
  });

  test('a wrong answer is shown with the request and the expected answer', () => {
    expect(() => answerTo(READ, { result: 5 })).toThrow(
      'The database was asked {"kind":"read","key":7} and answered {"result":5}, expected a whole number of at most 2^53 − 1 or null.',
    );
  });

  test.each([
    ['17', 17],
    [17n, 17],
    ['-17', -17],
    [17, 17],
    ['9007199254740993', '9007199254740993'],
    [9_007_199_254_740_993n, 9_007_199_254_740_993n],
    ['1.0', '1.0'],
    ['', ''],
    [null, null],
  ])('a number is an answer, where %o is one', (raw, number) => {
    expect(numberIn(raw)).toBe(number);
  });
});

describe('a line of a program', () => {
  const NOTHING_ELSE = { database: null, data: null, sessions: null, sql: false, volatile: false, id: null };

  test.each([
    ['{}', { kind: 'answer', value: undefined, ...NOTHING_ELSE }],
    ['{"value":3}', { kind: 'answer', value: 3, ...NOTHING_ELSE }],
    [' {"value" : [1 , 2]} ', { kind: 'answer', value: [1, 2], ...NOTHING_ELSE }],
    ['{"value":null}', { kind: 'answer', value: null, ...NOTHING_ELSE }],
    ['{"value":9007199254740991}', { kind: 'answer', value: 9_007_199_254_740_991, ...NOTHING_ELSE }],
    ['{"database":"my \\"1.5\\" {"}', { kind: 'answer', value: undefined, ...NOTHING_ELSE, database: 'my "1.5" {' }],
    ['{"aborted":"a: {1.5"}', { kind: 'aborted', why: 'a: {1.5', id: null }],
    ['{"lost":""}', { kind: 'lost', why: '', id: null }],
    ['{"error":"no"}', { kind: 'error', why: 'no', id: null }],
    ['{"id":3,"aborted":"why"}', { kind: 'aborted', why: 'why', id: 3 }],
    ['{"id":1,"value":5}', { kind: 'answer', value: 5, ...NOTHING_ELSE, id: 1 }],
    ['{"sessions":"shared"}', { kind: 'answer', value: undefined, ...NOTHING_ELSE, sessions: 'shared' }],
    ['{"sql":true}', { kind: 'answer', value: undefined, ...NOTHING_ELSE, sql: true }],
    ['{"data":["rows"]}', { kind: 'answer', value: undefined, ...NOTHING_ELSE, data: ['rows'] }],
  ])('%s is understood', (line, reply) => {
    expect(parseReply(line)).toEqual(reply);
  });

  test.each([
    ['', 'an empty line: expected one JSON object'],
    ['hello', 'hello: expected one JSON object'],
    ['[1]', 'expected one JSON object'],
    ['5', 'expected one JSON object'],
    ['{"value":1}{', 'expected one JSON object'],
    ['{"result":5}', '"result" is not one of value, database, data, id, sessions, sql, volatile, aborted, lost, error'],
    ['{"__proto__":{"value":1}}', '"__proto__" is not one of'],
    ['{"constructor":1}', '"constructor" is not one of'],
    ['{"id":"3"}', 'id must be a number'],
    ['{"id":null}', 'id must be a number'],
    ['{"id":1.5}', '1.5 is not a whole number'],
    ['{"sessions":"many"}', 'sessions must be "shared"'],
    ['{"sql":false}', 'sql must be true'],
    ['{"data":[]}', 'data must be a list of one or more of registers, counters, lists, rows, each once'],
    ['{"data":["rows","rows"]}', 'data must be a list'],
    ['{"data":"rows"}', 'data must be a list'],
    ['{"data":["tables"]}', 'data must be a list'],
    ['{"value":1,"aborted":"x"}', 'aborted must be the only member'],
    ['{"aborted":true}', 'aborted must be a string'],
    ['{"database":7}', 'database must be a string'],
    ['{"value":1.5}', '1.5 is not a whole number of at most 2^53 − 1'],
    ['{"value":1.0}', '1.0 is not a whole number'],
    ['{"value":1e2}', '1e2 is not a whole number'],
    ['{"value":9007199254740993}', '9007199254740993 is not a whole number'],
    ['{"value":[1,-9007199254740993]}', '-9007199254740993 is not a whole number'],
    ['{"value":1,"value":2}', '"value" appears twice'],
    ['{"value":1,"v\\u0061lue":2}', '"value" appears twice'],
    ['{"value":[{"key":1,"key":2,"value":3,"dead":false}]}', '"key" appears twice'],
  ])('%s is refused', (line, message) => {
    expect(() => parseReply(line)).toThrow(message);
  });
});
