import type { FollowOptions } from './file.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { WatchError } from '../stream/errors.ts';
import type { Chunk, Source } from './source.ts';

/** A server's stream of messages with consecutive numbers, from 1. */
export interface NumberedStream {
  /** Returns the number of the last message and an identity of the stream; null without such a stream. */
  last(): Promise<{ readonly number: number; readonly created: string } | null>;
  /** Reads the messages with these numbers; null for a message that was removed. Message 0 never existed. */
  messages(from: number, to: number): Promise<(Message | null)[]>;
  close(): Promise<void>;
}

export interface Message {
  /** Null for a number that never had a message. */
  readonly text: string | null;
  /** Time of the message, which distinguishes it from another with its number. */
  readonly time: string;
}

export interface QueuedOptions extends Pick<FollowOptions, 'isFollowed' | 'from'> {
  readonly url: string;
  readonly name: string;
}

interface NumberedOptions extends QueuedOptions {
  readonly kind: 'stream' | 'topic';
  /** Number of messages that are asked for at once. */
  readonly atOnce: number;
  readonly open: (signal: AbortSignal) => Promise<NumberedStream>;
}

/** The position in a stream: the last message that was read, its time, and the creation of the stream. */
interface Place {
  readonly number: number;
  readonly time: string;
  readonly created: string;
}

/**
 * Reads a stream by the numbers of its messages. A message is a line. The server keeps no consumer, so it delivers no
 * message again, and a missing number is a message that was removed unread.
 */
export function numberedSource({ kind, name, atOnce, open, isFollowed, from }: NumberedOptions): Source {
  const called = `${kind} ${name}`;
  async function* chunks(signal: AbortSignal, isWanted: () => boolean = () => true): AsyncGenerator<Chunk> {
    const stream = await open(signal);
    try {
      const [number = '0', time = '', created = ''] = from?.split(' ') ?? [];
      let place: Place = { number: Number(number), time, created };
      let isKnown = false;
      while (!signal.aborted) {
        const isLast = !isFollowed() || !isWanted(); // checked before the read, so that all messages stored until then are read
        const last = await lastOf(stream, called, place);
        if (last !== null) place = { ...place, created: last.created };
        if (last !== null && !isKnown) yield { bytes: NOTHING, position: positionOf(place) };
        isKnown ||= last !== null;
        const upTo = Math.min(last?.number ?? 0, place.number + atOnce);
        if (upTo > place.number) {
          const [before, ...found] = await stream.messages(place.number, upTo);
          if (place.number > 0 && before !== null && before!.time !== place.time) throw isAnother(called);
          const missing = found.indexOf(null);
          const read = (missing < 0 ? found : found.slice(0, missing)) as Message[];
          if (read.length > 0) place = { ...place, number: place.number + read.length, time: read.at(-1)!.time };
          yield { bytes: linesOf(read), position: positionOf(place) };
          if (missing >= 0) throw isRemoved(called, place.number + 1);
        } else if (isLast) return;
        else await sleep(POLL_MS, null, { signal }).catch(() => null);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    } finally {
      await stream.close();
    }
  }
  return { name, hasEnd: true, chunks };
}

/** Finds the last message of the stream, which must be the stream that was read; null if there is no stream yet. */
async function lastOf(stream: NumberedStream, called: string, { number, created }: Place) {
  const last = await stream.last();
  if (last === null) {
    if (number === 0 && created === '') return null;
    throw new WatchError(`The ${called} is gone; the messages read before were watched.`);
  }
  // Messages that a server had not yet written to its disk are lost when it crashes.
  if (last.number < number || (created !== '' && last.created !== created)) throw isAnother(called);
  return last;
}

const isAnother = (called: string): WatchError =>
  new WatchError(`The ${called} was cut or replaced after it was watched; watch it in another folder.`);

const isRemoved = (called: string, number: number): WatchError =>
  new WatchError(
    `Message ${number} of the ${called} was removed before it was read, so its line is missing; remove only messages that were read.`,
  );

const positionOf = ({ number, time, created }: Place): string => `${number} ${time} ${created}`;

const linesOf = (messages: readonly Message[]): Buffer =>
  Buffer.from(messages.map(({ text }) => (text === null || text.endsWith('\n') ? (text ?? '') : `${text}\n`)).join(''));

const NOTHING = new Uint8Array(0);
const POLL_MS = 20;
