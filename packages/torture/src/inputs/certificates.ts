import { LEVELS, type VerdictStatus, certificateFile } from '@isolab/contract';
import { verifyCertificateFile } from '@isolab/verifier';
import type { History } from '@isolab/history';
import { loadChecker, prepare, run } from '@isolab/runner';
import { NAMED_HISTORIES } from '@isolab/testkit';
import { type Sample, textSample } from './samples.ts';

/** Certificates of small histories at all levels, and what is true of these histories. */
export interface Certificates {
  readonly samples: readonly Sample[];
  /** By the name of the sample. */
  readonly about: ReadonlyMap<
    string,
    { readonly history: History; readonly truth: ReadonlyMap<string, VerdictStatus> }
  >;
}

export async function certificates(): Promise<Certificates> {
  const checker = await loadChecker('@isolab/weave', new URL(import.meta.url));
  const samples: Sample[] = [];
  const about = new Map<string, { history: History; truth: Map<string, VerdictStatus> }>();
  for (const { name, history } of NAMED_HISTORIES) {
    const prepared = prepare(history);
    const truth = new Map<string, VerdictStatus>();
    for (const { name: level } of LEVELS) {
      const { verdict } = await run({ checker, prepared, level });
      truth.set(level, verdict.status);
      const certificate =
        verdict.status === 'satisfied'
          ? verdict.certificate
          : verdict.status === 'violated'
            ? verdict.anomalies.find((anomaly) => anomaly.certificate)?.certificate
            : undefined;
      if (certificate === undefined || verdict.status === 'unknown') continue;
      const file = certificateFile(history, { level, checker: 'weave', verdict: verdict.status, certificate });
      const sample = textSample('certificate', `${name} at ${level}`, JSON.stringify(file));
      samples.push(sample);
      about.set(sample.name, { history, truth });
    }
  }
  return { samples, about };
}

/** What is wrong with how a certificate is verified; null if it is refused, or proves what is true. */
export function judgeCertificate({ about }: Certificates, name: string, bytes: Uint8Array): string | null {
  const { history, truth } = about.get(name)!;
  let file: unknown;
  try {
    file = JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return null; // said of every file that is no JSON
  }
  if (!verifyCertificateFile(history, file).ok) return null;
  const { level, verdict } = file as { readonly level: string; readonly verdict: string };
  return truth.get(level) === verdict
    ? null
    : `it is accepted for ${verdict} at ${level}, which is ${truth.get(level)}`;
}
