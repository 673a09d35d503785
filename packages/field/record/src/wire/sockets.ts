import type { Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import type { Output } from './output.ts';

/** Writes all gathered bytes together. */
export function write(socket: Socket, output: Output): void {
  const pieces = output.take();
  if (pieces.length === 0 || !socket.writable) return;
  if (pieces.length === 1) {
    socket.write(pieces[0]!);
    // The system usually has the bytes now.
    if (socket.writableLength === 0) output.reuse();
    return;
  }
  // Copying a few bytes is cheaper than passing many pieces.
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0);
  if (length <= COPIED) {
    socket.write(Buffer.concat(pieces, length));
    return;
  }
  socket.cork();
  for (const piece of pieces) socket.write(piece);
  socket.uncork();
}

/**
 * Closes a connection the way its other side was closed: a reset is passed on as a reset if the system supports that.
 */
export function abort(socket: Socket): void {
  const isTcp = socket.remoteFamily !== undefined && !(socket instanceof TLSSocket);
  if (isTcp) socket.resetAndDestroy();
  else socket.destroy();
}

/** Reads from the socket only while there is room for its data. */
export function regulate(socket: Socket, isOpen: boolean): void {
  if (isOpen === socket.isPaused()) {
    if (isOpen) socket.resume();
    else socket.pause();
  }
}

/**
 * Collects bytes until `isEnough` returns a result for them, and returns it; null if the connection ends first. The
 * socket is then paused, and surplus bytes are put back.
 */
export function readUntil<T>(
  socket: Socket,
  isEnough: (bytes: Buffer) => { value: T; end: number } | null,
): Promise<T | null> {
  return new Promise((resolve) => {
    let bytes: Buffer = Buffer.alloc(0);
    const finish = (value: T | null): void => {
      socket.off('data', onData).off('end', onEnd).off('close', onEnd).pause();
      resolve(value);
    };
    const onEnd = (): void => finish(null);
    const onData = (chunk: Buffer): void => {
      bytes = bytes.length === 0 ? chunk : Buffer.concat([bytes, chunk]);
      const found = isEnough(bytes);
      if (found === null) return;
      finish(found.value);
      if (found.end < bytes.length) socket.unshift(bytes.subarray(found.end));
    };
    socket.on('data', onData).on('end', onEnd).on('close', onEnd).resume();
  });
}

const COPIED = 1 << 16;
