/** What a program that somebody else wrote has used so far, as the system tells: CPU time and peak memory. */
import { readFileSync } from 'node:fs';

export interface Usage {
  readonly cpuMs: number | null;
  readonly peakRssBytes: number | null;
}

/** Of one process, without children that still run; null values where the system has no /proc. */
export function usageOf(pid: number): Usage | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The name, in parentheses, may hold anything; utime, stime, cutime and cstime are fields 14 to 17.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const ticks = [11, 12, 13, 14].reduce((sum, i) => sum + Number(fields[i]), 0);
    const peak = /^VmHWM:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1];
    return { cpuMs: (ticks * 1000) / TICKS_PER_SECOND, peakRssBytes: peak === undefined ? null : Number(peak) * 1024 };
  } catch {
    return null;
  }
}

/** USER_HZ, which is 100 wherever Linux runs today. */
const TICKS_PER_SECOND = 100;
