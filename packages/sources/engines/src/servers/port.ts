import { createServer } from 'node:net';
import { Interrupted } from '../engine/time.ts';

/** Returns a loopback port that is currently free. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}

/** Starts a process on a free port. Tries again if another process takes the port meanwhile. */
export async function onFreePort<T>(start: (port: number) => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await start(await freePort());
    } catch (error) {
      if (attempt === MOST_PORTS || error instanceof Interrupted) throw error;
    }
  }
}

const MOST_PORTS = 3;
