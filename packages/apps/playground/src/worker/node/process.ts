/** Replaces `node:process` in the page, where the runner only measures its CPU time. */
export default {
  cpuUsage: () => ({ user: 1000 * performance.now(), system: 0 }),
};
