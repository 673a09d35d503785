import type { AxiomsCertificate, AxiomsStep, Numbering, OrderEdge, WalkStep } from '@isolab/contract';
import { type BaseRelation, typeOfRelation } from '@isolab/levels';

/** Renumbers a proof from axioms. */
export function axiomsIn(numbers: Numbering, certificate: AxiomsCertificate): AxiomsCertificate {
  const point = (at: number): number => (certificate.order === 'events' ? eventIn(numbers, at) : numbers.txn(at));
  return {
    ...certificate,
    ...(certificate.ofKey !== undefined && { ofKey: numbers.key(certificate.ofKey) }),
    choices: certificate.choices.map((choice) =>
      'read' in choice
        ? { read: numbers.op(choice.read), writer: numbers.txn(choice.writer) }
        : { first: point(choice.first), second: point(choice.second), ...keyIn(numbers, choice.key) },
    ),
    steps: certificate.steps.map((step) => stepIn(numbers, point, step)),
  };
}

const keyIn = (numbers: Numbering, key: number | undefined) => (key === undefined ? {} : { key: numbers.key(key) });

/** The events of the initial transaction are −2 and −1. */
const eventIn = ({ txn }: Numbering, event: number): number => (event < 0 ? event : 2 * txn(event >> 1) + (event % 2));

function stepIn(numbers: Numbering, point: (at: number) => number, step: AxiomsStep): AxiomsStep {
  switch (step.kind) {
    case 'learned':
      return step;
    case 'candidates':
      return { ...step, read: numbers.op(step.read) };
    case 'internal':
      return { ...step, read: numbers.op(step.read), other: numbers.op(step.other) };
    case 'axiom':
      return { ...step, ...keyIn(numbers, step.key), walk: walkIn(numbers, step.walk) };
    case 'cycle':
      return {
        ...step,
        ...keyIn(numbers, step.key),
        edges: step.edges.map((edge) => edgeIn(numbers, { ...edge, from: point(edge.from), to: point(edge.to) })),
      };
  }
}

function edgeIn(numbers: Numbering, edge: OrderEdge): OrderEdge {
  if (edge.kind === 'version') return { ...edge, read: numbers.op(edge.read) };
  return edge.kind === 'axiom' ? { ...edge, walk: walkIn(numbers, edge.walk) } : edge;
}

const walkIn = (numbers: Numbering, walk: readonly WalkStep[]): WalkStep[] =>
  walk.map((step) => walkStepIn(numbers, step));

function walkStepIn(numbers: Numbering, step: WalkStep): WalkStep {
  if ('both' in step) {
    const both = [walkIn(numbers, step.both[0]), walkIn(numbers, step.both[1])] as const;
    return { ...step, both, ...endsOfWalks(both) };
  }
  if ('without' in step) {
    const without = walkIn(numbers, step.without);
    return { ...step, without, ...endsOfWalks([without]) };
  }
  const { from, to } = typeOfRelation(step.relation as BaseRelation);
  const endIn = (sort: string | null, end: number): number =>
    sort === 'read' ? numbers.op(end) : sort === 'event' ? eventIn(numbers, end) : numbers.txn(end);
  return {
    ...step,
    from: endIn(from, step.from),
    to: endIn(to, step.to),
    ...keyIn(numbers, step.key),
    ...(step.read !== undefined && { read: numbers.op(step.read) }),
    ...(step.writer !== undefined && { writer: numbers.txn(step.writer) }),
  };
}

/**
 * Returns the kinds of the two ends of walks that have steps. If no walk has steps, the kinds are unknown, and the ends
 * keep their numbers.
 */
function endsOfWalks(walks: readonly (readonly WalkStep[])[]): { from?: number; to?: number } {
  const walk = walks.find(({ length }) => length > 0);
  if (walk === undefined) return {};
  const [first, last] = [walk[0]!, walk.at(-1)!];
  return { from: isInverse(first) ? first.to : first.from, to: isInverse(last) ? last.from : last.to };
}

const isInverse = (step: WalkStep): boolean => 'relation' in step && step.inverse === true;
