import { pathToFileURL } from 'node:url';
import path from 'node:path';
import { ModelError, type RegisterOptions, type SequentialModel, MODELS, asModel, findModel } from '@isolab/operations';
import { didYouMean } from '@isolab/contract';
import { provideImports } from '@isolab/runner';
import { pluginImports } from '../plugins/plugin-imports.ts';

/** Returns whether a word names a file or a package rather than a built-in model. */
export const isModelFile = (word: string): boolean => /[./\\]/.test(word);

export function builtInModel(name: string, options: RegisterOptions = {}): SequentialModel {
  const model = findModel(name, options);
  if (model !== null) return model;
  const known = Object.keys(MODELS);
  throw new ModelError(
    `There is no model ${name}; ${didYouMean(name, known)}expected ${known.join(', ')}, or a file that exports a model by default.`,
  );
}

/** Loads a user's model. */
export async function loadModelFile(word: string): Promise<SequentialModel> {
  let module: { readonly default?: unknown };
  try {
    provideImports(pluginImports());
    module = (await import(pathToFileURL(path.resolve(word)).href)) as { readonly default?: unknown };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new ModelError(`The model ${word} does not load: ${why}`);
  }
  return asModel(module.default, word);
}
