/** A failure of a recording, with advice. */
export class RecordError extends Error {
  override readonly name = 'RecordError';
}
