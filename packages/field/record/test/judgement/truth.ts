import type { Client, Row, Seen, Store } from './store.ts';

/** Number of anomalies of each name, by the definitions of docs/record.md, from the store's own versions. */
export interface Truth {
  readonly 'lost-update': number;
  readonly 'non-repeatable-read': number;
  readonly 'read-skew': number;
  readonly 'write-skew': number;
}

export function truthOf(store: Store): Truth {
  const committed = store.clients.filter(({ isCommitted }) => isCommitted);
  const placeOf = (client: Client, row: string): number =>
    (store.rows.get(row) as Row).findIndex(({ by }) => by === client) + 1;
  const reads = (client: Client): Seen[] => client.seen.filter(({ isReplaced }) => !isReplaced);
  /** Rows that the reader saw in an older version than the writer's version, or passed over. */
  const missed = (reader: Client, writer: Client): { readonly row: string; readonly isFound: boolean }[] =>
    [...writer.written.keys()].flatMap((row) => {
      const place = placeOf(writer, row);
      const isRead = reads(reader).some((seen) => seen.row === row && seen.isFound && seen.versions < place);
      const isPassedOver = reader.scans.some(
        ({ column, value, view }) =>
          !reader.written.has(row) && (view.get(row) ?? 0) < place && store.columnsAt(row, place)?.[column] === value,
      );
      return [
        ...(isRead ? [{ row, isFound: true }] : []),
        ...(isPassedOver && !isRead ? [{ row, isFound: false }] : []),
      ];
    });
  const saw = (reader: Client, writer: Client): string[] =>
    [...writer.written.keys()].filter((row) => {
      const place = placeOf(writer, row);
      const own = reader.written.has(row) ? placeOf(reader, row) : 0;
      return own > place || reads(reader).some((seen) => seen.row === row && seen.isFound && seen.versions >= place);
    });

  const lost = new Set<string>();
  const twice = new Set<Client>();
  for (const reader of committed) {
    for (const [row, { step, computes }] of reader.written) {
      const own = placeOf(reader, row);
      const last = reads(reader).findLast((seen) => seen.row === row && seen.isFound && seen.step < step);
      if (!last) continue;
      const between = (store.rows.get(row) as Row).slice(last.versions, own - 1);
      if (computes && between.length > 0 && store.returnsOld) twice.add(reader);
      if (!computes) for (const { by } of between) lost.add(`${by.number} ${row}`);
    }
    const rows = new Map<string, number>();
    for (const { row, versions, isFound } of reads(reader)) {
      if (!isFound) continue;
      if (rows.has(row) && rows.get(row)! < versions) twice.add(reader);
      rows.set(row, versions);
    }
  }
  const torn = new Set<Client>();
  const skewed = new Set<string>();
  for (const reader of committed)
    for (const writer of committed) {
      if (writer === reader) continue;
      const unseen = missed(reader, writer);
      if (unseen.length === 0) continue;
      const seen = saw(reader, writer);
      const isOverwritten = unseen.some(
        ({ row, isFound }) => isFound && reader.written.has(row) && writer.written.has(row),
      );
      if (seen.length > 0) {
        if (
          !isOverwritten &&
          !twice.has(reader) &&
          unseen.some(({ row, isFound }) => !isFound || seen.some((each) => each !== row))
        )
          torn.add(reader);
      } else if (missed(writer, reader).length > 0 && saw(writer, reader).length === 0)
        skewed.add([reader.number, writer.number].toSorted((a, b) => a - b).join(' '));
    }
  return {
    'lost-update': lost.size,
    'non-repeatable-read': twice.size,
    'read-skew': torn.size,
    'write-skew': skewed.size,
  };
}
