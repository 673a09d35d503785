import { type LevelName, verifyCertificate } from '@isolab/checker';
import { buildReadFrom, checkShape, findInternalAnomalies, fromPlain } from '@isolab/history';
import { decide } from '@isolab/oracle';
import type { StrongOptions } from '../src/strong/options.ts';
import { STRONG_OPTIONS } from '../src/strong/options.ts';
import { STRONG_LEVELS } from '../src/strong/model.ts';
import { weave } from '../src/weave.ts';
import { randomNumbers, randomRun } from './random-runs.ts';

/** Compares weave with the oracle at every strong level; returns how often each kind of verdict was right. */
export function agreeOnRandomRuns(count: number, seed: number): Map<string, number> {
  const seen = new Map<string, number>();
  for (let i = 0; i < count; i++) {
    const random = randomNumbers(seed * 1_000_003 + i);
    const history = fromPlain(randomRun(random));
    const index = buildReadFrom(history);
    if (!checkShape(history, index, 'unique-values').holds) continue;
    const input = { history, index, internal: findInternalAnomalies(history, index) };
    for (const level of STRONG_LEVELS) {
      const options = Object.fromEntries(
        Object.entries(STRONG_OPTIONS).map(([name, { choices }]) => [
          name,
          choices![Math.floor(random() * choices!.length)],
        ]),
      ) as unknown as StrongOptions;
      const where = `seed ${seed}, history ${i}, ${level}, ${JSON.stringify(options)}`;
      const kind = verdictOf(input, level, options, where);
      seen.set(kind, (seen.get(kind) ?? 0) + 1);
    }
  }
  return seen;
}

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
  const verdict = weave.check(input, level, options, context);
  if (verdict instanceof Promise) throw new Error(`${where}: a promise`);
  const truth = decide(input.history, level).satisfied ? 'satisfied' : 'violated';
  if (verdict.status !== truth) throw new Error(`${where}: got ${verdict.status}, expected ${truth}`);
  const certificate =
    verdict.status === 'satisfied'
      ? verdict.certificate
      : verdict.status === 'violated'
        ? verdict.anomalies[0]!.certificate
        : undefined;
  if (certificate === undefined) throw new Error(`${where}: no certificate`);
  const verification = verifyCertificate(input.history, level, truth, certificate);
  if (!verification.ok) throw new Error(`${where}: ${truth}: ${verification.problem}`);
  return `${truth} ${certificate.kind}`;
}
