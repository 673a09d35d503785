/**
 * Link with a history and its settings: `#text=…` or `#packed=…` after the page's address, with the settings that
 * differ from the page's defaults. The part after # is not sent to any server.
 */

export interface Linked {
  readonly text: string;
  readonly settings: Readonly<Record<string, string>>;
}

/** Some chat and mail programs break longer links. */
export const MOST_CHARACTERS = 8000;
/** Limit for the unpacked text of a link. */
const MOST_TEXT = 1_000_000;

/** Reason why there is no link, or why a link is not opened. */
export class LinkError extends Error {}

/** Returns the part of an address that begins with #. */
export async function fragmentOf({ text, settings }: Linked): Promise<string> {
  const plain = new URLSearchParams({ ...settings, text }).toString();
  const packed = new URLSearchParams({ ...settings, packed: toBase64(await packedBytes(text)) }).toString();
  const fragment = `#${plain.length <= packed.length ? plain : packed}`;
  if (fragment.length <= MOST_CHARACTERS) return fragment;
  throw new LinkError(
    `The history is too large for a link, which would have ${fragment.length} characters; at most ${MOST_CHARACTERS} are allowed. Link to the part that shows the violation, or send the file.`,
  );
}

/** Parses a fragment; null if it is not a link of this page. */
export async function readFragment(fragment: string): Promise<Linked | null> {
  const { text, packed, ...settings } = Object.fromEntries(new URLSearchParams(fragment.replace(/^#/, '')));
  if (text !== undefined) return { text, settings };
  return packed === undefined ? null : { text: await unpacked(packed), settings };
}

async function packedBytes(text: string): Promise<Uint8Array> {
  const stream = new Blob([text]).stream().pipeThrough(new CompressionStream('deflate-raw'));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

async function unpacked(packed: string): Promise<string> {
  try {
    const stream = new Blob([fromBase64(packed)]).stream().pipeThrough(new DecompressionStream('deflate-raw'));
    return await textOf(stream);
  } catch (error) {
    if (error instanceof LinkError) throw error;
    throw new LinkError('The link is damaged: its content cannot be unpacked. Copy the complete link again.');
  }
}

/** A short link may unpack to more than fits into memory, so it is read in chunks. */
async function textOf(stream: ReadableStream<Uint8Array>): Promise<string> {
  const reader = stream.getReader();
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let text = '';
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return text + decoder.decode();
    text += decoder.decode(value, { stream: true });
    if (text.length > MOST_TEXT) {
      await reader.cancel();
      throw new LinkError(`The link contains a text of more than ${MOST_TEXT} characters, which is too large.`);
    }
  }
}

/** Base64 with an alphabet that needs no escapes in addresses. */
const toBase64 = (bytes: Uint8Array): string =>
  btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');

const fromBase64 = (text: string): Uint8Array<ArrayBuffer> =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (character) => character.charCodeAt(0));
