import type { CasesCertificate, CycleCertificate, Edge, ProofCertificate } from '@isolab/contract';

/** A cycle with a refutation of the opposite of each order that it assumes. Simpler cases come first. */
export interface Argument {
  readonly edges: readonly Edge[];
  readonly refuted: ReadonlyMap<string, Refutation>;
  /** The orders that the argument needs without refuting their opposites. */
  readonly supposes: ReadonlySet<string>;
  /** Number of edges used. */
  readonly size: number;
}

/** Proof that the opposite of an order is impossible. */
export interface Refutation {
  readonly key: number;
  readonly argument: Argument;
}

export const orderKey = (from: number, to: number): string => `${from} ${to}`;

export function argumentOf(certificate: CycleCertificate | CasesCertificate): Argument {
  if (certificate.kind === 'cycle') {
    const supposes = new Set<string>();
    return { edges: certificate.edges, refuted: new Map(), supposes, size: collect(certificate.edges, supposes) };
  }
  const { first, second, key } = certificate;
  const ifFirst = argumentOf(nested(certificate.ifFirst));
  if (!ifFirst.supposes.has(orderKey(first, second))) return ifFirst;
  const ifSecond = argumentOf(nested(certificate.ifSecond));
  if (!ifSecond.supposes.has(orderKey(second, first))) return ifSecond;
  return ifFirst.size <= ifSecond.size
    ? resolved(ifSecond, orderKey(second, first), { key, argument: ifFirst }, orderKey(first, second))
    : resolved(ifFirst, orderKey(first, second), { key, argument: ifSecond }, orderKey(second, first));
}

/** Returns the argument with one more of its assumptions justified. */
function resolved(main: Argument, order: string, refutation: Refutation, opposite: string): Argument {
  const supposes = new Set([...main.supposes, ...refutation.argument.supposes]);
  supposes.delete(order);
  supposes.delete(opposite);
  return {
    edges: main.edges,
    refuted: new Map([...main.refuted, [order, refutation]]),
    supposes,
    size: main.size + refutation.argument.size,
  };
}

function nested(certificate: CasesCertificate['ifFirst']): CycleCertificate | CasesCertificate {
  if (certificate.kind === 'cycle' || certificate.kind === 'cases') return certificate;
  throw new RangeError(`Found a certificate of kind '${certificate.kind}' inside a case; expected 'cycle' or 'cases'.`);
}

/** Adds the orders that edges assume. Returns the number of edges, including edges in reasons. */
function collect(edges: readonly Edge[], assumed: Set<string>): number {
  let count = 0;
  const stack = [edges];
  for (let top = stack.pop(); top !== undefined; top = stack.pop()) {
    for (const { from, to, reason } of top) {
      count++;
      if (reason.kind === 'assumed') assumed.add(orderKey(from, to));
      else if (reason.kind === 'overwritten') stack.push(reason.visible);
      else if (reason.kind === 'overwrites') stack.push(reason.order);
    }
  }
  return count;
}

/**
 * Converts a proof to cases by splitting its cycles as DPLL does. Returns null if there are too many cases, or if the
 * proof chooses writers of reads.
 */
export function casesOf({ choices, steps }: ProofCertificate): CycleCertificate | CasesCertificate | null {
  if (choices.some((choice) => 'read' in choice)) return null;
  const cycles = steps.flatMap((step) => (step.kind === 'cycle' ? [step] : []));
  const value = new Int8Array(choices.length + 1);
  const valueOf = (literal: number): number => (literal > 0 ? value[literal] : -value[-literal]);
  let splits = 0;

  const refute = (): CycleCertificate | CasesCertificate | null => {
    let next: { literals: number; literal: number } | null = null;
    for (const { clause, edges } of cycles) {
      if (clause.some((literal) => valueOf(literal) > 0)) continue;
      const open = clause.filter((literal) => valueOf(literal) === 0);
      if (open.length === 0) return { kind: 'cycle', edges };
      if (next === null || open.length < next.literals) next = { literals: open.length, literal: open[0] };
    }
    if (next === null || ++splits > MAX_SPLITS) return null;
    const variable = Math.abs(next.literal);
    const choice = choices[variable - 1];
    if ('read' in choice) return null;
    value[variable] = 1;
    const ifFirst = refute();
    value[variable] = -1;
    const ifSecond = ifFirst && refute();
    value[variable] = 0;
    return (
      ifSecond && {
        kind: 'cases',
        first: choice.first,
        second: choice.second,
        key: choice.key,
        ifFirst: ifFirst!,
        ifSecond,
      }
    );
  };
  return refute();
}

const MAX_SPLITS = 300;
