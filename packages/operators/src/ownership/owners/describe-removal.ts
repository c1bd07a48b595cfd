import { type Paint, printable } from '../../kit/paint.ts';
import type { Removal } from './find-removal.ts';

/** What leaving a path out would do, in a few lines. */
export function describeRemoval(removal: Removal, paint: Paint): string {
  const { path, manager, reason, remedy } = removal;
  return [
    `\n${paint('bold', `If ${printable(manager)} no longer applied ${printable(path)}`)}\n`,
    `  ${resultOf(removal, paint)}\n`,
    reason === undefined ? '' : `  because ${printable(reason)}\n`,
    ...remedy.map((step) => `  the ownership operator would first ${printable(step)}\n`),
  ].join('');
}

function resultOf({ result, reason, message = '' }: Removal, paint: Paint): string {
  switch (result) {
    case 'Removed':
      return paint('green', 'it would be removed');
    case 'Stays':
      return paint('yellow', 'it would stay');
    case 'Rejected':
      return `${paint('red', 'it would be rejected:')} ${printable(message)}`;
    case 'NotTried': {
      const likely = reason === undefined ? 'it would probably be removed' : 'it would stay or be rejected';
      return `${paint('yellow', `${likely}; the dry run was not allowed:`)} ${printable(message)}`;
    }
  }
}
