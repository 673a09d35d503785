import { NO_TIME, OpKind, countKeys, countOperations, countTransactions } from '@isolab/history';
import { onlyKey, returned } from './commit-order.ts';
import { commitsAfter } from './event-order.ts';
import { Flaw, integerOf, listOf, nameTxn, objectOf, refuse, show } from './flaw.ts';
import { SEVERAL, verifyInternal } from './internal.ts';
import { type Rows, keysWritten, rowHas, writersByKey } from './last-writes.ts';
import { type RawFacts, Saw } from './raw-facts.ts';
import { type Rules, ordersEvents } from './rules.ts';
import { BEGIN_BEFORE_COMMIT, COMMIT_BEFORE_BEGIN, COMMIT_BEFORE_COMMIT, type Step } from './step.ts';
import { requireVisibility } from './visibility.ts';

type Order = Pick<Step, 'leaves' | 'arrives'>;

interface Ends {
  readonly from: number;
  readonly to: number;
}

/** An edge of a certificate, of which so far only the ends are known to be well-formed. */
interface RawEdge extends Ends {
  readonly reason: Readonly<Record<string, unknown>>;
}

/** Refuses unless no order that the level admits can contain what the certificate derives. */
export function verifyViolation(facts: RawFacts, rules: Rules, certificate: Readonly<Record<string, unknown>>): void {
  if (certificate['kind'] === 'internal') return verifyInternal(facts, rules, certificate);
  if (rules.axiom === 'cut')
    refuse('cut isolation orders nothing: an internal anomaly is the only evidence against it');
  return new Derivation(facts, rules).verify(certificate, 0);
}

class Derivation {
  readonly #facts: RawFacts;
  readonly #rules: Rules;
  readonly #exclusive: boolean; // whether of two writers of a key one commits before the other begins
  readonly #byKey: boolean;
  readonly #assumed: Ends[] = [];
  readonly #keys: Rows;
  #steps = 0;

  constructor(facts: RawFacts, rules: Rules) {
    this.#facts = facts;
    this.#rules = rules;
    this.#exclusive = rules.axiom === 'snapshot';
    this.#byKey = rules.axiom === 'serial-by-key';
    this.#keys = keysWritten(facts, writersByKey(facts));
  }

  verify(data: unknown, depth: number): void {
    this.#enter(depth);
    const certificate = objectOf(data, 'the certificate');
    switch (certificate['kind']) {
      case 'cycle': {
        const { from, to, leaves, arrives } = this.#path(certificate['edges'], 'edge', depth);
        if (from !== to) refuse(`the cycle does not close: it begins at ${nameTxn(from)} and ends at ${nameTxn(to)}`);
        if (ordersEvents(this.#rules) && arrives === 'commit' && leaves === 'begin') refuseChain('the last', 1, to);
        return;
      }
      case 'cases':
        return this.#cases(certificate, depth);
      case 'internal':
        return refuse('an internal anomaly does not depend on a case: it is a certificate of its own');
      default:
        return refuse(
          `the certificate is of the kind ${show(certificate['kind'])}, which is no evidence of a violation`,
        );
    }
  }

  #cases(certificate: Readonly<Record<string, unknown>>, depth: number): void {
    const { history } = this.#facts;
    const first = this.#transaction(certificate['first'], 'the first writer');
    const second = this.#transaction(certificate['second'], 'the second writer');
    const key = integerOf(certificate['key'], 0, countKeys(history), 'the key');
    if (first === second) refuse(`both writers are transaction ${first}`);
    for (const t of [first, second])
      if (!rowHas(this.#keys, t, key)) refuse(`transaction ${t} does not write key ${key}`);
    const cases = [
      [certificate['ifFirst'], { from: first, to: second }],
      [certificate['ifSecond'], { from: second, to: first }],
    ] as const;
    for (const [data, edge] of cases) {
      this.#assumed.push(edge);
      inside(`in the case that transaction ${edge.from} precedes transaction ${edge.to}`, () =>
        this.verify(data, depth + 1),
      );
      this.#assumed.pop();
    }
  }

  /** Verifies edges of which each begins where the one before it ends; returns what they say together. */
  #path(data: unknown, name: string, depth: number): Step {
    this.#enter(depth);
    const edges = listOf(data, `the list of each ${name}`);
    if (edges.length === 0) refuse(`there is no ${name}`);
    let first: Step | null = null;
    let last: Step | null = null;
    for (let i = 0; i < edges.length; i++) {
      const step = this.#edge(edges[i], `${name} ${i + 1}`, depth);
      if (last !== null) {
        if (last.to !== step.from)
          refuse(`${name} ${i + 1} begins at ${nameTxn(step.from)}, but ${name} ${i} ends at ${nameTxn(last.to)}`);
        if (ordersEvents(this.#rules) && last.arrives === 'commit' && step.leaves === 'begin')
          refuseChain(`${name} ${i}`, `${name} ${i + 1}`, step.from);
      }
      first ??= step;
      last = step;
    }
    return { from: first!.from, leaves: first!.leaves, to: last!.to, arrives: last!.arrives };
  }

  #edge(data: unknown, name: string, depth: number): Step {
    this.#enter(depth);
    const edge = objectOf(data, name);
    const from = this.#node(edge['from'], `the from of ${name}`);
    const to = this.#node(edge['to'], `the to of ${name}`);
    return inside(`${name}, from ${nameTxn(from)} to ${nameTxn(to)}`, () => {
      const reason = objectOf(edge['reason'], 'the reason');
      if (from === to) refuse('an edge needs two transactions');
      const step = { from, to, ...this.#justify({ from, to, reason }, depth) };
      const excludes =
        this.#exclusive && from >= 0 && to >= 0 && (step.leaves === 'begin' || step.arrives === 'commit');
      // Of two writers of a key, one commits before the other begins; if any event of `from` is before any of `to`,
      // then it is `from`.
      return excludes && this.#writeOneKey(from, to) ? { ...step, ...COMMIT_BEFORE_BEGIN } : step;
    });
  }

  #justify(edge: RawEdge, depth: number): Order {
    const { from, to, reason } = edge;
    switch (reason['kind']) {
      case 'session':
        return this.#session(from, to);
      case 'initial':
        if (from !== -1) refuse('only the initial transaction is before all others');
        return COMMIT_BEFORE_BEGIN;
      case 'read-from':
        return this.#readFrom(edge);
      case 'real-time':
        return this.#realTime(from, to);
      case 'overwritten':
        return this.#overwritten(edge, depth);
      case 'overwrites':
        return this.#overwrites(edge, depth);
      case 'assumed':
        this.#spend(this.#assumed.length);
        if (!this.#assumed.some((assumed) => assumed.from === from && assumed.to === to))
          refuse('no case around it assumes this edge');
        return this.#exclusive ? COMMIT_BEFORE_BEGIN : COMMIT_BEFORE_COMMIT;
      default:
        return refuse(`the reason is of the kind ${show(reason['kind'])}, which does not exist`);
    }
  }

  #session(from: number, to: number): Order {
    const { txnSession } = this.#facts.history;
    if (!this.#rules.sessions) this.#refuseReason('session order');
    if (from < 0 || to < 0) refuse('the initial transaction is of no session');
    if (txnSession[from] !== txnSession[to]) refuse('they are of different sessions');
    if (from > to) refuse(`transaction ${to} is the earlier one in their session`);
    this.#needOneKey(from, to);
    return COMMIT_BEFORE_BEGIN;
  }

  #readFrom({ from, to, reason }: RawEdge): Order {
    const read = this.#readOf(reason['read']);
    if (this.#facts.txnOf[read] !== to) refuse(`operation ${read} is not of ${nameTxn(to)}`);
    if (this.#writerSeen(read) !== from) refuse(`operation ${read} does not read from ${nameTxn(from)}`);
    return COMMIT_BEFORE_BEGIN;
  }

  #realTime(from: number, to: number): Order {
    const { history } = this.#facts;
    const { realTime } = this.#rules;
    if (realTime === 'none') this.#refuseReason('real time');
    if (from < 0 || to < 0) refuse('the initial transaction has no real time');
    this.#needOneKey(from, to);
    const end = returned(history, from) ? history.txnEnd![from] : null;
    const begin = history.txnBegin === null ? NO_TIME : history.txnBegin[to];
    if (realTime !== 'commits' && end !== null && begin !== NO_TIME && end < begin) return COMMIT_BEFORE_BEGIN;
    if (realTime !== 'returned') {
      const commit = commitsAfter(history, to);
      if (commit !== NO_TIME && end !== null && end < commit) return COMMIT_BEFORE_COMMIT;
      const called = history.txnBegin === null ? NO_TIME : history.txnBegin[from];
      if (commit !== NO_TIME && called !== NO_TIME && called < commit) return BEGIN_BEFORE_COMMIT;
    }
    return refuse(
      realTime === 'returned'
        ? `transaction ${from} had not returned when transaction ${to} was called`
        : `real time puts no event of transaction ${from} before one of transaction ${to}`,
    );
  }

  #overwritten({ from: t2, to: t1, reason }: RawEdge, depth: number): Order {
    const { txnOf } = this.#facts;
    const { axiom } = this.#rules;
    if (axiom === 'none') this.#refuseReason('what a reader sees');
    const write = this.#writeOf(reason['write'], t2);
    const read = this.#readOf(reason['read']);
    this.#needSameKey(read, write);
    const t3 = txnOf[read];
    if (this.#writerSeen(read) !== t1 || t1 === t3) refuse(`operation ${read} does not read from ${nameTxn(t1)}`);
    const seen = this.#path(reason['visible'], 'visible edge', depth + 1);
    if (seen.from !== t2) refuse(`the visible edges begin at ${nameTxn(seen.from)}`);
    if (seen.to !== t3)
      refuse(`the visible edges end at ${nameTxn(seen.to)}, but operation ${read} is of transaction ${t3}`);
    requireVisibility(this.#facts, this.#rules, reason['visible'], seen, read);
    return this.#exclusive ? COMMIT_BEFORE_BEGIN : COMMIT_BEFORE_COMMIT;
  }

  #overwrites({ from: t3, to: t2, reason }: RawEdge, depth: number): Order {
    const { axiom } = this.#rules;
    if (axiom !== 'serial' && axiom !== 'serial-by-key' && !ordersEvents(this.#rules))
      this.#refuseReason('that a read was overwritten');
    const read = this.#readOf(reason['read']);
    if (this.#facts.txnOf[read] !== t3) refuse(`operation ${read} is not of ${nameTxn(t3)}`);
    const write = this.#writeOf(reason['write'], t2);
    this.#needSameKey(read, write);
    const t1 = this.#writerSeen(read);
    if (t1 === t3) refuse(`operation ${read} reads from its own transaction`);
    const order = this.#path(reason['order'], 'order edge', depth + 1);
    if (order.from !== t1)
      refuse(`the order edges begin at ${nameTxn(order.from)}, but operation ${read} reads from ${nameTxn(t1)}`);
    if (order.to !== t2) refuse(`the order edges end at ${nameTxn(order.to)}`);
    if (ordersEvents(this.#rules) && order.leaves !== 'commit')
      refuse(`the order edges do not say that ${nameTxn(t1)} commits before transaction ${t2} does`);
    return BEGIN_BEFORE_COMMIT;
  }

  #transaction(data: unknown, what: string): number {
    const t = integerOf(data, 0, countTransactions(this.#facts.history), what);
    return this.#facts.happened[t] ? t : refuse(`${what} is transaction ${t}, which did not happen`);
  }

  #node(data: unknown, what: string): number {
    return data === -1 ? -1 : this.#transaction(data, what);
  }

  #readOf(data: unknown): number {
    const { history, txnOf, happened } = this.#facts;
    const read = integerOf(data, 0, countOperations(history), 'the read');
    if (history.opKind[read] !== OpKind.Read) refuse(`operation ${read} is not a read`);
    return happened[txnOf[read]] ? read : refuse(`transaction ${txnOf[read]}, of operation ${read}, did not happen`);
  }

  #writeOf(data: unknown, t: number): number {
    const { history, txnOf } = this.#facts;
    const write = integerOf(data, 0, countOperations(history), 'the write');
    if (history.opKind[write] !== OpKind.Write) refuse(`operation ${write} is not a write`);
    return txnOf[write] === t ? write : refuse(`operation ${write} is not of ${nameTxn(t)}`);
  }

  #needSameKey(read: number, write: number): void {
    const { opKey } = this.#facts.history;
    if (opKey[read] !== opKey[write]) refuse(`operations ${read} and ${write} are of different keys`);
  }

  /** Sessions and real time order only transactions of one key, where histories are taken key by key. */
  #needOneKey(from: number, to: number): void {
    if (!this.#byKey) return;
    const { txnStart } = this.#facts.history;
    this.#spend(txnStart[from + 1] - txnStart[from] + txnStart[to + 1] - txnStart[to]);
    if (onlyKey(this.#facts, from) !== onlyKey(this.#facts, to))
      refuse(`they are of different keys, which ${this.#rules.level} does not order`);
  }

  /** The transaction whose write a read saw; INITIAL_TXN (−1) for the initial one. */
  #writerSeen(read: number): number {
    const { source, txnOf } = this.#facts;
    if (source[read] >= 0) return txnOf[source[read]];
    if (source[read] === Saw.Initial) return -1;
    return refuse(`operation ${read} ${source[read] === Saw.OneOfSeveral ? SEVERAL : 'reads from no transaction'}`);
  }

  #writeOneKey(a: number, b: number): boolean {
    const { start, item } = this.#keys;
    const few = start[a + 1] - start[a] <= start[b + 1] - start[b] ? a : b;
    const many = few === a ? b : a;
    this.#spend(start[few + 1] - start[few]);
    for (let i = start[few]; i < start[few + 1]; i++) if (rowHas(this.#keys, many, item[i])) return true;
    return false;
  }

  #refuseReason(what: string): never {
    return refuse(`${what} is not a reason at this level, ${this.#rules.level}`);
  }

  #enter(depth: number): void {
    if (depth > MAX_DEPTH) refuse(`it is nested more than ${MAX_DEPTH} deep`);
    this.#spend(1);
  }

  #spend(steps: number): void {
    this.#steps += steps;
    if (this.#steps > MAX_STEPS) refuse(`it takes more than ${MAX_STEPS} steps to verify`);
  }
}

function refuseChain(edge: string, next: string | number, t: number): never {
  const after = typeof next === 'number' ? 'the first' : next;
  return refuse(`${edge} leads only to the commit of transaction ${t}, but ${after} starts from its begin`);
}

/** Says where a problem is. */
function inside<T>(where: string, verify: () => T): T {
  try {
    return verify();
  } catch (error) {
    throw error instanceof Flaw ? new Flaw(`${where}: ${error.message}`) : error;
  }
}

const MAX_DEPTH = 500;
const MAX_STEPS = 4_000_000;
