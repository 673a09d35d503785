import { findWorkload } from '@isolab/workloads';
import { type Contention, contentionOf, contentionText, hasLowContention, percent } from 'isolab/skin';
import { open } from 'isolab/check';

/** Measures the contention of a collected history. */
export async function contentionAt(path: string): Promise<Contention> {
  return contentionOf((await open(path)).prepared.history);
}

/** Flags of the collection, as typed on the command line. */
interface Asked {
  readonly sessions: string;
  readonly workload: string;
}

/**
 * Lines about contention after a collection: the numbers, and advice if low contention makes the history inconclusive.
 */
export function contentionLines(contention: Contention, flags: Asked): string[] {
  if (contention.met === null) return [];
  const said = `${percent(contention.met)} ${contentionText(contention)}.`;
  return hasLowContention(contention)
    ? [said, `Contention is too low to show most anomalies: ${helping(flags)}.`]
    : [said];
}

function helping({ sessions, workload }: Asked): string {
  if (sessions === '1') return 'try --sessions 8';
  const hasKeys = findWorkload(workload)?.parameters['keys'] !== undefined;
  return `try more --sessions${hasKeys ? ` or --set keys=${sessions}` : ''}`;
}
