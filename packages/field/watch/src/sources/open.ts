import type { SourceAddress } from './address.ts';
import { fileSource, type FollowOptions } from './file.ts';
import { httpSource } from './http.ts';
import { kafkaSource } from './kafka.ts';
import { natsSource } from './nats.ts';
import { redisSource } from './redis.ts';
import { socketSource } from './socket.ts';
import type { Source, Chunk } from './source.ts';

export function openSource(address: SourceAddress, options: FollowOptions): Source {
  switch (address.kind) {
    case 'standard input':
      return standardInput();
    case 'file':
      return fileSource(address.path, options);
    case 'http':
      return httpSource(address.url, options.onNote);
    case 'nats':
      return natsSource({ ...options, url: address.url, name: address.name });
    case 'kafka':
      return kafkaSource({ ...options, url: address.url, name: address.name });
    case 'redis':
      return redisSource({ ...options, url: address.url, key: address.name });
    default:
      return socketSource(address, options.onNote);
  }
}

/** Returns whether a source without a saved position starts over with the lines that were taken before. */
export const beginsAnew = ({ kind }: SourceAddress): boolean => ['file', 'redis', 'nats', 'kafka'].includes(kind);

function standardInput(): Source {
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
