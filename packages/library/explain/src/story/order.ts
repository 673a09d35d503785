import { type CommitOrderCertificate, type EventOrderCertificate, type LevelName, levelNamed } from '@isolab/contract';
import {
  type History,
  OpKind,
  atomOf,
  buildReadFrom,
  printAtom,
  showAtom,
  transactionOf,
  valueWritten,
} from '@isolab/history';
import type { Story, StoryBinding, StoryChecked, StoryOrigin, StoryStep } from '@isolab/story';
import { notationOf } from '../copies/notation.ts';
import { type Cast, storySessions, storyTransactions } from './cast.ts';
import { EdgeList, txnId } from './edge-list.ts';
import { Names, type Whole } from './names.ts';
import { addTo } from '../rows/multimap.ts';

export interface OrderOptions {
  /** The history that this one was lowered from. */
  readonly whole?: Whole;
  /** Evidence of the verdict. */
  readonly restsOn?: string;
  readonly origin?: StoryOrigin;
  readonly checked?: StoryChecked;
  readonly historyFile?: { readonly fileName: string; readonly text: string };
}

/** Explains why a small history satisfies a level by an order, with the content of the database after each step. */
export function storyOfOrder(
  history: History,
  level: LevelName,
  certificate: CommitOrderCertificate | EventOrderCertificate,
  options: OrderOptions = {},
): Story {
  const { whole, historyFile } = options;
  const names = new Names(history, whole ?? null);
  const list = new EdgeList(names, level);
  const transactions = Array.from(history.txnStatus.keys());
  for (const t of transactions) names.txn(t);
  addReads(history, names, list);
  const cast: Cast = {
    names,
    transactions,
    inCycle: new Set(),
    operations: list.operations,
    reasons: new Set(),
    initialReads: new Map(),
  };
  const { title } = levelNamed(level);
  const steps =
    certificate.kind === 'commit-order'
      ? transactionSteps(names, certificate.order)
      : eventSteps(names, certificate.events);
  const summary = `${title} holds: the order below explains every read.`;
  return {
    ...beginning(level, summary, options),
    sessions: storySessions(cast),
    transactions: storyTransactions(cast),
    edges: list.all,
    prose: [{ text: summary, edges: [] }, ...steps.map(({ text }) => ({ text, edges: [] }))],
    witness: { text: summary, initial: initialState(names), steps },
    copies: { ...notationOf(history, names.view), ...(historyFile && { history: historyFile }) },
  };
}

type Remarks = Pick<OrderOptions, 'origin' | 'restsOn' | 'checked'>;

const beginning = (level: LevelName, summary: string, { origin, restsOn, checked }: Remarks) => ({
  title: `${levelNamed(level).title} holds`,
  verdict: 'satisfied' as const,
  level,
  anomaly: null,
  summary,
  ...(restsOn !== undefined && { restsOn }),
  ...(origin && { origin }),
  ...(checked && { checked }),
});

/** Reports that a level is satisfied without an order to show, and the reason. */
export const storyWithoutOrder = (level: LevelName, why: string, remarks: Remarks): Story => ({
  ...beginning(level, `${levelNamed(level).title} holds: no read contradicts it.`, remarks),
  sessions: [],
  transactions: [],
  edges: [],
  prose: [{ text: why, edges: [] }],
});

/** Adds the read-from edges that are shown beside the order. */
function addReads(history: History, names: Names, list: EdgeList): void {
  const { readFrom } = buildReadFrom(history);
  for (let op = 0; op < readFrom.length; op++) {
    if (readFrom[op] < 0) continue;
    const [from, to] = [transactionOf(history, readFrom[op]), transactionOf(history, op)];
    if (from === to) continue;
    const sentence = `${names.txn(to)} reads ${names.version(op)} from ${names.txn(from)} (${names.opPlace(op)}).`;
    list.addPlain(from, to, 'read-from', 'context', names.key(op), sentence);
  }
}

function initialState(names: Names): StoryBinding[] {
  const { history } = names;
  const lists = new Set<number>();
  for (let op = 0; op < history.opKind.length; op++) {
    if (history.opKind[op] === OpKind.Append || history.opKind[op] === OpKind.ListRead) lists.add(history.opKey[op]);
  }
  const states = Array.from(history.keyInitial, (value, key) => ({
    key: names.keyName(key),
    value: lists.has(key) ? '[]' : (names.initialRow(key) ?? printAtom(atomOf(history.values, value))),
  }));
  // Whether a row matches is not shown as a separate key.
  return [...new Map(states.map((state) => [state.key, state])).values()];
}

function transactionSteps(names: Names, order: readonly number[]): StoryStep[] {
  const state = new State(names);
  return order.map((t) => ({
    event: 'transaction',
    transaction: txnId(t),
    text: `${names.txn(t)}: ${did(names, t)}.`,
    changes: state.commit(t),
  }));
}

function eventSteps(names: Names, events: readonly number[]): StoryStep[] {
  const state = new State(names);
  return events.map((event) => {
    const t = event >> 1;
    return event % 2 === 0
      ? { event: 'begin', transaction: txnId(t), text: `${names.txn(t)} begins: ${did(names, t)}.`, changes: [] }
      : { event: 'commit', transaction: txnId(t), text: `${names.txn(t)} commits.`, changes: state.commit(t) };
  });
}

function did(names: Names, t: number): string {
  const { txnStart } = names.history;
  const all = Array.from({ length: txnStart[t + 1] - txnStart[t] }, (_, i) => txnStart[t] + i);
  const ops = names.drawnAll(all.slice(0, SHOWN));
  const more = Math.max(0, all.length - SHOWN);
  return all.length === 0 ? 'nothing' : `${ops}${more > 0 ? ` and ${more} more` : ''}`;
}

class State {
  readonly #names: Names;
  readonly #lists = new Map<number, string[]>();

  constructor(names: Names) {
    this.#names = names;
  }

  /** Returns the changes that a transaction makes at its commit: the last write of each key. */
  commit(t: number): StoryBinding[] {
    const { history } = this.#names;
    const changes = new Map<string, string>();
    for (let op = history.txnStart[t]; op < history.txnStart[t + 1]; op++) {
      const written = valueWritten(history, op);
      if (written < 0) continue;
      const value = this.#names.rows(op)?.version(op) ?? showAtom(history.values, written);
      changes.set(
        this.#names.key(op),
        history.opKind[op] === OpKind.Append ? this.#append(history.opKey[op], value) : value,
      );
    }
    return [...changes].map(([key, value]) => ({ key, value }));
  }

  #append(key: number, element: string): string {
    addTo(this.#lists, key, element);
    return `[${this.#lists.get(key)!.join(' ')}]`;
  }
}

const SHOWN = 12;
