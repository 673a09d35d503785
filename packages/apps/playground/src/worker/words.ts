export const ms = (time: number): string => (time < 1000 ? `${time.toFixed(0)} ms` : `${(time / 1000).toFixed(1)} s`);
