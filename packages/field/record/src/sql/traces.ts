/** Trace ids that tools write into comments: they differ in every execution. */
export const TRACES = /\b(traceparent|tracestate)='[^']*'/g;
