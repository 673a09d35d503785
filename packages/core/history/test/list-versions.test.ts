import { describe, expect, test } from 'vitest';
import {
  type History,
  type PlainOperation,
  type PlainTransaction,
  OpKind,
  Outcome,
  ReadFrom,
  buildReadFrom,
  fromPlain,
  listElements,
  listVersions,
  nameAtom,
  showAtom,
  showOperation,
  transactionOf,
} from '../src/index.ts';
import { h } from './support/notation.ts';

/** `x: 1 2 {3 4}`: the versions of a key in their order, the unordered ones in braces. */
function versionsOf(history: History): string[] {
  const { keyStart, numShown, append } = listVersions(history, buildReadFrom(history));
  return Array.from(numShown, (shown, key) => {
    const elements = Array.from(append.subarray(keyStart[key], keyStart[key + 1]), (op) =>
      op < 0 ? '?' : showAtom(history.values, history.opValue[op]),
    );
    const unshown = elements.slice(shown);
    const parts = [...elements.slice(0, shown), ...(unshown.length > 0 ? [`{${unshown.join(' ')}}`] : [])];
    return `${nameAtom(history.keys, key)}: ${parts.join(' ')}`;
  });
}

function conflictsOf(history: History): string[] {
  const show = (op: number) => showOperation(history, op);
  return listVersions(history, buildReadFrom(history)).conflicts.map((conflict) => {
    if (conflict.kind === 'incompatible') return `${show(conflict.read)} or ${show(conflict.other)}`;
    if (conflict.kind === 'duplicate') return `${show(conflict.read)} has ${show(conflict.append)} twice`;
    return `${show(conflict.read)} tears ${show(conflict.append)} ${show(conflict.next)}`;
  });
}

describe('the versions of lists', () => {
  test.each([
    [
      'the longest list, then what no list shows',
      h`a(x,1) | a(x,2) | a(x,3)
      r(x,[2]) | r(x,[2 1])
      a(x,4)`,
      ['x: 2 1 {3 4}'],
    ],
    [
      'without the reader’s own appends',
      h`a(x,1) a(x,2) r(x,[3 1 2])
      a(x,3)`,
      ['x: 3 {1 2}'],
    ],
    [
      'own appends that somebody else saw, too',
      h`a(x,1) r(x,[1])
      r(x,[1])`,
      ['x: 1'],
    ],
    [
      'nothing of what did not happen',
      h`!a(x,1) | ?a(x,2) | !r(x,[9 8])
      a(x,3)`,
      ['x: {3}'],
    ],
    [
      'what an unknown transaction appended, once it was read, and what it read itself',
      h`a(x,1)
      ?a(x,2) r(x,[1 2])
      r(x,[1 2])`,
      ['x: 1 2'],
    ],
    [
      'nothing of reads that do not end with the own appends',
      h`a(x,1) r(x,[]) | a(x,2) a(x,3) r(x,[3 2])
      a(x,4) a(x,5) r(x,[4])`,
      ['x: {1 2 3 4 5}'],
    ],
    ['aborted elements and those that nothing appended', h`!a(x,1) | r(x,[1 9])`, ['x: 1 ?']],
    ['each key for itself', h`a(x,1) a(y,1) | r(x,[]) r(y,[1])`, ['x: {1}', 'y: 1']],
  ])('%s', (_, history, expected) => expect(versionsOf(history)).toEqual(expected));
});

describe('lists that no order explains', () => {
  test.each([
    [
      'none',
      h`a(x,1) | a(x,2)
      r(x,[1]) | r(x,[1 2])`,
      [],
    ],
    [
      'two orders',
      h`a(x,1) | a(x,2)
      r(x,[1 2]) | r(x,[2]) | r(x,[2])`,
      ['r(x, [1 2]) or r(x, [2])'],
    ],
    ['an element twice', h`a(x,1) | r(x,[1 1])`, ['r(x, [1 1]) has append(x, 1) twice']],
    [
      'an element twice in a list that is not the longest',
      h`a(x,1) a(x,2) a(x,3) | r(x,[1 2 3])
      r(x,[3]) | r(x,[3 3])`,
      ['r(x, [1 2 3]) or r(x, [3])', 'r(x, [1 2 3]) or r(x, [3 3])', 'r(x, [3 3]) has append(x, 3) twice'],
    ],
    [
      'an element twice, beside the next one of its transaction',
      h`a(x,1) a(x,2)
      r(x,[1 1 2])`,
      ['r(x, [1 1 2]) has append(x, 1) twice'],
    ],
    [
      'an own element among those of others',
      h`a(x,1)
      a(x,2) r(x,[2 1 2])
      a(x,3) r(x,[1 2 3])`,
      ['r(x, [2 1 2]) or r(x, [1 2 3])', 'r(x, [2 1 2]) has append(x, 2) twice'],
    ],
    [
      'an element in two places of two lists, which is no duplicate',
      h`a(x,1) | a(x,2)
      r(x,[1 2])
      r(x,[2 1])`,
      ['r(x, [1 2]) or r(x, [2 1])'],
    ],
    [
      'appends of one transaction, torn apart',
      h`a(x,1) a(x,2)
      a(x,3)
      r(x,[1 3 2])`,
      ['r(x, [1 3 2]) tears append(x, 1) append(x, 2)'],
    ],
    [
      'appends of one transaction, turned round',
      h`a(x,1) a(x,2)
      r(x,[2 1])`,
      ['r(x, [2 1]) tears append(x, 1) append(x, 2)'],
    ],
    [
      'appends of one transaction, of which the first is missing',
      h`a(x,1) a(x,2)
      r(x,[2])`,
      ['r(x, [2]) tears append(x, 1) append(x, 2)'],
    ],
    [
      'appends of one transaction, of which the last is missing before others',
      h`a(x,1) a(x,2)
      a(x,3)
      r(x,[1 3])`,
      ['r(x, [1 3]) tears append(x, 1) append(x, 2)'],
    ],
    [
      'nothing where the last is missing at the end: that is an intermediate read',
      h`a(x,1) a(x,2)
      r(x,[1])`,
      [],
    ],
  ])('%s', (_, history, expected) => expect(conflictsOf(history)).toEqual(expected));
});

test('each read of a list has the number of versions that it shows', () => {
  const history = h`a(x,1) r(x,[1]) | a(x,2)
    r(x,[]) r(x,[1 2]) r(x,[?]) | r(x,[2]) | !r(x,[1])`;
  const { seen } = listVersions(history, buildReadFrom(history));
  expect(Array.from(seen)).toEqual([-1, 0, -1, 0, 2, -1, -1, -1]);
});

describe('the definition, by brute force', () => {
  test('the definition, by brute force agrees on random histories', () => {
    const random = lcg(7);
    const met = { incompatible: 0, duplicate: 0, scattered: 0 };
    for (let i = 0; i < 2000; i++) {
      const history = randomHistory(random);
      for (const { kind } of listVersions(history, buildReadFrom(history)).conflicts) met[kind]++;
      compareWithDefinition(history);
    }
    expect(Math.min(...Object.values(met))).toBeGreaterThan(100);
  });
});

interface ShownList {
  readonly op: number;
  readonly key: number;
  readonly appends: readonly number[];
}

function compareWithDefinition(history: History): void {
  const index = buildReadFrom(history);
  const { keyStart, numShown, longestRead, append, txn, versionOf, seen, conflicts } = listVersions(history, index);
  const ops = Array.from(history.opKind.keys());
  const happened = (op: number): boolean => index.outcome[transactionOf(history, op)] === Outcome.Happened;
  const lists = ops
    .filter((op) => history.opKind[op] === OpKind.ListRead && history.opValue[op] >= 0 && happened(op))
    .flatMap((op) => shownBy(history, op) ?? []);
  const isPrefix = (a: ShownList, b: ShownList): boolean => a.appends.every((x, i) => x === b.appends[i]);

  const isShown = (op: number): boolean => lists.some(({ appends }) => appends.includes(op));
  const scattered: string[] = [];
  numShown.forEach((shown, key) => {
    const ofKey = lists.filter((list) => list.key === key);
    const longest = ofKey.reduce<ShownList>((a, b) => (a.op < 0 || b.appends.length > a.appends.length ? b : a), {
      op: -1,
      key,
      appends: [],
    });
    expect(longestRead[key]).toBe(longest.op);
    expect(Array.from(append.subarray(keyStart[key], keyStart[key] + shown))).toEqual(
      longest.appends.map((op) => (op < 0 ? ReadFrom.ThinAir : op)),
    );
    const unshown = ops.filter(
      (op) => history.opKind[op] === OpKind.Append && history.opKey[op] === key && happened(op) && !isShown(op),
    );
    expect(Array.from(append.subarray(keyStart[key] + shown, keyStart[key + 1]))).toEqual(unshown);
    for (const op of unshown) expect(append[versionOf[op]]).toBe(op);
    for (const list of ofKey) expect(seen[list.op]).toBe(isPrefix(list, longest) ? list.appends.length : -1);

    const stray = ofKey.filter((list) => !isPrefix(list, longest));
    const kinds = new Set(stray.map(({ appends }) => appends.join()));
    const incompatible = conflicts.filter((c) => c.kind === 'incompatible' && c.key === key);
    expect(incompatible.length).toBe(kinds.size);
    for (const c of incompatible) if (c.kind === 'incompatible') expect(stray.map(({ op }) => op)).toContain(c.other);

    for (const [a, b] of consecutiveAppends(history, key).filter(([op]) => happened(op))) {
      const [i, j] = [longest.appends.indexOf(a), longest.appends.indexOf(b)];
      const together = i >= 0 && longest.appends[i + 1] === b && j === i + 1;
      const atEnd = i === shown - 1 && j < 0;
      const isTwice = conflicts.some((c) => c.kind === 'duplicate' && (c.append === a || c.append === b));
      if ((i >= 0 || j >= 0) && !together && !atEnd && !isTwice) scattered.push(`${a} ${b}`);
    }
  });
  txn.forEach((t, version) => expect(t).toBe(append[version] < 0 ? -1 : transactionOf(history, append[version])));
  expect(conflicts.flatMap((c) => (c.kind === 'scattered' ? [`${c.append} ${c.next}`] : [])).toSorted()).toEqual(
    scattered.toSorted(),
  );

  const isOwn = (op: number, read: number): boolean =>
    op >= 0 && op < read && transactionOf(history, op) === transactionOf(history, read);
  const twice = (op: number): boolean =>
    op >= 0 &&
    lists.some(
      ({ op: read, appends }) =>
        appends.indexOf(op) !== appends.lastIndexOf(op) || (appends.includes(op) && isOwn(op, read)),
    );
  const duplicates = new Set(conflicts.flatMap((c) => (c.kind === 'duplicate' ? [c.append] : [])));
  expect([...duplicates].toSorted((a, b) => a - b)).toEqual(ops.filter(twice));
  for (const c of conflicts) {
    if (c.kind !== 'duplicate') continue;
    const { appends } = shownBy(history, c.read)!;
    expect(appends.filter((op) => op === c.append).length).toBeGreaterThan(isOwn(c.append, c.read) ? 0 : 1);
  }
}

/** The appends (or a number below −2 for each other element) that a read shows, without its transaction's own before it, with which it must end. */
function shownBy(history: History, op: number): ShownList | null {
  const key = history.opKey[op];
  const t = transactionOf(history, op);
  const appends = Array.from(listElements(history.lists, history.opValue[op]), (element) => {
    const found = history.opKind.findIndex(
      (kind, a) => kind === OpKind.Append && history.opKey[a] === key && history.opValue[a] === element,
    );
    return found < 0 ? -9 - element : found;
  });
  const isOwn = (a: number): boolean =>
    history.opKind[a] === OpKind.Append && history.opKey[a] === key && transactionOf(history, a) === t;
  const own = Array.from({ length: op }, (_, a) => a).filter((a) => isOwn(a));
  if (appends.slice(appends.length - own.length).join() !== own.join()) return null;
  return { op, key, appends: appends.slice(0, appends.length - own.length) };
}

function consecutiveAppends(history: History, key: number): [number, number][] {
  const appends = Array.from(history.opKind.keys()).filter(
    (op) => history.opKind[op] === OpKind.Append && history.opKey[op] === key,
  );
  return appends
    .slice(1)
    .map((b, i): [number, number] => [appends[i]!, b])
    .filter(([a, b]) => transactionOf(history, a) === transactionOf(history, b));
}

function randomHistory(random: (below: number) => number): History {
  let element = 0;
  const operation = (): PlainOperation => {
    const key = 'xy'[random(2)]!;
    if (random(2) === 0) return { kind: 'append', key, value: BigInt(++element) };
    return { kind: 'list-read', key, elements: Array.from({ length: random(4) }, () => BigInt(1 + random(6))) };
  };
  const transaction = (): PlainTransaction => ({
    status: (['committed', 'committed', 'committed', 'aborted', 'unknown'] as const)[random(5)]!,
    operations: Array.from({ length: 1 + random(4) }, operation),
  });
  return fromPlain({
    sessions: Array.from({ length: 1 + random(3) }, (_, name) => ({
      name: BigInt(name),
      transactions: Array.from({ length: 1 + random(3) }, transaction),
    })),
  });
}

function lcg(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff;
    return (state >>> 8) % below;
  };
}
