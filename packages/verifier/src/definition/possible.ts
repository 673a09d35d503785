import type { Expression, Level } from '@isolab/levels';
import { writersByKey, keysWritten } from '../last-writes.ts';
import { BLIND, listOfOthers } from '../list-tree.ts';
import { type RawFacts, Saw, readsFrom } from '../raw-facts.ts';
import { type Ends, endsOf, related } from './machine.ts';
import { mayBeUnexplained } from './unexplained.ts';
import { NO_READ, NO_WRITER, type World, writersIn } from './world.ts';
import { Rank } from '../versions.ts';
import { OpKind, UNKNOWN_LIST, UNKNOWN_VALUE } from '@isolab/history';

/**
 * Whether two may be related by an expression that speaks of no order: with all transactions that may have happened, so
 * that what is not related here is not related whatever happened. What a part denies, in turn, must not rest on such that
 * need not have happened, and is left out. Where a read may have seen one of several, nobody knows who is not read from.
 */
export function mayBeRelatedIn(facts: RawFacts, { allows }: Level) {
  const isChoice = (op: number): boolean =>
    facts.source[op] === Saw.OneOfSeveral ||
    (facts.history.opKind[op] === OpKind.ListRead && allows.length > 0) ||
    (isReadOfAnother(facts, op) && readsFrom(facts, op) >= -1 && mayBeUnexplained(facts, allows, op));
  const takesChoice = (happened: Uint8Array): boolean =>
    facts.source.some((_, op) => happened[facts.txnOf[op]] === 1 && isChoice(op));
  const isSettled = facts.mayHaveHappened.every((may, t) => may === facts.happened[t]);
  const isOpen = takesChoice(facts.happened);
  const isOpenOnTheWay = takesChoice(facts.mayHaveHappened);
  let world: World | null = null;
  const known = new Map<Expression, (x: number, y: number) => boolean>();
  return (expression: Expression, from: number, to: number, ends: Ends | null): boolean => {
    if (speaksOfOrder(expression)) return true;
    if ((isOpen || (isOpenOnTheWay && hasPath(expression))) && speaksOfSources(expression)) return true;
    world ??= possibleWorld(facts, allows);
    let test = known.get(expression);
    if (test === undefined)
      known.set(expression, (test = related(world, isSettled ? expression : widened(expression), ends)));
    const n = facts.history.txnStatus.length;
    const [sort, endSort] = endsOf(expression) ?? ends ?? ['transaction', 'transaction'];
    return test(nodeOf(sort, from, n), nodeOf(endSort, to, n));
  };
}

/** The initial transaction is −1 in certificates, and last here; so are its events. */
const nodeOf = (sort: string, name: number, n: number): number =>
  name >= 0 || sort === 'read' ? name : sort === 'event' ? 2 * n + 2 + name : n;

const speaksOfOrder = (expression: Expression): boolean => speaksOf(expression, ['ww', 'rw', 'missed', 'co', 'before']);
const speaksOfSources = (expression: Expression): boolean => speaksOf(expression, ['wr', 'seen']);

function speaksOf(expression: Expression, names: readonly string[]): boolean {
  if (expression.kind === 'base') return names.includes(expression.name);
  if ('of' in expression) return speaksOf(expression.of, names);
  return 'left' in expression && (speaksOf(expression.left, names) || speaksOf(expression.right, names));
}

/** Whether it may relate two by way of a third one, which need not have happened surely. */
function hasPath(expression: Expression): boolean {
  if (expression.kind === 'base') return false;
  if (['composition', 'closure', 'reflexive-closure'].includes(expression.kind)) return true;
  if ('of' in expression) return hasPath(expression.of);
  return 'left' in expression && (hasPath(expression.left) || hasPath(expression.right));
}

/** What contains an expression whoever happened of those that may have: without differences from paths by way of these. */
function widened(expression: Expression): Expression {
  if (expression.kind === 'difference') {
    const left = widened(expression.left);
    return hasPath(expression.right) ? left : { ...expression, left };
  }
  if ('of' in expression) return { ...expression, of: widened(expression.of) };
  if ('left' in expression) return { ...expression, left: widened(expression.left), right: widened(expression.right) };
  return expression;
}

const isReadOfAnother = ({ history, ownWrite }: RawFacts, op: number): boolean =>
  history.opKind[op] === OpKind.Read && ownWrite[op] < 0 && history.opValue[op] !== UNKNOWN_VALUE;

function possibleWorld(facts: RawFacts, allows: Level['allows']): World {
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
  const orders = { commits: none, events: none, placeOfCommit: none, placeOfEvent: none };
  return {
    history,
    txnOf,
    happened,
    isWriter: writersIn(keys),
    keys,
    placeOfVersion: none,
    versions,
    ...orders,
    from,
    shown,
  };
}

/** The transaction that left what a read saw, or NO_WRITER. */
function writerLeft(facts: RawFacts, op: number): number {
  const writer = readsFrom(facts, op);
  if (writer < 0) return Math.max(NO_WRITER, writer);
  return facts.versions.rank[facts.source[op]] === Rank.Last ? writer : NO_WRITER;
}
