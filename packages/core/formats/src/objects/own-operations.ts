import { type Operation, type OperationHistory, type Value, makeHistory, showValue } from '@isolab/operations';
import { unexpected } from '../files/errors.ts';
import { readForms } from '../events/forms.ts';
import type { ByteStream } from '../files/input.ts';
import { JsonReader } from '../syntax/json.ts';
import { valueOfJson } from './plain-values.ts';

export const OWN_HEADER = /^\s*\{\s*"isolab"\s*:\s*"operations"/;

/**
 * isolab's own format of operations: JSON Lines with a header and then one operation per line.
 *
 *     {"isolab":"operations","version":1}
 *     {"process":0,"f":"enqueue","argument":"a","call":0,"return":2}
 *     {"process":1,"f":"dequeue","result":"a","call":1,"return":3}
 *     {"process":0,"f":"dequeue","call":4}
 *
 * Without a return the operation is pending. Times are numbers in any unit; a missing argument or result is null.
 */
export async function readOwnOperations(input: ByteStream): Promise<OperationHistory> {
  const reader = new JsonReader();
  const operations: Operation[] = [];
  let hasHeader = false;
  const readForm = (line: number): void => {
    const form = valueOfJson(reader.readValue());
    const at = `line ${line}`;
    const fields = form instanceof Map ? (form as ReadonlyMap<Value, Value>) : null;
    if (fields === null) throw unexpected(input.name, at, showValue(form), 'an object');
    if (hasHeader) return void operations.push(operationOf(fields, input.name, at));
    const version = fields.get('version') ?? null;
    if (version !== 1) throw unexpected(input.name, at, `the version ${showValue(version)}`, '1');
    hasHeader = true;
  };
  await readForms(input, { syntax: 'json', reader, readForm });
  if (operations.length === 0) throw unexpected(input.name, null, 'no operation', 'one operation per line');
  return makeHistory(operations);
}

function operationOf(fields: ReadonlyMap<Value, Value>, file: string, at: string): Operation {
  const fail = (found: string, expected: string): never => {
    throw unexpected(file, at, found, expected);
  };
  for (const name of fields.keys())
    if (!FIELDS.includes(String(name))) fail(`the field ${showValue(name)}`, `one of ${FIELDS.join(', ')}`);
  const timeOf = (name: string, value: Value | undefined): number =>
    typeof value === 'number'
      ? value
      : fail(value === undefined ? `no ${name}` : showValue(value), `a number as ${name}`);
  const f = fields.get('f');
  if (typeof f !== 'string') return fail(f === undefined ? 'no f' : showValue(f), 'a function as f');
  const returned = fields.get('return') ?? null;
  if (returned === null && fields.has('result')) fail('a result without a return', 'both fields or neither');
  return {
    process: fields.get('process') ?? fail('no process', 'the calling process'),
    f,
    argument: fields.get('argument') ?? null,
    result: returned === null ? undefined : (fields.get('result') ?? null),
    call: timeOf('call', fields.get('call')),
    return: returned === null ? null : timeOf('return', returned),
    place: at,
  };
}

const FIELDS = ['process', 'f', 'argument', 'result', 'call', 'return'];
