import type { Expression, LevelDefinition } from '@isolab/levels';
import { writersByKey, keysWritten } from '../facts/last-writes.ts';
import { BLIND, listOfOthers } from '../facts/list-tree.ts';
import { type RawFacts, Saw, readsFrom } from '../facts/raw-facts.ts';
import { type Ends, endsOf, related } from './machine.ts';
import { WorldsOfKeys, numberInKey } from './one-key.ts';
import { mayBeUnexplained } from './unexplained.ts';
import { NO_READ, NO_WRITER, type World, writersIn } from './world.ts';
import { Rank } from '../facts/versions.ts';
import { OpKind, type OperationId, UNKNOWN_LIST, UNKNOWN_VALUE } from '@isolab/history';

/**
 * Returns a test of whether two elements may be related by an expression that mentions no order. All transactions that
 * may have happened are included, so that elements unrelated here are unrelated under all outcomes. The right side of a
 * difference must not depend on transactions that may not have happened, and is then omitted. If a read may have seen
 * one of several writers, it is unknown which other writers are excluded.
 */
export function mayBeRelatedIn(facts: RawFacts, { allows }: LevelDefinition) {
  const isChoice = (op: OperationId): boolean =>
    facts.source[op] === Saw.OneOfSeveral ||
    (facts.history.opKind[op] === OpKind.ListRead && allows.length > 0) ||
    (isReadOfAnother(facts, op) && readsFrom(facts, op) >= -1 && mayBeUnexplained(facts, allows, op));
  const takesChoice = (happened: Uint8Array): boolean =>
    facts.source.some((_, op) => happened[facts.txnOf[op]] === 1 && isChoice(op));
  const numTxns = facts.history.txnStatus.length;
  const isSettled = facts.mayHaveHappened.every((may, t) => may === facts.happened[t]);
  const isOpen = takesChoice(facts.happened);
  const isOpenOnTheWay = takesChoice(facts.mayHaveHappened);
  const isSure = (sort: string, thing: number): boolean => {
    const t = sort === 'read' ? facts.txnOf[thing] : sort === 'event' ? thing >> 1 : thing;
    return t < 0 || facts.happened[t] === 1;
  };
  let world: World | null = null;
  let ofKeys: WorldsOfKeys | null = null;
  const known = new Map<string, Known>(); // by key, with '' for all keys
  const knownAt = (key: number | null): Known => {
    let found = known.get(`${key ?? ''}`);
    if (found !== undefined) return found;
    world ??= possibleWorld(facts, allows);
    if (key === null) found = { world, number: (sort, name) => nodeOf(sort, name, numTxns), tests: new Map() };
    else {
      const part = (ofKeys ??= new WorldsOfKeys(world)).of(key);
      const n = part.names.txns.length;
      const number = (sort: string, name: number): number =>
        name < 0 && sort !== 'read' ? nodeOf(sort, name, n) : numberInKey(part, sort, name);
      found = { world: part, number, tests: new Map() };
    }
    known.set(`${key ?? ''}`, found);
    return found;
  };
  return (expression: Expression, from: number, to: number, ends: Ends | null, key: number | null): boolean => {
    if (speaksOfOrder(expression)) return true;
    const [sort, endSort] = endsOf(expression) ?? ends ?? ['transaction', 'transaction'];
    const mayBeOpen = hasPath(expression) || !isSure(sort, from) || !isSure(endSort, to);
    if ((isOpen || (isOpenOnTheWay && mayBeOpen)) && speaksOfSources(expression)) return true;
    const { world: there, number, tests } = knownAt(key);
    const [x, y] = [number(sort, from), number(endSort, to)];
    if (x < 0 || y < 0) return true; // it is absent, so nothing is known about it
    let test = tests.get(expression);
    if (test === undefined)
      tests.set(expression, (test = related(there, isSettled ? expression : widened(expression), ends)));
    return test(x, y);
  };
}

/** A world, its names, and the evaluated expressions. */
interface Known {
  readonly world: World;
  readonly number: (sort: string, name: number) => number;
  readonly tests: Map<Expression, (x: number, y: number) => boolean>;
}

/** The initial transaction and its events are negative in certificates, and come last here. */
const nodeOf = (sort: string, name: number, n: number): number =>
  name >= 0 || sort === 'read' ? name : sort === 'event' ? 2 * n + 2 + name : n;

const speaksOfOrder = (expression: Expression): boolean => speaksOf(expression, ['ww', 'rw', 'missed', 'co', 'before']);
const speaksOfSources = (expression: Expression): boolean => speaksOf(expression, ['wr', 'seen']);

function speaksOf(expression: Expression, names: readonly string[]): boolean {
  if (expression.kind === 'base') return names.includes(expression.name);
  if ('of' in expression) return speaksOf(expression.of, names);
  return 'left' in expression && (speaksOf(expression.left, names) || speaksOf(expression.right, names));
}

/** Returns whether an expression may relate two elements through a third element that may not have happened. */
function hasPath(expression: Expression): boolean {
  if (expression.kind === 'base') return false;
  if (['composition', 'closure', 'reflexive-closure'].includes(expression.kind)) return true;
  if ('of' in expression) return hasPath(expression.of);
  return 'left' in expression && (hasPath(expression.left) || hasPath(expression.right));
}

/**
 * Returns an expression that contains the given expression under all outcomes. It omits subtracted paths through
 * uncertain transactions.
 */
function widened(expression: Expression): Expression {
  if (expression.kind === 'difference') {
    const left = widened(expression.left);
    return hasPath(expression.right) ? left : { ...expression, left };
  }
  if ('of' in expression) return { ...expression, of: widened(expression.of) };
  if ('left' in expression) return { ...expression, left: widened(expression.left), right: widened(expression.right) };
  return expression;
}

const isReadOfAnother = ({ history, ownWrite }: RawFacts, op: OperationId): boolean =>
  history.opKind[op] === OpKind.Read && ownWrite[op] < 0 && history.opValue[op] !== UNKNOWN_VALUE;

function possibleWorld(facts: RawFacts, allows: LevelDefinition['allows']): World {
  const { history, txnOf, mayHaveHappened: happened, ownWrite } = facts;
  const { opKind, opValue } = history;
  const keys = keysWritten(history, happened);
  const from = new Int32Array(opKind.length).fill(NO_READ);
  const shown = new Int32Array(opKind.length);
  for (let op = 0; op < opKind.length; op++) {
    if (happened[txnOf[op]] === 0) continue;
    const isRegister = isReadOfAnother(facts, op);
    const list =
      opKind[op] === OpKind.ListRead && opValue[op] !== UNKNOWN_LIST ? listOfOthers(history, ownWrite, op) : BLIND;
    if (!isRegister && list === BLIND) continue;
    shown[op] = isRegister ? opValue[op] : ~list;
    from[op] = isRegister && mayBeUnexplained(facts, allows, op) ? NO_WRITER : writerLeft(facts, op);
  }
  const none = new Int32Array(0);
  const versions = writersByKey(history, happened);
  const places = { placeOfVersion: none, commits: none, events: none, placeOfCommit: none, placeOfEvent: none };
  return { history, txnOf, happened, isWriter: writersIn(keys), keys, versions, ...places, from, shown };
}

/** The transaction that left the version that was read, or NO_WRITER. */
function writerLeft(facts: RawFacts, op: OperationId): number {
  const writer = readsFrom(facts, op);
  if (writer < 0) return Math.max(NO_WRITER, writer);
  return facts.versions.rank[facts.source[op]] === Rank.Last ? writer : NO_WRITER;
}
