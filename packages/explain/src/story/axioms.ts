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

/** Tells of a violation of a level's axioms: the clearest walk that they forbid, and which axiom that is. */
export function tellAxioms(
  names: Names,
  list: EdgeList,
  level: LevelName,
  certificate: AxiomsCertificate,
): { told: StorySentence[]; edges: readonly Edge[] } {
  const step = clearestStep(certificate);
  if (step === null) return { told: [], edges: [] };
  const forbidden = forbiddenBy(level, axiomsOf(step));
  const edges = edgesOfAxioms(names.history, step, certificate.order);
  const { choices, steps } = certificate;
  const told: StorySentence[] = [];
  if (step.clause.length > 0)
    told.push({
      text: `Whichever of two comes first, an axiom forbids what follows: a proof of ${steps.length} steps covers ${choices.length} pairs. One of its walks follows, with the fewest assumptions.`,
      edges: [],
    });
  if (!isClosed(edges)) {
    const shown = [...new Set(edges.flatMap(({ from, to }) => [from, to]))].map((t) => names.txn(t)).join(', ');
    told.push({ text: shown === '' ? `It is ${forbidden}.` : `What ${shown} did is ${forbidden}.`, edges: [] });
    return { told, edges: [] };
  }
  const shown = asTold(names.history, argumentOf({ kind: 'cycle', edges }));
  told.push(...tellCycle(names, list, shown), { text: `This cycle is ${forbidden}.`, edges: [] });
  return { told, edges: shown.edges };
}

/** What was told last, with the transactions of the cycle: "T1 and T4 form a cycle, forbidden by axiom 1 of …". */
export function axiomsHeadline(names: Names, edges: readonly Edge[], told: readonly StorySentence[]): string | null {
  const last = told.at(-1)?.text;
  if (last === undefined) return null;
  const cycle = [...new Set(edges.map(({ from }) => names.txn(from)))];
  const shown = [cycle.slice(0, -1).join(', '), cycle.at(-1)].filter((word) => word !== '').join(' and ');
  return last.replace(/^This cycle is/, `${shown} form a cycle,`);
}

/** "forbidden by axiom 2 of mine (mine.lvl:5): …" */
function forbiddenBy(level: LevelName, numbers: readonly number[]): string {
  const definition = definitionOf(level);
  const shown = numbers.flatMap((number) => {
    const axiom = definition?.axioms[number];
    if (!axiom) return [];
    const { file, line } = axiom.position;
    return [`axiom ${number + 1} of ${level} (${file}:${line}): ${printAxiom(axiom)}`];
  });
  return shown.length === 0 ? `forbidden by ${level}` : `forbidden by ${shown.join('; and ')}`;
}

const isClosed = (edges: readonly Edge[]): boolean =>
  edges.length > 1 && edges.every(({ from }, i) => edges.at(i - 1)!.to === from);
