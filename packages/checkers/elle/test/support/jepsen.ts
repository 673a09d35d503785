import { type Atom, type History, type PlainOperation, type PlainTransaction, fromPlain } from '@isolab/history';

/**
 * Reads transactions of lists or registers from one line an event, in EDN or JSON, for tests that cannot use the readers
 * of packages/core/formats. An event without a process completes the one before it.
 */
export function readJepsen(text: string): History {
  const sessions = new Map<string, PlainTransaction[]>();
  const open = new Map<string, { readonly begin: number; readonly value: readonly Step[] }>();
  const add = (
    process: string,
    status: PlainTransaction['status'],
    value: readonly Step[],
    end: number | null,
  ): void => {
    const begin = open.get(process)!.begin;
    open.delete(process);
    const transaction: PlainTransaction = {
      status,
      begin: BigInt(begin),
      ...(end !== null && { end: BigInt(end) }),
      operations: value.map((step) => operation(step, status === 'committed')),
    };
    if (!sessions.has(process)) sessions.set(process, []);
    sessions.get(process)!.push(transaction);
  };
  text.split('\n').forEach((line, at) => {
    const type = /"?:?type"?\s*[: ]\s*[:"](invoke|ok|fail|info)/.exec(line)?.[1];
    const value = /"?:?value"?\s*:?\s*(\[\[.*\]\])/.exec(line)?.[1];
    if (type === undefined || value === undefined) return;
    const process = /"?:?process"?\s*:?\s*(\d+)/.exec(line)?.[1] ?? '0';
    const steps = JSON.parse(asJson(value)) as Step[];
    if (type === 'invoke') open.set(process, { begin: at, value: steps });
    else if (type === 'ok') add(process, 'committed', steps, at);
    else add(process, type === 'fail' ? 'aborted' : 'unknown', open.get(process)!.value, null);
  });
  for (const [process, { value }] of open) add(process, 'unknown', value, null);
  return fromPlain({
    sessions: [...sessions].map(([name, transactions]) => ({ name: BigInt(name), transactions })),
  });
}

type Json = number | string | null;
type Step = readonly [kind: string, key: Json, value: Json | readonly Json[]];

/** Vectors of EDN as arrays of JSON. */
function asJson(edn: string): string {
  if (edn.includes('"')) return edn;
  return edn
    .replaceAll(',', ' ')
    .replaceAll(/:([\w-]+)/g, '"$1"')
    .replaceAll('nil', 'null')
    .trim()
    .replaceAll(/(?<=[\]\w"])\s+(?=[[\w"-])/g, ',');
}

function operation([kind, key, value]: Step, isKnown: boolean): PlainOperation {
  const named = atom(key);
  if (kind === 'append') return { kind: 'append', key: named, value: atom(value as Json) };
  if (kind === 'w') return { kind: 'write', key: named, value: atom(value as Json) };
  if (typeof value === 'number') return { kind: 'read', key: named, value: atom(value) };
  const elements = isKnown ? ((value ?? []) as readonly Json[]).map(atom) : null;
  return { kind: 'list-read', key: named, elements };
}

const atom = (value: Json): Atom => (typeof value === 'number' ? BigInt(value) : value);
