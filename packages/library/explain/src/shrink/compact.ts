import {
  type Atoms,
  type History,
  type IdColumn,
  type KeyId,
  ListTree,
  NIL,
  OpKind,
  type TransactionId,
  UNKNOWN_LIST,
  UNKNOWN_VALUE,
  countKeys,
  countOperations,
  countValues,
  listElements,
  rowsOf,
} from '@isolab/history';

/** Removes unused keys, values, lists, exchanges and sessions. The history must not contain range reads or scans. */
export function compact(history: History): History {
  const keys = renumber(countKeys(history), (use) => {
    for (const key of history.opKey) use(key);
  });
  const values = renumber(countValues(history), (use) => {
    use(NIL);
    use(UNKNOWN_VALUE);
    useValues(history, keys.old, use);
  });
  const opKey = history.opKey.map((key) => keys.now[key]);
  const lists = new ListTree();
  const exchanges = { observed: [] as number[], written: [] as number[], flags: [] as number[] };
  const opValue = history.opValue.map((value, op) => {
    const kind = history.opKind[op];
    if (kind === OpKind.ListRead) return value === UNKNOWN_LIST ? value : copyList(history, value, opKey[op]);
    if (kind < OpKind.CompareAndSet) return values.now[value];
    exchanges.observed.push(values.now[history.exchanges.observed[value]]);
    exchanges.written.push(values.now[history.exchanges.written[value]]);
    return exchanges.flags.push(history.exchanges.flags[value]) - 1;
  });
  function copyList(of: History, list: number, key: number): number {
    let node = 0;
    for (const element of listElements(of.lists, list)) node = lists.extend(key, node, values.now[element]);
    return node;
  }
  return {
    ...withoutEmptySessions(history),
    opKey: opKey as IdColumn<KeyId>,
    opValue,
    keys: pickAtoms(history.keys, keys.old),
    values: pickAtoms(history.values, values.old),
    keyInitial: keys.old.map((key) => values.now[history.keyInitial[key]]),
    lists: lists.finish(),
    exchanges: {
      observed: Int32Array.from(exchanges.observed),
      written: Int32Array.from(exchanges.written),
      flags: Uint8Array.from(exchanges.flags),
    },
    ranges: NO_RANGES,
    ...keptRows(history, keys.old),
  };
}

/** Keys get new numbers, but the rows that they represent keep their numbers. */
function keptRows(history: History, keys: Int32Array): Pick<History, 'scans' | 'rows'> {
  const { scans } = history;
  const rows = rowsOf(history);
  if (rows === null) return { scans, rows };
  const pick = (column: Int32Array): Int32Array => keys.map((key) => column[key] ?? -1);
  return {
    scans: { ...scans, keyTable: scans.tables.length === 0 ? scans.keyTable : pick(scans.keyTable) },
    rows: { ...rows, row: pick(rows.row), condition: pick(rows.condition) },
  };
}

/** Returns whether most entries of a history's tables are unused. */
export const isLoose = (history: History): boolean =>
  countKeys(history) + countValues(history) + history.lists.parent.length > 4 * countOperations(history) + 64;

function useValues(history: History, keys: Int32Array, use: (value: number) => void): void {
  const { opKind, opValue, exchanges, keyInitial } = history;
  for (let op = 0; op < opKind.length; op++) {
    if (opKind[op] === OpKind.ListRead) {
      if (opValue[op] !== UNKNOWN_LIST) for (const element of listElements(history.lists, opValue[op])) use(element);
    } else if (opKind[op] < OpKind.CompareAndSet) {
      use(opValue[op]);
    } else {
      use(exchanges.observed[opValue[op]]);
      use(exchanges.written[opValue[op]]);
    }
  }
  for (const key of keys) use(keyInitial[key]);
}

/** Assigns consecutive numbers to the used ids, in their previous order. */
function renumber(count: number, visit: (use: (id: number) => void) => void): { now: Int32Array; old: Int32Array } {
  const used = new Uint8Array(count);
  visit((id) => {
    used[id] = 1;
  });
  const now = new Int32Array(count);
  const old: number[] = [];
  for (let id = 0; id < count; id++) if (used[id] === 1) now[id] = old.push(id) - 1;
  return { now, old: Int32Array.from(old) };
}

function withoutEmptySessions(history: History): History {
  const { sessionStart, sessionNames, source } = history;
  const old = Array.from({ length: sessionStart.length - 1 }, (_, s) => s).filter(
    (s) => sessionStart[s] < sessionStart[s + 1],
  );
  const now = new Map(old.map((s, i) => [s, i]));
  return {
    ...history,
    sessionStart: Int32Array.from([
      ...old.map((s) => sessionStart[s]),
      history.txnStatus.length,
    ]) as IdColumn<TransactionId>,
    sessionNames: pickAtoms(sessionNames, Int32Array.from(old)),
    txnSession: history.txnSession.map((s) => now.get(s)!),
    source: source.files.length > 1 ? { ...source, files: old.map((s) => source.files[s]) } : source,
  };
}

const pickAtoms = (atoms: Atoms, rows: Int32Array): Atoms => ({
  ...atoms,
  type: Uint8Array.from(rows, (row) => atoms.type[row]),
  lo: rows.map((row) => atoms.lo[row]),
  hi: rows.map((row) => atoms.hi[row]),
});

const NO_RANGES: History['ranges'] = {
  low: new Int32Array(0) as IdColumn<KeyId>,
  high: new Int32Array(0) as IdColumn<KeyId>,
  rowStart: new Int32Array(1),
  rowKey: new Int32Array(0) as IdColumn<KeyId>,
  rowValue: new Int32Array(0),
  rowDead: new Uint8Array(0),
};
