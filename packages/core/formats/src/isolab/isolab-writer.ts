import {
  type Atom,
  type Atoms,
  EMPTY_LIST,
  Exchange,
  type History,
  NIL,
  NO_TIME,
  OPEN_BOUND,
  OpKind,
  STATUS_NAMES,
  UNKNOWN_LIST,
  UNKNOWN_VALUE,
  levelOf,
  asStated,
  atomOf,
  countAtoms,
  countOperations,
  countSessions,
  countTransactions,
  keyOfRow,
  tableOfRow,
} from '@isolab/history';
import { ISOLAB_VERSION } from './isolab-header.ts';
import { isCutOff, recordedOf } from '../format/recorded.ts';
import { type RecordedFault, faultsWithin } from './recorded-faults.ts';
import type { Output } from '../files/output.ts';

/** Writes a whole history, session by session. */
export async function writeIsolab(widened: History, output: Output): Promise<void> {
  const history = asStated(widened);
  const sink = await output.file();
  await sink.write(`${header(history)}\n`);
  for (const [index, fault] of faultsWithin(history).entries()) await sink.write(`${faultLine(fault, index + 1)}\n`);
  const spell = new Speller(history);
  for (let t = 0; t < countTransactions(history); t++) await sink.write(`${transaction(history, t, spell)}\n`);
  if (recordedOf(history) !== null && !isCutOff(history)) await sink.write('{"isolab":"end"}\n');
  await sink.close();
}

/** Includes the end of the fault, if known. */
function faultLine({ begin, end, ...about }: RecordedFault, id: number): string {
  const fields = JSON.stringify({ isolab: 'fault', id, ...about }).slice(0, -1);
  return `${fields},"begin":${begin}${end === null ? '' : `,"end":${end}`}}`;
}

function header(history: History): string {
  const { source, scans } = history;
  const hasRows = scans.tables.length > 0;
  const { initial, exceptions } = initialStates(history);
  const recorded = recordedOf(history);
  const isSecond = hasRows || history.txnBegun !== null || history.txnCommitting !== null || source.drift > 0;
  const fields = [
    '"isolab":"history"',
    `"version":${isSecond ? ISOLAB_VERSION.second : ISOLAB_VERSION.first}`,
    ...(source.database === null ? [] : [`"database":${JSON.stringify(source.database)}`]),
    ...(source.claims === undefined ? [] : [`"claims":${JSON.stringify(source.claims)}`]),
    ...(initial === null ? [] : [`"initial":${spellAtom(initial)}`]),
    ...(exceptions.length === 0
      ? []
      : [`"initialOf":[${exceptions.map(([k, v]) => `[${spellAtom(k)},${spellAtom(v)}]`).join()}]`]),
    ...(source.timeUnit === 'none' ? [] : [`"times":"${source.timeUnit}"`]),
    ...(source.drift === 0 ? [] : [`"drift":${source.drift}`]),
    `"sessions":[${Array.from({ length: countSessions(history) }, (_, s) => spellAtom(atomOf(history.sessionNames, s))).join()}]`,
    ...(hasRows ? [`"tables":${JSON.stringify(scans.tables)}`] : []),
    ...(recorded === null ? [] : [`"recorded":${JSON.stringify(recorded)}`]),
    ...(source.hiddenColumns === undefined ? [] : [`"hidden":${JSON.stringify(source.hiddenColumns)}`]),
    `"source":${JSON.stringify({ format: source.format, files: source.files, unit: source.unit, opStride: source.opStride })}`,
  ];
  return `{${fields.join()}}`;
}

/** Returns the initial value that most keys share, and the keys with another initial value. */
function initialStates({ keyInitial, keys, values, scans }: History): { initial: Atom; exceptions: [Atom, Atom][] } {
  const counts = new Map<number, number>();
  keyInitial.forEach((value, key) => {
    if (!(scans.keyTable[key]! >= 0)) counts.set(value, (counts.get(value) ?? 0) + 1);
  });
  const [most = NIL] = [...counts].toSorted(([, a], [, b]) => b - a)[0] ?? [];
  const exceptions: [Atom, Atom][] = [];
  keyInitial.forEach((value, key) => {
    if (value !== (scans.keyTable[key]! >= 0 ? NIL : most)) exceptions.push([atomOf(keys, key), atomOf(values, value)]);
  });
  return { initial: atomOf(values, most), exceptions };
}

function transaction(history: History, t: number, spell: Speller): string {
  const { txnSession, txnStatus, txnPosition, txnNames, txnStart, opPosition } = history;
  const operations: string[] = [];
  for (let op = txnStart[t]!; op < txnStart[t + 1]!; op++) operations.push(operation(history, op, spell));
  const name = txnNames === null ? null : atomOf(txnNames, t);
  const level = levelOf(history, t);
  const time = (field: string, column: BigInt64Array | null): string =>
    column === null || column[t] === NO_TIME ? '' : `,"${field}":${column[t]}`;
  const distances = opPosition === null ? '' : `,"opsAt":[${opPosition.subarray(txnStart[t], txnStart[t + 1]).join()}]`;
  return [
    `{"session":${spell.session(txnSession[t]!)}`,
    name === null ? '' : `,"id":${spellAtom(name)}`,
    txnStatus[t] === 0 ? '' : `,"status":"${STATUS_NAMES[txnStatus[t]!]}"`,
    level === null ? '' : `,"level":${JSON.stringify(level)}`,
    time('begin', history.txnBegin),
    time('begun', history.txnBegun),
    time('committing', history.txnCommitting),
    time('end', history.txnEnd),
    time('startTs', history.txnStartTs),
    time('commitTs', history.txnCommitTs),
    `,"at":${txnPosition[t]}`,
    `,"ops":[${operations.join()}]${distances}}`,
  ].join('');
}

function operation(history: History, op: number, spell: Speller): string {
  const { opKind, opKey, opValue, opVersion, exchanges, ranges, scans } = history;
  const x = opValue[op]!;
  const version = opVersion === null || opVersion[op] === NO_TIME ? '' : `,{"version":${opVersion[op]}}`;
  const keyed = (name: string, value: string): string => `["${name}",${spell.key(opKey[op]!)},${value}${version}]`;
  const isRow = scans.keyTable[opKey[op]!]! >= 0;
  const point = (name: string): string => {
    const row = atomOf(history.keys, opKey[op]!) as string;
    const content = x === NIL ? 'null' : (atomOf(history.values, x) as string);
    return `["${name}",${JSON.stringify(tableOfRow(row))},${spellAtom(keyOfRow(row))},${content}${version}]`;
  };
  const exchange = (name: string, word: string, flag: number): string =>
    keyed(
      name,
      `${spell.value(exchanges.observed[x]!)},${spell.value(exchanges.written[x]!)}${exchanges.flags[x]! & flag ? `,"${word}"` : ''}`,
    );
  switch (opKind[op]) {
    case OpKind.Scan:
      return scan(history, x, spell, version);
    case OpKind.Read:
      return isRow ? point('get') : keyed('r', spell.value(x));
    case OpKind.Write:
      return isRow ? point('put') : keyed('w', spell.value(x));
    case OpKind.Append:
      return keyed('append', spell.value(x));
    case OpKind.ListRead:
      if (x === UNKNOWN_LIST) return keyed('r', '{"unknown":"list"}');
      return keyed('r', spell.list(opKey[op]!, x));
    case OpKind.CompareAndSet:
      return exchange('cas', 'failed', Exchange.Failed);
    case OpKind.Insert:
      return exchange('insert', 'tombstone', Exchange.FoundTombstone);
    case OpKind.Delete:
      return exchange('delete', 'tombstone', Exchange.FoundTombstone);
    default: {
      const bound = (key: number): string => (key === OPEN_BOUND ? 'null' : spell.key(key));
      const rows: string[] = [];
      for (let row = ranges.rowStart[x]!; row < ranges.rowStart[x + 1]!; row++) {
        const dead = ranges.rowDead[row] ? ',"dead"' : '';
        rows.push(`[${spell.key(ranges.rowKey[row]!)},${spell.value(ranges.rowValue[row]!)}${dead}]`);
      }
      return `["range",${bound(ranges.low[x]!)},${bound(ranges.high[x]!)},[${rows.join()}]${version}]`;
    }
  }
}

function scan({ scans }: History, x: number, spell: Speller, version: string): string {
  const { tables, table, predicates, predicate, aggregates, aggregate, rowStart, rowKey, rowValue } = scans;
  const of = `${JSON.stringify(tables[table[x]!])},${JSON.stringify(predicates[predicate[x]!])}`;
  const result = aggregates[aggregate[x]!];
  if (result?.kind === 'count') return `["count",${of},${result.result}${version}]`;
  if (result !== undefined)
    return `["${result.kind}",${of},${JSON.stringify(result.column)},${JSON.stringify(result.result)}${version}]`;
  const rows: string[] = [];
  for (let row = rowStart[x]!; row < rowStart[x + 1]!; row++) rows.push(spell.row(rowKey[row]!, rowValue[row]!));
  return `["scan",${of},[${rows.join()}]${version}]`;
}

/** Spells the atoms of a history; atoms of small tables are spelled only once. */
class Speller {
  readonly key: (id: number) => string;
  readonly value: (id: number) => string;
  readonly session: (id: number) => string;
  readonly list: (key: number, list: number) => string;
  readonly row: (key: number, value: number) => string;

  constructor(history: History) {
    this.key = spellerOf(history.keys, countOperations(history));
    this.value = spellerOf(history.values, elementsRead(history));
    this.session = spellerOf(history.sessionNames, countTransactions(history));
    this.list = listSpeller(history, this.value);
    this.row = (key, value) => {
      const [name, text] = [atomOf(history.keys, key) as string, atomOf(history.values, value)];
      return `[${spellAtom(keyOfRow(name))},${value === UNKNOWN_VALUE ? 'null' : (text as string)}]`;
    };
  }
}

/**
 * Most lists differ from the previous list read of their key by only a few elements at the end, so that list is kept.
 */
function listSpeller({ lists }: History, value: (id: number) => string): (key: number, list: number) => string {
  const { parent, element, length } = lists;
  const keptList: number[] = [];
  const keptText: string[] = []; // each element with a preceding comma
  return (key, list) => {
    let common = list;
    let kept = keptList[key] ?? EMPTY_LIST;
    let text = keptText[key] ?? '';
    let charsLess = 0;
    const more: string[] = [];
    while (common !== kept) {
      if (length[common]! > length[kept]!) {
        more.push(value(element[common]!));
        common = parent[common]!;
      } else {
        charsLess += 1 + value(element[kept]!).length;
        kept = parent[kept]!;
      }
    }
    if (charsLess > 0) text = text.slice(0, text.length - charsLess);
    for (let i = more.length - 1; i >= 0; i--) text += `,${more[i]!}`;
    keptList[key] = list;
    keptText[key] = text;
    return `[${text.slice(1)}]`;
  };
}

/** Total number of elements in all list reads. */
function elementsRead({ opKind, opValue, lists }: History): number {
  let sum = 0;
  for (let op = 0; op < opKind.length; op++)
    if (opKind[op] === OpKind.ListRead && opValue[op] !== UNKNOWN_LIST) sum += lists.length[opValue[op]!]!;
  return sum;
}

/** Keeps spellings if the table is used more often than it is long. */
function spellerOf(atoms: Atoms, uses: number): (id: number) => string {
  if (uses <= countAtoms(atoms)) return (id) => spellAtom(atomOf(atoms, id));
  const spelled: string[] = [];
  return (id) => (spelled[id] ??= spellAtom(atomOf(atoms, id)));
}

function spellAtom(atom: Atom): string {
  if (atom === null) return 'null';
  if (typeof atom === 'bigint') return atom.toString();
  if (typeof atom === 'string') return JSON.stringify(atom);
  return atom.type === 'unknown' ? '{"unknown":"value"}' : `{"${atom.type}":${JSON.stringify(atom.text)}}`;
}
