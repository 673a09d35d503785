/** The database undid the transaction, and says so. */
export class Aborted extends Error {
  override readonly name = 'Aborted';
}

/**
 * Loss of the connection: no answers come any more. Uncommitted transactions are undone; the outcome of a COMMIT under
 * way is unknown.
 */
export class ConnectionLost extends Error {
  override readonly name = 'ConnectionLost';
}

/** The database has no room for one more client. */
export class TooManyConnections extends ConnectionLost {}

/** Something that is wrong with the set-up: an address, a name, a missing package, a server that is not there. */
export class CollectorError extends Error {
  override readonly name = 'CollectorError';
}
