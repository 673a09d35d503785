/**
 * The records of Cobra's logs. All numbers are signed 64-bit big-endian integers, and a record begins with its letter.
 *
 *     S txnId                                        a transaction starts
 *     W writeId keyHash valueHash                    a write
 *     R writerTxnId writeId keyHash valueHash        a read of that write of that transaction
 *     C txnId                                        the transaction committed
 *     A txnId                                        the transaction aborted
 *
 * S and C may end in a timestamp of eight more bytes (the verifier's option TIME_ORDER_ON).
 */
export const Letter = { Start: 0x53, Write: 0x57, Read: 0x52, Commit: 0x43, Abort: 0x41 } as const;

const WRITE_BYTES = 25;
export const READ_BYTES = 33;
export const BOUNDARY_BYTES = 9;
const STAMP_BYTES = 8;

/** The length of the record that begins with each byte, 0 for bytes with which no record begins. */
export function recordSizes(stamped: boolean): Uint8Array {
  const sizes = new Uint8Array(256);
  sizes[Letter.Write] = WRITE_BYTES;
  sizes[Letter.Read] = READ_BYTES;
  sizes[Letter.Abort] = BOUNDARY_BYTES;
  sizes[Letter.Start] = sizes[Letter.Commit] = BOUNDARY_BYTES + (stamped ? STAMP_BYTES : 0);
  return sizes;
}

/** The lower halves of the identifiers that name no transaction and no write. Their upper half is 0. */
export const Special = {
  /** In a read: the value existed before any instrumented transaction. Replaces both the transaction and the write. */
  Initial: 0xbebeebee | 0,
  /** In a read: the key did not exist. Replaces both the transaction and the write. */
  Null: 0xdeadbeef | 0,
  /** The write id of every deletion. */
  Deleted: 0xabcdefab | 0,
  /** In a read: the writer was not recorded. */
  Missing: 0xadeafbee | 0,
  /** The id of every write in a history that hides its writers, and both ids in its reads. */
  Universal: 0xabddefee | 0,
  /** In a read of the garbage collector's flag, which only the collector's own client writes and no log contains. */
  CollectorTrue: 0x23332333,
  CollectorFalse: 0x66666666,
} as const;

/**
 * Returns whether no write can have this id. The two ids of the garbage collector are markers only beside an initial
 * writer.
 */
export const isMarker = (id: bigint): boolean => MARKERS.has(id);
const { Initial, Null, Deleted, Missing, Universal } = Special;
const MARKERS: ReadonlySet<bigint> = new Set(
  [Initial, Null, Deleted, Missing, Universal].map((lo) => BigInt(lo >>> 0)),
);

/** The hash of the key `FZVERSION`, which fence transactions touch. */
export const FENCE_KEY = { hi: 0xb8873aa8 | 0, lo: 0x2ef6c6d3 } as const;
