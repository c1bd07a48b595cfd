import { type Condition, type KubeObject, formatTime, setCondition } from '@kubewright/kube';
import { objectsAt, statusOf } from '../objects/read.ts';
import { changeObject, withField } from '../objects/change-object.ts';

/** Whether an APIService is there for requests, and why. */
export type Availability = {
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
};

export const LOCAL: Availability = {
  status: 'True',
  reason: 'Local',
  message: 'Local APIServices are always available',
};

/** The object with its condition set; itself where that changes nothing. */
export function withAvailability(object: KubeObject, availability: Availability, now: Date): KubeObject {
  const status = statusOf(object);
  const before = objectsAt(status, 'conditions') as readonly Condition[];
  const after = setCondition(before, { type: 'Available', ...availability }, formatTime(now));
  if (after === before) return object;
  return changeObject(object, (body) => withField(body, 'status', withField(status, 'conditions', after)));
}
