/** The 32 bits of a transaction number that rows store, without the epoch. */
export const lowBits = (xid: string): number => Number(BigInt(xid) & 0xffff_ffffn);

/** Returns the transaction number with these 32 bits that is nearest to another one. */
export const wholeNumber = (low: number, near: string): string =>
  String(BigInt(near) + BigInt((low - lowBits(near)) | 0));
