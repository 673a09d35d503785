import type { FollowOptions } from './file.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { WatchError } from '../stream/errors.ts';
import { type Message, NatsStream } from './nats-stream.ts';
import type { Chunk, Source } from './source.ts';

export interface NatsOptions extends Pick<FollowOptions, 'isFollowed' | 'from'> {
  readonly url: string;
  readonly name: string;
}

/** The position in a stream: the last message that was read, its time, and the creation of the stream. */
interface Place {
  readonly number: number;
  readonly time: string;
  readonly created: string;
}

/**
 * Reads a stream of NATS JetStream by the numbers of its messages. A message is a line. The server keeps no consumer,
 * so it delivers no message again, and a missing number is a message that was removed unread.
 */
export function natsSource({ url, name, isFollowed, from }: NatsOptions): Source {
  async function* chunks(signal: AbortSignal, isWanted: () => boolean = () => true): AsyncGenerator<Chunk> {
    const stream = await NatsStream.open(url, name, signal);
    try {
      const [number = '0', time = '', created = ''] = from?.split(' ') ?? [];
      let place: Place = { number: Number(number), time, created };
      let isKnown = false;
      while (!signal.aborted) {
        const isLast = !isFollowed() || !isWanted(); // checked before the read, so that all messages stored until then are read
        const last = await lastOf(stream, name, place);
        if (last !== null) place = { ...place, created: last.created };
        if (last !== null && !isKnown) yield { bytes: NOTHING, position: positionOf(place) };
        isKnown ||= last !== null;
        const upTo = Math.min(last?.number ?? 0, place.number + AT_ONCE);
        if (upTo > place.number) {
          const [before, ...found] = await stream.messages(place.number, upTo);
          if (place.number > 0 && before !== null && before!.time !== place.time) throw isAnother(name);
          const missing = found.indexOf(null);
          const read = (missing < 0 ? found : found.slice(0, missing)) as Message[];
          if (read.length > 0) place = { ...place, number: place.number + read.length, time: read.at(-1)!.time };
          yield { bytes: linesOf(read), position: positionOf(place) };
          if (missing >= 0) throw isRemoved(name, place.number + 1);
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
async function lastOf(stream: NatsStream, name: string, { number, created }: Place) {
  const last = await stream.last();
  if (last === null) {
    if (number === 0 && created === '') return null;
    throw new WatchError(`The stream ${name} is gone; the messages read before were watched.`);
  }
  // Messages that a server had not yet written to its disk are lost when it crashes.
  if (last.number < number || (created !== '' && last.created !== created)) throw isAnother(name);
  return last;
}

const isAnother = (name: string): WatchError =>
  new WatchError(`The stream ${name} is not the stream that was watched before; watch it in another folder.`);

const isRemoved = (name: string, number: number): WatchError =>
  new WatchError(
    `Message ${number} of the stream ${name} was removed before it was read, so its line is missing; remove only messages that were read.`,
  );

const positionOf = ({ number, time, created }: Place): string => `${number} ${time} ${created}`;

const linesOf = (messages: readonly Message[]): Buffer =>
  Buffer.from(messages.map(({ text }) => (text.endsWith('\n') ? text : `${text}\n`)).join(''));

const NOTHING = new Uint8Array(0);
const AT_ONCE = 200;
const POLL_MS = 20;
