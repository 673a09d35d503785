import { type History, type KeyId, OpKind, type OperationId } from '@isolab/history';
import type { AllowedRead, LevelDefinition } from '@isolab/levels';
import { eachOf, type Fields, integerOf, listOf, nameTxn, objectOf, refuse, show } from '../verdict/flaw.ts';
import { verifyInternal } from '../facts/internal.ts';
import { verifyLists, verifyVersion } from '../facts/lists.ts';
import { type RawFacts, factsForAll, possibleWriters } from '../facts/raw-facts.ts';
import type { Rules } from '../facts/rules.ts';
import { Premises } from './assumed.ts';
import { refuseUnlessForbidden } from './forbidden.ts';
import { mayBeRelatedIn } from './possible.ts';
import { keysUsed } from './used.ts';
import { happenedIn, historyWithOnly } from './each-key.ts';
import { refusePredicates } from './predicates.ts';
import { isExternalRead } from './step.ts';
import { isForbiddenRead, mayBeUnexplained } from './unexplained.ts';
import { type MayBeRelated, Words, readWalk } from './walk.ts';
import { type Clause, type SourceChoice, nameChoice, refuseOtherWriters, verifySteps } from './refutation.ts';

/**
 * Refuses unless no order of events, transactions or writers satisfies the axioms of a level. Each choice of the
 * certificate is an order of two elements.
 */
export function verifyByAxioms(history: History, level: LevelDefinition, certificate: Fields): void {
  // Reads with the same source in every order.
  const rules: Rules = { level: level.name as Rules['level'], axiom: 'none', sessions: false, realTime: 'none' };
  const levels = level.eachKeySatisfies === null ? [level] : [level, level.eachKeySatisfies];
  const facts = factsForAll(
    history,
    rules,
    levels.some(({ allows }) => allows.length > 0),
  );
  switch (certificate['kind']) {
    case 'internal':
      refuseAllowed(facts, levels, certificate);
      return verifyInternal(facts, rules, certificate);
    case 'lists':
      if (levels.every(({ allows }) => allows.length > 0))
        refuse(`${level.name} allows reads of values that no transaction left`);
      return verifyLists(facts, certificate);
    case 'axioms':
      if (certificate['ofKey'] === undefined) return verifyProof(facts, level, rules, certificate);
      return verifyOfKey(facts, level, rules, certificate);
    default:
      refuse(`the certificate is of kind ${show(certificate['kind'])}, which is not evidence against ${level.name}`);
  }
}

/** Verifies that the history of a single key does not satisfy the level required for each key. */
function verifyOfKey(
  facts: RawFacts,
  { name, eachKeySatisfies: level }: LevelDefinition,
  rules: Rules,
  certificate: Fields,
): void {
  if (level === null) return refuse(`${name} is not judged key by key`);
  const { history } = facts;
  refusePredicates(history);
  const key = integerOf(certificate['ofKey'], 0, history.keyInitial.length, 'the field ofKey') as KeyId;
  if (!keysUsed(facts).has(key)) refuse(`no transaction that happened uses key ${key}`);
  const ofKey = factsForAll(historyWithOnly(history, key), rules, level.allows.length > 0);
  verifyProof(happenedIn(ofKey, facts), level, rules, certificate);
}

function verifyProof(facts: RawFacts, level: LevelDefinition, rules: Rules, certificate: Fields): void {
  const premises = new Premises(facts, level);
  if (certificate['order'] !== premises.order)
    refuse(`the field order is ${show(certificate['order'])}, but ${level.name} is about ${premises.order}`);
  new Proof(premises, rules, mayBeRelatedIn(facts, level)).verify(certificate);
}

/** Refuses a read that any of the levels allows. */
function refuseAllowed(facts: RawFacts, levels: readonly LevelDefinition[], { anomaly, read: data }: Fields): void {
  const kind = ALLOWED_AS[String(anomaly)];
  const read = integerOf(data, 0, facts.history.opKind.length, 'the read');
  if (kind !== undefined && !levels.some((level) => isForbiddenRead(facts, level, read, kind)))
    refuse(`${levels[0]!.name} allows such a read`);
}

const ALLOWED_AS: Readonly<Record<string, AllowedRead>> = {
  'thin-air-read': 'thin-air-reads',
  'aborted-read': 'aborted-reads',
  'intermediate-read': 'intermediate-reads',
  'future-read': 'future-reads',
  'not-my-own-write': 'blind-reads',
  'not-my-last-write': 'blind-reads',
};

/** Choice of the order of two points. */
interface OrderChoice {
  readonly first: number;
  readonly second: number;
  readonly key: number | null;
}

type Choice = OrderChoice | SourceChoice;

class Proof {
  readonly #premises: Premises;
  readonly #rules: Rules;
  readonly #mayBeRelated: MayBeRelated;
  readonly #keysUsed: ReadonlySet<number>;
  #choices: readonly Choice[] = [];

  constructor(premises: Premises, rules: Rules, mayBeRelated: MayBeRelated) {
    this.#premises = premises;
    this.#rules = rules;
    this.#keysUsed = keysUsed(premises.facts);
    this.#mayBeRelated = mayBeRelated;
  }

  verify(certificate: Fields): void {
    this.#choices = eachOf(certificate['choices'], 'the list of choices', nameChoice, (choice) =>
      this.#choice(objectOf(choice, 'it')),
    );
    this.#premises.allow(listOf(certificate['steps'], 'the list of steps').length * STEPS_A_CLAUSE);
    verifySteps(certificate['steps'], this.#choices.length, (step, clause) => {
      this.#assumeDenied(clause, 1);
      this.#verifyStep(step, clause);
      this.#assumeDenied(clause, -1);
    });
  }

  #choice(choice: Fields): Choice {
    if (choice['read'] !== undefined) return this.#readChoice(choice);
    const key = this.#key(choice['key'], this.#premises.order === 'versions');
    const first = this.#premises.point(choice['first'], key, 'the first');
    const second = this.#premises.point(choice['second'], key, 'the second');
    return first === second ? refuse('both are the same') : { first, second, key };
  }

  #readChoice(choice: Fields): SourceChoice {
    const { facts } = this.#premises;
    const { history, txnOf, mayHaveHappened } = facts;
    const read = integerOf(choice['read'], 0, history.opKind.length, 'the read');
    const writer = integerOf(choice['writer'], -1, history.txnStatus.length, 'the writer');
    if (mayHaveHappened[txnOf[read]] === 0) refuse(`transaction ${txnOf[read]}, of operation ${read}, did not happen`);
    if (!this.#possibleWriters(read).includes(writer)) refuse(`operation ${read} cannot have seen ${nameTxn(writer)}`);
    return { read, writer };
  }

  #possibleWriters(read: OperationId): readonly number[] {
    const { facts } = this.#premises;
    if (facts.history.opKind[read] !== OpKind.Read || !isExternalRead(this.#premises, read))
      return refuse(`operation ${read} leaves no choice: it is not a read of a register from another transaction`);
    const writers = possibleWriters(facts, read);
    this.#premises.spend(writers.length + 1);
    return writers;
  }

  #key(data: unknown, isNeeded: boolean): number | null {
    if (!isNeeded) return null;
    return integerOf(data, 0, this.#premises.facts.history.keyInitial.length, 'the key');
  }

  /** Verifies a step under the assumptions that the clause denies. */
  #verifyStep(step: Fields, clause: Clause): void {
    const { facts, level } = this.#premises;
    switch (step['kind']) {
      case 'axiom':
        return this.#verifyAxiom(step['axiom'], step['walk'], step['key']);
      case 'cycle':
        return this.#verifyCycle(step);
      case 'candidates':
        return this.#verifyCandidates(clause, step['read']);
      case 'internal':
        refuseAllowed(facts, [level], step);
        return verifyInternal(facts, this.#rules, step, (t) => this.#premises.happened(t));
      default:
        refuse(`it is of kind ${show(step['kind'])}, expected "axiom", "cycle", "candidates", "internal" or "learned"`);
    }
  }

  /** Verifies that the clause names all candidates of the read, and that the read's transaction happened. */
  #verifyCandidates(clause: Clause, data: unknown): void {
    const { facts, level } = this.#premises;
    const read = integerOf(data, 0, facts.history.opKind.length, 'the read');
    const t = facts.txnOf[read];
    if (!this.#premises.happened(t)) refuse(`transaction ${t}, of operation ${read}, did not happen`);
    const writers = this.#possibleWriters(read);
    if (writers.length === 0 || mayBeUnexplained(facts, level.allows, read))
      refuse(`operation ${read} may have seen a value that no transaction left`);
    refuseOtherWriters(this.#choices, clause, read, writers);
  }

  #assumeDenied(clause: Clause, times: 1 | -1): void {
    for (const literal of clause) {
      const choice = this.#choices[Math.abs(literal) - 1]!;
      if ('read' in choice) {
        if (literal < 0) this.#premises.assumeRead(choice.read, choice.writer, times);
        continue;
      }
      const { first, second, key } = choice;
      if (literal > 0) this.#premises.assume(second, first, key, times);
      else this.#premises.assume(first, second, key, times);
    }
  }

  #verifyAxiom(axiom: unknown, walk: unknown, key: unknown): void {
    const { axioms } = this.#premises.level;
    const number = integerOf(axiom, 0, axioms.length, 'the axiom');
    const onlyKey = this.#key(key, axioms[number]!.eachKey);
    if (onlyKey !== null) refusePredicates(this.#premises.facts.history);
    if (onlyKey !== null && !this.#isUsed(onlyKey)) refuse(`no transaction that happened uses key ${onlyKey}`);
    const words = new Words(this.#premises, this.#mayBeRelated, onlyKey);
    refuseUnlessForbidden(this.#premises, words, number, readWalk(this.#premises, walk, onlyKey));
  }

  #isUsed(key: number): boolean {
    const { txnStart, opKey } = this.#premises.facts.history;
    const uses = (t: number): boolean => opKey.subarray(txnStart[t], txnStart[t + 1]).includes(key);
    return this.#keysUsed.has(key) || this.#premises.assumedTransactions().some(uses);
  }

  /** Verifies consecutive edges, each beginning at the end of the previous edge, that return to their start. */
  #verifyCycle(step: Fields): void {
    const key = this.#key(step['key'], this.#premises.order === 'versions');
    const nameEdge = (number: number): string => `edge ${number}`;
    const edges = eachOf(step['edges'], 'the list of edges', nameEdge, (edge) => this.#edge(objectOf(edge, 'it'), key));
    if (edges.length === 0) refuse('there are no edges');
    edges.forEach(({ from }, i) => {
      const before = edges[(i + edges.length - 1) % edges.length]!;
      if (before.to !== from) refuse(`edge ${i + 1} begins at ${from}, but the edge before it ends at ${before.to}`);
    });
  }

  #edge(edge: Fields, key: number | null): { from: number; to: number } {
    const premises = this.#premises;
    premises.spend(1);
    const from = premises.point(edge['from'], key, 'from');
    const to = premises.point(edge['to'], key, 'to');
    switch (edge['kind']) {
      case 'assumed':
        if (!premises.isAssumed(from, to, key)) refuse(`the clause does not assume ${from} before ${to}`);
        break;
      case 'own':
        if (premises.order !== 'events' || from % 2 !== 0 || to !== from + 1)
          refuse(`${from} is not the begin of ${to}`);
        break;
      case 'version':
        this.#verifyVersion(edge['read'], from, to, key);
        break;
      case 'axiom':
        // In the opposite order, the axiom would forbid the walk.
        premises.assume(to, from, key, 1);
        this.#verifyAxiom(edge['axiom'], edge['walk'], edge['key'] ?? key);
        premises.assume(to, from, key, -1);
        break;
      default:
        refuse(`it is of kind ${show(edge['kind'])}, expected "assumed", "own", "version" or "axiom"`);
    }
    return { from, to };
  }

  #verifyVersion(data: unknown, from: number, to: number, key: number | null): void {
    const { facts, order, level } = this.#premises;
    if (level.allows.length > 0) refuse(`${level.name} allows lists that no order explains`);
    const read = integerOf(data, 0, facts.history.opKind.length, 'the read');
    if (key !== null && facts.history.opKey[read] !== key) refuse(`operation ${read} does not read key ${key}`);
    const isEvent = order === 'events';
    if (isEvent && (from % 2 === 0 || to % 2 === 0)) refuse('a list orders commits only');
    if (facts.happened[facts.txnOf[read]] === 0) refuse(`operation ${read} did not happen`);
    this.#premises.spend(verifyVersion(facts, read, isEvent ? from >> 1 : from, isEvent ? to >> 1 : to));
  }
}

const STEPS_A_CLAUSE = 100_000;
