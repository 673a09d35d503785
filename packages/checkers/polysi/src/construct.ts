import type { CheckInput } from '@isolab/contract';
import { type ListVersions, OpKind, listVersions } from '@isolab/history';
import { type VersionTable, listVersionTable, registerVersionTable } from '@isolab/polygraph';

/** What lists say of the order of versions, or null where a history holds none. */
export const listsOf = ({ history, index }: CheckInput): ListVersions | null =>
  history.opKind.some((kind) => kind === OpKind.Append || kind === OpKind.ListRead)
    ? listVersions(history, index)
    : null;

export const versionsOf = (
  { history, index }: CheckInput,
  lists: ListVersions | null,
  options: { readonly initialFirst: boolean },
): VersionTable =>
  lists === null ? registerVersionTable(history, index, options) : listVersionTable(history, index, lists, options);
