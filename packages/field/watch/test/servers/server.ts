/** Servers of streams, which one suite starts, fills, trims and kills. */
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import type { NeedName } from '@isolab/needs';
import type { Source } from '../../src/sources/source.ts';

export interface StreamServer {
  readonly need: NeedName;
  readonly kind: 'stream' | 'topic';
  /** States that the streams outlive a killed server. */
  readonly isKept: boolean;
  /** Starts a server; `fixtures/watch-stream.mjs` gets the same source by its address. */
  start(): Promise<RunningServer>;
}

export interface RunningServer {
  /** Address of the stream `orders`. */
  readonly address: string;
  sourceOf(options: { readonly isFollowed: () => boolean; readonly from: string | null }): Source;
  /** Stores each line as a message of `orders`. */
  put(...lines: readonly string[]): Promise<void>;
  /** Makes the stream `orders`; removes it with its messages. */
  create(): Promise<void>;
  remove(): Promise<void>;
  /** Removes the first messages of the stream. */
  trim(count: number): Promise<void>;
  /** Kills the server, and starts it again with its streams; null if it keeps nothing. */
  readonly restart: { stop(): Promise<void>; start(): Promise<void> } | null;
  close(): Promise<void>;
}

/** Finds a port for a server that is started again at the same address. */
export async function freePort(): Promise<number> {
  const probe = createServer().listen(0, '127.0.0.1');
  await once(probe, 'listening');
  const { port } = probe.address() as AddressInfo;
  probe.close();
  return port;
}
