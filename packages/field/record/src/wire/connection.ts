import { X509Certificate } from 'node:crypto';
import type { Socket } from 'node:net';
import { type SecureContext, TLSSocket } from 'node:tls';
import type { SessionFacts, SessionLog, Statement } from './statement.ts';
import type { ChannelBinding } from './greeting.ts';
import { Pump } from './pump.ts';
import { textOf } from './recording.ts';
import { fatalError } from './server-messages.ts';
import { Session } from './session.ts';
import { abort, readUntil } from './sockets.ts';
import { type FirstPacket, type Startup, readFirstPacket } from './startup.ts';
import { type Upstream, UpstreamError, connectUpstream } from './upstream.ts';

export interface Certificate {
  readonly cert: string;
  readonly context: SecureContext;
}

export interface ConnectionOptions<S extends Statement> {
  readonly upstream: Upstream;
  readonly certificate: Certificate | null;
  readonly settingsQueries: Readonly<Record<string, string>>;
  readonly open: (facts: SessionFacts) => SessionLog<S> | Promise<SessionLog<S>>;
  readonly onProblem: (problem: string) => void;
}

/** Serves a client's connection, from its first requests on. `track` receives each socket. */
export async function serve<S extends Statement>(
  accepted: Socket,
  options: ConnectionOptions<S>,
  track: (socket: Socket) => void,
): Promise<void> {
  const greeted = await greet(accepted, options.certificate, track);
  if (greeted === null) return;
  const { client, packet } = greeted;
  if (packet.kind !== 'cancel' && packet.kind !== 'startup') {
    refuse(
      client,
      '08P01',
      'Found another protocol; expected that of PostgreSQL, version 3.0 or later.',
      'Connect with a client for PostgreSQL 7.4 or later.',
    );
    return;
  }
  const isFollowed = packet.kind === 'startup' && !packet.startup.isReplication;
  const server = await reach(client, options, track, isFollowed ? 'used at once' : 'kept');
  if (server === null) return;
  server.write(packet.packet);
  if (isFollowed) follow(client, server, packet.startup, options);
  else {
    if (packet.kind === 'startup') options.onProblem('a replication connection passes unchanged, and is not recorded');
    join(client, server);
  }
}

/** Answers the client's requests for encryption, up to its start-up packet. */
async function greet(
  accepted: Socket,
  certificate: Certificate | null,
  track: (socket: Socket) => void,
): Promise<{ client: Socket; packet: FirstPacket } | null> {
  let client = accepted;
  for (;;) {
    const packet = await readUntil(client, (bytes) => {
      const found = readFirstPacket(bytes);
      return found && { value: found.packet, end: found.end };
    });
    if (packet === null) {
      client.end();
      return null;
    }
    const isEncrypted = client instanceof TLSSocket;
    const asksForTls = packet.kind === 'ssl' || packet.kind === 'tls';
    if (packet.kind === 'gss' || (packet.kind === 'ssl' && (certificate === null || isEncrypted))) client.write('N');
    else if (asksForTls && certificate !== null && !isEncrypted) {
      // Data that follows the request arrived unencrypted, from an unknown sender.
      if (packet.kind === 'ssl' && client.readableLength > 0) {
        client.destroy();
        return null;
      }
      if (packet.kind === 'ssl') client.write('S');
      client = encrypted(client, certificate);
      track(client);
    } else return { client, packet };
  }
}

function encrypted(client: Socket, { context }: Certificate): TLSSocket {
  const secured = new TLSSocket(client, { isServer: true, secureContext: context, ALPNProtocols: ['postgresql'] });
  return secured.on('error', () => secured.destroy());
}

/** Connects to the server; if that fails, the client receives the reason. */
async function reach<S extends Statement>(
  client: Socket,
  options: ConnectionOptions<S>,
  track: (socket: Socket) => void,
  data: Parameters<typeof connectUpstream>[2],
): Promise<Socket | null> {
  const gone = new AbortController();
  const giveUp = (): void => gone.abort();
  client.once('close', giveUp);
  try {
    const server = await connectUpstream(options.upstream, gone.signal, data);
    track(server);
    return server;
  } catch (error) {
    const hint = error instanceof UpstreamError ? error.hint : '';
    if (!gone.signal.aborted) {
      refuse(client, '08006', textOf(error), hint);
      options.onProblem(textOf(error));
    }
    return null;
  } finally {
    client.off('close', giveUp);
  }
}

function follow<S extends Statement>(
  client: Socket,
  server: Socket,
  startup: Startup,
  options: ConnectionOptions<S>,
): void {
  const session = new Session<S>({
    ...startup,
    channelBinding: channelBinding(server, options.certificate),
    settingsQueries: options.settingsQueries,
    open: options.open,
    onProblem: options.onProblem,
    onProgress: () => pump.flush(),
  });
  const pump = new Pump(client, server, session, options.onProblem);
  pump.start();
}

/** A client that sees the server's own certificate may bind its password to that certificate. */
function channelBinding(server: Socket, certificate: Certificate | null): ChannelBinding {
  if (!(server instanceof TLSSocket)) return 'as it is';
  const shown = certificate && new X509Certificate(certificate.cert).fingerprint256;
  return shown !== null && server.getPeerX509Certificate()?.fingerprint256 === shown ? 'as it is' : 'not offered';
}

function join(client: Socket, server: Socket): void {
  for (const [from, to] of [
    [client, server],
    [server, client],
  ] as const) {
    from.on('error', () => abort(to)).on('close', () => to.end());
    from.pipe(to);
  }
}

function refuse(client: Socket, code: string, message: string, hint: string): void {
  client.end(fatalError({ code, message, hint }));
  client.resume();
}
