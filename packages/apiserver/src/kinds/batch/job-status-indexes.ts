import { type Errors, invalid, NONE } from '../../validation/errors.ts';
import { has, maybeNumber, stringAt } from '../../objects/read.ts';
import { firstCommon, formatProblem } from './index-intervals.ts';
import type { StatusChange } from './status-change.ts';

/** `status.completedIndexes` and `status.failedIndexes`: `0-2,5`, rising, below `completions`, and not both. */
export function validateIndexes(change: StatusChange): Errors {
  const { spec, status, changed } = change;
  const completed = stringAt(status, 'completedIndexes');
  const failed = stringAt(status, 'failedIndexes');
  const completions = maybeNumber(spec, 'completions');
  const isNew = changed('failedIndexes') || changed('completedIndexes');
  const limit = has(spec, 'backoffLimitPerIndex');
  return [
    ...(changed('completedIndexes') ? wellFormed('completedIndexes', completed, completions) : NONE),
    ...(changed('failedIndexes') && limit ? wellFormed('failedIndexes', failed, completions) : NONE),
    ...expected(change, limit),
    ...(isNew ? disjoint(completed, failed, completions) : NONE),
  ];
}

/** Only Jobs of a certain sort have either. */
function expected({ spec, status, changed }: StatusChange, limit: boolean): Errors {
  const completed = stringAt(status, 'completedIndexes');
  const isIndexed = stringAt(spec, 'completionMode') === 'Indexed';
  return [
    ...invalid(
      changed('completedIndexes') && completed !== '' && !isIndexed,
      'status.completedIndexes',
      completed,
      'cannot set non-empty completedIndexes when non-indexed completion mode',
    ),
    ...invalid(
      changed('failedIndexes') && has(status, 'failedIndexes') && !limit,
      'status.failedIndexes',
      stringAt(status, 'failedIndexes'),
      'cannot set non-null failedIndexes when backoffLimitPerIndex is null',
    ),
  ];
}

function wellFormed(field: string, text: string, completions: number | undefined): Errors {
  const problem = completions === undefined ? undefined : formatProblem(text, completions);
  return invalid(problem !== undefined, `status.${field}`, text, `error parsing ${field}: ${problem}`);
}

function disjoint(completed: string, failed: string, completions: number | undefined): Errors {
  const common = completions === undefined ? undefined : firstCommon(completed, failed, completions);
  const detail = `failedIndexes and completedIndexes overlap at index: ${common}`;
  return invalid(common !== undefined, 'status.failedIndexes', failed, detail);
}
