/** A Redis of a test file's own, which keeps nothing. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';

const PROGRAM = '/usr/bin/redis-server';
export const hasRedis = existsSync(PROGRAM);

export interface TestRedis {
  readonly address: string;
  readonly server: ChildProcess;
}

export async function startRedis(): Promise<TestRedis> {
  const port = await freePort();
  const words = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--appendonly', 'no'];
  const server = spawn(PROGRAM, words, { stdio: ['ignore', 'pipe', 'inherit'] });
  await new Promise<void>((resolve, reject) => {
    server.stdout.on('data', (text: Buffer) => text.toString().includes('Ready to accept connections') && resolve());
    server.on('exit', (code) => reject(new Error(`redis-server ended with ${code}`)));
  });
  return { address: `redis://127.0.0.1:${port}`, server };
}

export function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
