import { setTimeout as sleep } from 'node:timers/promises';

/** Waits until a condition holds, or the time limit of a test has passed. */
export async function until(is: () => boolean | Promise<boolean>, attempts = 250): Promise<void> {
  for (let i = 0; i < attempts && !(await is()); i++) await sleep(20);
}
