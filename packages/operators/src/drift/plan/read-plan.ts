import { createHash } from 'node:crypto';
import {
  canonicalJson,
  defined,
  getOwn,
  isJsonArray,
  isJsonObject,
  type Json,
  type JsonObject,
  KubeError,
  parseJson,
} from '@kubewright/kube';
import { OperatorError } from '../../operator-error.ts';
import { textAt } from '../annotations/read-annotation.ts';
import type { Plan, PlannedAction, PlannedChange } from './plan.ts';
import { resourceAt } from './resource-at.ts';

/** `terraform show -json` lists actions in the order in which it takes them. */
const ACTIONS: ReadonlyMap<string, PlannedAction | undefined> = new Map([
  ['no-op', undefined],
  ['read', undefined],
  ['create', 'create'],
  ['update', 'update'],
  ['delete', 'delete'],
  ['delete,create', 'replace'],
  ['create,delete', 'replace'],
  ['forget', 'forget'],
  ['create,forget', 'create and forget'],
]);

const HOW_TO = 'write it with: terraform show -json PLAN > FILE';

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
  return {
    id: createHash('sha256').update(canonicalJson(json)).digest('hex').slice(0, 16),
    isComplete: getOwn(json, 'complete') !== false,
    changes: changesIn(json, 'resource_changes', source),
    outside: changesIn(json, 'resource_drift', source),
    ...defined({ timestamp }),
  };
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
  // A plan without resources has no changes; a state has neither.
  const isPlan = (json: JsonObject): boolean =>
    ['planned_values', 'resource_changes'].some((key) => Object.hasOwn(json, key));
  if (isJsonObject(json) && isPlan(json)) return json;
  throw new OperatorError('Usage', `${source} is not a plan; ${HOW_TO}`);
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

function changesIn(
  plan: JsonObject,
  key: 'resource_changes' | 'resource_drift',
  source: string,
): readonly PlannedChange[] {
  const list = getOwn(plan, key) ?? [];
  const invalid = (index: number, what: string): OperatorError =>
    new OperatorError('Usage', `${source}: ${key}[${index}] ${what}; ${HOW_TO}`);
  if (!isJsonArray(list)) throw new OperatorError('Usage', `${source}: ${key} is not a list; ${HOW_TO}`);
  return list.flatMap((entry, index) => {
    if (!isJsonObject(entry)) throw invalid(index, 'is not an object');
    const actions = actionsOf(entry);
    if (!ACTIONS.has(actions)) throw invalid(index, 'has actions that this version does not know');
    const action = ACTIONS.get(actions);
    if (action === undefined) return [];
    const address = textAt(entry, 'address') ?? '';
    if (resourceAt(address) === undefined) throw invalid(index, 'has no valid address');
    return [{ address, action, ...defined({ deposed: textAt(entry, 'deposed') }) }];
  });
}

function actionsOf(entry: JsonObject): string {
  const change = getOwn(entry, 'change');
  const actions = isJsonObject(change) ? getOwn(change, 'actions') : undefined;
  const isKnown = isJsonArray(actions) && actions.every((one) => typeof one === 'string');
  return isKnown ? actions.join() : '';
}
