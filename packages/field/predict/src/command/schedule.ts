/** Plans who executes the statements of a prediction when: the command, or isolab itself. */
import type { Match } from './match.ts';

/** The execution of a statement, or of the end of a transaction. */
export interface Event {
  /** Place of the transaction in the recorded history. */
  readonly line: number;
  /** Number of the statement in its transaction, from 0; null for COMMIT. */
  readonly statement: number | null;
}

/** Transaction of a plan. */
export interface Part {
  readonly match: Match;
  /** States that isolab itself sends the statements. */
  readonly isOwn: boolean;
  /** States that the client continues while its COMMIT waits. */
  readonly isAcknowledged: boolean;
}

export interface Plan {
  readonly parts: readonly Part[];
  readonly moves: readonly { readonly part: Part; readonly statements: number }[];
}

/**
 * Returns plans for an order of statements, the most faithful one first: in the first, the command executes all
 * transactions, and a COMMIT waits. In the second, the command executes the first transaction, and isolab executes the
 * statements of the later ones meanwhile. No plan is needed for transactions that are over before the others begin.
 */
export function plansOf(order: readonly Event[], matches: ReadonlyMap<number, Match>): readonly Plan[] {
  const first = firstInterrupted(order);
  if (first === null) return [];
  const events = order.filter(({ line }) => line >= first);
  const firstEnds = events.findIndex(({ line, statement }) => line === first && statement === null);
  const beforeEnd = events.slice(0, firstEnds);
  const lastOwn = beforeEnd.findLastIndex(({ line }) => line === first);
  const isHeldAtCommit = lastOwn >= 0 && beforeEnd.slice(0, lastOwn).every(({ line }) => line === first);
  const plans = [planOf(events, matches, () => false)];
  const own = planOf(events, matches, (line) => line !== first);
  return isHeldAtCommit ? [...plans, own] : [own, ...plans];
}

/** Returns the first transaction during which a later one executes a statement. */
function firstInterrupted(order: readonly Event[]): number | null {
  let found: number | null = null;
  const open = new Set<number>();
  for (const { line, statement } of order) if (statement === null) open.add(line);
  for (const { line, statement } of order) {
    for (const other of open) if (other < line && (found === null || other < found)) found = other;
    if (statement === null) open.delete(line);
  }
  return found;
}

function planOf(events: readonly Event[], matches: ReadonlyMap<number, Match>, isOwn: (line: number) => boolean): Plan {
  const parts = new Map<number, Part>();
  for (const { line } of events)
    if (!parts.has(line)) parts.set(line, { match: matches.get(line)!, isOwn: isOwn(line), isAcknowledged: true });
  const moves = events.flatMap(({ line, statement }) => {
    const part = parts.get(line)!;
    const { numbers, seen } = part.match;
    if (statement === null) return [{ part, statements: seen.statements.length }];
    // A transaction without COMMIT ends with its last statement.
    const statements = numbers[statement]! + 1;
    return statements === seen.statements.length ? [] : [{ part, statements }];
  });
  return { parts: [...parts.values()], moves };
}
