/** A temporary Redis for one test file, protected by a password. */
import { freePort } from '@isolab/engines';
import { started } from '@isolab/history';
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';

export interface TestRedis {
  readonly address: string;
  readonly server: ChildProcess;
}

export async function startRedis(): Promise<TestRedis> {
  const port = await freePort();
  const password = randomUUID();
  const settings = { port, bind: '127.0.0.1', requirepass: password, save: '""', appendonly: 'no' };
  const server = await new Promise<ChildProcess>((resolve, reject) => {
    // Other users can see command lines, but not a configuration on standard input.
    const child = started(spawn('redis-server', ['-'], { stdio: ['pipe', 'pipe', 'inherit'] }), reject);
    child.stdin.end(
      Object.entries(settings)
        .map((words) => `${words.join(' ')}\n`)
        .join(''),
    );
    child.stdout.on(
      'data',
      (text: Buffer) => text.toString().includes('Ready to accept connections') && resolve(child),
    );
    child.on('exit', (code) => reject(new Error(`redis-server ended with ${code}`)));
  });
  return { address: `redis://:${password}@127.0.0.1:${port}`, server };
}
