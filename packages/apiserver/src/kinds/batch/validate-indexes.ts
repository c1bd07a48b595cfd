import { firstCommon, formatProblem } from './count-indexes.ts';
import type { StatusChange } from './status-change.ts';

type Key = 'completedIndexes' | 'failedIndexes';

/** `status.completedIndexes` and `status.failedIndexes`: `0-2,5`, rising, below `completions`, and not both. */
export function validateIndexes(change: StatusChange): void {
  const { spec, changed } = change;
  const [newCompleted, newFailed] = [changed('completedIndexes'), changed('failedIndexes')];
  if (newCompleted) validateFormat(change, 'completedIndexes');
  if (newFailed && spec.has('backoffLimitPerIndex')) validateFormat(change, 'failedIndexes');
  if (newCompleted) validateIndexed(change);
  if (newFailed) validateLimited(change);
  if (newCompleted || newFailed) validateDisjoint(change);
}

/** Only indexed Jobs complete by index. */
function validateIndexed({ spec, status }: StatusChange): void {
  if (status.text('completedIndexes') !== '' && !spec.is('completionMode', 'Indexed'))
    status
      .at('completedIndexes')
      .addInvalid('cannot set non-empty completedIndexes when non-indexed completion mode');
}

/** Only Jobs with a limit for each index fail by index. */
function validateLimited({ spec, status }: StatusChange): void {
  if (status.has('failedIndexes') && !spec.has('backoffLimitPerIndex'))
    status
      .at('failedIndexes')
      .addInvalid('cannot set non-null failedIndexes when backoffLimitPerIndex is null', {
        value: status.text('failedIndexes'),
      });
}

function validateFormat({ spec, status }: StatusChange, key: Key): void {
  const completions = spec.maybeNumber('completions');
  const problem = completions === undefined ? undefined : formatProblem(status.text(key), completions);
  if (problem !== undefined)
    status.at(key).addInvalid(`error parsing ${key}: ${problem}`, { value: status.text(key) });
}

function validateDisjoint({ spec, status }: StatusChange): void {
  const completions = spec.maybeNumber('completions');
  if (completions === undefined) return;
  const common = firstCommon(status.text('completedIndexes'), status.text('failedIndexes'), completions);
  if (common !== undefined)
    status.at('failedIndexes').addInvalid(`failedIndexes and completedIndexes overlap at index: ${common}`);
}
