import { fstatSync, writeSync } from 'node:fs';

/** A standard stream of the program: a terminal, a file or a pipe. */
export interface StreamWriter {
  write(text: string): void;
  /** Waits until everything is written, or cannot be. */
  flush(): Promise<void>;
}

/** Called once a stream with the reason why it takes no more, and whether its reader has closed it. */
export type OnLost = (why: string, isClosed: boolean) => void;

export function streamWriter(
  stream: NodeJS.WriteStream & { readonly fd: number },
  name: string,
  onLost: OnLost,
): StreamWriter {
  let isLost = false;
  const lose = (error: NodeJS.ErrnoException): void => {
    if (isLost) return;
    isLost = true;
    onLost(`${name} cannot be written: ${error.message}`, error.code === 'EPIPE');
  };
  stream.on('error', lose);
  if (isFile(stream.fd)) return { write: (text) => writeWhole(stream.fd, text, lose), flush: async () => {} };
  return {
    write: (text) => void (isLost || stream.write(text)),
    flush: () => new Promise<void>((done) => (isLost ? done() : stream.write('', () => done()))),
  };
}

function isFile(fd: number): boolean {
  try {
    // Not a plain fstat: once Node 20 has seen a pipe so, it may load a module a second time, by another path.
    return fstatSync(fd, { bigint: true }).isFile();
  } catch {
    return false;
  }
}

/** Node's own stream for files takes no note of a disk that took only a part. */
function writeWhole(fd: number, text: string, onError: (error: NodeJS.ErrnoException) => void): void {
  const bytes = Buffer.from(text);
  try {
    for (let done = 0; done < bytes.length;) done += writeSync(fd, bytes, done);
  } catch (error) {
    onError(error as NodeJS.ErrnoException);
  }
}
