import { type Capabilities, unsigned64 } from '../format/capabilities.ts';

export const DBCOP: Capabilities = {
  aborted: 'yes',
  unknown: 'aborted',
  emptyTransactions: true,
  emptySessions: true,
  keys: unsigned64,
  values: unsigned64,
  initial: null,
};
