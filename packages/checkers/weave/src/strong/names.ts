import { type Edge, nameOfEdges, nameWithTime } from '@isolab/contract';
import type { Contradiction } from './explain.ts';
import { Why } from './schedule.ts';
import type { Wait } from './cycles.ts';

/** What the contradiction is called, and the transactions of its last cycle. */
export function nameOf(contradiction: Contradiction): { readonly name: string; readonly transactions: number[] } {
  const { core, search, model } = contradiction;
  const waits = core.flatMap((step) => search.proof.steps[step]!.cycle ?? []);
  const lost = waits.find((wait) => isLostUpdate(contradiction, wait));
  if (lost) return { name: 'lost-update', transactions: [lost.from, lost.to].map((e) => contradiction.txnOf(e)) };

  const last = core.findLast((step) => search.proof.steps[step]!.cycle !== null);
  // Without any cycle, nothing is left that a read could have seen.
  if (last === undefined) return { name: 'thin-air-read', transactions: readersOf(contradiction) };
  const cycle = search.proof.steps[last]!.cycle!;
  const transactions = [...new Set(cycle.map(({ from }) => contradiction.txnOf(from)))];
  const overwrites = waits.filter(
    ({ why, data }) =>
      why === Why.Overwrite || why === Why.Unseen || (why === Why.Fact && contradiction.known!.isAntidependency(data)),
  );
  const pairs = new Set(overwrites.map(({ from, to }) => `${from} ${to}`));
  const timed = waits.some(({ why }) => why === Why.Time);
  if (timed) return { name: nameWithTime(cycle.length, pairs.size, model.split), transactions };
  if (pairs.size === 0) return { name: 'G1c', transactions };
  if (pairs.size === 1) return { name: 'G-single', transactions };
  return { name: model.split ? 'G-nonadjacent' : 'G2-item', transactions };
}

/** The same of a cycle of edges. */
export function nameOfCycle(
  contradiction: Contradiction,
  edges: readonly Edge[],
): { readonly name: string; readonly transactions: number[] } {
  const overwrites = edges.filter(({ reason }) => reason.kind === 'overwrites');
  const lost = overwrites.find((edge) => losesUpdate(contradiction, edge));
  if (lost) return { name: 'lost-update', transactions: [lost.from, lost.to] };
  const transactions = edges.map(({ from }) => from);
  const name = nameOfEdges(edges, contradiction.model.split);
  return { name: name ?? (overwrites.length === 1 ? 'G-single' : 'G1c'), transactions };
}

function losesUpdate({ versions, history }: Contradiction, { from, to, reason }: Edge): boolean {
  if (reason.kind !== 'overwrites') return false;
  const { readStart, readVersion, writeStart, writeKey } = versions;
  const key = history.opKey[reason.read];
  const readOf = (t: number): number | undefined =>
    readVersion.subarray(readStart[t], readStart[t + 1]).find((version) => keyOf(versions, version) === key);
  const isWritten = writeKey.subarray(writeStart[from], writeStart[from + 1]).includes(key);
  return isWritten && readOf(from) === readOf(to);
}

const keyOf = ({ writer, writeKey }: Contradiction['versions'], version: number): number =>
  version < writer.length ? writeKey[version] : version - writer.length;

/** Whether the transactions of an anti-dependency both read the version that both overwrite. */
function isLostUpdate({ versions, search }: Contradiction, { why, from, to, data, basis }: Wait): boolean {
  if (why !== Why.Overwrite) return false;
  const { shift } = search.schedule;
  const { writeStart, writeKey, readStart, readVersion } = versions;
  const key = writeKey[data];
  const writes = (t: number): boolean => writeKey.subarray(writeStart[t], writeStart[t + 1]).includes(key);
  const reads = (t: number): boolean => readVersion.subarray(readStart[t], readStart[t + 1]).includes(basis);
  return reads(to >> shift) && writes(from >> shift);
}

const readersOf = ({ core, search, versions }: Contradiction): number[] =>
  core.flatMap((step) => {
    const { read } = search.proof.steps[step]!;
    return read < 0 ? [] : [versions.several!.reader[read]];
  });
