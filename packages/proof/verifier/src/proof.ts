import { TxnStatus, countOperations, countTransactions } from '@isolab/history';
import { verifyCycle } from './derivation.ts';
import { eachOf, type Fields, integerOf, listOf, nameTxn, objectOf, refuse, show } from './verdict/flaw.ts';
import type { Ground, Writers } from './ground.ts';
import { verifyInternal } from './facts/internal.ts';
import {
  type Clause,
  type SourceChoice,
  nameChoice,
  refuseOtherWriters,
  verifySteps,
} from './definition/refutation.ts';

/**
 * Verifies a clausal proof. Each variable is a statement about an order that the level admits: that the order contains
 * both writers of a choice, the first before the second; or that a read of a transaction that happened saw a writer's
 * version. Every clause must be true in every such order. If all literals of a cycle clause were false, their negations
 * would form a cycle. A candidate clause is true because the read saw one of the candidates. If all literals of an
 * internal clause were false, a transaction that contradicts itself would have happened. A learned clause follows from
 * the previous clauses by unit propagation. The empty clause at the end is true in no order.
 */
export function verifyProof(ground: Ground, certificate: Fields): void {
  const choices = eachOf(certificate['choices'], 'the list of choices', nameChoice, (choice) =>
    readChoice(ground, objectOf(choice, 'it')),
  );
  ground.allow(listOf(certificate['steps'], 'the list of steps').length * STEPS_A_CLAUSE);
  verifySteps(certificate['steps'], choices.length, (step, clause) =>
    assumingDenied(ground, choices, clause, () => verifyStep(ground, choices, step, clause)),
  );
}

type Choice = Writers | Source;

/** Choice of the writer of a read, which represents all reads that must see the same version. */
interface Source extends SourceChoice {
  readonly reader: number;
}

function readChoice(ground: Ground, choice: Fields): Choice {
  if (choice['read'] === undefined) return ground.writers(choice, true);
  const { history, txnOf } = ground.facts;
  const read = integerOf(choice['read'], 0, countOperations(history), 'the read');
  const writer = integerOf(choice['writer'], -1, countTransactions(history), 'the writer');
  const reader = txnOf[read];
  if (history.txnStatus[reader] === TxnStatus.Aborted)
    refuse(`transaction ${reader}, of operation ${read}, did not happen`);
  if (!ground.possibleWriters(read).includes(writer)) refuse(`operation ${read} cannot have seen ${nameTxn(writer)}`);
  return { read: ground.firstRead(read), reader, writer };
}

function verifyStep(ground: Ground, choices: readonly Choice[], step: Fields, clause: Clause): void {
  switch (step['kind']) {
    case 'cycle':
      return verifyCycle(ground, step['edges'], 1);
    case 'candidates':
      return verifyCandidates(ground, choices, clause, step['read']);
    case 'internal':
      return verifyInternal(ground.facts, ground.rules, step, (t) => ground.happened(t));
    default:
      refuse(`it is of kind ${show(step['kind'])}, expected "cycle", "candidates", "internal" or "learned"`);
  }
}

/** Verifies a part under the assumption that all literals of a clause are false. */
function assumingDenied(ground: Ground, choices: readonly Choice[], clause: Clause, verify: () => void): void {
  const assume = (times: 1 | -1): void => {
    for (const literal of clause) {
      const choice = choices[Math.abs(literal) - 1]!;
      if ('first' in choice) ground.assumptions.assumeOrder(...denied(choice, literal), times);
      else if (literal < 0) ground.assumptions.assumeRead(choice.read, choice.reader, choice.writer, times);
    }
  };
  assume(1);
  verify();
  assume(-1);
}

/** The order that a literal denies. */
const denied = ({ first, second }: Writers, literal: number): [number, number] =>
  literal > 0 ? [second, first] : [first, second];

/**
 * Verifies that the clause names all candidates of the read, and that the read's transaction happened, certainly or by
 * assumption.
 */
function verifyCandidates(ground: Ground, choices: readonly Choice[], clause: Clause, data: unknown): void {
  const read = ground.read(data);
  refuseOtherWriters(choices, clause, read, ground.candidates(read), ground.firstRead(read));
}

const STEPS_A_CLAUSE = 10_000;
