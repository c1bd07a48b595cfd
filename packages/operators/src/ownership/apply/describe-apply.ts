import { type Paint, printable } from '../../kit/paint.ts';
import type { ApplyPlan, ObjectChange } from './plan-apply.ts';

const SIGNS = { create: ['+', 'green'], change: ['~', 'yellow'], prune: ['-', 'red'] } as const;

/** The plan for people, as a list of objects. */
export function describeApply(name: string, { changes, unchanged }: ApplyPlan, paint: Paint): string {
  const counts = (['create', 'change', 'prune'] as const).map((change) => count(changes, change));
  const title = `Composition ${name}: ${counts.join(', ')}, ${unchanged} unchanged`;
  const lines = changes.map(({ change, object }) => {
    const [sign, colour] = SIGNS[change];
    return `  ${paint(colour, printable(`${sign} ${object}`))}\n`;
  });
  return `${paint('bold', printable(title))}\n${lines.join('')}`;
}

function count(changes: readonly ObjectChange[], kind: ObjectChange['change']): string {
  return `${changes.filter(({ change }) => change === kind).length} to ${kind}`;
}
