/** 1234567 as 1,234,567. */
export const grouped = (n: number): string => String(n).replaceAll(/\B(?=(\d{3})+$)/g, ',');

/** `1 read`, `2 reads`. */
export const count = (n: number, noun: string): string => `${grouped(n)} ${noun}${n === 1 ? '' : 's'}`;

export const ms = (time: number): string => (time < 1000 ? `${time.toFixed(0)} ms` : `${(time / 1000).toFixed(1)} s`);
