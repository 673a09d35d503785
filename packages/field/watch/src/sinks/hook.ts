import { setTimeout as sleep } from 'node:timers/promises';
import type { Alarm } from '../watcher/status.ts';

/** Posts an alarm to an address, with retries. Throws the last error if all attempts fail. */
export async function postAlarm(address: string, alarm: Alarm, pauseMs = 1000): Promise<void> {
  let reason = '';
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    if (attempt > 0) await sleep(pauseMs * 2 ** (attempt - 1));
    try {
      const response = await fetch(address, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(alarm),
        signal: AbortSignal.timeout(10_000),
      });
      if (response.ok) return;
      reason = `it answered ${response.status}`;
    } catch (error) {
      const { message, cause } = error as Error;
      reason = cause instanceof Error ? cause.message : message;
    }
  }
  throw new Error(`Alarm ${alarm.number} could not be posted to ${address}: ${reason}.`);
}

const ATTEMPTS = 4;
