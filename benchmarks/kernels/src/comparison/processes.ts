/** Programs that are run one after the other, and end when the whole does. */
import { spawn } from 'node:child_process';

export interface RunOptions {
  readonly cwd: string;
  readonly signal: AbortSignal;
}

/** What a program prints; its complaints go where ours go. Throws unless it ends well. */
export function outputOf(command: string, words: readonly string[], { cwd, signal }: RunOptions): Promise<string> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const child = spawn(command, words, { cwd, signal, stdio: ['ignore', 'pipe', 'pipe'] });
    let output = '';
    let complaints = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (complaints += chunk.toString()));
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) resolve(output);
      else reject(new Error(`${[command, ...words].join(' ')} ended with ${code}:\n${complaints.slice(-2000)}`));
    });
  });
}
