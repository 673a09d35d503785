import {
  type AxiomsCertificate,
  type Edge,
  type LevelName,
  axiomsOf,
  clearestStep,
  definitionOf,
  edgesOfAxioms,
} from '@isolab/contract';
import { printAxiom } from '@isolab/levels';
import type { StorySentence } from '@isolab/story';
import { argumentOf } from './argument.ts';
import { asTold, tellCycle } from './cycle.ts';
import type { EdgeList } from './edge-list.ts';
import type { Names } from './names.ts';

/** Explains a violation of a level's axioms by the axiom and the clearest walk that it forbids. */
export function tellAxioms(
  names: Names,
  list: EdgeList,
  level: LevelName,
  certificate: AxiomsCertificate,
): { told: StorySentence[]; edges: readonly Edge[] } {
  const step = clearestStep(certificate);
  if (step === null)
    return {
      told: [{ text: 'Whichever writers the reads saw, a transaction contradicts itself.', edges: [] }],
      edges: [],
    };
  const forbidden = forbiddenBy(level, certificate.ofKey !== undefined, axiomsOf(step));
  const edges = edgesOfAxioms(names.history, step, certificate.order);
  const told: StorySentence[] = [];
  if (step.clause.length > 0)
    told.push({
      text: `${coveredBy(certificate)} The walk with the fewest assumptions follows.`,
      edges: [],
    });
  if (!isClosed(edges)) {
    const shown = [...new Set(edges.flatMap(({ from, to }) => [from, to]))].map((t) => names.txn(t)).join(', ');
    told.push({
      text: shown === '' ? `It is ${forbidden}.` : `The operations of ${shown} are ${forbidden}.`,
      edges: [],
    });
    return { told, edges: [] };
  }
  const shown = asTold(names.history, argumentOf({ kind: 'cycle', edges }));
  told.push(...tellCycle(names, list, shown), { text: `This cycle is ${forbidden}.`, edges: [] });
  return { told, edges: shown.edges };
}

/** Number of choices that a proof covers: orders of two writers, and reads with several possible writers. */
function coveredBy({ choices, steps }: AxiomsCertificate): string {
  const reads = new Set(choices.flatMap((choice) => ('read' in choice ? [choice.read] : []))).size;
  const choicesOfTwo = choices.filter((choice) => !('read' in choice)).length;
  const pairs = choicesOfTwo === 1 ? 'one pair' : `${choicesOfTwo} pairs`;
  const length = steps.length === 1 ? 'one step' : `${steps.length} steps`;
  const proof = `an axiom forbids the result: a proof of ${length} covers`;
  if (reads === 0) return `Whichever of two writers comes first, ${proof} ${pairs}.`;
  const of = reads === 1 ? 'one read with several possible writers' : `${reads} reads with several possible writers`;
  if (choicesOfTwo === 0) return `Whichever writer each read saw, ${proof} ${of}.`;
  return `Whichever of two writers comes first, and whichever writer each read saw, ${proof} ${pairs} and ${of}.`;
}

/** Headline with the transactions of the cycle: "T1 and T4 form a cycle, forbidden by axiom 1 of …". */
export function axiomsHeadline(names: Names, edges: readonly Edge[], told: readonly StorySentence[]): string | null {
  const last = told.at(-1)?.text;
  if (last === undefined) return null;
  const cycle = [...new Set(edges.map(({ from }) => names.txn(from)))];
  const shown = [cycle.slice(0, -1).join(', '), cycle.at(-1)].filter((word) => word !== '').join(' and ');
  return last.replace(/^This cycle is/, `${shown} form a cycle,`);
}

/**
 * The phrase "forbidden by axiom 2 of mine (mine.lvl:5): …" for the axioms that forbid a walk. For a single key, the
 * axioms are taken from the level that each key must satisfy.
 */
function forbiddenBy(level: LevelName, isOfKey: boolean, numbers: readonly number[]): string {
  const whole = definitionOf(level);
  const definition = isOfKey ? whole?.eachKeySatisfies : whole;
  const shown = numbers.flatMap((number) => {
    const axiom = definition?.axioms[number];
    if (!axiom) return [];
    const { file, line } = axiom.position;
    const of = isOfKey ? `${definition!.name}, which each key must satisfy` : level;
    return [`axiom ${number + 1} of ${of} (${file}:${line}): ${printAxiom(axiom)}`];
  });
  return shown.length === 0 ? `forbidden by ${level}` : `forbidden by ${shown.join('; and ')}`;
}

const isClosed = (edges: readonly Edge[]): boolean =>
  edges.length > 1 && edges.every(({ from }, i) => edges.at(i - 1)!.to === from);
