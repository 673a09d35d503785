import { type JepsenEvent, type Value, showValue } from '@isolab/operations';
import { inFile, unexpected } from '../files/errors.ts';
import { readForms } from '../events/forms.ts';
import type { ByteStream } from '../files/input.ts';
import { EdnReader } from '../syntax/edn.ts';
import { JsonReader } from '../syntax/json.ts';
import { readLineWindows } from '../files/windows.ts';
import { valueOfEdn, valueOfJson } from './plain-values.ts';

/** Reads events as maps, either one after the other or in a single vector, list or array. */
export async function readEvents(input: ByteStream, syntax: 'edn' | 'json'): Promise<JepsenEvent[]> {
  const events: JepsenEvent[] = [];
  const edn = new EdnReader();
  const json = new JsonReader();
  const readForm = (line: number): void => {
    const fields = syntax === 'edn' ? readEdnMap(edn) : valueOfJson(json.readValue());
    events.push(eventOf(fields, events.length, line, input.name));
  };
  await readForms(input, { syntax, reader: syntax === 'edn' ? edn : json, readForm });
  return insistOnEvents(events, input.name);
}

function readEdnMap(reader: EdnReader): Value {
  if (reader.peek() === 'tagged') reader.readTag(); // an event as a record of Jepsen's own type
  return valueOfEdn(reader.readValue());
}

function eventOf(form: Value, index: number, line: number, file: string): JepsenEvent {
  const fail = (found: string, expected: string): never => {
    throw unexpected(file, `line ${line}`, found, expected);
  };
  if (!(form instanceof Map)) return fail(showValue(form), 'an event: a map with :type, :f and :value');
  const fields = new Map([...(form as ReadonlyMap<Value, Value>)].map(([name, value]) => [wordOf(name), value]));
  const type = wordOf(fields.get('type') ?? '');
  if (type !== 'invoke' && type !== 'ok' && type !== 'fail' && type !== 'info')
    return fail(type === '' ? 'no type' : `the type ${type}`, 'invoke, ok, fail or info');
  const time = fields.get('time');
  return {
    index,
    type,
    f: wordOf(fields.get('f') ?? ''),
    value: fields.get('value') ?? null,
    process: fields.get('process') ?? null,
    time: typeof time === 'number' || typeof time === 'bigint' ? Number(time) : null,
    line,
    fields,
  };
}

const wordOf = (value: Value): string => (typeof value === 'string' ? value.replace(/^:/, '') : showValue(value));

/** Matches a line of a Jepsen log: a process, a type, a function and a value, optionally after the logger's name. */
const LOGGED = /^(?:INFO\s+jepsen\.util\s+-\s+)?(\S+)\s+:(invoke|ok|fail|info)\s+:(\S+)\s+(\S.*)$/;

export const looksLogged = (head: string): boolean => head.split('\n', 50).some((line) => LOGGED.test(line.trimEnd()));

/** Reads history.txt of a Jepsen store, or a log of etcd from Porcupine's tests. Other lines of a log are ignored. */
export async function readLog(input: ByteStream): Promise<JepsenEvent[]> {
  const events: JepsenEvent[] = [];
  const reader = new EdnReader();
  const decoder = new TextDecoder();
  let line = 0;
  const readValues = (bytes: Uint8Array, from: number, to: number): Value[] => {
    const values: Value[] = [];
    reader.reset(bytes, from, to, line, 0, 1);
    while (reader.peek() !== 'end') values.push(valueOfEdn(reader.readValue()));
    return values;
  };
  await readLineWindows(input, (bytes, start, end) => {
    let at = start;
    while (at < end) {
      const feed = bytes.indexOf(0x0a, at);
      const stop = feed < 0 || feed >= end ? end : feed;
      line++;
      const match = LOGGED.exec(decoder.decode(bytes.subarray(at, stop)).trimEnd());
      if (match !== null) {
        const [, process, type, f, rest] = match as unknown as [string, string, JepsenEvent['type'], string, string];
        const text = new TextEncoder().encode(`${process} ${rest}`);
        const [who = null, value = null, ...error] = inFile(input.name, () => readValues(text, 0, text.length));
        const isError = type !== 'invoke' && typeof value === 'string' && value.startsWith(':');
        const fields = new Map<string, Value>([
          ['process', who],
          ['type', `:${type}`],
          ['f', `:${f}`],
        ]);
        if (!isError) fields.set('value', value);
        if (isError || error.length > 0) fields.set('error', isError ? value : error[0]!);
        events.push({
          index: events.length,
          type,
          f,
          value: isError ? null : value,
          process: who,
          time: null,
          line,
          fields,
        });
      }
      at = stop + 1;
    }
    return end;
  });
  return insistOnEvents(events, input.name);
}

function insistOnEvents(events: JepsenEvent[], file: string): JepsenEvent[] {
  if (events.length === 0) throw unexpected(file, null, 'no operation', 'events of type invoke, and their completions');
  return events;
}
