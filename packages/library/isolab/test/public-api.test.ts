import { expect, test } from 'vitest';
import * as isolab from '../src/index.ts';

const MOST = 35;

test(`the library exports at most ${MOST} names`, () => {
  const names = Object.keys(isolab).toSorted();
  expect(names.length).toBeLessThanOrEqual(MOST);
  expect(names.join(' ')).toMatchInlineSnapshot(
    `"CHECKERS FormatError LEVELS LevelError Recorder Refusal RunnerError TooLargeError certificate check collect compare convert defineChecker defineLevel drawDot drawSvg findAll findAnomaly findLevel generate jsonOf loadChecker loadCheckers open replay reproduce shrink statistics stories story storyMarkdown verify viewHtml writeHistory"`,
  );
});
