/**
 * A topic of Kafka with one partition, read by offsets without a consumer group. The topic's identifier distinguishes it
 * from a later one with its name. Requests are repeated while the connection is lost.
 */
import { optionalPackage } from '@isolab/collector';
import { setTimeout as sleep } from 'node:timers/promises';
import { WatchError } from '../stream/errors.ts';
import { type Batch, messagesOf } from './kafka-batches.ts';
import { type Message, type NumberedStream, type QueuedOptions, numberedSource } from './numbered.ts';
import type { Source } from './source.ts';

export const kafkaSource = (options: QueuedOptions): Source =>
  numberedSource({
    ...options,
    kind: 'topic',
    atOnce: 2000,
    open: (signal) => KafkaTopic.open(new URL(options.url).host, options.name, signal),
  });

/** The part of the package @platformatic/kafka that this source uses. */
interface Kafka {
  readonly Admin: new (options: object) => Admin;
  readonly Consumer: new (options: object) => Consumer;
}

interface Admin {
  describeConfigs(options: object): Promise<readonly { readonly configs: readonly { readonly value: string }[] }[]>;
  close(): Promise<void>;
}

interface Consumer {
  metadata(options: object): Promise<{ readonly topics: ReadonlyMap<string, Topic> }>;
  listOffsets(options: object): Promise<ReadonlyMap<string, readonly bigint[]>>;
  fetch(options: object): Promise<{ readonly responses: readonly { readonly partitions: readonly Partition[] }[] }>;
  close(isForced: boolean): Promise<void>;
}

interface Topic {
  readonly id: string;
  readonly partitions: readonly { readonly leader: number }[];
}

interface Partition {
  readonly abortedTransactions: readonly { readonly producerId: bigint; readonly firstOffset: bigint }[];
  readonly records?: readonly Batch[];
}

class KafkaTopic implements NumberedStream {
  readonly #consumer: Consumer;
  readonly #admin: Admin;
  readonly #name: string;
  readonly #signal: AbortSignal;
  #isKept = false;

  static async open(host: string, name: string, signal: AbortSignal): Promise<KafkaTopic> {
    const { Admin, Consumer } = await optionalPackage<Kafka>('@platformatic/kafka', 'Kafka');
    const options = { clientId: 'isolab', bootstrapBrokers: [host], retries: 0, autocreateTopics: false };
    const topic = new KafkaTopic(new Consumer({ ...options, groupId: 'isolab' }), new Admin(options), name, signal);
    try {
      await topic.#topic();
    } catch (error) {
      await topic.close();
      if (error instanceof WatchError) throw error;
      throw new WatchError(`There is no Kafka at kafka://${host}: ${reasonOf(error)}.`, { cause: error });
    }
    return topic;
  }

  private constructor(consumer: Consumer, admin: Admin, name: string, signal: AbortSignal) {
    this.#consumer = consumer;
    this.#admin = admin;
    this.#name = name;
    this.#signal = signal;
  }

  async last(): Promise<{ readonly number: number; readonly created: string } | null> {
    return this.#repeated(async () => {
      const topic = await this.#topic();
      if (topic === null) return null;
      if (!this.#isKept) await insistOnKept(this.#admin, this.#name);
      this.#isKept = true;
      return { number: await this.#offset(LATEST), created: topic.id };
    });
  }

  /** Message N is the one at offset N - 1. */
  async messages(from: number, to: number): Promise<(Message | null)[]> {
    return this.#repeated(async () => {
      const topic = await this.#topic();
      if (topic === null) return Array.from({ length: to - from + 1 }, () => null);
      const first = await this.#offset(EARLIEST);
      const read = new Map<number, Message>();
      for (let next = Math.max(from - 1, first); next < to;) {
        const { records = [], abortedTransactions } = await this.#fetch(topic, next);
        const { messages, end } = messagesOf(records, abortedTransactions);
        for (const [offset, message] of messages) read.set(offset, message);
        // Otherwise, committed messages would count as none.
        if (end <= next)
          throw new WatchError(
            `Kafka returned no message from offset ${next} of ${this.#name}; expected all before ${to}.`,
          );
        next = end;
      }
      return Array.from({ length: to - from + 1 }, (_, i) => {
        const offset = from + i - 1;
        return offset < first ? null : (read.get(offset) ?? NOTHING);
      });
    });
  }

  async #topic(): Promise<Topic | null> {
    try {
      const { topics } = await this.#consumer.metadata({ topics: [this.#name], forceUpdate: true });
      const topic = topics.get(this.#name) ?? null;
      if (topic !== null && topic.partitions.length > 1)
        throw new WatchError(
          `The topic ${this.#name} has ${topic.partitions.length} partitions, between which messages have no order; expected one.`,
        );
      return topic;
    } catch (error) {
      if (isError(error, 'UNKNOWN_TOPIC_OR_PARTITION') || (error as Error).message.startsWith('Unknown topic'))
        return null;
      throw error;
    }
  }

  async #offset(timestamp: bigint): Promise<number> {
    const offsets = await this.#consumer.listOffsets({ topics: [this.#name], timestamp, isolationLevel: COMMITTED });
    return Number(offsets.get(this.#name)![0]);
  }

  async #fetch({ id, partitions }: Topic, offset: number): Promise<Partition> {
    const asked = { partition: 0, currentLeaderEpoch: -1, lastFetchedEpoch: -1, partitionMaxBytes: MOST_BYTES };
    const topics = [{ topicId: id, partitions: [{ ...asked, fetchOffset: BigInt(offset) }] }];
    const node = partitions[0]!.leader;
    const options = { node, topics, minBytes: 0, maxBytes: MOST_BYTES, maxWaitTime: 0, isolationLevel: COMMITTED };
    return (await this.#consumer.fetch(options)).responses[0]!.partitions[0]!;
  }

  /** Asks until there is an answer. */
  async #repeated<T>(ask: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await ask();
      } catch (error) {
        if (!mayPass(error)) throw refusal(this.#name, error);
      }
      await sleep(RETRY_MS, null, { signal: this.#signal });
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.#consumer.close(true), this.#admin.close()]);
  }
}

/** Refuses a compacted topic: compaction removes messages without a trace. */
async function insistOnKept(admin: Admin, name: string): Promise<void> {
  const resource = { resourceType: TOPIC, resourceName: name, configurationKeys: ['cleanup.policy'] };
  const [described] = await admin.describeConfigs({ resources: [resource] });
  if (described!.configs.some(({ value }) => value.includes('compact')))
    throw new WatchError(
      `The topic ${name} is compacted, so messages vanish without a trace; expected cleanup.policy=delete.`,
    );
}

interface KafkaError extends Error {
  readonly apiId?: string;
  readonly canRetry?: boolean;
  readonly errors?: readonly unknown[];
}

const within = (error: unknown): readonly KafkaError[] => {
  const { errors = [] } = error as KafkaError;
  return [error as KafkaError, ...errors.flatMap(within)];
};

const isError = (error: unknown, id: string): boolean => within(error).some(({ apiId }) => apiId === id);

/** States that a later attempt may succeed: the connection is lost, or the cluster chooses a leader. */
const mayPass = (error: unknown): boolean =>
  !(error instanceof WatchError) && within(error).some(({ canRetry }) => canRetry === true);

const reasonOf = (error: unknown): string => within(error).at(-1)!.message.replace(/\.$/, '');

const refusal = (name: string, error: unknown): unknown =>
  error instanceof WatchError ? error : new WatchError(`Kafka answered about ${name}: ${reasonOf(error)}.`);

/** An offset of a transaction's end, or of a message whose transaction was aborted. */
const NOTHING: Message = { text: null, time: '' };
const LATEST = -1n;
const EARLIEST = -2n;
/** Code of Kafka for reads of committed transactions only, and for a topic in requests about settings. */
const COMMITTED = 1;
const TOPIC = 2;
const MOST_BYTES = 1 << 22;
const RETRY_MS = 200;
