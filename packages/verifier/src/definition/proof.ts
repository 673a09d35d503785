import type { History } from '@isolab/history';
import type { AllowedRead, Level } from '@isolab/levels';
import { Clauses } from '../clauses.ts';
import { inside, integerOf, listOf, objectOf, refuse, show } from '../flaw.ts';
import { verifyInternal } from '../internal.ts';
import { verifyLists, verifyVersion } from '../lists.ts';
import { factsForAll } from '../raw-facts.ts';
import type { Rules } from '../rules.ts';
import { Premises } from './assumed.ts';
import { refuseUnlessForbidden } from './forbidden.ts';
import { mayBeRelatedIn } from './possible.ts';
import { keysUsed } from './used.ts';
import { isForbiddenRead } from './unexplained.ts';
import { type MayBeRelated, Words, readWalk } from './walk.ts';

/**
 * Refuses unless no order satisfies the axioms of a level. What an order is of: events, transactions, or the writers of
 * each key; of these the certificate makes choices, each of which says who comes first.
 */
export function verifyByAxioms(history: History, level: Level, certificate: Readonly<Record<string, unknown>>): void {
  // Reads that take no choice, whatever the order is.
  const rules: Rules = { level: level.name as Rules['level'], axiom: 'none', sessions: false, realTime: 'none' };
  const facts = factsForAll(history, rules, level.allows.length > 0);
  switch (certificate['kind']) {
    case 'internal': {
      const kind = ALLOWED_AS[String(certificate['anomaly'])];
      const read = integerOf(certificate['read'], 0, history.opKind.length, 'the read');
      if (kind !== undefined && !isForbiddenRead(facts, level, read, kind)) refuse(`${level.name} allows such a read`);
      return verifyInternal(facts, rules, certificate);
    }
    case 'lists':
      if (level.allows.length > 0) refuse(`${level.name} allows reads that no transaction left`);
      return verifyLists(facts, certificate);
    case 'axioms': {
      if (level.eachKeySatisfies !== null) refuse(`${level.name} is judged key by key`);
      const premises = new Premises(facts, level);
      if (certificate['order'] !== premises.order)
        refuse(`the field order is ${show(certificate['order'])}, but ${level.name} is about ${premises.order}`);
      return new Proof(premises, mayBeRelatedIn(facts, level)).verify(certificate);
    }
    default:
      refuse(`the certificate is of kind ${show(certificate['kind'])}, which is no evidence against ${level.name}`);
  }
}

const ALLOWED_AS: Readonly<Record<string, AllowedRead>> = {
  'thin-air-read': 'thin-air-reads',
  'aborted-read': 'aborted-reads',
  'intermediate-read': 'intermediate-reads',
  'future-read': 'future-reads',
  'not-my-own-write': 'blind-reads',
  'not-my-last-write': 'blind-reads',
};

interface Choice {
  readonly first: number;
  readonly second: number;
  readonly key: number | null;
}

class Proof {
  readonly #premises: Premises;
  readonly #words: Words;
  readonly #keysUsed: ReadonlySet<number>;
  #choices: readonly Choice[] = [];

  constructor(premises: Premises, mayBeRelated: MayBeRelated) {
    this.#premises = premises;
    this.#keysUsed = keysUsed(premises.facts);
    this.#words = new Words(premises, mayBeRelated);
  }

  verify(certificate: Readonly<Record<string, unknown>>): void {
    this.#choices = listOf(certificate['choices'], 'the list of choices').map((choice, i) =>
      inside(
        () => `choice ${i + 1}`,
        () => this.#choice(objectOf(choice, 'it')),
      ),
    );
    const steps = listOf(certificate['steps'], 'the list of steps');
    const clauses = new Clauses(this.#choices.length);
    let last: readonly number[] | null = null;
    for (let i = 0; i < steps.length; i++)
      last = inside(
        () => `step ${i + 1}`,
        () => this.#step(clauses, objectOf(steps[i], 'it')),
      );
    if (last === null) refuse('the proof has no steps');
    else if (last.length > 0) refuse('the last step of the proof is not the empty clause');
  }

  #choice(choice: Readonly<Record<string, unknown>>): Choice {
    const key = this.#key(choice['key'], this.#premises.order === 'versions');
    const first = this.#premises.point(choice['first'], key, 'the first');
    const second = this.#premises.point(choice['second'], key, 'the second');
    return first === second ? refuse('both are the same') : { first, second, key };
  }

  #key(data: unknown, isNeeded: boolean): number | null {
    if (!isNeeded) return null;
    return integerOf(data, 0, this.#premises.facts.history.keyInitial.length, 'the key');
  }

  #step(clauses: Clauses, step: Readonly<Record<string, unknown>>): readonly number[] {
    const clause = this.#clause(step['clause']);
    this.#premises.allow(STEPS_A_CLAUSE);
    if (step['kind'] === 'learned') {
      if (!clauses.imply(clause)) refuse('the clause does not follow from those before it by unit propagation');
    } else {
      this.#assumeDenied(clause, 1);
      if (step['kind'] === 'axiom') this.#verifyAxiom(step['axiom'], step['walk'], step['key']);
      else if (step['kind'] === 'cycle') this.#verifyCycle(step);
      else refuse(`it is of kind ${show(step['kind'])}, expected "axiom", "cycle" or "learned"`);
      this.#assumeDenied(clause, -1);
    }
    clauses.add(clause);
    return clause;
  }

  #clause(data: unknown): readonly number[] {
    const clause = listOf(data, 'the clause');
    const end = this.#choices.length + 1;
    return clause.map((literal, i) => integerOf(literal, 1 - end, end, `literal ${i + 1}`) || refuse('a literal is 0'));
  }

  #assumeDenied(clause: readonly number[], times: 1 | -1): void {
    for (const literal of clause) {
      const { first, second, key } = this.#choices[Math.abs(literal) - 1]!;
      if (literal > 0) this.#premises.assume(second, first, key, times);
      else this.#premises.assume(first, second, key, times);
    }
  }

  #verifyAxiom(axiom: unknown, walk: unknown, key: unknown): void {
    const { axioms } = this.#premises.level;
    const number = integerOf(axiom, 0, axioms.length, 'the axiom');
    const onlyKey = this.#key(key, axioms[number]!.eachKey);
    if (onlyKey !== null && !this.#keysUsed.has(onlyKey)) refuse(`no transaction that happened uses key ${onlyKey}`);
    refuseUnlessForbidden(this.#premises, this.#words, number, readWalk(this.#premises, walk, onlyKey));
  }

  /** Edges each of which begins where the one before it ends, and the last one ends where the first one begins. */
  #verifyCycle(step: Readonly<Record<string, unknown>>): void {
    const key = this.#key(step['key'], this.#premises.order === 'versions');
    const edges = listOf(step['edges'], 'the list of edges').map((edge, i) =>
      inside(
        () => `edge ${i + 1}`,
        () => this.#edge(objectOf(edge, 'it'), key),
      ),
    );
    if (edges.length === 0) refuse('there are no edges');
    edges.forEach(({ from }, i) => {
      const before = edges[(i + edges.length - 1) % edges.length]!;
      if (before.to !== from) refuse(`edge ${i + 1} begins at ${from}, but the one before it ends at ${before.to}`);
    });
  }

  #edge(edge: Readonly<Record<string, unknown>>, key: number | null): { from: number; to: number } {
    const premises = this.#premises;
    premises.spend(1);
    const from = premises.point(edge['from'], key, 'from');
    const to = premises.point(edge['to'], key, 'to');
    switch (edge['kind']) {
      case 'assumed':
        if (!premises.isAssumed(from, to, key)) refuse(`the clause does not assume ${from} before ${to}`);
        break;
      case 'own':
        if (premises.order !== 'events' || from % 2 !== 0 || to !== from + 1) refuse(`${from} is no begin of ${to}`);
        break;
      case 'version':
        this.#verifyVersion(edge['read'], from, to, key);
        break;
      case 'axiom':
        // If it were the other way round, the axiom would forbid the walk.
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
