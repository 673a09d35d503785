import { byText, row } from './outcomes.ts';

/** Texts of etcd's errors (api/v3rpc/rpctypes). Before commit nothing was sent but reads. */
export const ETCD_OUTCOMES = byText(
  'etcd',
  row('leader changed', 'aborted', 'unknown', 'another node was elected meanwhile'),
  row('no leader', 'aborted', 'unknown', 'the node sees no majority'),
  row('not leader', 'aborted', 'unknown', 'the node no longer leads'),
  row('request timed out', 'aborted', 'unknown', 'the cluster did not answer in time, perhaps for want of a majority'),
  row('too many requests', 'aborted', 'unknown', 'the node takes no more'),
  row('server stopped', 'lost', 'unknown', 'the node is ending'),
  row('connection error', 'lost', 'unknown', 'the gateway does not reach its own node'),
  row('transport is closing', 'lost', 'unknown', 'the gateway lost the connection to its own node'),
  row('context deadline exceeded', 'aborted', 'unknown', 'the request took too long'),
  row('context canceled', 'aborted', 'unknown', 'the request was given up'),
);
