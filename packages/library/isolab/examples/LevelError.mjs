import { LevelError, defineLevel } from 'isolab';

try {
  defineLevel('level mine\nacyclic so | rf\n', 'mine.lvl');
} catch (error) {
  console.log(error instanceof LevelError, error.position.line); // true 2
}
