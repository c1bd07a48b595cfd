import { defined, getOwn, isJsonArray, isJsonObject, type Json, type JsonObject } from '@kubewright/kube';
import { OperatorError } from '../../operator-error.ts';
import { textAt } from '../annotations/read-annotation.ts';
import type { DeferredChange, PlannedAction, PlannedChange } from './plan.ts';
import { resourceAt } from './resource-at.ts';

export const HOW_TO = 'write it with: terraform show -json PLAN > FILE';

/** Of resources: the actions in the order in which they are taken. Undefined does nothing. */
const OF_RESOURCES: ReadonlyMap<string, PlannedAction | undefined> = new Map([
  ['no-op', undefined],
  ['read', undefined],
  ['create', 'create'],
  ['update', 'update'],
  ['delete', 'delete'],
  ['delete,create', 'replace'],
  ['create,delete', 'replace'],
  ['forget', 'forget'],
  ['create,forget', 'create and forget'],
  ['forget,create', 'forget and create'],
]);

const OF_OUTPUTS: ReadonlyMap<string, PlannedAction | undefined> = new Map([
  ['no-op', undefined],
  ['create', 'set output'],
  ['update', 'set output'],
  ['delete', 'remove output'],
]);

/** Where an error is: a file, a key of the plan, and an entry there. */
type Place = { readonly source: string; readonly key: string };

/** The changes in `resource_changes` or `resource_drift`: what does nothing is left out. */
export function readChanges(
  plan: JsonObject,
  key: 'resource_changes' | 'resource_drift',
  source: string,
): readonly PlannedChange[] {
  return listAt(plan, { key, source }).flatMap((entry, index) => {
    const place = { source, key: `${key}[${index}]` };
    const change = getOwn(entry, 'change');
    const planned = actionOf(change, OF_RESOURCES, place);
    const movedFrom = textAt(entry, 'previous_address');
    const isImported = isJsonObject(change) && isJsonObject(getOwn(change, 'importing'));
    const action = planned ?? bookkeeping({ isImported, isMoved: movedFrom !== undefined });
    if (action === undefined) return [];
    return [
      {
        address: addressIn(entry, place),
        action,
        ...defined({ deposed: textAt(entry, 'deposed'), movedFrom }),
        ...(isImported ? { isImported } : {}),
      },
    ];
  });
}

/** A `no-op` still imports or moves, which changes what is recorded. */
function bookkeeping(what: {
  readonly isImported: boolean;
  readonly isMoved: boolean;
}): PlannedAction | undefined {
  if (what.isImported) return 'import';
  return what.isMoved ? 'move' : undefined;
}

/** The changes in `output_changes`, by `output.NAME`. */
export function readOutputs(plan: JsonObject, source: string): readonly PlannedChange[] {
  const outputs = getOwn(plan, 'output_changes') ?? {};
  if (!isJsonObject(outputs)) throw invalid({ source, key: 'output_changes' }, 'is not an object');
  return Object.entries(outputs).flatMap(([name, change], index) => {
    const place = { source, key: `output_changes[${index}]` };
    const action = actionOf(change, OF_OUTPUTS, place);
    return action === undefined ? [] : [{ address: addressIn({ address: `output.${name}` }, place), action }];
  });
}

/** The actions of providers that the plan runs. */
export function readInvocations(plan: JsonObject, source: string): readonly PlannedChange[] {
  const key = 'action_invocations';
  return listAt(plan, { source, key }).map((entry, index) => ({
    address: addressIn(entry, { source, key: `${key}[${index}]` }),
    action: 'invoke',
  }));
}

/** What is deferred, each with Terraform's reason, which is one word. */
export function readDeferred(plan: JsonObject, source: string): readonly DeferredChange[] {
  const deferred = (key: string, of: string): readonly DeferredChange[] =>
    listAt(plan, { source, key }).map((entry, index) => {
      const place = { source, key: `${key}[${index}]` };
      const change = getOwn(entry, of);
      if (!isJsonObject(change)) throw invalid(place, `has no ${of}`);
      const address = textAt(change, 'address') ?? '';
      // Its key may not be known yet.
      addressIn({ address: address.replaceAll('[*]', '[0]') }, place);
      const reason = textAt(entry, 'reason');
      return { address, ...(reason !== undefined && /^\w{1,64}$/.test(reason) ? { reason } : {}) };
    });
  return [
    ...deferred('deferred_changes', 'resource_change'),
    ...deferred('deferred_action_invocations', 'action_invocation'),
  ];
}

export function listAt(plan: JsonObject, { key, source }: Place): readonly JsonObject[] {
  const list = getOwn(plan, key) ?? [];
  if (!isJsonArray(list)) throw invalid({ key, source }, 'is not a list');
  return list.map((entry, index) => {
    if (!isJsonObject(entry)) throw invalid({ source, key: `${key}[${index}]` }, 'is not an object');
    return entry;
  });
}

function actionOf(
  change: Json | undefined,
  known: ReadonlyMap<string, PlannedAction | undefined>,
  place: Place,
): PlannedAction | undefined {
  const list = isJsonObject(change) ? getOwn(change, 'actions') : undefined;
  const actions = isJsonArray(list) && list.every((one) => typeof one === 'string') ? list.join() : '';
  if (known.has(actions)) return known.get(actions);
  throw invalid(place, 'has actions that this version does not know');
}

function addressIn(entry: JsonObject, place: Place): string {
  const address = textAt(entry, 'address') ?? '';
  if (resourceAt(address) !== undefined) return address;
  throw invalid(place, 'has no valid address');
}

function invalid({ source, key }: Place, what: string): OperatorError {
  return new OperatorError('Usage', `${source}: ${key} ${what}; ${HOW_TO}`);
}
