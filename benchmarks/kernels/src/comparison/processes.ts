/** Programs that are run one after the other, and end when the whole does. */
import { spawn } from 'node:child_process';
import process from 'node:process';

export interface RunOptions {
  readonly cwd: string;
  readonly signal: AbortSignal;
}

/** Output of a program. Throws unless it ends well; interrupted, it ends with its child processes. */
export function outputOf(command: string, words: readonly string[], { cwd, signal }: RunOptions): Promise<string> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    // A group of its own, which can be ended as a whole.
    const child = spawn(command, words, { cwd, stdio: ['ignore', 'pipe', 'pipe'], detached: true });
    const end = (): void => {
      try {
        if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
      } catch {
        // It has ended by itself.
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
