import { type LevelName, type Verdict, verifyCertificate } from '@isolab/checker';
import {
  type History,
  type PlainHistory,
  TxnStatus,
  buildReadFrom,
  checkShape,
  findInternalAnomalies,
  fromPlain,
} from '@isolab/history';
import { decide } from '@isolab/oracle';
import type { StrongOptions } from '../src/strong/options.ts';
import { STRONG_OPTIONS } from '../src/strong/options.ts';
import { STRONG_LEVELS } from '../src/strong/model.ts';
import { weave } from '../src/weave.ts';
import { type RunKind, randomNumbers, randomRun } from './random-runs.ts';

/** Compares weave with the oracle at every strong level; returns how often each kind of verdict was right. */
export function agreeOnRandomRuns(kind: RunKind, count: number, seed: number): Map<string, number> {
  const seen = new Map<string, number>();
  for (let i = 0; i < count; i++) {
    const random = randomNumbers(seed * 1_000_003 + i);
    const plain = randomRun(random, kind);
    if (plain.sessions.some(isExplicitInitial)) continue;
    const history = fromPlain(plain);
    const index = buildReadFrom(history);
    if ((kind === 'unique' || kind === 'lists') && !checkShape(history, index, 'unique-values').holds) continue;
    const input = { history, index, internal: findInternalAnomalies(history, index) };
    for (const level of STRONG_LEVELS) {
      if (isReadTwoWays(history, level)) continue;
      const options = Object.fromEntries(
        Object.entries(STRONG_OPTIONS).map(([name, { choices }]) => [
          name,
          choices![Math.floor(random() * choices!.length)],
        ]),
      ) as unknown as StrongOptions;
      const where = `${kind}, seed ${seed}, history ${i}, ${level}, ${JSON.stringify(options)}`;
      const result = verdictOf(input, level, options, where);
      seen.set(result, (seen.get(result) ?? 0) + 1);
    }
  }
  return seen;
}

/** The read-from index takes a session that only writes initial values for the initial transaction; the oracle does not. */
const isExplicitInitial = ({ transactions }: PlainHistory['sessions'][number]): boolean =>
  transactions.length === 1 && transactions[0]!.operations.every((op) => op.kind === 'write' && op.value === 0n);

/** Whether a transaction of unknown outcome may commit before it was called: not for the verifier, but for the oracle. */
const isReadTwoWays = ({ txnStatus, txnBegin }: History, level: LevelName): boolean =>
  txnBegin !== null &&
  txnStatus.includes(TxnStatus.Unknown) &&
  ['generalized-snapshot-isolation', 'strong-session-snapshot-isolation', 'strong-snapshot-isolation'].includes(level);

function verdictOf(
  input: Parameters<typeof weave.check>[0],
  level: LevelName,
  options: StrongOptions,
  where: string,
): string {
  let steps = 0;
  const tick = (more: number): void => {
    steps += more;
    if (steps > 1_000_000) throw new Error(`${where}: it does not end`);
  };
  const context = { certify: true, findAll: false, stage() {}, count() {}, progress() {}, tick };
  let verdict: Verdict | Promise<Verdict>;
  try {
    verdict = weave.check(input, level, options, context);
  } catch (error) {
    throw new Error(where, { cause: error });
  }
  if (verdict instanceof Promise) throw new Error(`${where}: a promise`);
  const truth = decide(input.history, level).satisfied ? 'satisfied' : 'violated';
  if (verdict.status !== truth) throw new Error(`${where}: got ${verdict.status}, expected ${truth}`);
  const certificate =
    verdict.status === 'satisfied'
      ? verdict.certificate
      : verdict.status === 'violated'
        ? verdict.anomalies[0]!.certificate
        : undefined;
  // That a transaction of unknown outcome contradicts itself is nothing that a proof can say.
  if (certificate === undefined && where.startsWith('unknown')) return `${truth} uncertified`;
  if (certificate === undefined) throw new Error(`${where}: ${truth}: no certificate`);
  const verification = verifyCertificate(input.history, level, truth, certificate);
  if (!verification.ok) throw new Error(`${where}: ${truth}: ${verification.problem}`);
  return `${truth} ${certificate.kind}`;
}
