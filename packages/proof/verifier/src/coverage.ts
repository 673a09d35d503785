import { type LevelName, definitionOf, seesWholeChanges } from '@isolab/contract';
import {
  Exchange,
  type History,
  NO_TIME,
  OpKind,
  type OperationId,
  PLAIN_WRITES_OF_COUNTERS,
  UNKNOWN_LIST,
  UNKNOWN_VALUE,
  isOpaque,
} from '@isolab/history';
import { type BaseRelation, type LevelDefinition, relationsIn } from '@isolab/levels';
import type { AggregateRows } from './aggregate-rows.ts';
import { refuse } from './verdict/flaw.ts';
import { callOf, returned } from './facts/real-time.ts';
import { rulesOf } from './facts/rules.ts';
import { type Allowances, type Checked, type Coverage, type Unchecked, counted } from './verdict/verification.ts';

/** Facts known about a history after the verification of a certificate of `satisfied`. */
export interface Known {
  readonly history: History;
  readonly level: LevelName;
  /** 1 for the transactions that happened according to the certificate. */
  readonly happened: Uint8Array;
  /** Whether the rows that an aggregate covers are known, by operation of the history. */
  readonly knowsRowsOf: (op: OperationId) => boolean;
  /** Whether failed compare-and-sets were examined. */
  readonly knowsFailed: boolean;
}

/** All requirements of the level on the history, each checked or unchecked. */
export function coverageOf(known: Known, rows: AggregateRows, allowed: Allowances): Coverage {
  const parts: readonly (Checked | Unchecked)[] = [
    ...operations(known),
    ...aggregates(known, rows),
    ...sessions(known),
    ...times(known, allowed),
    ...counters(known, allowed),
    completeness(known.history, allowed),
  ];
  const isChecked = (part: Checked | Unchecked): part is Checked => 'text' in part;
  return {
    checked: parts.filter((part) => isChecked(part) && part.count > 0) as Checked[],
    unchecked: parts.filter((part): part is Unchecked => !isChecked(part)),
  };
}

function operations({ history, level, happened, knowsFailed }: Known): (Checked | Unchecked)[] {
  const { txnStart, opKind, opValue, exchanges, ranges, scans } = history;
  const count = { reads: 0, lists: 0, rows: 0, scans: 0, failed: 0 };
  for (let t = 0; t < happened.length; t++) {
    for (let op = txnStart[t]; happened[t] === 1 && op < txnStart[t + 1]; op++) {
      const x = opValue[op];
      switch (opKind[op]) {
        case OpKind.Write:
        case OpKind.Append:
          break;
        case OpKind.Read:
          if (x !== UNKNOWN_VALUE) count.reads++;
          break;
        case OpKind.ListRead:
          if (x !== UNKNOWN_LIST) count.lists++;
          break;
        case OpKind.RangeRead:
          count.reads += ranges.rowStart[x + 1] - ranges.rowStart[x];
          break;
        case OpKind.Scan:
          if (scans.aggregate[x] >= 0) break;
          count.scans++;
          count.rows += scans.rowStart[x + 1] - scans.rowStart[x];
          break;
        default:
          if (exchanges.flags[x] & Exchange.Failed) count.failed++;
          else if (exchanges.observed[x] !== UNKNOWN_VALUE) count.reads++;
      }
    }
  }
  const parts: (Checked | Unchecked)[] = [
    { what: 'reads', count: count.reads, text: counted(count.reads, 'read') },
    { what: 'lists', count: count.lists, text: counted(count.lists, 'list') },
    { what: 'rows', count: count.scans, text: `${counted(count.rows, 'row')} of ${counted(count.scans, 'scan')}` },
  ];
  // All other levels ignore failed operations.
  if (count.failed === 0 || rulesOf(level)?.axiom !== 'serial-by-key') return parts;
  const text = `${counted(count.failed, 'compare-and-set')} that failed`;
  const [what, why] = ['failed compare-and-sets', `${text}: only a commit order shows what they found`] as const;
  return [...parts, knowsFailed ? { what, count: count.failed, text } : { what, count: count.failed, why }];
}

/** Refuses if no rows give an open aggregate its result. */
function aggregates({ history, happened, knowsRowsOf }: Known, rows: AggregateRows): (Checked | Unchecked)[] {
  const { txnStart, opKind, opValue, scans } = history;
  const open: number[] = [];
  let count = 0;
  for (let t = 0; t < happened.length; t++) {
    for (let op = txnStart[t]; happened[t] === 1 && op < txnStart[t + 1]; op++) {
      const scan = opKind[op] === OpKind.Scan ? opValue[op] : -1;
      if (scan < 0 || scans.aggregate[scan] < 0 || isOpaque(scans.predicates[scans.predicate[scan]]!)) continue;
      if (knowsRowsOf(op)) count++;
      else open.push(op);
    }
  }
  const [first] = open;
  const checked: Checked = { what: 'aggregates', count, text: counted(count, 'aggregate') };
  if (first === undefined) return [checked];
  for (const op of open.slice(0, MOST_TRIED)) {
    const { stated, adds } = rows.of(op);
    const all = rows.rowsOf(op).map((row) => [...new Set(rows.versionsOf(row).map(adds))]);
    if (rows.mayComeTo(stated, all) === false) refuse(`no rows give the ${stated.kind} of operation ${op}`);
  }
  const more = open.length > 1 ? ` and ${counted(open.length - 1, 'other aggregate')}` : '';
  const why = `the ${rows.of(first).stated.kind} of operation ${first}${more}: the certificate does not state their rows`;
  return [checked, { what: 'aggregates', count: open.length, why }];
}

/** Maximum number of aggregates to examine if their rows are unknown. */
const MOST_TRIED = 100;

function sessions({ history, level, happened }: Known): Checked[] {
  const rules = rulesOf(level);
  if (rules === null ? !speaksOf(definitionOf(level)!, 'so') : rules.axiom === 'cut' || !rules.sessions) return [];
  const { size: count } = new Set(history.txnSession.filter((_, t) => happened[t] === 1));
  return [{ what: 'sessions', count, text: `the order of ${counted(count, 'session')}` }];
}

/** Real time requires comparable times: the end of one transaction and the begin of another transaction. */
function times({ history, level, happened }: Known, allowed: Allowances): (Checked | Unchecked)[] {
  if (!comparesTimes(level)) return [];
  let [begun, ended, timed, all] = [0, 0, 0, 0];
  for (let t = 0; t < happened.length; t++) {
    if (happened[t] === 0) continue;
    const [hasBegun, hasEnded] = [callOf(history, t) !== NO_TIME, returned(history, t)];
    if (hasBegun) begun++;
    if (hasEnded) ended++;
    if (hasBegun || hasEnded) timed++;
    all++;
  }
  if ((begun > 0 && ended > 0 && timed > 1) || allowed.vacuous === true)
    return [{ what: 'times', count: all, text: `times of ${timed} of ${counted(all, 'transaction')}` }];
  return [{ what: 'times', count: all, why: 'real time: no two transactions have comparable times' }];
}

function comparesTimes(level: LevelName): boolean {
  const rules = rulesOf(level);
  if (rules !== null) return rules.realTime !== 'none';
  const definition = definitionOf(level)!;
  return speaksOf(definition, 'time') || speaksOf(definition, 'rt');
}

const speaksOf = ({ axioms, eachKeySatisfies }: LevelDefinition, relation: BaseRelation): boolean =>
  axioms.some(({ expression }) => relationsIn(expression).has(relation)) ||
  (eachKeySatisfies !== null && speaksOf(eachKeySatisfies, relation));

/** A plain write of a counter is a write of several rows, which the level must show together. */
function counters({ history, level }: Known, allowed: Allowances): Unchecked[] {
  const count = history.source.notes[PLAIN_WRITES_OF_COUNTERS] ?? 0;
  if (count === 0 || allowed.counters === true || seesWholeChanges(level)) return [];
  const why = `whether reads of counters see whole transactions, because ${counted(count, 'plain write')} of counters ${count === 1 ? 'consists' : 'consist'} of several parts`;
  return [{ what: 'counters', count, why }];
}

function completeness({ source }: History, allowed: Allowances): Checked | Unchecked {
  const line = source.notes['cutOffAfterLine'];
  const [what, count] = ['completeness', 1] as const;
  if (line === undefined) return { what, count, text: 'that the history was not cut off' };
  if (allowed.cutOff === true) return { what, count, text: `the history up to line ${line}, where it was cut off` };
  return { what, count, why: `the missing part, because the history was cut off after line ${line}` };
}

/** Coverage of a certificate of `violated`, whose evidence suffices unless it depends on claims. */
export function coverageOfEvidence(kind: string, allowed: Allowances): Coverage {
  const evidence: Checked = { what: 'evidence', count: 1, text: `the evidence, of kind ${kind}` };
  if (kind !== 'timestamps') return { checked: [evidence], unchecked: [] };
  const [what, count] = ['timestamps', 1] as const;
  if (allowed.timestamps !== true)
    return {
      checked: [evidence],
      unchecked: [{ what, count, why: 'whether the timestamps that the database states are right' }],
    };
  return {
    checked: [evidence, { what, count, text: 'if the timestamps that the database states are right' }],
    unchecked: [],
  };
}
