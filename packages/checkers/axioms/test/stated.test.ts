import type { History } from '@isolab/history';
import { STATABLE, STATED, builtInLevel, builtInText, readLevel, statedLevel } from '@isolab/levels';
import { decide, decideDefinition } from '@isolab/oracle';
import { RANDOM_KINDS, arbitraryHistory, parseHistory, printHistory } from '@isolab/testkit';
import { verifyCertificate } from '@isolab/verifier';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decideAt } from './support/judge.ts';
import { Dice } from './support/random-levels.ts';

const dice = new Dice(1);

/** Draws a level for each transaction; for half of the histories, from two levels. */
function drawn(history: History): History {
  const among = dice.below(2) === 0 ? STATABLE : [dice.oneOf(STATABLE), dice.oneOf(STATABLE)];
  const of = Uint8Array.from(history.txnStatus, () => 1 + STATABLE.indexOf(dice.oneOf(among)));
  return { ...history, txnLevels: { of, names: STATABLE } };
}

const at = (history: History, level: (old: number) => number): History => ({
  ...history,
  txnLevels: {
    of: Uint8Array.from(history.txnStatus, (_, t) => level(history.txnLevels?.of[t] ?? 0)),
    names: STATABLE,
  },
});

/** Histories between neighbouring levels, with all transactions at each level. */
const CORNERS = [
  'w(x,1) w(y,1)\nr(x,1) r(y,0)',
  'w(x,1)\nr(x,1) r(x,0)',
  'w(x,1)\nr(x,1) w(y,1)\nr(y,1) r(x,0)',
  'r(x,0) w(x,1)\nr(x,0) w(x,2)',
].flatMap((text) => STATABLE.map((_, i) => at(parseHistory(text), () => i + 1)));

const RANDOM = Object.values(RANDOM_KINDS).flatMap((bounds) => {
  const most = Math.max(bounds.atLeast ?? 0, 4);
  return fc.sample(arbitraryHistory({ ...bounds, transactions: most }), { numRuns: 6, seed: 1 }).map(drawn);
});
const HISTORIES = [...CORNERS, ...RANDOM];

/** Insists on a verdict, and shows the history otherwise. */
function insist(history: History, what: string, found: unknown, expected: unknown): void {
  if (found === expected) return;
  const levels = Array.from(history.txnLevels!.of, (place) => STATABLE[place - 1]).join(', ');
  throw new Error(`${what} is ${String(found)}, expected ${String(expected)}\n${printHistory(history)}\n${levels}`);
}

test('oracle, checker and verifier agree on mixed levels', async () => {
  const statuses = new Set<string>();
  for (const given of HISTORIES) {
    const truth = decide(given, STATED).satisfied;
    insist(given, 'the definition', decideDefinition(given, statedLevel()).satisfied, truth);
    const { history, verdict, certificate } = await decideAt(given, statedLevel());
    insist(given, 'the verdict', verdict.status, truth ? 'satisfied' : 'violated');
    const verified = verifyCertificate(history, STATED, truth ? 'satisfied' : 'violated', certificate!);
    insist(given, 'the certificate', verified.ok, true);
    statuses.add(verdict.status);
  }
  expect(statuses.size).toBe(2);
});

test('all transactions at one level are judged at that level, and a lower level never violates more', () => {
  let lowered = 0;
  for (const history of HISTORIES) {
    for (const [i, level] of STATABLE.entries()) {
      const stated = decideDefinition(
        at(history, () => i + 1),
        statedLevel(),
      ).satisfied;
      insist(history, level, stated, decideDefinition(history, builtInLevel(level)!).satisfied);
    }
    if (!decide(history, STATED).satisfied) continue;
    lowered++;
    const lower = at(history, (old) => 1 + dice.below(old));
    insist(lower, 'a lower level', decide(lower, STATED).satisfied, true);
  }
  expect(lowered).toBeGreaterThan(0);
});

/** Mistakes in the axioms: an axiom is missing, concerns all readers, or another level. */
const MUTANTS = STATABLE.slice(1).flatMap((level, i) => {
  const lines = builtInText(STATED).replace('level stated', 'level mutant').split('\n');
  const number = lines.findIndex((line) => line.includes(` ${level}]`));
  const changed = (line: string): string => lines.with(number, line).join('\n');
  return [
    [`${level}: missing`, changed('')],
    [`${level}: of all readers`, changed(lines[number]!.replace(/ ; \[(?:level|reader) [a-z-]+\]/, ''))],
    [`${level}: of the next weaker readers`, changed(lines[number]!.replace(` ${level}]`, ` ${STATABLE[i]!}]`))],
  ] as const;
});

test.each(MUTANTS)('an oracle notices a mutant, %s', (_, text) => {
  const mutant = readLevel(text, 'mutant.lvl');
  expect(
    HISTORIES.some((history) => decideDefinition(history, mutant).satisfied !== decide(history, STATED).satisfied),
  ).toBe(true);
});

test('a transaction without a level is not judged, nor is its certificate accepted', async () => {
  const history = { ...parseHistory('w(x,1)\nr(x,1)'), txnLevels: { of: Uint8Array.of(1, 0), names: ['causal'] } };
  const { verdict } = await decideAt(history, statedLevel());
  expect(verdict).toMatchObject({ status: 'unknown', reason: 'unsupported' });
  const verified = verifyCertificate(history, STATED, 'satisfied', { kind: 'commit-order', order: [0, 1] });
  expect(verified).toMatchObject({ ok: false, problem: 'transaction 1 states no level' });
  const whole = { ...history, txnLevels: { of: Uint8Array.of(1, 1), names: ['causal'] } };
  expect(verifyCertificate(whole, STATED, 'satisfied', { kind: 'commit-order', order: [0, 1] }).ok).toBe(true);
});
