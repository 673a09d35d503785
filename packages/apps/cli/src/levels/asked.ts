import { readFileSync } from 'node:fs';
import { builtInText, definitionOf, type LevelDefinition, readLevel } from 'isolab/levels';
import type { BuiltInLevel } from 'isolab/skin';
import { findLevel, FormatError, LevelError } from 'isolab/check';
import { explainSystemError } from 'isolab/formats';
import { UsageError } from '../terminal/exit.ts';
import { isLevelFile, levelAsked } from '../terminal/words.ts';

export interface AskedLevel {
  readonly level: LevelDefinition;
  /** Text of the level's file. */
  readonly text: string;
}

/** Finds a level by any of its names, or reads it from its file. */
export function levelOrFile(word: string): AskedLevel {
  if (!isLevelFile(word)) {
    const name = (findLevel(word)?.level ?? levelAsked(word).level).name as BuiltInLevel;
    return { level: definitionOf(name)!, text: builtInText(name) };
  }
  try {
    const text = readFileSync(word, 'utf8');
    return { level: readLevel(text, word), text };
  } catch (error) {
    if (error instanceof LevelError) throw new UsageError(error.message);
    if (error instanceof Error && 'syscall' in error) throw new FormatError(word, null, explainSystemError(error));
    throw error;
  }
}
