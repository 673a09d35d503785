/** Error of a transaction that the database reports as rolled back. */
export class Aborted extends Error {
  override readonly name = 'Aborted';
}

/** Loss of the connection. Uncommitted transactions are rolled back; the outcome of a pending COMMIT is unknown. */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost';
}

/** Error of a database that has reached its connection limit. */
export class TooManyConnections extends ConnectionLost {}

/** Setup error: a wrong address or name, a missing package, or a server that does not run. */
export class CollectorError extends Error {
  override readonly name = 'CollectorError';
}

/** Error of a database that did not answer in time, which is no refusal. */
export class SilentDatabase extends CollectorError {}

/** Error of tables that no longer hold the data of a collection. */
export class SpoiltTables extends CollectorError {}

/** Error of a server that does not start again after a kill. */
export class LastingFault extends CollectorError {}
