import { createHash } from 'node:crypto';
import {
  canonicalJson,
  defined,
  getOwn,
  isJsonObject,
  type Json,
  type JsonObject,
  KubeError,
  parseJson,
} from '@kubewright/kube';
import { OperatorError } from '../../operator-error.ts';
import { textAt } from '../annotations/read-annotation.ts';
import type { FailingCheck, Plan, PlannedChange } from './plan.ts';
import { HOW_TO, listAt, readChanges, readDeferred, readInvocations, readOutputs } from './read-changes.ts';

/** A plan has one of these, even where it changes nothing, and also without its values; a state has none. */
const KEYS_OF_PLANS = [
  'planned_values',
  'resource_changes',
  'resource_drift',
  'output_changes',
  'errored',
  'timestamp',
];

/**
 * Reads a plan as `terraform show -json PLAN` prints it, format 1.x. Reads addresses and actions only. Throws
 * OperatorError `Usage` for what is no such plan, and for one that failed.
 *
 * @see https://developer.hashicorp.com/terraform/internals/json-format
 */
export function readPlan(text: string | Uint8Array, source: string): Plan {
  const json = jsonIn(text, source);
  checkFormat(json, source);
  const timestamp = textAt(json, 'timestamp');
  const resources = readChanges(json, 'resource_changes', source);
  const found = readChanges(json, 'resource_drift', source);
  const deferred = readDeferred(json, source);
  return {
    id: createHash('sha256').update(canonicalJson(json)).digest('hex').slice(0, 16),
    isComplete: getOwn(json, 'complete') !== false && deferred.length === 0,
    changes: [
      ...resources,
      ...recorded(found, resources),
      ...readInvocations(json, source),
      ...readOutputs(json, source),
    ],
    outside: found.filter(({ action }) => action !== 'move'),
    deferred,
    failingChecks: failingChecks(json, source),
    ...defined({ timestamp }),
  };
}

/**
 * What was found changed outside is recorded in the state when the plan is applied, also where it changes nothing else
 * (`-refresh-only`). A plan of that kind has its moves among them.
 */
function recorded(
  found: readonly PlannedChange[],
  resources: readonly PlannedChange[],
): readonly PlannedChange[] {
  const idOf = ({ address, deposed = '' }: PlannedChange): string => `${address} ${deposed}`;
  const planned = new Set(resources.map(idOf));
  return found
    .filter((one) => !planned.has(idOf(one)))
    .map((one) => (one.action === 'move' ? one : { ...one, action: 'refresh' }));
}

/** Their messages are not read. What is not known before the plan is applied does not fail. */
function failingChecks(plan: JsonObject, source: string): readonly FailingCheck[] {
  return listAt(plan, { source, key: 'checks' }).flatMap((check) => {
    const status = getOwn(check, 'status');
    if (status !== 'fail' && status !== 'error') return [];
    const address = getOwn(check, 'address');
    const title = isJsonObject(address) ? textAt(address, 'to_display') : undefined;
    return [{ address: (title ?? 'a check').slice(0, 256), status }];
  });
}

function jsonIn(text: string | Uint8Array, source: string): JsonObject {
  let json: Json;
  try {
    json = parseJson(text);
  } catch (error) {
    if (!(error instanceof KubeError)) throw error;
    // Without its reason, which may quote the plan.
    throw new OperatorError('Usage', `${source} is not JSON; ${HOW_TO}`);
  }
  if (isJsonObject(json) && isPlan(json)) return json;
  throw new OperatorError('Usage', `${source} is not a plan; ${HOW_TO}`);
}

function isPlan(json: JsonObject): boolean {
  return KEYS_OF_PLANS.some((key) => Object.hasOwn(json, key));
}

function checkFormat(json: JsonObject, source: string): void {
  const version = textAt(json, 'format_version') ?? '';
  if (!/^1\.\d{1,4}$/.test(version)) {
    const found = /^[\d.]{1,20}$/.test(version) ? `format_version ${version}` : 'no known format_version';
    throw new OperatorError('Usage', `${source} has ${found}, not 1.x; use Terraform 1.x or OpenTofu 1.x`);
  }
  if (getOwn(json, 'errored') === true)
    throw new OperatorError('Usage', `${source} is of a plan that failed; correct its errors and plan again`);
}
