import { type AnomalyName, type Edge, nameOfEdges, nameWithTime } from '@isolab/contract';
import type { Contradiction } from './contradiction.ts';

export interface Named {
  readonly name: AnomalyName;
  readonly transactions: number[];
}

/** Names a contradiction of several cycles after the last one, or after `proven` if a read had no version left. */
export function nameOfProof(contradiction: Contradiction, proven: readonly (readonly Edge[])[]): Named {
  const { model } = contradiction;
  const met = contradiction.cycles();
  const cycles = met.length > 0 ? met : proven;
  const edges = cycles.flat();
  const lost = edges.find((edge) => losesUpdate(contradiction, edge));
  if (lost) return { name: 'lost-update', transactions: [lost.from, lost.to] };
  const last = cycles.at(-1);
  if (last === undefined) return { name: 'thin-air-read', transactions: readersLeft(contradiction) };
  const transactions = [...new Set(last.map(({ from }) => from))];
  const overwrites = edges.filter(({ reason }) => reason.kind === 'overwrites');
  const antiDependencies = new Set(overwrites.map(({ from, to }) => `${from} ${to}`)).size;
  if (edges.some(({ reason }) => reason.kind === 'real-time'))
    return { name: nameWithTime(last.length, antiDependencies, model.split), transactions };
  if (antiDependencies === 0) return { name: 'G1c', transactions };
  if (antiDependencies === 1) return { name: 'G-single', transactions };
  return { name: model.split ? 'G-nonadjacent' : 'G2-item', transactions };
}

export function nameOfCycle(contradiction: Contradiction, edges: readonly Edge[]): Named {
  const lost = edges.find((edge) => losesUpdate(contradiction, edge));
  if (lost) return { name: 'lost-update', transactions: [lost.from, lost.to] };
  const isSingle = edges.filter(({ reason }) => reason.kind === 'overwrites').length === 1;
  const name = nameOfEdges(edges, contradiction.model.split) ?? (isSingle ? 'G-single' : 'G1c');
  return { name, transactions: edges.map(({ from }) => from) };
}

/** Returns whether the transactions of an anti-dependency both read the version that both overwrite. */
function losesUpdate(contradiction: Contradiction, { from, to, reason }: Edge): boolean {
  if (reason.kind !== 'overwrites') return false;
  const { versions, history } = contradiction;
  const { readStart, readVersion, writeStart, writeKey } = versions;
  const key = history.opKey[reason.read];
  const versionRead = (t: number): number | undefined =>
    readVersion.subarray(readStart[t], readStart[t + 1]).find((version) => contradiction.keyOf(version) === key);
  const isWritten = writeKey.subarray(writeStart[from], writeStart[from + 1]).includes(key);
  return isWritten && versionRead(from) !== undefined && versionRead(from) === versionRead(to);
}

const readersLeft = ({ core, search, versions }: Contradiction): number[] =>
  core.flatMap((step) => {
    const { read } = search.proof.steps[step]!;
    return read < 0 ? [] : [versions.several!.reader[read]];
  });
