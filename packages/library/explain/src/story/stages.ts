import type { StageDependency, Stages } from '@isolab/contract';
import type { StoryEdgeKind, StoryStage } from '@isolab/story';
import { capitalised } from '@isolab/history';
import { type EdgeList, txnId } from './edge-list.ts';
import type { Names } from './names.ts';

/** Adds the dependencies of the stages to the edges of a story. */
export function storyStages(names: Names, list: EdgeList, stages: Stages): StoryStage[] {
  const isLasting = (d: StageDependency): boolean => stages.resolved.dependencies.some((other) => isSame(d, other));
  return STAGES.map(({ name, text }) => {
    const { transactions, dependencies } = stages[name];
    const edges = dependencies.map((d) => {
      const [a, b] = [names.txn(d.from), names.txn(d.to)];
      const key = d.key < 0 ? '' : names.keyName(d.key);
      const sentence = `${capitalised(a)} comes before ${b}: ${WHY[d.type](a, b, key)}${isLasting(d) ? '' : ', which turns out to be impossible'}.`;
      return { id: list.addOfStage(d.from, d.to, KINDS[d.type], d.key, sentence), isCertain: d.certain };
    });
    const certain = new Set(edges.filter(({ isCertain }) => isCertain).map(({ id }) => id));
    const all = [...new Set(edges.map(({ id }) => id))];
    return {
      name,
      text,
      transactions: transactions.map(txnId),
      edges: all,
      uncertain: all.filter((id) => !certain.has(id)),
    };
  });
}

const isSame = (a: StageDependency, b: StageDependency): boolean =>
  a.from === b.from && a.to === b.to && a.type === b.type && a.key === b.key;

export const STAGE_NAMES = ['raw', 'restored', 'resolved', 'finalized'] as const;

const STAGES = [
  { name: 'raw', text: 'Raw: the cycle as it was found.' },
  {
    name: 'restored',
    text: 'Restored: adds the writers of the values read, and both orders of two writers where either is possible (dashed).',
  },
  {
    name: 'resolved',
    text: 'Resolved: drops the orders of writers that close a cycle by themselves, which makes the opposite orders certain.',
  },
  { name: 'finalized', text: 'Finalized: drops the edges that are still uncertain; only the violation remains.' },
] as const;

const KINDS: Readonly<Record<StageDependency['type'], StoryEdgeKind>> = {
  SO: 'session',
  WR: 'read-from',
  WW: 'write-order',
  RW: 'anti-dependency',
};

const WHY: Readonly<Record<StageDependency['type'], (a: string, b: string, key: string) => string>> = {
  SO: (a, b) => `${b} follows ${a} in the same session`,
  WR: (a, b, key) => `${b} reads ${key} from ${a}`,
  WW: (a, b, key) => `${b} overwrites ${a}’s write to ${key}`,
  RW: (a, b, key) => `${a} reads a version of ${key} that ${b} overwrites`,
};
