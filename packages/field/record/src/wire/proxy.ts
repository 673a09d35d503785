import { once } from 'node:events';
import { type AddressInfo, type Server, type Socket, createServer } from 'node:net';
import { createSecureContext } from 'node:tls';
import type { SessionFacts, SessionLog, Statement } from './statement.ts';
import { type ConnectionOptions, serve } from './connection.ts';
import { textOf } from './recording.ts';
import type { Upstream } from './upstream.ts';

export interface ProxyOptions<S extends Statement> {
  /** Defaults to loopback and any free port. */
  readonly listen?: { readonly host?: string; readonly port?: number };
  readonly upstream: Upstream;
  /** The PEM key and certificate for clients that ask for TLS; null to refuse TLS. */
  readonly tls: { readonly key: string; readonly cert: string } | null;
  /**
   * Called for each client that the database has accepted; the client waits for the result. If both sides use TLS,
   * clients cannot bind their password to the channel (SCRAM-SHA-256-PLUS) unless the proxy shows the server's own
   * certificate.
   */
  readonly open: (facts: SessionFacts) => SessionLog<S> | Promise<SessionLog<S>>;
  /**
   * Queries, by name, on each client's own connection before it is served; the answer is the first column of the first
   * row.
   */
  readonly settingsQueries: Readonly<Record<string, string>>;
  /** Receives a description of unrecorded data and the reason. */
  readonly onProblem: (problem: string) => void;
}

export interface Proxy {
  readonly port: number;
  close(): Promise<void>;
}

/** Starts a proxy between PostgreSQL's clients and a server. */
export async function startProxy<S extends Statement>(options: ProxyOptions<S>): Promise<Proxy> {
  const { tls, upstream, open, settingsQueries, onProblem } = options;
  const certificate = tls && { cert: tls.cert, context: createSecureContext(tls) };
  const connection: ConnectionOptions<S> = { upstream, certificate, open, settingsQueries, onProblem };
  const sockets = new Set<Socket>();
  const track = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  };
  const server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
    track(client);
    // A later listener does more; this one covers the time before.
    client.on('error', () => client.destroy());
    serve(client, connection, track).catch((error: unknown) => {
      client.destroy();
      onProblem(`a connection was closed because the proxy failed: ${textOf(error)}`);
    });
  });
  const port = await listen(server, options.listen ?? {});
  return { port, close: () => close(server, sockets) };
}

async function listen(
  server: Server,
  { host = '127.0.0.1', port = 0 }: { host?: string; port?: number },
): Promise<number> {
  server.listen({ host, port });
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

function close(server: Server, sockets: ReadonlySet<Socket>): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    for (const socket of sockets) socket.destroy();
  });
}
