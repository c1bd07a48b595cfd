import type { JsonObject, Stored } from '@kubewright/kube';
import { type CompiledCondition, compileCondition } from '@kubewright/kube/cel';
import { type LabelSelector, selectorFromLabelSelector } from '@kubewright/kube/selectors';
import { type HookClient, readClient } from '../../model/hook-client.ts';
import { bodyOf, maybeNumber, objectAt, objectsAt, stringAt, stringsAt } from '../../objects/read.ts';

export const GROUP = 'admissionregistration.k8s.io';

/** Which writes a webhook wants to see. */
export type HookRule = {
  readonly operations: readonly string[];
  readonly groups: readonly string[];
  readonly versions: readonly string[];
  /** `pods`, `pods/status`; `*` means all, on either side of the slash. */
  readonly resources: readonly string[];
  readonly scope: string;
};

/** One webhook of a configuration, read for use. */
export type Hook = {
  readonly name: string;
  readonly configuration: string;
  /** Unique, also among webhooks of the same name. */
  readonly uid: string;
  readonly client: HookClient;
  readonly rules: readonly HookRule[];
  /** `Ignore` admits a write where the call fails; `Fail` rejects it. */
  readonly failurePolicy: string;
  /** Also sees writes through other versions of the resources of its rules. */
  readonly equivalent: boolean;
  readonly namespaceSelector: LabelSelector;
  readonly objectSelector: LabelSelector;
  readonly conditions: readonly HookCondition[];
  readonly sideEffects: string;
  readonly timeoutSeconds: number;
  readonly reinvoked: boolean;
  readonly reviewVersions: readonly string[];
};

export type HookCondition = { readonly name: string; readonly expression: HookExpression };
type HookExpression = CompiledCondition | { readonly failure: string };

/** The webhooks of a stored, and so valid and defaulted, configuration. */
export function hooksOf(configuration: Stored): readonly Hook[] {
  const { name } = configuration.metadata;
  return objectsAt(bodyOf(configuration), 'webhooks').map((webhook, index) => readHook(webhook, name, index));
}

function readHook(webhook: JsonObject, configuration: string, index: number): Hook {
  const name = stringAt(webhook, 'name');
  return {
    name,
    configuration,
    uid: `${configuration}/${name}/${index}`,
    client: readClient(objectAt(webhook, 'clientConfig')),
    rules: objectsAt(webhook, 'rules').map(readRule),
    failurePolicy: stringAt(webhook, 'failurePolicy'),
    equivalent: stringAt(webhook, 'matchPolicy') !== 'Exact',
    namespaceSelector: selectorFromLabelSelector(objectAt(webhook, 'namespaceSelector')),
    objectSelector: selectorFromLabelSelector(objectAt(webhook, 'objectSelector')),
    conditions: objectsAt(webhook, 'matchConditions').map(readCondition),
    sideEffects: stringAt(webhook, 'sideEffects'),
    timeoutSeconds: maybeNumber(webhook, 'timeoutSeconds') ?? 10,
    reinvoked: stringAt(webhook, 'reinvocationPolicy') === 'IfNeeded',
    reviewVersions: stringsAt(webhook, 'admissionReviewVersions'),
  };
}

function readRule(rule: JsonObject): HookRule {
  return {
    operations: stringsAt(rule, 'operations'),
    groups: stringsAt(rule, 'apiGroups'),
    versions: stringsAt(rule, 'apiVersions'),
    resources: stringsAt(rule, 'resources'),
    scope: stringAt(rule, 'scope'),
  };
}

function readCondition(condition: JsonObject): HookCondition {
  const expression = compileCondition(stringAt(condition, 'expression').trim());
  return { name: stringAt(condition, 'name'), expression };
}
