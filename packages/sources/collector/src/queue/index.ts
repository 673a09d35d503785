export { type Connection, connect, connectRedis, withoutPassword } from './connect.ts';
export { Keeper } from './keeper.ts';
export { type Lease, Leases } from './leases.ts';
export { LOCK_TIMINGS, type LockTimings, PREFIX } from './settings.ts';
