import type { OperationId } from '@isolab/history';
import { Clauses } from './clauses.ts';
import { type Fields, eachOf, integerOf, listOf, nameTxn, objectOf, refuse } from '../verdict/flaw.ts';

/** Literals: v if choice v is true, −v if it is false. Variables count from 1. */
export type Clause = readonly number[];

export const nameChoice = (number: number): string => `choice ${number}`;

/**
 * Verifies that steps derive the empty clause. Unit propagation verifies learned clauses, and `verify` all other
 * clauses.
 */
export function verifySteps(data: unknown, numChoices: number, verify: (step: Fields, clause: Clause) => void): void {
  const clauses = new Clauses(numChoices);
  const nameStep = (number: number): string => `step ${number}`;
  const lengths = eachOf(data, 'the list of steps', nameStep, (entry) => {
    const step = objectOf(entry, 'it');
    const clause = readClause(step['clause'], numChoices);
    if (step['kind'] !== 'learned') verify(step, clause);
    else if (!clauses.imply(clause))
      refuse('the clause does not follow from the clauses before it by unit propagation');
    clauses.add(clause);
    return clause.length;
  });
  if (lengths.length === 0) refuse('the proof has no steps');
  if (lengths.at(-1) !== 0) refuse('the last step of the proof is not the empty clause');
}

function readClause(data: unknown, numChoices: number): Clause {
  const clause = listOf(data, 'the clause');
  for (let i = 0; i < clause.length; i++)
    if (integerOf(clause[i], -numChoices, numChoices + 1, `literal ${i + 1}`) === 0) refuse(`literal ${i + 1} is 0`);
  return clause as readonly number[];
}

export interface SourceChoice {
  readonly read: OperationId;
  readonly writer: number;
}

/**
 * Refuses unless a clause states that a read saw one of these writers. `same` is the read that represents it in
 * choices.
 */
export function refuseOtherWriters(
  choices: readonly (object | SourceChoice)[],
  clause: Clause,
  read: OperationId,
  writers: readonly number[],
  same = read,
): void {
  const named = new Set<number>();
  for (const literal of clause) {
    const choice = choices[Math.abs(literal) - 1]!;
    if (literal > 0 && 'read' in choice && choice.read === same) named.add(choice.writer);
  }
  const missing = writers.find((writer) => !named.has(writer));
  if (missing !== undefined) refuse(`operation ${read} may have seen ${nameTxn(missing)}, which the clause leaves out`);
}

/** Adds 1 or −1 to a count. Entries with count 0 are removed. */
export function count<Key>(counts: Map<Key, number>, key: Key, times: 1 | -1): void {
  const now = (counts.get(key) ?? 0) + times;
  if (now === 0) counts.delete(key);
  else counts.set(key, now);
}
