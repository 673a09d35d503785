import type {
  AxiomsCertificate,
  AxiomsStep,
  EachKeyCertificate,
  SatisfiedCertificate,
  ViolationCertificate,
  WalkStep,
} from '@isolab/contract';
import { type History, TxnStatus } from '@isolab/history';
import { type LevelDefinition, builtInLevel, printAxiom, readLevel } from '@isolab/levels';
import { decideDefinition } from '@isolab/oracle';
import { type HistoryBounds, arbitraryHistory, parseHistory, printHistory } from '@isolab/testkit';
import { verifyCertificate } from '@isolab/verifier';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decideAt } from './support/judge.ts';
import { Dice, randomLevel } from './support/random-levels.ts';

// Whatever a certificate says: one that is accepted is right. Forgeries are certificates of other histories, and such with
// one thing changed; the oracle knows which verdict is right.

const NAMES = [
  'parallel-snapshot-isolation',
  'causal',
  'adya-snapshot-isolation',
  'monotonic-reads',
  'cursor-stability',
  'per-key-sequential',
];

const PLAIN: HistoryBounds = { transactions: 4, atLeast: 3, sessions: 3 };
const REPEATED: HistoryBounds = { ...PLAIN, repeatedValues: true, unknown: true };

const histories = (bounds: HistoryBounds, seed: number, runs: number): History[] =>
  fc.sample(arbitraryHistory(bounds), { numRuns: runs, seed });

type Any = SatisfiedCertificate | ViolationCertificate;

const isAccepted = (
  history: History,
  level: LevelDefinition,
  verdict: 'satisfied' | 'violated',
  certificate: Any,
): boolean => verifyCertificate(history, level.name, verdict, certificate, level).ok;

/** A certificate with one number, or one part, changed. */
function changed(dice: Dice, certificate: Any): Any {
  const copy = structuredClone(certificate);
  const places: { readonly in: Record<string, unknown> | unknown[]; readonly at: string | number }[] = [];
  const walk = (data: unknown): void => {
    if (typeof data !== 'object' || data === null) return;
    for (const [at, value] of Object.entries(data)) {
      if (at !== 'kind') places.push({ in: data as Record<string, unknown>, at });
      walk(value);
    }
  };
  walk(copy);
  const place = dice.oneOf(places);
  const value = (place.in as Record<string | number, unknown>)[place.at];
  if (typeof value === 'number')
    (place.in as Record<string | number, unknown>)[place.at] = value + dice.oneOf([-2, -1, 1, 2, -value * 2]);
  else if (Array.isArray(place.in)) place.in.splice(Number(place.at), 1);
  else if (Array.isArray(value) && value.length > 1) value.push(value.shift());
  else delete (place.in as Record<string | number, unknown>)[place.at];
  return copy;
}

async function forge(
  levels: readonly LevelDefinition[],
  seed: number,
  bounds = PLAIN,
): Promise<{ tried: number; right: number }> {
  const dice = new Dice(seed);
  const counts = { tried: 0, right: 0 };
  const insist = (history: History, level: LevelDefinition, certificate: Any): void => {
    const verdict = ['commit-order', 'event-order', 'version-orders', 'each-key'].includes(certificate.kind)
      ? 'satisfied'
      : 'violated';
    counts.tried++;
    if (!isAccepted(history, level, verdict, certificate)) return;
    counts.right++;
    const truth = decideDefinition(history, level).satisfied ? 'satisfied' : 'violated';
    if (truth !== verdict)
      throw new Error(
        `accepted as ${verdict}, which is wrong: ${JSON.stringify(certificate)}\n${level.axioms.map(printAxiom).join('\n')}\n${printHistory(history)}`,
      );
  };
  for (const level of levels) {
    const decided = await Promise.all(
      histories(bounds, dice.below(1e9), 12).map((history) => decideAt(history, level)),
    );
    for (const { certificate } of decided) {
      if (certificate === undefined) continue;
      for (const { history } of decided) insist(history, level, certificate);
      for (let i = 0; i < 6; i++) insist(dice.oneOf(decided).history, level, changed(dice, certificate));
    }
  }
  return counts;
}

test('the verifier accepts no certificate of another history unless it proves its verdict, nor a changed one', async () => {
  const { tried, right } = await forge(
    NAMES.map((name) => builtInLevel(name)!),
    3,
  );
  expect(right).toBeGreaterThan(0);
  expect(tried).toBeGreaterThan(right);
});

test('the same at random levels', async () => {
  const dice = new Dice(11);
  const { tried } = await forge(
    Array.from({ length: 12 }, () => randomLevel(dice).level),
    5,
  );
  expect(tried).toBeGreaterThan(500);
});

test('the same where values repeat and outcomes are unknown', async () => {
  const dice = new Dice(12);
  const known = NAMES.map((name) => builtInLevel(name)!);
  const random = Array.from({ length: 12 }, () => randomLevel(dice).level);
  const { tried, right } = await forge([...known, ...known, ...random], 6, REPEATED);
  expect(right).toBeGreaterThan(0);
  expect(tried).toBeGreaterThan(right);
});

/** A long fork among three sessions, which parallel snapshot isolation allows, and a causality violation, which it does not. */
const psi = builtInLevel('parallel-snapshot-isolation')!;

async function proofOf(history: History): Promise<{ history: History; proof: AxiomsCertificate }> {
  const { history: lowered, verdict, certificate } = await decideAt(history, psi);
  expect(verdict.status).toBe('violated');
  return { history: lowered, proof: certificate as AxiomsCertificate };
}

test('a proof needs all its statements', async () => {
  const { history, proof } = await proofOf(parseHistory('w(x,1) | w(x,2)\nr(x,2) w(y,1)\nr(y,1) r(x,1)'));
  const problem = (certificate: AxiomsCertificate): string => {
    const result = verifyCertificate(history, psi.name, 'violated', certificate);
    return result.ok ? 'accepted' : result.problem;
  };
  expect(problem(proof)).toBe('accepted');
  const step = proof.steps[0] as Extract<AxiomsStep, { kind: 'axiom' }>;
  expect(problem({ ...proof, order: 'events' })).toMatch(/about commits/);
  expect(problem({ ...proof, steps: [] })).toMatch(/no steps/);
  expect(problem({ ...proof, steps: [{ kind: 'learned', clause: [] }] })).toMatch(/unit propagation/);
  expect(problem({ ...proof, steps: proof.steps.slice(0, -1) })).not.toBe('accepted');
  expect(problem({ ...proof, choices: [{ first: 0, second: 0 }] })).toMatch(/both are the same/);
  expect(step).toBeDefined();
});

test('a proof names the possible writers of every read', async () => {
  // Whichever of the two writes of 1 the third session saw, it misses one that it saw before, or the session of it did.
  const given = parseHistory('w(x,1) | w(x,2)\nw(x,1) | w(x,3)\nr(x,3) | r(x,2) | r(x,1)');
  const level = builtInLevel('serializable')!;
  const { history, verdict, certificate } = await decideAt(given, level);
  expect(verdict.status).toBe('violated');
  const proof = certificate as AxiomsCertificate;
  const problem = (other: AxiomsCertificate): string => {
    const result = verifyCertificate(history, level.name, 'violated', other);
    return result.ok ? 'accepted' : result.problem;
  };
  const edited = (edit: (step: AxiomsStep) => AxiomsStep[]): AxiomsCertificate => ({
    ...proof,
    steps: proof.steps.flatMap(edit),
  });
  expect(problem(proof)).toBe('accepted');
  const isCandidates = (step: AxiomsStep): boolean => step.kind === 'candidates';
  expect(problem(edited((step) => (isCandidates(step) ? [] : [step])))).not.toBe('accepted');
  expect(
    problem(edited((step) => (isCandidates(step) ? [{ ...step, clause: step.clause.slice(1) }] : [step]))),
  ).toMatch(/may have seen transaction \d, which the clause leaves out/);
  expect(problem(edited((step) => (step.kind === 'axiom' ? [{ ...step, clause: [] }] : [step])))).not.toBe('accepted');
  const [choice] = proof.choices.filter((each) => 'read' in each);
  expect(problem({ ...proof, choices: [...proof.choices, { ...choice!, writer: 1 }] })).toMatch(/cannot have seen/);
  expect(problem({ ...proof, choices: [...proof.choices, { read: 0, writer: 0 }] })).toMatch(/leaves no choice/);
});

test.each([
  ['allows aborted-reads\nacyclic wr', '?w(x,1)\nr(x,1)'],
  ['allows thin-air-reads\nacyclic wr', '?w(x,1)\nr(x,1)'],
  ['allows thin-air-reads\nacyclic wr', '?a(x,1)\na(x,2) r(x,[1 2])'],
])('a proof does not leave out the only possible writer: %s', (axioms, text) => {
  const level = readLevel(`level mine\n${axioms}\n`, 'mine.lvl');
  const isTaken = (history: History, order: readonly number[]): boolean =>
    isAccepted(history, level, 'satisfied', { kind: 'commit-order', order });
  const history = parseHistory(text);
  expect([isTaken(history, [0, 1]), isTaken(history, [1])]).toEqual([true, false]);
  expect(isTaken(parseHistory(text.replace('?', '!')), [1])).toBe(true);
});

test('the orders of keys leave out no key, and say the same of who happened', async () => {
  const level = builtInLevel('per-key-sequential')!;
  const { history, verdict, certificate } = await decideAt(
    parseHistory('w(x,1) w(y,1)\n?w(x,2)\nr(x,1) | r(y,1)'),
    level,
  );
  expect(verdict.status).toBe('satisfied');
  const given = certificate as EachKeyCertificate;
  const problem = (changes: object): string => {
    const result = verifyCertificate(history, level.name, 'satisfied', { ...given, ...changes } as EachKeyCertificate);
    return result.ok ? 'accepted' : result.problem;
  };
  const [x, y] = given.keys as [EachKeyCertificate['keys'][number], EachKeyCertificate['keys'][number]];
  expect(problem({})).toBe('accepted');
  expect(problem({ keys: [x] })).toMatch(/leave out key 1/);
  expect(problem({ keys: [x, x, y] })).toMatch(/key 0 is listed twice/);
  expect(problem({ keys: [[0, { kind: 'commit-order', order: [0, 2, 1] }], y] })).toMatch(
    /disagree on whether transaction 1 happened/,
  );
  expect(problem({ keys: [[0, { kind: 'commit-order', order: [2, 0] }], y] })).toMatch(/axiom/);
  expect(problem({ keys: [[0, { kind: 'commit-order', order: [0, 2, 3] }], y] })).toMatch(/does not use the key/);
  expect(problem({ kind: 'commit-order', order: [0, 2, 3] })).toMatch(/not of kind "each-key"/);
});

test('a proof about a key is about that key, and about the level of each key', async () => {
  const level = builtInLevel('per-key-sequential')!;
  const { history, certificate } = await decideAt(parseHistory('w(x,1) w(y,1)\nr(x,1) | r(x,0) r(y,1)'), level);
  const proof = certificate as AxiomsCertificate;
  const isTaken = (changes: object): boolean =>
    verifyCertificate(history, level.name, 'violated', { ...proof, ...changes } as AxiomsCertificate).ok;
  expect(proof.ofKey).toBe(0);
  expect(isTaken({})).toBe(true);
  expect(isTaken({ ofKey: 1 })).toBe(false);
  expect(isTaken({ ofKey: undefined })).toBe(false);
  expect(isTaken({ ofKey: 7 })).toBe(false);
});

test('a candidate of a read is no evidence that the read did not see another one', () => {
  const level = readLevel('level mine\ntitle "mine"\nsummary "mine"\nempty so \\ wr\n', 'mine.lvl');
  const walk = [{ from: 0, to: 1, without: [{ relation: 'so', from: 0, to: 1 }] }];
  const proof = {
    kind: 'axioms',
    order: 'versions',
    choices: [],
    steps: [{ kind: 'axiom', clause: [], axiom: 0, walk }],
  } as unknown as AxiomsCertificate;
  const isTaken = (history: History): boolean =>
    verifyCertificate(history, 'mine' as 'causal', 'violated', proof, level).ok;
  const several = parseHistory('w(x,1) | r(x,1)\nw(x,1)');
  expect(decideDefinition(several, level).satisfied).toBe(true);
  expect(isTaken(several)).toBe(false);
  const another = parseHistory('w(x,2) | r(x,1)\nw(x,1)');
  expect(decideDefinition(another, level).satisfied).toBe(false);
  expect(isTaken(another)).toBe(true);
});

/** A proof of one step: a walk that an axiom, the first one, is to forbid. */
const proofBy = (walk: readonly WalkStep[], key?: number): AxiomsCertificate => ({
  kind: 'axioms',
  order: 'versions',
  choices: [],
  steps: [{ kind: 'axiom', clause: [], axiom: 0, walk, ...(key !== undefined && { key }) }],
});

const BACK_AND_FORTH: readonly WalkStep[] = [
  { relation: 'conflict', from: 0, to: 1 },
  { relation: 'conflict', from: 1, to: 0 },
];

const internal = (anomaly: string, read: number): ViolationCertificate => ({
  kind: 'internal',
  anomaly,
  read,
  other: -1,
});

test.each<[string, string, string, string, ViolationCertificate]>([
  [
    'one that need not have happened relates nobody, so that it takes nothing from what is denied',
    'empty so \\ (so \\ (so ; so))',
    'w(x,1) | ?w(y,1) | r(x,1)',
    'w(x,1) | w(y,1) | r(x,1)',
    proofBy([{ from: 0, to: 2, without: [{ relation: 'so', from: 0, to: 2 }] }]),
  ],
  [
    'the same by way of a read from it',
    'empty so \\ (so \\ (so ; wr))',
    'w(x,1) | r(y,1)\nw(z,1) | ?r(x,1) w(y,1)',
    'w(x,1) | ?w(y,1) | r(y,1)',
    proofBy([{ from: 0, to: 2, without: [{ relation: 'so', from: 0, to: 2 }] }]),
  ],
  [
    'who does not use a key is not there',
    'for each key empty id \\ ([writer] | [initial])',
    'w(x,1)\nw(x,2) r(x,2)\n!r(y,0)',
    'w(x,1)\nr(x,1)\n!r(y,0)',
    proofBy([{ from: 1, to: 1, without: [] }], 0),
  ],
  [
    'what another key relates takes nothing from what is denied of this one',
    'for each key empty ((conflict ; conflict) & id) \\ (id \\ (reads ; reads^-1))',
    'w(x,1) r(y,0)\nw(x,2)',
    'r(x,0) w(x,1)\nw(x,2)',
    proofBy([{ from: 0, to: 0, without: [{ from: 0, to: 0, both: [BACK_AND_FORTH, []] }] }], 0),
  ],
  [
    'a key that only an aborted transaction uses is none',
    'for each key irreflexive [initial]',
    '!w(x,1)',
    'w(x,1)',
    proofBy([{ relation: '[initial]', from: -1, to: -1 }], 0),
  ],
  [
    'a read need not be from who left what it saw, if it may be of what was overwritten',
    'allows intermediate-reads\nempty wr',
    'w(x,1) w(x,2)\nw(x,1)\nr(x,1)',
    'w(x,3) w(x,2)\nw(x,1)\nr(x,1)',
    proofBy([{ relation: 'wr', from: 1, to: 2, read: 3 }]),
  ],
  [
    'a list that ends with own elements is not blind',
    'allows thin-air-reads\nacyclic wr',
    'a(x,1) r(x,[5 1])',
    'a(x,1) r(x,[1 5])',
    internal('thin-air-read', 1),
  ],
  [
    'what another one overwrote may have been read, so that nobody need have left it',
    'allows intermediate-reads\nacyclic wr',
    'r(x,1)\nw(x,1) w(x,2)\n?w(x,1) r(y,9)',
    'r(x,1)\nw(x,3) w(x,2)\n?w(x,1) r(y,9)',
    internal('thin-air-read', 4),
  ],
])('%s', (_, axioms, text, otherText, proof) => {
  const level = readLevel(`level mine\n${axioms}\n`, 'mine.lvl');
  const judge = (history: History) => ({
    isSatisfied: decideDefinition(history, level).satisfied,
    isAccepted: isAccepted(history, level, 'violated', proof),
  });
  expect(judge(parseHistory(text))).toEqual({ isSatisfied: true, isAccepted: false });
  expect(judge(parseHistory(otherText))).toEqual({ isSatisfied: false, isAccepted: true });
});

test('no proof that takes all for having happened is accepted where that is open', async () => {
  const dice = new Dice(23);
  const pick = (): string => dice.oneOf(['so', 'wr', 'so+', '(so ; wr)', '(wr ; so)', '(so ; so)', '(so | wr)']);
  let [tried, accepted] = [0, 0];
  for (let i = 0; i < 150; i++) {
    const level = readLevel(`level mine\nempty ${pick()} \\ (${pick()} \\ ${pick()})\n`, 'mine.lvl');
    const bounds = { transactions: 5, atLeast: 3, sessions: 2 };
    const [history] = fc.sample(arbitraryHistory(bounds), { numRuns: 1, seed: dice.below(1e9) }) as [History];
    const { certificate, verdict } = await decideAt(history, level);
    if (verdict.status !== 'violated' || certificate === undefined) continue;
    for (let open = 0; open < history.txnStatus.length; open++) {
      const other = { ...history, txnStatus: history.txnStatus.with(open, TxnStatus.Unknown) };
      tried++;
      if (!isAccepted(other, level, 'violated', certificate)) continue;
      accepted++;
      if (decideDefinition(other, level).satisfied)
        throw new Error(`accepted as violated\n${printAxiom(level.axioms[0]!)}\n${printHistory(other)}`);
    }
  }
  expect(tried).toBeGreaterThan(50);
  expect(accepted).toBeGreaterThan(10);
});
