import { type Directory, directoryOfBytes } from '../../src/files/input.ts';

/** A directory in memory whose files come in chunks of this many bytes, as a slow disk might give them. */
export function choppedDirectory(files: Readonly<Record<string, Uint8Array | string>>, chunkBytes: number): Directory {
  const directory = directoryOfBytes('test', files);
  const open = async (file: string) => {
    const stream = await directory.open(file);
    return { ...stream, chunks: chop(stream.chunks, chunkBytes) };
  };
  return { ...directory, open };
}

async function* chop(chunks: AsyncIterable<Uint8Array>, chunkBytes: number): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    for (let at = 0; at < chunk.length; at += chunkBytes) yield chunk.subarray(at, at + chunkBytes);
  }
}
