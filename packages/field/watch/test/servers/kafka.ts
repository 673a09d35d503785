/** Topics of a Kafka of one node, whose program Maven fetches. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { optionalPackage } from '@isolab/collector';
import { kafkaSource } from '../../src/index.ts';
import { until } from '../until.ts';
import { type RunningServer, type StreamServer, freePort } from './server.ts';

interface Client {
  createTopics(options: object): Promise<unknown>;
  deleteTopics(options: object): Promise<unknown>;
  deleteRecords(options: object): Promise<unknown>;
  metadata(options: object): Promise<unknown>;
  listTopics(): Promise<readonly string[]>;
  close(): Promise<void>;
}

interface Sender {
  send(options: object): Promise<unknown>;
  close(): Promise<void>;
}

interface Transactional extends Sender {
  beginTransaction(): Promise<{
    send(options: object): Promise<unknown>;
    commit(): Promise<void>;
    abort(): Promise<void>;
  }>;
}

interface Kafka {
  readonly Admin: new (options: object) => Client;
  readonly Producer: new (options: object) => Transactional;
}

/** Topics with other settings, and transactions, for tests of Kafka alone. */
export interface RunningKafka extends RunningServer {
  createWith(options: object): Promise<void>;
  /** Stores the lines in one transaction, which ends in this way. */
  putTogether(way: 'commit' | 'abort', ...lines: readonly string[]): Promise<void>;
}

export const KAFKA: StreamServer = { need: 'kafka', kind: 'topic', isKept: true, start: startKafka };

const POM = `<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion><groupId>t</groupId><artifactId>t</artifactId><version>1</version>
<dependencies><dependency><groupId>org.apache.kafka</groupId><artifactId>kafka_2.13</artifactId><version>3.9.1</version></dependency></dependencies></project>`;

export async function startKafka(): Promise<RunningKafka> {
  const place = mkdtempSync(join(tmpdir(), 'isolab-kafka-'));
  const [port, control] = [await freePort(), await freePort()];
  const run = (program: string, ...words: readonly string[]): void => {
    const { status, stdout, stderr } = spawnSync(program, words, { cwd: place, encoding: 'utf8' });
    if (status !== 0) throw new Error(`${program} ended with ${status}: ${stdout}${stderr}`);
  };
  writeFileSync(join(place, 'pom.xml'), POM);
  run('mvn', '--batch-mode', '--quiet', 'dependency:copy-dependencies', '-DoutputDirectory=lib');
  const settings = join(place, 'server.properties');
  mkdirSync(join(place, 'data'));
  writeFileSync(settings, settingsOf(place, port, control));
  const java = ['-Xmx256m', '-cp', join(place, 'lib', '*')];
  run('java', ...java, 'kafka.tools.StorageTool', 'format', '-t', 'AAAAAAAAAAAAAAAAAAAAAQ', '-c', settings);

  const { Admin, Producer } = await optionalPackage<Kafka>('@platformatic/kafka');
  const options = { clientId: 'test', bootstrapBrokers: [`127.0.0.1:${port}`], retries: 300, retryDelay: 100 };
  let server: ChildProcess;
  const client = new Admin(options);
  const sender = new Producer(options);
  const together = new Producer({ ...options, idempotent: true, transactionalId: 'orders' });
  const start = async (): Promise<void> => {
    server = spawn('java', [...java, 'kafka.Kafka', settings], { stdio: 'ignore', cwd: place });
    await until(
      () =>
        client.metadata({ topics: [], forceUpdate: true }).then(
          () => true,
          () => false,
        ),
      1000,
    );
  };
  await start();
  // Waits for the broker, which learns a change of the topics later than the controller that confirms it.
  const listed = (expected: boolean): Promise<void> =>
    until(async () => (await client.listTopics()).includes('orders') === expected, 1000);
  const createWith = async (more: object): Promise<void> => {
    await client.createTopics({ topics: ['orders'], partitions: 1, replicas: 1, ...more });
    await listed(true);
  };
  const messages = (lines: readonly string[]) => lines.map((line) => ({ topic: 'orders', value: Buffer.from(line) }));
  return {
    createWith,
    address: `kafka://127.0.0.1:${port}/orders`,
    sourceOf: (given) => kafkaSource({ ...given, url: `kafka://127.0.0.1:${port}`, name: 'orders' }),
    put: async (...lines) => void (await sender.send({ messages: messages(lines), acks: -1 })),
    putTogether: async (way, ...lines) => {
      const transaction = await together.beginTransaction();
      await transaction.send({ messages: messages(lines), acks: -1 });
      await transaction[way]();
    },
    create: () => createWith({}),
    remove: async () => {
      await client.deleteTopics({ topics: ['orders'] });
      await listed(false);
    },
    trim: async (count) =>
      void (await client.deleteRecords({
        topics: [{ name: 'orders', partitions: [{ partition: 0, offset: BigInt(count) }] }],
      })),
    restart: {
      stop: async () => {
        server.kill('SIGKILL');
        await once(server, 'exit');
      },
      start,
    },
    close: async () => {
      await Promise.all([client.close(), sender.close(), together.close()]);
      server.kill('SIGKILL');
      await once(server, 'exit');
      rmSync(place, { recursive: true, force: true });
    },
  };
}

const settingsOf = (place: string, port: number, control: number): string => `process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:${control}
listeners=PLAINTEXT://127.0.0.1:${port},CONTROLLER://127.0.0.1:${control}
advertised.listeners=PLAINTEXT://127.0.0.1:${port}
controller.listener.names=CONTROLLER
listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT
log.dirs=${join(place, 'data')}
offsets.topic.replication.factor=1
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
broker.session.timeout.ms=1000
broker.heartbeat.interval.ms=200
auto.create.topics.enable=false
`;
