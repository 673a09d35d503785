export const countLines = (bytes: Uint8Array): number =>
  bytes.reduce((all, byte) => all + (byte === LINE_FEED ? 1 : 0), 0);

export const LINE_FEED = 10;
