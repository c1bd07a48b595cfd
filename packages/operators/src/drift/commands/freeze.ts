import { systemClock } from '@kubewright/client';
import { defined, formatTime, type JsonObject, stringifyJson } from '@kubewright/kube';
import type { CommandCall, CommandStage } from '../../kit/operator.ts';
import { ANNOTATIONS } from '../api.ts';
import { carriedOver } from '../annotations/counts-annotations.ts';
import { approvalsOf, formatApprovals } from '../annotations/find-approval.ts';
import { findNamed, readNamed } from './find-parent.ts';
import { type AnnotationChanges, writeAnnotations } from './write-annotations.ts';
import type { Stored } from '@kubewright/kube';

/** `kubewright drift freeze KIND/NAME`, and `unfreeze`. */
export async function freeze(
  { args: [target = ''], options }: CommandCall,
  connect: () => Promise<CommandStage>,
  isOn: boolean,
): Promise<void> {
  const stage = await connect();
  const named = await findNamed(target, stage);
  const at = formatTime(new Date(systemClock.now()));
  const value = isOn ? stringifyJson(defined({ message: options['reason'], at }) as JsonObject) : null;
  const changes = (live: Stored): AnnotationChanges => {
    const approvals = approvalsOf(live);
    const kept =
      approvals.length === 0
        ? {}
        : { [ANNOTATIONS.approvals]: formatApprovals(carriedOver(approvals, live)) };
    return { ...kept, [ANNOTATIONS.freeze]: value };
  };
  const { kind, metadata } = await writeAnnotations(
    stage,
    { ref: named.ref, object: await readNamed(named, stage) },
    changes,
  );
  const what = isOn ? 'is frozen: every change of what it owns is denied' : 'is no longer frozen';
  stage.out(`${kind} ${metadata.name} ${what}\n`);
}
