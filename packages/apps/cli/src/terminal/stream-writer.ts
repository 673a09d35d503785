import { fstatSync, writeSync } from 'node:fs';

/** A standard stream of the program: a terminal, a file or a pipe. */
export interface StreamWriter {
  write(text: string): void;
  /** Waits until everything is written, or cannot be written. */
  flush(): Promise<void>;
}

/** Called once per stream with the reason why it accepts no more text, and whether its reader has closed it. */
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
    // Uses bigint, because after a plain fstat of a pipe Node 20 may load a module a second time, by another path.
    return fstatSync(fd, { bigint: true }).isFile();
  } catch {
    return false;
  }
}

/** Writes the whole text. Node's file stream does not notice when only part of the text was written. */
function writeWhole(fd: number, text: string, onError: (error: NodeJS.ErrnoException) => void): void {
  const bytes = Buffer.from(text);
  try {
    for (let done = 0; done < bytes.length;) done += writeSync(fd, bytes, done);
  } catch (error) {
    onError(error as NodeJS.ErrnoException);
  }
}
