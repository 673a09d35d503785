import { setTimeout as sleep } from 'node:timers/promises';

/** Waits until something is the case, or for as long as nobody should wait. */
export async function until(is: () => boolean | Promise<boolean>, attempts = 250): Promise<void> {
  for (let i = 0; i < attempts && !(await is()); i++) await sleep(20);
}
