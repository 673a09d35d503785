import type { Key } from '@isolab/workloads';
import { numberIn } from '../answers.ts';
import { type Connection, type DataKind, type Driver, optionalPackage } from '../database.ts';
import { CollectorError } from '../errors.ts';
import { closed } from '../time.ts';
import { MONGODB_OUTCOMES } from './mongodb-outcomes.ts';
import { type Phase, meaningOf } from './outcomes.ts';

/** What is used of the package mongodb. */
interface Mongo {
  readonly MongoClient: new (address: string, options: object) => MongoClient;
}
interface MongoClient {
  connect(): Promise<unknown>;
  close(force?: boolean): Promise<void>;
  startSession(options: object): MongoSession;
  db(name?: string): MongoDb;
}
interface MongoDb {
  collection(name: string): Collection;
  command(command: object): Promise<Record<string, unknown>>;
}
interface Collection {
  findOne(filter: object, options: object): Promise<Document | null>;
  find(filter: object, options: object): { toArray(): Promise<Document[]> };
  updateOne(filter: object, update: object, options: object): Promise<unknown>;
  deleteMany(filter: object): Promise<unknown>;
}
interface Document {
  readonly _id: Key;
  /** A number, or a Long that is one. */
  readonly v?: unknown;
  readonly l?: readonly unknown[];
  readonly dead?: boolean;
}
interface MongoSession {
  startTransaction(options: object): void;
  commitTransaction(): Promise<void>;
  abortTransaction(): Promise<void>;
  endSession(): Promise<void>;
}

/** MongoDB: a replica set, which its transactions need. */
export const mongodb: Driver = {
  schemes: ['mongodb', 'mongodb+srv'],
  title: 'MongoDB',
  needs: 'mongodb',
  isolations: [
    { name: 'snapshot', claims: 'snapshot-isolation' },
    {
      name: 'majority',
      claims: 'snapshot-isolation',
      warning: 'Read concern majority promises a snapshot only with write concern majority.',
    },
    {
      name: 'local',
      claims: 'read-committed',
      warning: 'Read concern local promises little; isolab checks read committed.',
    },
  ],
  data: ['registers', 'lists', 'rows'],
  async open(address, { connectMs }) {
    const { MongoClient: Client } = await optionalPackage<Mongo>('mongodb');
    const client = new Client(address, {
      retryWrites: false,
      connectTimeoutMS: connectMs,
      serverSelectionTimeoutMS: connectMs,
    });
    await client.connect().catch((error: unknown) => {
      throw new CollectorError(`No MongoDB answers: ${(error as Error).message}`, { cause: error });
    });
    const { version } = await client.db().command({ buildInfo: 1 });
    let collection = client.db().collection('isolab_registers');
    return {
      description: `MongoDB ${String(version)}`,
      async prepare(data: DataKind, keep) {
        collection = client.db().collection(`isolab_${data}`);
        if (!keep) await guarded(() => collection.deleteMany({}));
      },
      connect: async ({ name }) => connect(client, collection, name),
      close: () =>
        closed(
          () => client.close(),
          () => void client.close(true).catch(() => {}),
        ),
    };
  },
};

function connect(client: MongoClient, collection: Collection, level: string): Connection {
  const session = client.startSession({});
  const options = { session };
  const find = (key: Key): Promise<Document | null> => collection.findOne({ _id: key }, options);
  const set = (key: Key, update: object): Promise<unknown> =>
    collection.updateOne({ _id: key }, update, { ...options, upsert: true });
  return {
    async begin() {
      session.startTransaction({ readConcern: { level }, writeConcern: { w: 'majority' } });
    },
    ask: (request) =>
      guarded(async (): Promise<unknown> => {
        switch (request.kind) {
          case 'read':
            return numberIn((await find(request.key))?.v ?? null);
          case 'write':
            return void (await set(request.key, { $set: { v: request.value, dead: false } }));
          case 'read-list':
            return ((await find(request.key))?.l ?? []).map(numberIn);
          case 'append':
            return void (await set(request.key, { $push: { l: request.value } }));
          case 'insert':
          case 'delete': {
            const found = await find(request.key);
            const inserts = request.kind === 'insert';
            const isLive = found !== null && found.dead !== true;
            if (isLive !== inserts) await set(request.key, { $set: { v: request.value, dead: !inserts } });
            return found === null ? [] : [rowOf(found)];
          }
          case 'range': {
            const filter = { _id: { $gte: request.low, $lte: request.high } };
            return (await collection.find(filter, options).toArray()).map(rowOf);
          }
          case 'compare-and-set': {
            const succeeds = ((await find(request.key))?.v ?? null) === request.expected;
            if (succeeds) await set(request.key, { $set: { v: request.value } });
            return succeeds;
          }
        }
      }),
    commit: () => guarded(() => session.commitTransaction(), 'commit'),
    rollback: () => guarded(() => session.abortTransaction()),
    close: () => session.endSession(),
    abandon: () => void session.endSession().catch(() => {}),
  };
}

const rowOf = ({ _id, v, dead }: Document) => ({ key: numberIn(_id), value: numberIn(v), dead: dead === true });

async function guarded<T>(run: () => Promise<T>, phase: Phase = 'statement'): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw meaningOf(MONGODB_OUTCOMES, codesOf(error as MongoError), phase, error as Error);
  }
}

interface MongoError extends Error {
  readonly errorLabels?: Iterable<string>;
  readonly code?: number | string;
}

/** All that tells what an error means: what leaves the outcome open first, then other labels, its number and its name. */
function codesOf({ errorLabels = [], code, name }: MongoError): string {
  const labels = [...errorLabels].toSorted((a) => (a === 'UnknownTransactionCommitResult' ? -1 : 1));
  return [...labels, ...(code === undefined ? [] : [String(code)]), name].join(' ');
}
