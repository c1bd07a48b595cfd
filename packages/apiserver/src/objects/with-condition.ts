import type { JsonObject } from '@kubewright/kube';
import { objectsAt, stringAt } from './read.ts';
import { withField } from './change-object.ts';

/** A status with a condition in it, in place of that of its type: the transition time is `now` where its status is new. */
export function withCondition(status: JsonObject, condition: JsonObject, now: string): JsonObject {
  const [type, state] = [stringAt(condition, 'type'), stringAt(condition, 'status')];
  const conditions = objectsAt(status, 'conditions');
  const known = conditions.find((one) => stringAt(one, 'type') === type);
  const since =
    known !== undefined && stringAt(known, 'status') === state ? known['lastTransitionTime'] : now;
  const next = withField(condition, 'lastTransitionTime', since ?? now);
  const all =
    known === undefined ? [...conditions, next] : conditions.map((one) => (one === known ? next : one));
  return withField(status, 'conditions', all);
}
