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
/** Where the shadow stays. */
const ONLY: readonly StepName[] = [
  'Preflight',
  'Lock',
  ...handoverBy('CreateShadow').flatMap((step): readonly StepName[] =>
    step === 'TakeOver' ? ['AdoptShadow', step] : [step],
  ),
  'RemoveSource',
  'DeletePodQueues',
  'Verify',
];

/** How far a migration is in this step, in percent of all steps; 0 where something is undone. */
export function progressOf(step: StepName, epoch: number, isShadowStaying: boolean): number {
  if (isShadowStaying) return percent(ONLY.indexOf(step), ONLY.length);
  const isFirst = epoch <= 1;
  const before = (isFirst ? FIRST : LATER).indexOf(step);
  return before < 0 ? 0 : percent(before + (isFirst ? 0 : FIRST.length), FIRST.length + LATER.length);
}

function percent(before: number, all: number): number {
  return Math.max(0, Math.floor((100 * before) / all));
}
