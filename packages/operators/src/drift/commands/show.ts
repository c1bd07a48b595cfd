import { systemClock } from '@kubewright/client';
import { type corev1, defined, type Stored } from '@kubewright/kube';
import type { CommandCall, CommandStage } from '../../kit/operator.ts';
import { traceOf } from '../annotations/trace-of.ts';
import { describeObject } from './describe-object.ts';
import { findNamed, ownerOf, readNamed } from './find-parent.ts';
import { nextSteps } from './next-steps.ts';
import { readDrifts } from './read-drifts.ts';
import { readMode } from './read-mode.ts';
import { readProfiles } from './read-profiles.ts';
import type { Shown } from './shown.ts';
import { stateOf } from './state-of.ts';

/** `kubewright drift show KIND/NAME`: mode, parent, trace, drift, and what to do about it. */
export async function show(
  { args: [target = ''] }: CommandCall,
  connect: () => Promise<CommandStage>,
): Promise<void> {
  const stage = await connect();
  const named = await findNamed(target, stage);
  const live = await readNamed(named, stage);
  const owner = await ownerOf(live, stage);
  const [mode, noted, drifts] = await Promise.all([
    readMode(live, named.ref, owner?.parent, stage),
    readProfiles(stage.client),
    readDrifts(stage, (event) => isAbout(event, live)),
  ]);
  const now = new Date(systemClock.now());
  const { namespace } = live.metadata;
  const about = {
    ...defined({ namespace, parent: owner && stateOf(noted(owner.parent), now) }),
    mode,
    state: stateOf(noted(live), now),
    trace: traceOf(live),
    drifts,
  };
  const shown: Shown = { ...about, next: nextSteps(about) };
  stage.print({ json: shown, text: () => describeObject(shown) });
}

/** By uid: an object of the same name may have been deleted. */
function isAbout({ involvedObject, related }: corev1.Event, { metadata: { uid } }: Stored): boolean {
  return involvedObject.uid === uid || related?.uid === uid;
}
