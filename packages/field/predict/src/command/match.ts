/** Finds the transactions of a recording again in a later run of the same command. */
import type { RecordedTransaction } from '@isolab/record/statements';
import type { SentStatement } from '@isolab/record';
import type { Place, Run, Seen } from './run.ts';

/** A recorded transaction with its counterpart in a run. */
export interface Match {
  readonly recorded: RecordedTransaction;
  readonly again: RecordedTransaction;
  readonly place: Place;
  readonly seen: Seen;
  /** Settings that its session had made before. */
  readonly settings: readonly SentStatement[];
  /** Number of the run's statement that each recorded statement is. */
  readonly numbers: readonly number[];
}

/** Returns the matches by the line in the recording; a transaction that did not recur has none. */
export function matchesOf(
  recording: readonly RecordedTransaction[],
  rerun: readonly RecordedTransaction[],
  run: Run,
): ReadonlyMap<number, Match> {
  const found = new Map<number, Match>();
  const again = new Map<string, RecordedTransaction[]>();
  for (const each of rerun) again.set(programOf(each), [...(again.get(programOf(each)) ?? []), each]);
  const taken = new Map<string, number>();
  for (const recorded of recording) {
    const program = programOf(recorded);
    const nth = taken.get(program) ?? 0;
    taken.set(program, nth + 1);
    const other = again.get(program)?.[nth];
    const matching = other && seenOf(other, run);
    const numbers = matching && numbersOf(other, matching.seen);
    if (numbers) found.set(recorded.line, { recorded, again: other, ...matching, numbers });
  }
  return found;
}

/** Returns the kinds of a transaction's statements. */
export const programOf = ({ statements }: RecordedTransaction): string =>
  statements.map(({ sql }) => kindOf(sql)).join(';');

/** Finds the transaction of a run that a line records: the last one of its session that began before it. */
function seenOf(recorded: RecordedTransaction, run: Run): Pick<Match, 'place' | 'seen' | 'settings'> | null {
  let found: Pick<Match, 'place' | 'seen' | 'settings'> | null = null;
  let settings: readonly SentStatement[] = [];
  for (const [place, seen] of run.transactions())
    if (seen.session === recorded.session && seen.statements[0]!.at <= recorded.begin) {
      found = { place, seen, settings };
      const [first] = seen.statements;
      if (seen.statements.length === 1 && /^\s*set\b/i.test(first!.text)) settings = [...settings, first!];
    }
  return found;
}

function numbersOf({ statements }: RecordedTransaction, seen: Seen): readonly number[] | null {
  const numbers: number[] = [];
  let at = 0;
  for (const { sql } of statements) {
    const kind = kindOf(sql);
    while (at < seen.statements.length && kindOf(seen.statements[at]!.text) !== kind) at++;
    if (at === seen.statements.length) return null;
    numbers.push(at++);
  }
  return numbers;
}

/** Returns a statement without comments, literals, the names of parameters and locks of rows. */
export const kindOf = (text: string): string =>
  text
    .replaceAll(/\/\*.*?\*\//gs, ' ')
    .replaceAll(/--[^\n]*/g, ' ')
    .replaceAll(/'(?:[^']|'')*'/g, '?')
    .replaceAll(/\$\d+/g, '?')
    .replaceAll(/(?<![\w.])-?\d+(?:\.\d+)?(?![\w.])/g, '?')
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/ ?([(),;=<>]) ?/g, '$1')
    .replace(/;$/, '')
    .trim()
    .toLowerCase()
    .replace(/ (?:for (?:no key )?update|for (?:key )?share|lock in share mode)$/, '');
