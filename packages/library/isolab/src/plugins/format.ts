import {
  type ByteSink,
  type ByteStream,
  type Directory,
  HISTORY_FORMATS,
  type HistoryFormat,
  type HistoryWriter,
  type Input,
  type Output,
} from '@isolab/formats';
import { findInvalid } from '@isolab/history';
import { Pulls, call } from './call.ts';
import { PluginError, shown, thrownWords } from './errors.ts';
import { type Fields, insistOnShape, kebab, method, oneOf, optional, text } from './shape.ts';

export const isFormat = (value: Fields): boolean => 'matches' in value && 'read' in value;

/** Wraps the format of a plug-in with checks of its histories. */
export function asFormat(value: unknown, where: string): HistoryFormat {
  if (known.has(value as HistoryFormat)) return value as HistoryFormat;
  insistOnShape(value, where, 'format', SHAPE);
  const format = value as HistoryFormat;
  const checked: HistoryFormat = {
    ...format,
    matches: async (input: Input) => {
      const claims: unknown = await call(
        where,
        () => `whether ${input.name} has its format`,
        () => format.matches(input as never),
      );
      if (typeof claims === 'boolean') return claims;
      throw new PluginError(`${where}: matches() returned ${shown(claims)} for ${input.name}, expected true or false`);
    },
    read: async (input, options) => {
      const asked = `to read ${input.name}`;
      const pulls = new Pulls(where);
      const watched = input.kind === 'stream' ? watchedStream(input, pulls) : watchedDirectory(input, pulls);
      const history: unknown = await pulls.until(async () => format.read(watched as never, options), asked);
      const problem = problemOf(history);
      if (problem === null) return history as Awaited<ReturnType<HistoryFormat['read']>>;
      throw new PluginError(`${where} was asked ${asked} and returned no history: ${problem}`);
    },
    ...(format.writer && { writer: () => checkedWriter(format.writer!, where) }),
  };
  known.add(checked);
  return checked;
}

/** Formats that are built in or already validated. */
const known = new WeakSet<HistoryFormat>(HISTORY_FORMATS);

const SHAPE = {
  name: kebab,
  title: text,
  layout: oneOf('stream', 'directory'),
  fileName: text,
  matches: method,
  read: method,
  writer: optional(method),
  aliases: optional((value) => (Array.isArray(value) ? null : 'a list of names')),
  examples: optional((value) => (Array.isArray(value) ? null : 'a list of texts')),
};

function problemOf(history: unknown): string | null {
  if (typeof history !== 'object' || history === null)
    return `found ${shown(history)}, expected the result of HistoryBuilder.finish()`;
  try {
    return findInvalid(history as Parameters<typeof findInvalid>[0]);
  } catch (error) {
    return `a column is missing (${thrownWords(error)}), expected the result of HistoryBuilder.finish()`;
  }
}

async function checkedWriter(load: () => Promise<HistoryWriter>, where: string): Promise<HistoryWriter> {
  const writer: unknown = await call(where, () => 'for its writer', load);
  insistOnShape(writer, where, 'writer', { losses: method, write: method });
  const { losses, write } = writer as HistoryWriter;
  return {
    losses: (history) => {
      const lost: unknown = call(
        where,
        () => 'for the losses of a history',
        () => losses(history),
      );
      const isLoss = (loss: unknown): boolean =>
        typeof loss === 'object' && loss !== null && 'name' in loss && 'count' in loss && 'fate' in loss;
      if (Array.isArray(lost) && lost.every(isLoss)) return lost;
      throw new PluginError(`${where}: losses() returned ${shown(lost)}, expected a list of { name, count, fate }`);
    },
    write: async (history, output) => {
      const pulls = new Pulls(where);
      await pulls.until(async () => write(history, watchedOutput(output, pulls)), 'to write a history');
    },
  };
}

/** Wraps the stream with a count of the reader's requests. */
function watchedStream(input: ByteStream, pulls: Pulls): ByteStream {
  const { readInto, chunks } = input;
  return {
    ...input,
    chunks: (async function* () {
      for await (const chunk of chunks) {
        pulls.add();
        yield chunk;
      }
      pulls.add();
    })(),
    ...(readInto && {
      readInto: (room: Uint8Array) => {
        pulls.add();
        return readInto(room);
      },
    }),
  };
}

const watchedDirectory = (input: Directory, pulls: Pulls): Directory => ({
  ...input,
  open: async (file) => watchedStream(await input.open(file), pulls),
});

function watchedOutput(output: Output, pulls: Pulls): Output {
  const watched = async (opening: Promise<ByteSink>): Promise<ByteSink> => {
    const sink = await opening;
    return {
      write: (piece) => {
        pulls.add();
        return sink.write(piece);
      },
      close: () => sink.close(),
    };
  };
  return { file: () => watched(output.file()), fileIn: (name) => watched(output.fileIn(name)) };
}
