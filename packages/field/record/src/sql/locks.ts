import { type LiteralAt, type Values, operandOf } from './condition.ts';
import { type Node, everyNode, list, nameParts, text, the } from './tree.ts';

/** A lock, other than those of rows, that a statement takes or gives back. */
export interface LockCall {
  readonly does: 'take' | 'return' | 'return all';
  /** Whether the lock is kept at the end of the transaction. */
  readonly isOfSession: boolean;
  /** Shows whether the only column of the result states the outcome of the lock. */
  readonly isAttempt: boolean;
  readonly mode: LockMode;
  name(values: Values): string;
}

/** Locks conflict if the numbers of their modes add up to five: KEY SHARE, SHARE, NO KEY UPDATE, UPDATE. */
export type LockMode = 1 | 2 | 3 | 4;

/** A lock other than those of rows, by its name. */
export type Lock = readonly [name: string, mode: LockMode];

export const conflict = (one: LockMode, other: LockMode): boolean => one + other >= 5;

const ADVISORY = /^pg_(try_)?advisory_(xact_lock|lock|unlock_all|unlock)(_shared)?$/;
const SHARE_ROW_EXCLUSIVE = 6;

/** Returns the advisory locks and the locks on tables of a statement. */
export function locksOf(statement: Node, literalAt: LiteralAt, shape: string): readonly LockCall[] {
  const lock = the('LockStmt', statement);
  if (lock) return Number(lock['mode']) < SHARE_ROW_EXCLUSIVE ? [] : list(lock['relations']).map(lockOfTable);
  // A call for each row of a table takes locks with unknown names.
  const select = the('SelectStmt', statement);
  if (select === null || select['fromClause'] !== undefined) return [];
  const [target, ...others] = list(select['targetList']).map((each) => the('ResTarget', each)?.['val']);
  return [...everyNode(statement, 'FuncCall')].flatMap((call) => {
    const [, tries, verb, shared] = ADVISORY.exec(nameParts(call['funcname']).at(-1) ?? '') ?? [];
    const isAttempt = tries !== undefined;
    // The outcome of an attempt within a larger result is unknown.
    if (verb === undefined || (isAttempt && (others.length > 0 || the('FuncCall', target) !== call))) return [];
    const does = verb === 'unlock' ? 'return' : verb === 'unlock_all' ? 'return all' : 'take';
    const operands = list(call['args']).map((argument) => operandOf(argument, literalAt));
    const name = (values: Values): string => {
      const keys = operands.map((operand) => operand?.(values, 'bigint'));
      return `advisory ${keys.every((key) => typeof key === 'string') ? keys.join() : textOf(shape, values)}`;
    };
    return { does, isOfSession: verb !== 'xact_lock', isAttempt, mode: shared ? 2 : 4, name };
  });
}

function lockOfTable(relation: Node): LockCall {
  const range = the('RangeVar', relation)!;
  const name = `table ${text(range['schemaname'])}.${text(range['relname'])}`;
  return { does: 'take', isOfSession: false, isAttempt: false, mode: 4, name: () => name };
}

/** Names a computed key by its expression and the values of all constants: equal texts are equal keys. */
function textOf(shape: string, { literals, parameters }: Values): string {
  const given = Array.from({ length: parameters?.length ?? 0 }, (_, i) => parameters!.at(i)!.value?.toString('base64'));
  return JSON.stringify([shape, literals, given]);
}
