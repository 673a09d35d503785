/** Runs programs one after another, which end when this process ends. */
import { spawn } from 'node:child_process';
import process from 'node:process';

export interface RunOptions {
  readonly cwd: string;
  readonly signal: AbortSignal;
}

/** Returns the output of a program. Throws unless it succeeds; an interruption also ends its child processes. */
export function outputOf(command: string, words: readonly string[], { cwd, signal }: RunOptions): Promise<string> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    // Its own process group, which can be ended as a whole.
    const child = spawn(command, words, { cwd, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    const end = (): void => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
      } catch {
        // The process has ended by itself.
      }
    };
    signal.addEventListener('abort', end);
    let output = '';
    let complaints = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (complaints += chunk.toString()));
    child.on('error', reject);
    child.on('close', (code) => {
      signal.removeEventListener('abort', end);
      if (signal.aborted) reject(signal.reason as Error);
      else if (code === 0) resolve(output);
      else reject(new Error(`${[command, ...words].join(' ')} ended with ${code}:\n${complaints.slice(-2000)}`));
    });
  });
}
