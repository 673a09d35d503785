import type { Expression, Level } from '@isolab/levels';
import { writersByKey, keysWritten } from '../last-writes.ts';
import { BLIND, listOfOthers } from '../list-tree.ts';
import { type RawFacts, readsFrom } from '../raw-facts.ts';
import { type Ends, endsOf, related } from './machine.ts';
import { NO_READ, NO_WRITER, type World, writersIn } from './world.ts';
import { OpKind, UNKNOWN_LIST, UNKNOWN_VALUE } from '@isolab/history';

/**
 * Whether two may be related by an expression that speaks of no order: with all transactions that may have happened, so
 * that what is not related here is not related whatever happened.
 */
export function mayBeRelatedIn(facts: RawFacts, level: Level) {
  void level;
  let world: World | null = null;
  const known = new Map<Expression, (x: number, y: number) => boolean>();
  return (expression: Expression, from: number, to: number, ends: Ends | null): boolean => {
    if (speaksOfOrder(expression)) return true;
    world ??= possibleWorld(facts);
    let test = known.get(expression);
    if (test === undefined) known.set(expression, (test = related(world, expression, ends)));
    const n = facts.history.txnStatus.length;
    const [sort, endSort] = endsOf(expression) ?? ends ?? ['transaction', 'transaction'];
    return test(nodeOf(sort, from, n), nodeOf(endSort, to, n));
  };
}

/** The initial transaction is −1 in certificates, and last here; so are its events. */
const nodeOf = (sort: string, name: number, n: number): number =>
  name >= 0 || sort === 'read' ? name : sort === 'event' ? 2 * n + 2 + name : n;

function speaksOfOrder(expression: Expression): boolean {
  if (expression.kind === 'base') return ['ww', 'rw', 'missed', 'co', 'before'].includes(expression.name);
  if ('of' in expression) return speaksOfOrder(expression.of);
  return 'left' in expression && (speaksOfOrder(expression.left) || speaksOfOrder(expression.right));
}

function possibleWorld(facts: RawFacts): World {
  const { history, txnOf, mayHaveHappened: happened, ownWrite } = facts;
  const { opKind, opValue } = history;
  const keys = keysWritten(history, happened);
  const from = new Int32Array(opKind.length).fill(NO_READ);
  const shown = new Int32Array(opKind.length);
  for (let op = 0; op < opKind.length; op++) {
    if (happened[txnOf[op]] === 0) continue;
    const isRegister = opKind[op] === OpKind.Read && ownWrite[op] < 0 && opValue[op] !== UNKNOWN_VALUE;
    const list =
      opKind[op] === OpKind.ListRead && opValue[op] !== UNKNOWN_LIST ? listOfOthers(history, ownWrite, op) : BLIND;
    if (!isRegister && list === BLIND) continue;
    shown[op] = isRegister ? opValue[op] : ~list;
    from[op] = Math.max(NO_WRITER, readsFrom(facts, op));
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
