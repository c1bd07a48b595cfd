import { type Json, type KubeObject, formatTime, setCondition } from '@kubewright/kube';
import { statusOf } from '../objects/read.ts';
import { changeObject, withField } from '../objects/change-object.ts';
import { conditionsOf } from './definition-view.ts';

export type CrdCondition = {
  readonly type: 'NamesAccepted' | 'Established' | 'KubernetesAPIApprovalPolicyConformant' | 'Terminating';
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
};

/** The definition with one condition set; itself where nothing changes. */
export function withCondition(crd: KubeObject, condition: CrdCondition, now: Date): KubeObject {
  const before = conditionsOf(crd);
  const after = setCondition(before, condition, formatTime(now));
  if (after === before) return crd;
  return withStatusField(crd, 'conditions', after);
}

export function withStatusField(crd: KubeObject, key: string, value: Json): KubeObject {
  return changeObject(crd, (body) => withField(body, 'status', withField(statusOf(crd), key, value)));
}
