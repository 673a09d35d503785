import type { Story } from '@isolab/story';
import { expect } from 'vitest';

/** Insists that every id is unique and every reference exists. */
export function expectWellFormed(story: Story): void {
  const { sessions, transactions, edges, prose } = story;
  const operations = transactions.flatMap((t) => t.operations);
  const sets = [sessions, transactions, edges, operations].map((things) => things.map(({ id }) => id));
  for (const ids of sets) expect(new Set(ids).size).toBe(ids.length);
  const [sessionIds, txnIds, edgeIds, opIds] = sets.map((ids) => new Set(ids)) as [
    Set<string>,
    Set<string>,
    Set<string>,
    Set<string>,
  ];
  const missing: string[] = [];
  const need = (ids: ReadonlySet<string>, id: string | null | undefined): void => {
    if (id !== null && id !== undefined && !ids.has(id)) missing.push(id);
  };
  for (const t of transactions) need(sessionIds, t.session);
  for (const edge of edges) {
    for (const end of [edge.from, edge.to]) {
      need(txnIds, end.transaction);
      need(opIds, end.operation);
      const owner = transactions.find(({ id }) => id === end.transaction);
      if (end.operation !== undefined && !owner?.operations.some(({ id }) => id === end.operation))
        missing.push(`${end.operation} of ${end.transaction}`);
    }
    for (const id of [...(edge.derivation?.because ?? []), ...(edge.derivation?.refuted?.edges ?? [])])
      need(edgeIds, id);
    expect(edge.sentence).not.toBe('');
  }
  for (const sentence of prose) {
    expect(sentence.text).toMatch(/\.$/);
    expect(sentence.text).not.toMatch(/undefined|NaN|\[object/);
    for (const id of sentence.edges) need(edgeIds, id);
    for (const id of sentence.operations ?? []) need(opIds, id);
  }
  for (const stage of story.stages ?? []) {
    for (const id of stage.transactions) need(txnIds, id);
    for (const id of stage.edges) need(edgeIds, id);
  }
  for (const { versions } of story.timelines ?? [])
    for (const { writer, readers } of versions) for (const end of [writer, ...readers]) need(opIds, end?.operation);
  for (const { transaction } of story.witness?.steps ?? []) need(txnIds, transaction);
  expect(missing).toEqual([]);
  const numbers = edges
    .flatMap(({ part, number }) => (part === 'cycle' && number !== undefined ? [number] : []))
    .toSorted((a, b) => a - b);
  expect(numbers).toEqual(numbers.map((_, i) => i + 1));
  expect(structuredCloneOf(story)).toEqual(story);
}

const structuredCloneOf = (story: Story): unknown => JSON.parse(JSON.stringify(story)) as unknown;
