import { TxnStatus, countOperations, countTransactions } from '@isolab/history';
import { Clauses } from './definition/clauses.ts';
import { verifyCycle } from './derivation.ts';
import { inside, integerOf, listOf, nameTxn, objectOf, refuse, show } from './verdict/flaw.ts';
import type { Ground, Writers } from './ground.ts';
import { verifyInternal } from './facts/internal.ts';

/**
 * Verifies a clausal proof. Its variables say something of an order that the level admits: that it has both writers of a
 * choice, the first before the second; or that a read, of a transaction that happened, saw what a writer wrote. Every
 * clause must be true in every such order: a clause of a cycle, because if all its literals were false, what they deny
 * would close a cycle; one of candidates, because the read must have seen one of them; an internal one, because what they
 * deny would make a transaction happen that contradicts itself; a learned one, because unit propagation shows that it
 * follows from the clauses before. The empty clause, at the end, is true in none.
 */
export function verifyProof(ground: Ground, certificate: Readonly<Record<string, unknown>>): void {
  const choices = readChoices(ground, certificate['choices']);
  const steps = listOf(certificate['steps'], 'the list of steps');
  const clauses = new Clauses(choices.length);
  ground.allow(steps.length * STEPS_A_CLAUSE);
  let last: Clause | null = null;
  for (let i = 0; i < steps.length; i++)
    last = inside(
      () => `step ${i + 1}`,
      () => verifyStep(ground, choices, clauses, steps[i]),
    );
  if (last === null) refuse('the proof has no steps');
  else if (last.length > 0) refuse('the last step of the proof is not the empty clause');
}

/** Literals: v if choice v is true, −v if not; variables count from 1. */
type Clause = readonly number[];

type Choice = Writers | Source;

/** Writer that a read sees; the read stands for all reads that must see the same. */
interface Source {
  readonly read: number;
  readonly reader: number;
  readonly writer: number;
}

function readChoices(ground: Ground, data: unknown): readonly Choice[] {
  return listOf(data, 'the list of choices').map((choice, i) =>
    inside(
      () => `choice ${i + 1}`,
      () => readChoice(ground, objectOf(choice, 'it')),
    ),
  );
}

function readChoice(ground: Ground, choice: Readonly<Record<string, unknown>>): Choice {
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

function verifyStep(ground: Ground, choices: readonly Choice[], clauses: Clauses, data: unknown): Clause {
  const step = objectOf(data, 'it');
  const clause = readClause(step['clause'], choices.length);
  switch (step['kind']) {
    case 'cycle':
      assumingDenied(ground, choices, clause, () => verifyCycle(ground, step['edges'], 1));
      break;
    case 'candidates':
      assumingDenied(ground, choices, clause, () => verifyCandidates(ground, choices, clause, step['read']));
      break;
    case 'internal':
      assumingDenied(ground, choices, clause, () =>
        verifyInternal(ground.facts, ground.rules, step, (t) => ground.happened(t)),
      );
      break;
    case 'learned':
      if (!clauses.imply(clause)) refuse('the clause does not follow from those before it by unit propagation');
      break;
    default:
      refuse(`it is of kind ${show(step['kind'])}, expected "cycle", "candidates", "internal" or "learned"`);
  }
  clauses.add(clause);
  return clause;
}

function readClause(data: unknown, numChoices: number): Clause {
  const clause = listOf(data, 'the clause');
  for (let i = 0; i < clause.length; i++)
    if (integerOf(clause[i], -numChoices, numChoices + 1, `literal ${i + 1}`) === 0) refuse(`literal ${i + 1} is 0`);
  return clause as readonly number[];
}

/** Verifies something under the assumption that no literal of a clause is true. */
function assumingDenied(ground: Ground, choices: readonly Choice[], clause: Clause, verify: () => void): void {
  const { assumptions } = ground;
  for (const literal of clause) {
    const choice = choices[Math.abs(literal) - 1]!;
    if ('first' in choice) assumptions.assumeOrder(...denied(choice, literal));
    else if (literal < 0) assumptions.assumeRead(choice.read, choice.reader, choice.writer);
  }
  verify();
  for (const literal of clause) {
    const choice = choices[Math.abs(literal) - 1]!;
    if ('first' in choice) assumptions.takeBackOrder(...denied(choice, literal));
    else if (literal < 0) assumptions.takeBackRead(choice.read, choice.reader, choice.writer);
  }
}

/** The order that a literal denies. */
const denied = ({ first, second }: Writers, literal: number): [number, number] =>
  literal > 0 ? [second, first] : [first, second];

/** The clause must name all that the read may have seen; its transaction happened, surely or as is assumed. */
function verifyCandidates(ground: Ground, choices: readonly Choice[], clause: Clause, data: unknown): void {
  const read = ground.read(data);
  const first = ground.firstRead(read);
  const named = new Set<number>();
  for (const literal of clause) {
    const choice = choices[Math.abs(literal) - 1]!;
    if (literal > 0 && 'read' in choice && choice.read === first) named.add(choice.writer);
  }
  const missing = ground.candidates(read).find((writer) => !named.has(writer));
  if (missing !== undefined) refuse(`operation ${read} may have seen ${nameTxn(missing)}, which the clause leaves out`);
}

const STEPS_A_CLAUSE = 10_000;
