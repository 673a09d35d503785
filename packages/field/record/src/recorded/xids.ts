/** The number of a transaction as rows have it: without how often the numbers went round. */
export const lowBits = (xid: string): number => Number(BigInt(xid) & 0xffff_ffffn);
