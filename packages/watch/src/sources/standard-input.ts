import process from 'node:process';
import type { Source } from './source.ts';

export function standardInput(): Source {
  async function* chunks(signal: AbortSignal): AsyncGenerator<Uint8Array> {
    const { stdin } = process;
    signal.addEventListener('abort', () => stdin.destroy());
    try {
      for await (const chunk of stdin) yield chunk as Uint8Array;
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }
  return { name: 'standard input', chunks };
}
