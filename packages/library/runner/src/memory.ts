import { readFileSync } from 'node:fs';
import process from 'node:process';

/**
 * Peak resident memory of a process (`VmHWM`); null without /proc. `resourceUsage().maxRSS` of a child process starts
 * at its parent's value and is therefore not used.
 */
export function peakResidentBytes(pid: number | 'self' = 'self'): number | null {
  let status: string;
  try {
    status = readFileSync(`/proc/${pid}/status`, 'latin1');
  } catch {
    return null;
  }
  const kilobytes = /^VmHWM:\s*(\d+) kB$/m.exec(status)?.[1];
  return kilobytes === undefined ? null : Number(kilobytes) * 1024;
}

export const residentBytes = (): number => process.memoryUsage.rss();

/** CPU time of all threads of this process, in milliseconds. */
export function cpuTimeMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
