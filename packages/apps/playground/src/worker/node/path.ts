/** Replaces `node:path` in the page, where readers only name the files of a directory. */

export const join = (...parts: readonly string[]): string => parts.join('/');

export const basename = (path: string): string => path.slice(path.lastIndexOf('/') + 1);
