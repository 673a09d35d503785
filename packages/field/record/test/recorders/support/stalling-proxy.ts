import { EventEmitter, once } from 'node:events';
import { type AddressInfo, type Socket, connect, createServer } from 'node:net';

/** A proxy on the wire of a database that does not let COMMIT pass. */
export interface StallingProxy {
  readonly port: number;
  /** Resolves when a client sends COMMIT next, which the database does not get. */
  stalled(): Promise<unknown>;
  /** Ends its connections. */
  cut(): void;
  close(): void;
}

export async function startStallingProxy(host: string, port: number): Promise<StallingProxy> {
  const sockets = new Set<Socket>();
  const events = new EventEmitter();
  const server = createServer((client) => {
    const upstream = connect(port, host);
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(one);
      one.on('error', () => {});
      one.on('close', () => {
        sockets.delete(one);
        other.destroy();
      });
    }
    let isStalled = false;
    upstream.on('data', (bytes) => client.write(bytes));
    client.on('data', (bytes) => {
      isStalled ||= /COMMIT(?!TED)/.test(bytes.toString('latin1'));
      if (isStalled) events.emit('COMMIT');
      else upstream.write(bytes);
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  const close = (): void => {
    cut();
    server.close();
  };
  return { port: (server.address() as AddressInfo).port, stalled: () => once(events, 'COMMIT'), cut, close };
}
