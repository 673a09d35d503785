import { ConnectionLost } from '../database/errors.ts';

/**
 * Makes a repeatable request, and repeats it if the connection was lost since its last use, for example because its
 * server was killed.
 */
export async function againIfLost(work: () => Promise<void>, connect: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof ConnectionLost)) throw error;
    await connect();
    await work();
  }
}
