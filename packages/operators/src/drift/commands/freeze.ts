import { systemClock } from '@kubewright/client';
import { defined, formatTime, type JsonObject, stringifyJson } from '@kubewright/kube';
import type { CommandCall, CommandStage } from '../../kit/operator.ts';
import { ANNOTATIONS } from '../api.ts';
import { annotateOwner } from './annotate-owner.ts';

/** `kubewright drift freeze KIND/NAME`, and `unfreeze`. */
export async function freeze(
  { args: [target = ''], options }: CommandCall,
  connect: () => Promise<CommandStage>,
  isOn: boolean,
): Promise<void> {
  const stage = await connect();
  const at = formatTime(new Date(systemClock.now()));
  const value = isOn ? stringifyJson(defined({ message: options['reason'], at }) as JsonObject) : null;
  const { kind, metadata } = await annotateOwner(target, stage, { [ANNOTATIONS.freeze]: value });
  const what = isOn ? 'is frozen: every change of what it owns is denied' : 'is no longer frozen';
  stage.out(`${kind} ${metadata.name} ${what}\n`);
}
