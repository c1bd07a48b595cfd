import { type Paint, printable } from '../../kit/paint.ts';
import type { ObjectChange } from './plan-apply.ts';

const SIGNS = {
  create: ['+', 'green'],
  adopt: ['>', 'yellow'],
  change: ['~', 'yellow'],
  prune: ['-', 'red'],
  release: ['<', 'yellow'],
} as const;

/** What the plan does to the objects. */
export type AppliedChanges = { readonly changes: readonly ObjectChange[]; readonly unchanged: number };

/** The plan for people, as a list of objects. */
export function describeApply(name: string, { changes, unchanged }: AppliedChanges, paint: Paint): string {
  const always = (['create', 'change', 'prune'] as const).map((change) => count(changes, change));
  const rare = (['adopt', 'release'] as const).filter((change) =>
    changes.some((one) => one.change === change),
  );
  const counts = [...always, ...rare.map((change) => count(changes, change))];
  const title = `Composition ${name}: ${counts.join(', ')}, ${unchanged} unchanged`;
  const lines = changes.map((one) => {
    const [sign, colour] = SIGNS[one.change];
    return `  ${paint(colour, printable(`${sign} ${one.object}${holdersOf(one)}`))}\n`;
  });
  return `${paint('bold', printable(title))}\n${lines.join('')}`;
}

function holdersOf({ change, heldBy = [] }: ObjectChange): string {
  if (change === 'release') return `   stays: ${heldBy.join(', ')} has it too`;
  if (change !== 'adopt') return '';
  return heldBy.length === 0 ? '   exists' : `   exists, held by ${heldBy.join(', ')}`;
}

function count(changes: readonly ObjectChange[], kind: ObjectChange['change']): string {
  return `${changes.filter(({ change }) => change === kind).length} to ${kind}`;
}
