import { type SequentialModel, asModel, nextStates } from '@isolab/operations';
import { call } from './call.ts';
import { PluginError, shown } from './errors.ts';
import { type Fields, insistOnShape, kebab } from './shape.ts';

export const isModel = (value: Fields): boolean => 'initial' in value && ('step' in value || 'steps' in value);

/** Wraps the model of a plug-in with checks of its answers and a time limit for its calls. */
export function asModelPlugin(value: unknown, where: string): SequentialModel {
  insistOnShape(value, where, 'model', { name: kebab });
  const model = asModel(value, where);
  const { step: _step, steps: _steps, ...others } = model;
  return {
    ...others,
    steps(state, operation) {
      const question = (): string => `for the states that ${shown(operation)} leads to from ${shown(state)}`;
      const states: unknown = call(where, question, () => nextStates(model, state, operation));
      if (Array.isArray(states)) return states;
      throw new PluginError(`${where}: steps returned ${shown(states)}, expected an array of states`);
    },
    ...(model.isRead && { isRead: asked(model, 'isRead', where) }),
    ...(model.partition && { partition: asked(model, 'partition', where) }),
    ...(model.equal && { equal: asked(model, 'equal', where) }),
    ...(model.hash && { hash: asked(model, 'hash', where) }),
    ...(model.show && { show: asked(model, 'show', where) }),
  };
}

type Method = 'isRead' | 'partition' | 'equal' | 'hash' | 'show';

function asked<Name extends Method>(model: SequentialModel, name: Name, where: string): SequentialModel[Name] & object {
  const method = model[name] as (...given: readonly unknown[]) => unknown;
  const checked = (...given: readonly unknown[]): unknown =>
    call(
      where,
      () => `${name}(${given.map(shown).join(', ')})`,
      () => method.apply(model, given as unknown[]),
    );
  return checked as SequentialModel[Name] & object;
}
