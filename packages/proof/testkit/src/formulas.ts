// Histories that satisfy a level if and only if a boolean formula can be satisfied: the reductions by which the papers
// show that checking is NP-hard.

import { type History, type PlainOperation, fromPlain } from '@isolab/history';

/** Clauses of literals; literal k is variable k, literal -k its negation. Variables are counted from 1. */
export type Formula = readonly (readonly number[])[];

/**
 * Returns the history of Biswas and Enea (figure 5): it satisfies prefix consistency, snapshot isolation and
 * serializability if the formula can be satisfied, and violates all three otherwise. A variable k is a pair of
 * transactions a and b, and is false if a comes first. Each literal is a pair y and z, and is false if y comes first. z
 * comes before the y of the next literal, so a clause of false literals is a cycle. A transaction w after both sides
 * reads the value of z, and so forces y before z if the variable makes the literal false.
 *
 * Every transaction has a session of its own: the paper's pairs of the session order are reads of a key with one writer.
 */
export function formulaHistory(formula: Formula): History {
  const transactions = new Map<string, PlainOperation[]>();
  const at = (name: string): PlainOperation[] => {
    const operations = transactions.get(name) ?? [];
    transactions.set(name, operations);
    return operations;
  };
  let pairs = 0;
  const order = (before: string, after: string): void => {
    const key = `${before} before ${after}, ${++pairs}`;
    at(before).push({ kind: 'write', key, value: 1n });
    at(after).push({ kind: 'read', key, value: 1n });
  };
  for (const [i, clause] of formula.entries()) {
    for (const [j, literal] of clause.entries()) {
      const [w, y, z] = ['w', 'y', 'z'].map((name) => `${name}${i},${j}`) as [string, string, string];
      const [first, last] = literal > 0 ? ['a', 'b'] : ['b', 'a'];
      const variable = Math.abs(literal);
      order(z, `y${i},${(j + 1) % clause.length}`);
      order(y, `${first}${variable}`);
      order(`${last}${variable}`, w);
      const key = `v${i},${j}`;
      at(y).push({ kind: 'write', key, value: 1n });
      at(z).push({ kind: 'write', key, value: 2n });
      at(w).push({ kind: 'read', key, value: 2n });
    }
  }
  return fromPlain({
    initial: 0n,
    timeUnit: 'none',
    sessions: [...transactions].map(([name, operations]) => ({
      name,
      transactions: [{ status: 'committed', operations: inOrder(operations), name }],
    })),
  });
}

/** Reads first, so that no transaction reads its own write. */
const inOrder = (operations: readonly PlainOperation[]): PlainOperation[] => [
  ...operations.filter(({ kind }) => kind === 'read'),
  ...operations.filter(({ kind }) => kind !== 'read'),
];

/** Returns whether an assignment makes one literal of every clause true, by trying all of them. */
export function isSatisfiable(formula: Formula): boolean {
  const variables = Math.max(0, ...formula.flat().map(Math.abs));
  for (let assignment = 0; assignment < 2 ** variables; assignment++) {
    const isTrue = (literal: number): boolean =>
      ((assignment >> (Math.abs(literal) - 1)) & 1) === (literal > 0 ? 1 : 0);
    if (formula.every((clause) => clause.some(isTrue))) return true;
  }
  return false;
}
