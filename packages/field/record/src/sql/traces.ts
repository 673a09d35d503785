/** Ids of traces that tools write into comments: they differ each time. */
export const TRACES = /\b(traceparent|tracestate)='[^']*'/g;
