import { ConnectionLost } from '../database/errors.ts';

/** Makes a request that may be repeated. The connection may have been lost since it was used last, as when its server was killed. */
export async function againIfLost(work: () => Promise<void>, connect: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof ConnectionLost)) throw error;
    await connect();
    await work();
  }
}
