import process from 'node:process';
import type { Chunk, Source } from './source.ts';

export function standardInput(): Source {
  async function* chunks(signal: AbortSignal): AsyncGenerator<Chunk> {
    const { stdin } = process;
    signal.addEventListener('abort', () => stdin.destroy());
    try {
      for await (const chunk of stdin) yield { bytes: chunk as Uint8Array, position: null };
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }
  return { name: 'standard input', hasEnd: false, chunks };
}
