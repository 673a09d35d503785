import { type Socket, connect, isIP } from 'node:net';
import { type ConnectionOptions, type TLSSocket, connect as connectTls } from 'node:tls';
import { textOf } from './recording.ts';
import { readUntil } from './sockets.ts';
import { SSL_REQUEST_PACKET } from './startup.ts';

export interface Upstream {
  /** A name, an address, or the folder of a Unix socket. */
  readonly host: string;
  readonly port: number;
  /**
   * TLS options for the server, including the check of its certificate; without TLS, the connection is only as safe as
   * its network.
   */
  readonly tls?: Pick<
    ConnectionOptions,
    'ca' | 'cert' | 'key' | 'rejectUnauthorized' | 'servername' | 'checkServerIdentity'
  >;
}

/** The database is unreachable. The message is for the client. */
export class UpstreamError extends Error {
  override readonly name = 'UpstreamError';
  readonly hint: string;

  constructor(message: string, hint: string, cause?: unknown) {
    super(message, { cause });
    this.hint = hint;
  }
}

const nameOf = ({ host, port }: Upstream): string => (isFolder(host) ? socketIn(host, port) : `${host}:${port}`);

/**
 * Connects to the server; `signal` cancels the attempt. The socket is paused. If received data is used immediately, the
 * socket may read all of it into the same buffer.
 */
export async function connectUpstream(
  upstream: Upstream,
  signal: AbortSignal,
  data: 'used at once' | 'kept',
): Promise<Socket> {
  const place = isFolder(upstream.host)
    ? { path: socketIn(upstream.host, upstream.port) }
    : { host: upstream.host, port: upstream.port, noDelay: true };
  const isReused = data === 'used at once' && upstream.tls === undefined;
  const socket: Socket = connect({
    ...place,
    allowHalfOpen: true,
    ...(isReused && {
      onread: {
        // Allocating a buffer for each chunk costs more than all work on a short chunk. No data can arrive before a
        // listener exists, because the server waits for the client's first message.
        buffer: Buffer.allocUnsafeSlow(1 << 16),
        callback: (length, buffer) => socket.emit('data', Buffer.from(buffer.buffer, buffer.byteOffset, length)),
      },
    }),
  });
  const giveUp = (): void => void socket.destroy();
  signal.addEventListener('abort', giveUp, { once: true });
  try {
    await connected(socket, 'connect');
    return upstream.tls === undefined ? socket : await secured(socket, upstream);
  } catch (error) {
    socket.destroy();
    if (error instanceof UpstreamError) throw error;
    throw new UpstreamError(
      `The proxy could not connect to the database at ${nameOf(upstream)}: ${textOf(error)}.`,
      'Check that PostgreSQL runs there and accepts connections, and that the host and the port are right.',
      error,
    );
  } finally {
    signal.removeEventListener('abort', giveUp);
  }
}

async function secured(socket: Socket, upstream: Upstream): Promise<TLSSocket> {
  const answer = readUntil(socket, (bytes) => ({ value: bytes.toString('latin1'), end: bytes.length }));
  socket.write(SSL_REQUEST_PACKET);
  const said = await answer;
  // Additional bytes would come from an unknown sender, before TLS protects the connection.
  if (said !== 'S') {
    throw new UpstreamError(
      `The database at ${nameOf(upstream)} does not offer TLS, and the proxy is set to use it.`,
      'Turn on ssl in postgresql.conf, or start the proxy without TLS to the server.',
    );
  }
  const servername = isIP(upstream.host) > 0 || isFolder(upstream.host) ? {} : { servername: upstream.host };
  const tls = connectTls({ socket, ALPNProtocols: ['postgresql'], ...servername, ...upstream.tls });
  await connected(tls, 'secureConnect');
  return tls;
}

function connected(socket: Socket, event: 'connect' | 'secureConnect'): Promise<void> {
  return new Promise((resolve, reject) => {
    const settle = (error?: Error): void => {
      socket.off(event, onDone).off('error', settle).off('close', onClose);
      if (error === undefined) resolve();
      else reject(error);
      // The code that receives the socket listens for errors; this listener covers the time before.
      socket.on('error', () => {});
    };
    const onDone = (): void => settle();
    const onClose = (): void => settle(new Error('the connection was closed'));
    socket.on(event, onDone).on('error', settle).on('close', onClose);
  });
}

const isFolder = (host: string): boolean => host.startsWith('/');
const socketIn = (folder: string, port: number): string => `${folder}/.s.PGSQL.${port}`;
