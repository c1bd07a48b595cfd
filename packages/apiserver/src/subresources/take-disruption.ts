import {
  formatTime,
  type JsonObject,
  type KubeObject,
  type Stored,
  type StatusCause,
} from '@kubewright/kube';
import { type ApiServerError, failure, forbidden } from '../api-server-error.ts';
import { numberAt, objectAt, objectsAt, statusOf, stringAt } from '../objects/read.ts';
import { withCondition } from '../objects/with-condition.ts';
import { changeObject, withField } from '../objects/change-object.ts';

const BUDGET = { group: 'policy', resource: 'poddisruptionbudget' };
const VIOLATED = "Cannot evict pod as it would violate the pod's disruption budget.";
const ALLOWED = 'DisruptionAllowed';
/** Evictions that the budget's controller has not seen yet. */
const MOST_UNSEEN = 2000;

/** 429: there is no disruption left, or the budget's status is not up to date. `retryAfter` in seconds. */
function tooManyRequests(message: string, retryAfter?: number): ApiServerError {
  const causes: readonly StatusCause[] = [{ reason: 'DisruptionBudget', message }];
  const details = retryAfter === undefined ? { causes } : { causes, retryAfterSeconds: retryAfter };
  return failure(429, 'TooManyRequests', VIOLATED, details);
}

/** The budget with one disruption less, for the pod of that name. Throws where it allows none. */
export function takeDisruption(budget: Stored, pod: string, now: Date): KubeObject {
  const { name, generation = 0 } = budget.metadata;
  const status = statusOf(budget);
  const allowed = numberAt(status, 'disruptionsAllowed');
  if (numberAt(status, 'observedGeneration') < generation)
    throw tooManyRequests(`The disruption budget ${name} is still being processed by the server.`, 10);
  if (allowed < 0) throw forbidden(BUDGET, name, 'pdb disruptions allowed is negative');
  const disrupted = objectAt(status, 'disruptedPods');
  if (Object.keys(disrupted).length > MOST_UNSEEN) {
    const why = 'DisruptedPods map too big - too many evictions not confirmed by PDB controller';
    throw forbidden(BUDGET, name, why);
  }
  if (allowed === 0) throw tooManyRequests(explain(name, status));
  const time = formatTime(now);
  const left = withField(status, 'disruptionsAllowed', allowed - 1);
  const next = allowed === 1 ? withoutDisruptions(left, time) : left;
  return changeObject(budget, (body) =>
    withField(body, 'status', withField(next, 'disruptedPods', withField(disrupted, pod, time))),
  );
}

function explain(name: string, status: JsonObject): string {
  const [current, desired] = [numberAt(status, 'currentHealthy'), numberAt(status, 'desiredHealthy')];
  const condition = objectsAt(status, 'conditions').find((one) => stringAt(one, 'type') === ALLOWED) ?? {};
  const message = stringAt(condition, 'status') === 'False' ? stringAt(condition, 'message') : '';
  const reason = stringAt(condition, 'reason');
  const budget = `The disruption budget ${name}`;
  if (message !== '' && reason === 'SyncFailed')
    return `${budget} does not allow evicting pods currently because it failed sync: ${message}`;
  if (current <= desired) return `${budget} needs ${desired} healthy pods and has ${current} currently`;
  const why = message === '' ? '' : ` (${reason}): ${message}`;
  return `${budget} does not allow evicting pods currently${why}`;
}

function withoutDisruptions(status: JsonObject, time: string): JsonObject {
  const observedGeneration = numberAt(status, 'observedGeneration');
  const state = { type: ALLOWED, status: 'False', reason: 'InsufficientPods', message: '' };
  return withCondition(status, { ...state, observedGeneration }, time);
}
