import { type AddressInfo, createServer } from 'node:net';
import { Connection, type ConnectionOptions } from './connection.ts';

export interface Proxy {
  readonly port: number;
  close(): Promise<void>;
}

/** Accepts clients at an address, and relays each of them to the server. */
export async function startProxy(
  listen: { readonly host: string; readonly port: number },
  options: ConnectionOptions,
): Promise<Proxy> {
  const connections = new Set<Connection>();
  const server = createServer({ allowHalfOpen: true }, (client) => {
    const connection = new Connection(client, options);
    connections.add(connection);
    void connection.closed.then(() => connections.delete(connection));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(listen.port, listen.host, resolve);
  });
  return {
    port: (server.address() as AddressInfo).port,
    async close() {
      const ended = new Promise((resolve) => server.close(resolve));
      const open = [...connections];
      for (const connection of open) connection.close();
      await Promise.all([ended, ...open.map(({ closed }) => closed)]);
    },
  };
}
