/** What went wrong in a recording, and what to do. */
export class RecordError extends Error {
  override readonly name = 'RecordError';
}
