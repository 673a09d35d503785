import fc from 'fast-check';
import { type History, type PlainOperation, type PlainTransaction, fromPlain } from '@isolab/history';

/** One line a session, `|` between transactions, `!` aborted, `?` unknown, `@1-5`, `@1-` or `@1..2-4..5` times behind; initially 0. */
export function h(strings: TemplateStringsArray): History {
  const lines = strings.raw[0]!.split('\n').map((line) => line.trim());
  return historyOf(lines.filter((line) => line !== '').map((line) => line.split('|').map(transactionOf)));
}

function transactionOf(text: string): PlainTransaction {
  const [, begin, begun, committing, end] = /@(\d+)(?:\.\.(\d+))?-(?:(\d+)\.\.)?(\d*)/.exec(text) ?? [];
  return {
    status: text.includes('!') ? 'aborted' : text.includes('?') ? 'unknown' : 'committed',
    operations: [...text.matchAll(/([wra])\((\w),([^)]*)\)/g)].map(([, kind, key, value]) =>
      operationOf(kind!, key!, value!),
    ),
    ...(begin && { begin: BigInt(begin) }),
    ...(begun && { begun: BigInt(begun) }),
    ...(committing && { committing: BigInt(committing) }),
    ...(end && { end: BigInt(end) }),
  };
}

function operationOf(kind: string, key: string, value: string): PlainOperation {
  if (!value.startsWith('['))
    return { kind: ({ w: 'write', r: 'read', a: 'append' } as const)[kind as 'w'], key, value: BigInt(value) };
  const elements = value.slice(1, -1).split(' ').filter(Boolean).map(BigInt);
  return { kind: 'list-read', key, elements };
}

const historyOf = (sessions: readonly (readonly PlainTransaction[])[]): History =>
  fromPlain({
    initial: 0n,
    timeUnit: 'events',
    sessions: sessions.map((transactions, s) => ({ name: BigInt(s), transactions })),
  });

interface Bounds {
  readonly transactions: number;
  readonly sessions: number;
  /** Whether values may repeat, outcomes be other than committed, and transactions have times. */
  readonly repeat?: boolean;
  readonly outcomes?: boolean;
  readonly times?: boolean;
  /** Whether keys are lists. */
  readonly lists?: boolean;
}

/** Random histories over two keys, in which most reads see a written value. */
export function anyHistory({ transactions, sessions, repeat, outcomes, times, lists }: Bounds): fc.Arbitrary<History> {
  const operation = fc.record({
    write: fc.boolean(),
    key: fc.constantFrom('x', 'y'),
    value: fc.nat({ max: repeat ? 2 : 2 * transactions }),
  });
  const transaction = fc.record({
    session: fc.nat({ max: sessions - 1 }),
    status: outcomes ? fc.constantFrom('committed', 'committed', 'aborted', 'unknown') : fc.constant('committed'),
    begin: fc.nat({ max: 12 }),
    length: fc.nat({ max: 6 }),
    returns: times ? fc.boolean() : fc.constant(true),
    /** Time from the begin to the first answer, and from the request of COMMIT to the end. */
    answers: fc.option(fc.nat({ max: 6 })),
    asks: fc.option(fc.nat({ max: 6 })),
    operations: fc.array(operation, { minLength: 1, maxLength: 3 }),
  });
  return fc.array(transaction, { minLength: 1, maxLength: transactions }).map((drawn) => {
    const written: Record<string, bigint[]> = { x: [0n], y: [0n] };
    const count = { x: 0n, y: 0n };
    const writes = drawn.flatMap((t) => t.operations.filter(({ write }) => write));
    for (const { key, value } of writes) written[key]!.push(repeat ? BigInt(value) : ++count[key as 'x']);
    const next = { x: 1, y: 1 };
    const clock = new Map<number, number>();
    const made = drawn.map(
      ({ session, status, begin, length, returns, answers, asks, operations }): PlainTransaction => {
        const start = Math.max(begin, (clock.get(session) ?? -1) + 1);
        clock.set(session, start + length);
        return {
          status: status as 'committed',
          ...(times && { begin: BigInt(start) }),
          ...(times && answers !== null && { begun: BigInt(start + Math.min(answers, length)) }),
          ...(times && asks !== null && { committing: BigInt(start + Math.max(0, length - asks)) }),
          ...(times && returns && { end: BigInt(start + length) }),
          operations: operations.map(({ write, key, value }): PlainOperation => {
            const own = written[key]!;
            if (write) return { kind: lists ? 'append' : 'write', key, value: own[next[key as 'x']++]! };
            const seen = value % own.length;
            return lists
              ? { kind: 'list-read', key, elements: own.slice(1, 1 + seen) }
              : { kind: 'read', key, value: own[seen]! };
          }),
        };
      },
    );
    const bySession = Array.from({ length: sessions }, (_, s) => made.filter((_t, i) => drawn[i]!.session === s));
    return historyOf(bySession.filter((session) => session.length > 0));
  });
}
