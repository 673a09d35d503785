import { findWorkload } from '@isolab/workloads';
import { type Contention, contentionOf, hasLowContention } from 'isolab/skin';
import { open } from 'isolab/check';
import { count, percent } from '../terminal/print.ts';

/** Text after the share of transactions that met another one. */
export const meetingOf = ({ freshReads, versionsPerKey }: Contention): string =>
  `of committed transactions met one that wrote what they used; ${count(freshReads ?? 0, 'read')} saw its write; ${versionsPerKey.toFixed(1)} versions a key`;

/** How contended a collected history is. */
export async function contentionAt(path: string): Promise<Contention> {
  return contentionOf((await open(path)).prepared.history);
}

/** Flags of the collection, in the words of the command line. */
interface Asked {
  readonly sessions: string;
  readonly workload: string;
}

/** Lines about contention after a collection: the numbers, and advice where they mean that little could be shown. */
export function contentionLines(contention: Contention, flags: Asked): string[] {
  if (contention.met === null) return [];
  const said = `${percent(contention.met)} ${meetingOf(contention)}.`;
  return hasLowContention(contention) ? [said, `So few meetings hardly show anything: ${helping(flags)}.`] : [said];
}

function helping({ sessions, workload }: Asked): string {
  if (sessions === '1') return '--sessions 8 would show more';
  const hasKeys = findWorkload(workload)?.parameters['keys'] !== undefined;
  return `more --sessions${hasKeys ? `, or --set keys=${sessions},` : ''} would show more`;
}
