import { systemClock } from '@kubewright/client';
import {
  defined,
  formatTime,
  jsonEqual,
  type JsonObject,
  parseApiVersion,
  stringifyJson,
} from '@kubewright/kube';
import type { CommandCall, CommandStage } from '../../kit/operator.ts';
import { ANNOTATIONS, type Freeze, type ObjectPlace } from '../api.ts';
import { freezeOf } from '../annotations/freeze-of.ts';
import { readPlace } from '../records/read-place.ts';
import { annotateOwner, approvalsKept } from './annotate-owner.ts';
import { findNamed, readNamed } from './find-parent.ts';
import { writeAnnotations } from './write-annotations.ts';

/** `kubewright drift freeze KIND/NAME`, and `unfreeze`. */
export async function freeze(
  { args: [target = ''], options }: CommandCall,
  connect: () => Promise<CommandStage>,
  isOn: boolean,
): Promise<void> {
  const stage = await connect();
  const at = formatTime(new Date(systemClock.now()));
  const value = isOn ? stringifyJson(defined({ message: options['reason'], at }) as JsonObject) : null;
  const before = isOn ? undefined : freezeOf(await readNamed(await findNamed(target, stage), stage));
  const { kind, metadata } = await annotateOwner(target, stage, { [ANNOTATIONS.freeze]: value });
  const what = isOn ? 'is frozen: every change of what it owns is denied' : 'is no longer frozen';
  stage.out(`${kind} ${metadata.name} ${what}\n`);
  for (const { kind: each, name } of await unfreezeTree(before, stage))
    stage.out(`${each} ${name} is no longer frozen\n`);
}

function isSameFreeze(one: Freeze | undefined, other: Freeze | undefined): boolean {
  return one !== undefined && other !== undefined && jsonEqual(one, other);
}

/** Ends the freezes that the brake made together with one that is over; those that somebody else made stay. */
async function unfreezeTree(
  freeze: Freeze | undefined,
  stage: CommandStage,
): Promise<readonly ObjectPlace[]> {
  const ended: ObjectPlace[] = [];
  for (const place of freeze?.tree ?? []) {
    const live = await readPlace(stage.client, place);
    const isSame = live !== undefined && isSameFreeze(freezeOf(live), freeze);
    if (!isSame) continue;
    const ref = { ...parseApiVersion(place.apiVersion), kind: place.kind };
    await writeAnnotations(stage, { ref, object: live }, (owner) => ({
      ...approvalsKept(owner),
      [ANNOTATIONS.freeze]: null,
    }));
    ended.push(place);
  }
  return ended;
}
