/**
 * Numbers of the parts of a history. A number of one kind does not compile where another kind is expected, and a plain
 * number becomes a transaction or a key only by a cast. The types cost nothing at run time: columns of ids are declared
 * as {@link IdColumn}, loops start at `0 as TransactionId`, and other casts stand where the number is known to be in
 * range. Sums and differences of ids are plain numbers. The property of a type, which no number has, is a name rather
 * than a symbol, because the ids of two copies of these types must fit.
 *
 * Values have no type of their own: an operation's kind determines the table to which its value column refers.
 * Verdicts and certificates name transactions by plain numbers, because only the verifier shows that the numbers exist.
 */

/** Transaction in the order of sessions. A HistoryBuilder numbers its transactions in the order of the file instead. */
export type TransactionId = number & { readonly 'id of': 'transaction' };

/**
 * Operation in the order of transactions. Plain numbers are accepted: checkers compute operations by arithmetic in a
 * hundred places, which would all be casts.
 */
export type OperationId = number & { readonly 'id of'?: 'operation' };

/** Index into the table of keys. */
export type KeyId = number & { readonly 'id of': 'key' };

/** Column of ids. A negative entry is a code that the comment of the column explains. */
export interface IdColumn<Id extends number> extends Int32Array {
  [index: number]: Id;
  [Symbol.iterator](): ArrayIterator<Id>;
}
