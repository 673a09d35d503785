import type { Answer, Program, Request, WorkloadRow } from '@isolab/workloads';

/** Adds an offset to all values of a program, to keep runs apart. Values of earlier runs appear as numbers below 1. */
export function shifted(program: Program, by: number): Pick<Program, 'next'> {
  if (by === 0) return program;
  return {
    next: (answer) => {
      const step = program.next(back(answer, by));
      return step.done ? step : { done: false, value: forth(step.value, by) };
    },
  };
}

function forth(request: Request, by: number): Request {
  if (request.kind === 'compare-and-set') {
    const expected = request.expected === null ? null : request.expected + by;
    return { ...request, expected, value: request.value + by };
  }
  return 'value' in request ? { ...request, value: request.value + by } : request;
}

function back(answer: Answer, by: number): Answer {
  if (typeof answer === 'number') return answer - by;
  if (!Array.isArray(answer)) return answer;
  const items = answer as readonly (number | WorkloadRow)[];
  return items.map((item) =>
    typeof item === 'number' ? item - by : { ...item, value: item.value - by },
  ) as unknown as Answer;
}
