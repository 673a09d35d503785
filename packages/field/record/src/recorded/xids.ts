/** The 32 bits of a transaction number that rows store, without the epoch. */
export const lowBits = (xid: string): number => Number(BigInt(xid) & 0xffff_ffffn);
