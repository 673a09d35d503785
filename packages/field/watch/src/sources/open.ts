import type { SourceAddress } from './address.ts';
import { fileSource } from './file.ts';
import { httpSource } from './http.ts';
import { redisSource } from './redis.ts';
import { socketSource } from './socket.ts';
import type { Source } from './source.ts';
import { standardInput } from './standard-input.ts';

export interface OpenOptions {
  /** Whether more is waited for at the end of what has one. */
  readonly isFollowed: () => boolean;
  readonly onNote: (note: string) => void;
  /** Where to go on, if the source knows such places. */
  readonly from: string | null;
}

export function openSource(address: SourceAddress, options: OpenOptions): Source {
  switch (address.kind) {
    case 'standard input':
      return standardInput();
    case 'file':
      return fileSource(address.path, options);
    case 'http':
      return httpSource(address.url, options.onNote);
    case 'redis':
      return redisSource({ ...options, url: address.url, key: address.name });
    default:
      return socketSource(address, options.onNote);
  }
}

/** Returns whether the source starts over with the lines that were taken before, where it has no place to go on. */
export const beginsAnew = ({ kind }: SourceAddress): boolean => kind === 'file' || kind === 'redis';
