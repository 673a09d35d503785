import type { Key } from '@isolab/workloads';
import { numberIn } from '../database/answers.ts';
import { type Connection, type DataKind, type Driver, optionalPackage } from '../database/database.ts';
import { CollectorError } from '../database/errors.ts';
import { closed } from '@isolab/engines';
import { type Outcomes, answering, meaningOf, row } from '../database/outcomes.ts';

/** The part of the package mongodb that this driver uses. */
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

/** Driver for MongoDB replica sets; its transactions need a replica set. */
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
      warning: 'Read concern local makes few promises; isolab checks read committed.',
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

const guarded = answering((error, phase) => meaningOf(MONGODB_OUTCOMES, codesOf(error), phase, error));

interface MongoError extends Error {
  readonly errorLabels?: Iterable<string>;
  readonly code?: number | string;
}

/**
 * Lists the codes that classify an error: first the label of an unknown outcome, then other labels, its number and its
 * name.
 */
function codesOf({ errorLabels = [], code, name }: MongoError): string {
  const labels = [...errorLabels].toSorted((a) => (a === 'UnknownTransactionCommitResult' ? -1 : 1));
  return [...labels, ...(code === undefined ? [] : [String(code)]), name].join(' ');
}

/**
 * Error labels, after MongoDB's "Transactions in Applications" and the drivers' specification of transactions. At
 * COMMIT, TransientTransactionError means that the transaction did not commit. Codes of errors without a label follow,
 * after MongoDB's "Error Codes".
 */
export const MONGODB_OUTCOMES: Outcomes = {
  database: 'MongoDB',
  keysOf: (codes) => codes.split(' '),
  rows: [
    row('UnknownTransactionCommitResult', 'lost', 'unknown', 'unknown whether it committed'),
    row('TransientTransactionError', 'aborted', 'aborted', 'it did not commit; try again'),
    row('50', 'aborted', 'unknown', 'maxTimeMS was exceeded'),
    row('64', 'lost', 'unknown', 'the write concern was not met'),
    row('112', 'aborted', 'unknown', 'a write conflict'),
    row('251', 'aborted', 'unknown', 'the transaction no longer exists: it aborted, or committed before'),
    row('11000', 'aborted', 'unknown', 'two sessions inserted the same key'),
    row('6', 'lost', 'unknown', 'the host is unreachable'),
    row('7', 'lost', 'unknown', 'the host was not found'),
    row('89', 'lost', 'unknown', 'the network was too slow'),
    row('91', 'lost', 'unknown', 'the server is shutting down'),
    row('189', 'lost', 'unknown', 'the primary stepped down'),
    row('9001', 'lost', 'unknown', 'the connection failed'),
    row('10107', 'lost', 'unknown', 'this is not the primary'),
    row('11600', 'lost', 'unknown', 'the server is shutting down'),
    row('11602', 'lost', 'unknown', 'the primary changed'),
    row('13435', 'lost', 'unknown', 'this is not the primary'),
    row('MongoNetworkError', 'lost', 'unknown', 'the client found the connection gone'),
    row('MongoNetworkTimeoutError', 'lost', 'unknown', 'the server did not answer in time'),
    row('MongoServerSelectionError', 'lost', 'unknown', 'no server was found'),
    row('MongoNotConnectedError', 'lost', 'unknown', 'the client is closed'),
  ],
};
