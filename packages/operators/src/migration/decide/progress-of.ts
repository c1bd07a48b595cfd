import type { StepName } from './step-name.ts';

/** The steps of a handover whose target is the shadow, and then the pod of the StatefulSet. */
const handoverBy = (create: StepName): readonly StepName[] => [
  'CreateMirror',
  'Barrier',
  'DeclareSnapshot',
  'Snapshot',
  'Resume',
  create,
  'Restore',
  'CatchUp',
  'Quiesce',
  'ApplyRest',
  'TakeOver',
  'DeleteQueues',
];

const FIRST: readonly StepName[] = ['Preflight', 'Lock', ...handoverBy('CreateShadow'), 'NextHandover'];
const LATER: readonly StepName[] = [
  ...handoverBy('ReplaceSource'),
  'DeleteShadow',
  'DeletePodQueues',
  'Verify',
];

/** How far a migration is in this step, in percent of all steps; 0 where something is undone. */
export function progressOf(step: StepName, epoch: number): number {
  const isFirst = epoch <= 1;
  const before = (isFirst ? FIRST : LATER).indexOf(step);
  if (before < 0) return 0;
  return Math.floor((100 * (before + (isFirst ? 0 : FIRST.length))) / (FIRST.length + LATER.length));
}
