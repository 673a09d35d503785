import { type Edge, INITIAL_TXN, type LevelName } from '@isolab/contract';
import { OpKind, type OperationId, capitalised, transactionOf } from '@isolab/history';
import type { StoryDerivation, StoryEdge, StoryEdgeKind, StoryEnd } from '@isolab/story';
import { type Argument, type Refutation, orderKey } from './argument.ts';
import type { Names } from './names.ts';
import { EDGE_KINDS, Reasons, commonWrite } from './reasons.ts';

type EdgePart = StoryEdge['part'];
type Draft = { -readonly [Name in keyof StoryEdge]: StoryEdge[Name] };

export const txnId = (t: number): string => (t === INITIAL_TXN ? 'initial' : `t${t}`);

/** The edges of a story, without duplicates, with their reasons. */
export class EdgeList {
  readonly reasons: Reasons;
  readonly #names: Names;
  readonly #edges = new Map<string, Draft>(); // by text of the edge
  readonly #byId = new Map<string, Draft>();
  /** Operations that edges end at or mention, with their roles. */
  readonly operations = new Map<number, 'read' | 'write' | 'cycle'>();
  /** For each key, a read that saw its initial state. */
  readonly initialReads = new Map<number, number>();
  /** Transactions of the cycle. */
  readonly inCycle = new Set<number>();
  readonly touched = new Set<number>();

  constructor(names: Names, level: LevelName) {
    this.#names = names;
    this.reasons = new Reasons(names, level);
  }

  edge(id: string): StoryEdge | undefined {
    return this.#byId.get(id);
  }

  get all(): readonly StoryEdge[] {
    return [...this.#edges.values()];
  }

  addCycle(argument: Argument): readonly string[] {
    return argument.edges.map((edge, i) => {
      this.inCycle.add(edge.from);
      this.inCycle.add(edge.to);
      const id = this.add(edge, 'cycle', argument);
      const draft = this.#byId.get(id)!;
      draft.part = 'cycle';
      draft.number = i + 1;
      return id;
    });
  }

  add(edge: Edge, part: EdgePart, argument: Argument | null): string {
    const { from, to, reason } = edge;
    const [read, write] = ['read' in reason ? reason.read : -1, 'write' in reason ? reason.write : -1];
    const key = `${from} ${to} ${reason.kind} ${read} ${write} ${part === 'refuted'}`;
    const known = this.#edges.get(key);
    if (known) return known.id;
    const [a, b] = [this.#names.txn(from), this.#names.txn(to)];
    if (argument?.refuted.has(orderKey(from, to))) this.reasons.proven.add(orderKey(from, to));
    const draft = this.#enter(key, from, to, EDGE_KINDS[reason.kind], part, '');
    this.#touch(from, to);
    draft.sentence = `${capitalised(a)} comes before ${b}, because ${this.reasons.because(edge)}.`;
    this.#end(draft, edge);
    const derivation = this.#derive(edge, argument);
    if (derivation) draft.derivation = derivation;
    return draft.id;
  }

  /** Adds an edge without a derivation, or finds an edge with the same ends and kind. */
  addPlain(
    from: number,
    to: number,
    kind: StoryEdgeKind,
    part: EdgePart,
    key: string | null,
    sentence: string,
  ): string {
    const same = this.all.find((edge) => joins(edge, from, to, kind));
    if (same) return same.id;
    const draft = this.#enter(`${from} ${to} ${kind} ${key}`, from, to, kind, part, sentence);
    this.#touch(from, to);
    if (key !== null) draft.key = key;
    return draft.id;
  }

  /** Adds a dependency of a stage, on a key or −1, or finds the equal edge of the story. */
  addOfStage(from: number, to: number, kind: StoryEdgeKind, key: number, sentence: string): string {
    const named = key < 0 ? undefined : this.#names.keyName(key);
    const same = this.all.find((edge) => joins(edge, from, to, kind) && edge.key === named && edge.part !== 'refuted');
    if (same) return same.id;
    const draft = this.#enter(`stage ${from} ${to} ${kind} ${key}`, from, to, kind, 'context', sentence);
    draft.onlyInStages = true;
    if (named !== undefined) draft.key = named;
    const end = (t: number, isRead: boolean): StoryEnd => {
      const op = key < 0 ? -1 : firstOf(this.#names.history, t, key, isRead);
      if (t === INITIAL_TXN && kind === 'read-from')
        return { transaction: txnId(t), operation: this.#names.initialId(key) };
      if (op < 0) return { transaction: txnId(t) };
      if (!this.operations.has(op)) this.operations.set(op, 'cycle');
      return { transaction: txnId(t), operation: this.#names.opId(op) };
    };
    draft.from = end(from, kind === 'anti-dependency');
    draft.to = end(to, kind === 'read-from');
    if (from === INITIAL_TXN && kind === 'read-from' && !this.initialReads.has(key))
      this.initialReads.set(key, firstOf(this.#names.history, to, key, true));
    return draft.id;
  }

  /** Adds the transactions of an anomaly without edges. */
  cast(transactions: Iterable<number>): void {
    for (const t of transactions) {
      this.inCycle.add(t);
      this.touched.add(t);
    }
  }

  #touch(...transactions: readonly number[]): void {
    for (const t of transactions) this.touched.add(t);
  }

  #enter(key: string, from: number, to: number, kind: StoryEdgeKind, part: EdgePart, sentence: string): Draft {
    const end = (t: number): StoryEnd => ({ transaction: txnId(t) });
    const draft: Draft = { id: `e${this.#edges.size + 1}`, from: end(from), to: end(to), kind, part, sentence };
    this.#edges.set(key, draft);
    this.#byId.set(draft.id, draft);
    return draft;
  }

  /** Records the key and the operations that an edge ends at. */
  #end(draft: Draft, { from, to, reason }: Edge): void {
    const { history } = this.#names;
    const at = (t: number, op: OperationId, role: 'read' | 'write' | 'cycle'): StoryEnd => {
      if (op < 0 || transactionOf(history, op) !== t) return { transaction: txnId(t) };
      if (role !== 'cycle' || !this.operations.has(op)) this.operations.set(op, role);
      return { transaction: txnId(t), operation: this.#names.opId(op) };
    };
    if (reason.kind === 'read-from' || reason.kind === 'assumed-read') {
      draft.from = at(from, writeRead(this.#names, from, reason.read), 'cycle');
      draft.to = at(to, reason.read, 'cycle');
      draft.key = this.#names.key(reason.read);
      if (from !== INITIAL_TXN) return;
      const key = history.opKey[reason.read];
      draft.from = { transaction: txnId(from), operation: this.#names.initialId(key) };
      if (!this.initialReads.has(key)) this.initialReads.set(key, reason.read);
    } else if (reason.kind === 'overwrites') {
      draft.from = at(from, reason.read, 'read');
      draft.to = at(to, reason.write, 'write');
      draft.key = this.#names.key(reason.read);
    } else if (reason.kind === 'overwritten') {
      draft.from = at(from, reason.write, 'write');
      draft.to = at(to, writeRead(this.#names, to, reason.read), 'cycle');
      draft.key = this.#names.key(reason.read);
      this.operations.set(reason.read, 'read');
      this.touched.add(transactionOf(history, reason.read));
    } else if (reason.kind === 'assumed') {
      draft.from = at(from, commonWrite(history, to, from), 'cycle');
      draft.to = at(to, commonWrite(history, from, to), 'cycle');
      draft.key = this.reasons.commonKey(from, to);
    } else if (reason.kind === 'version') {
      draft.from = at(from, writeRead(this.#names, from, reason.read), 'write');
      draft.to = at(to, firstOf(history, to, history.opKey[reason.read], false), 'write');
      draft.key = this.#names.key(reason.read);
      this.operations.set(reason.read, 'read');
      this.touched.add(transactionOf(history, reason.read));
    }
  }

  #derive(edge: Edge, argument: Argument | null): StoryDerivation | null {
    const { from, to, reason } = edge;
    // Skips edges from the initial state, whose priority is obvious.
    const nested = (edges: readonly Edge[]): string[] =>
      edges.filter((one) => one.reason.kind !== 'initial').map((one) => this.add(one, 'reason', argument));
    if (reason.kind === 'overwritten' || reason.kind === 'overwrites') {
      const isOverwritten = reason.kind === 'overwritten';
      const [reader, writer] = isOverwritten
        ? [transactionOf(this.#names.history, reason.read), to]
        : [from, reason.order[0]?.from ?? INITIAL_TXN];
      const because = [
        ...nested(isOverwritten ? reason.visible : reason.order),
        this.add({ from: writer, to: reader, reason: { kind: 'read-from', read: reason.read } }, 'reason', null),
      ];
      const opposite = this.addPlain(to, from, 'assumed', 'refuted', null, this.reasons.otherwise(edge)!);
      const older = this.reasons.older(edge);
      return {
        text: `${capitalised(this.reasons.because(edge))}.${older === null ? '' : ` ${capitalised(older)}.`}`,
        because,
        refuted: { text: this.reasons.otherwise(edge)!, edges: [opposite] },
      };
    }
    if (reason.kind === 'version') return this.#shownBy(edge, reason.read);
    if (reason.kind !== 'assumed') return null;
    const refutation = argument?.refuted.get(orderKey(from, to));
    return refutation === undefined ? null : this.#refute(from, to, refutation);
  }

  /** Derives the edge from a list, which shows the appends in their order. */
  #shownBy(edge: Edge, read: OperationId): StoryDerivation {
    const reader = transactionOf(this.#names.history, read);
    const seen = [edge.from, edge.to].filter((t) => t !== reader && writeRead(this.#names, t, read) >= 0);
    const because = seen.map((from) =>
      this.add({ from, to: reader, reason: { kind: 'read-from', read } }, 'reason', null),
    );
    return { text: `${capitalised(this.reasons.because(edge))}.`, because };
  }

  /** Explains why the opposite order of two writers is impossible. */
  #refute(from: number, to: number, { argument }: Refutation): StoryDerivation {
    const [a, b] = [this.#names.txn(from), this.#names.txn(to)];
    const edges = argument.edges.map((edge) => {
      const isOpposite = edge.reason.kind === 'assumed' && edge.from === to && edge.to === from;
      return this.add(edge, isOpposite ? 'refuted' : dependsOn(edge, to, from) ? 'refuted' : 'reason', argument);
    });
    const steps = argument.edges
      .filter(({ reason }) => reason.kind !== 'assumed')
      .map(
        (edge) =>
          `${this.#names.txn(edge.from)} comes before ${this.#names.txn(edge.to)}, because ${this.reasons.because(edge)}`,
      );
    const text = `If ${b} came before ${a}, there would be a cycle: ${steps.join('; ')}.`;
    const both = `${capitalised(a)} and ${b} both write ${this.reasons.commonKey(from, to)}`;
    return { text: `${both}, and ${b} cannot come first.`, because: [], refuted: { text, edges } };
  }
}

/** Returns whether an edge follows from an order that is only an assumption. */
function dependsOn({ reason }: Edge, from: number, to: number): boolean {
  const nested = reason.kind === 'overwritten' ? reason.visible : reason.kind === 'overwrites' ? reason.order : [];
  return nested.some(
    (edge) => (edge.reason.kind === 'assumed' && edge.from === from && edge.to === to) || dependsOn(edge, from, to),
  );
}

/** The write of a transaction that a read saw; −1 if there is none, as for the initial state. */
export function writeRead({ history }: Names, writer: number, read: OperationId): number {
  if (writer < 0) return -1;
  const { txnStart, opKey, opValue, opKind, lists } = history;
  const element = opKind[read] === OpKind.ListRead ? null : opValue[read];
  for (let op = txnStart[writer + 1] - 1; op >= txnStart[writer]; op--) {
    if (opKey[op] !== opKey[read] || (opKind[op] !== OpKind.Write && opKind[op] !== OpKind.Append)) continue;
    if (element === null ? contains(lists, opValue[read], opValue[op]) : opValue[op] === element) return op;
  }
  return -1;
}

/** The first write, or read, of a key in a transaction; −1 if there is none. */
function firstOf({ txnStart, opKey, opKind }: Names['history'], t: number, key: number, isRead: boolean): number {
  if (t < 0) return -1;
  for (let op = txnStart[t]; op < txnStart[t + 1]; op++) {
    const reads = opKind[op] === OpKind.Read || opKind[op] === OpKind.ListRead;
    if (opKey[op] === key && reads === isRead) return op;
  }
  return -1;
}

const joins = ({ from, to, kind }: StoryEdge, a: number, b: number, wanted: StoryEdgeKind): boolean =>
  from.transaction === txnId(a) && to.transaction === txnId(b) && kind === wanted;

function contains({ parent, element }: Names['history']['lists'], list: number, value: number): boolean {
  for (let node = list; node > 0; node = parent[node]) if (element[node] === value) return true;
  return false;
}
