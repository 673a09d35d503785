import type { KeyDistribution } from '@isolab/workloads';
import { call } from './call.ts';
import { PluginError, shown } from './errors.ts';
import { type Fields, insistOnShape, kebab, method, text } from './shape.ts';

export const isDistribution = (value: Fields): boolean => 'draw' in value;

/** Wraps the distribution of a plug-in with checks of its draws. */
export function asDistribution(value: unknown, where: string): KeyDistribution {
  insistOnShape(value, where, 'distribution', { name: kebab, title: text, draw: method });
  const distribution = value as KeyDistribution;
  return {
    name: distribution.name,
    title: distribution.title,
    draw(size, exponent) {
      const draw: unknown = call(
        where,
        () => `draw(${size}, ${exponent})`,
        () => distribution.draw(size, exponent),
      );
      if (typeof draw !== 'function')
        throw new PluginError(
          `${where}: draw(${size}, ${exponent}) returned ${shown(draw)}, expected (random) => number`,
        );
      return (random) => {
        const drawn: unknown = call(
          where,
          () => `to draw one of ${size} numbers`,
          () => draw(random) as unknown,
        );
        if (Number.isInteger(drawn) && (drawn as number) >= 0 && (drawn as number) < size) return drawn as number;
        throw new PluginError(`${where} drew ${shown(drawn)}, expected a whole number from 0 to ${size - 1}`);
      };
    },
  };
}
