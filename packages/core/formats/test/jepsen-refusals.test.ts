import { describe, expect, test } from 'vitest';
import { jepsenEdn } from '../src/jepsen/jepsen-edn.ts';
import { jepsenJson } from '../src/jepsen/jepsen-json.ts';
import { readText } from './support/describe-format.ts';
import { edn } from './support/jepsen-events.ts';

describe('bad histories', () => {
  test.each([
    ['', 'test: found no operation, expected events of type invoke, and their completions'],
    ['; only this', 'test: found no operation, expected events of type invoke, and their completions'],
    ['[', "test: found the end of the input, expected ']'"],
    [`[${edn('0 invoke txn []')}] {}`, "test, line 2, column 3: found '{', expected the end"],
    [`${edn('0 invoke txn []')})`, "test, line 2, column 1: found ')', expected a form"],
    [
      '{:type :invoke :process 0 :value []',
      "test, line 1, column 36: found the end of the input, expected a key or '}'",
    ],
    ['17', "test, line 1, column 1: found '17', expected a map"],
    [`\0${edn('0 invoke txn []')}`, 'test, line 1, column 1: found'],
    ['{:type :start}', "test, line 1, column 14: found :start, expected ':invoke', ':ok', ':fail' or ':info'"],
    [
      '{:type :ok :type :ok}',
      'test, line 1, column 17: found :type, expected a key other than :type, which this map already has',
    ],
    ['{:process 0}', 'test, line 1: found an event without a type, expected invoke, ok, fail or info'],
    ['{:type :ok :process "a"}', 'test, line 1, column 21: found "a", expected an integer'],
    [
      edn('0 ok read 1'),
      'test, line 1: found an event of type ok, expected invoke, because this process has no open operation',
    ],
    [
      edn('0 ok txn []', '0 invoke txn []'),
      'test, line 2: found an invocation, expected a completion, as the file began with a completion',
    ],
    [
      edn('0 invoke txn []', '0 invoke txn []'),
      'test, line 2: found an invocation, expected the completion of the operation that this process invoked on line 1',
    ],
    [
      `${edn('0 invoke txn []')}{:type :invoke}`,
      'test, line 2: found no process, expected a process, as in the earlier events',
    ],
    [edn('0 invoke txn 5'), 'test, line 1: found a value of the wrong form, expected a sequence of micro-operations'],
    [edn('0 invoke txn'), 'test, line 1: found no value, expected a sequence of micro-operations'],
    [edn('0 invoke txn [[:inc 1 2]]'), "test, line 1, column 51: found :inc, expected ':r', ':w' or ':append'"],
    [
      edn('0 invoke txn [[:r [1] 2]]'),
      'test, line 1, column 50: found a vector, expected a key: an integer, a keyword, a string or another single token',
    ],
    [
      edn('0 invoke txn [[:w 1 [2]]]'),
      'test, line 1, column 52: found a vector, expected a value: an integer, a keyword, a string or another single token',
    ],
    [edn('0 invoke txn [[:w 1 2.5]]'), "test, line 1, column 52: found '2.5', expected an integer"],
    [edn('0 invoke txn [[:w 1]]'), "test, line 1, column 51: found ']', expected a value"],
    [edn('0 invoke txn [[:w 1 2 3]]'), "test, line 1, column 54: found '3', expected ']'"],
    [
      edn('0 invoke txn [[:w 1 2]]', '0 ok txn [[:w 1 3]]'),
      'test, line 2: found a transaction, expected the transaction invoked on line 1, with the results of its reads',
    ],
    [
      edn('0 invoke txn [[:w 1 2]]', '0 ok txn nil'),
      'test, line 2: found a value of the wrong form, expected the transaction invoked on line 1, with the results of its reads',
    ],
    [
      edn('0 invoke write 2', '0 ok read 2'),
      'test, line 2: found a completion of read, expected a completion of write, invoked on line 1',
    ],
    [
      edn('0 invoke write 2', '0 ok write 3'),
      'test, line 1: write: found a completion with a different value, expected the invoked value',
    ],
    [
      edn('0 invoke cas 2', '0 ok cas 2'),
      'test, line 1: cas: found something else, expected two values to compare and set',
    ],
    [
      edn('0 invoke txn []', '1 invoke read nil'),
      'test, line 2: found the operation read, expected a transaction, as on line 1',
    ],
    [
      edn('0 invoke enqueue 2'),
      'test, line 1: found the operation enqueue, expected transactions (txn), or one of: a register (read, write, cas), a mutex',
    ],
    [
      '{:type :invoke :f :read} {:type :invoke :f :read} {:type :ok :f :read}',
      'test, line 1: found a completion that fits 2 open operations, expected a process in every event',
    ],
    [
      '{:type :invoke :f :write :value 1}'.repeat(1001),
      'test, line 1: found more than 1000 open operations, expected a process in every event',
    ],
    [
      `${edn('0 invoke txn []')}{:process :isolab :type :info :f :untimed}`,
      'test, line 2: found a remark of isolab after an operation, expected remarks before the first operation',
    ],
    [
      '{:process :isolab :type :info :f :sessions :value 5}',
      'test, line 1: found the remark sessions, expected untimed, or sessions and their numbers',
    ],
  ])('bad histories are refused with a reason: %j', async (input, message) => {
    await expect(readText(jepsenEdn, input)).rejects.toThrow(message);
  });

  test.each([
    ['', 'test: found no operation, expected events of type invoke, and their completions'],
    [
      '[{"type":"invoke","process":0,"value":[]} {}]',
      'test, line 1, column 43: found no comma, expected a comma before this',
    ],
    [
      '[{"type":"invoke","process":0,"value":[]},]',
      'test, line 1, column 43: found a comma too many, expected no comma before this',
    ],
    ['{"type":"invoke","process":0,"value":[]},', 'test: found a comma too many at the end, expected no comma'],
    ['{"type":"invoke","process":0,"value":[]} ;{', 'test: found a comment at the end, expected JSON without comments'],
    ['[{"type":"invoke","process":0,"value":[]}', "test: found the end of the input, expected ']'"],
    ['[{"type":"invoke","process":0,"value":[]}] 5', "test, line 1, column 44: found '5', expected the end"],
    ['{"type":"start"}', 'test, line 1, column 16: found "start", expected "invoke", "ok", "fail" or "info"'],
    [
      '{"f":"txn","f":"txn"}',
      'test, line 1, column 16: found "f", expected a key other than "f", which this object already has',
    ],
    [
      '{"type":"invoke","process":0,"value":[["inc",1,2]]}',
      'test, line 1, column 45: found "inc", expected "r", "w" or "append"',
    ],
    ['{"type":"invoke","process":0,"value":[["w",1]]}', "test, line 1, column 45: found ']', expected a value"],
    [
      '{"type":"invoke","process":0,"value":[["w",1,{}]]}',
      'test, line 1, column 46: found an object, expected a value: an integer, a string, null, true or false',
    ],
    ['{"type":"invoke","process":0.5,"value":[]}', "test, line 1, column 28: found '0.5', expected an integer"],
  ])('bad histories are also refused in JSON: %j', async (input, message) => {
    await expect(readText(jepsenJson, input)).rejects.toThrow(message);
  });

  test('bad histories that are deeply nested are refused', async () => {
    await expect(readText(jepsenEdn, `{:type :invoke :error ${'['.repeat(100_000)}`)).rejects.toThrow(
      'nesting at most',
    );
    await expect(readText(jepsenJson, `{"type":"invoke","error":${'['.repeat(100_000)}`)).rejects.toThrow(
      'nesting at most',
    );
  });
});
