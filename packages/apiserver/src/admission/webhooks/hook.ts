import type { JsonObject, Stored } from '@kubewright/kube';
import { type CompiledCondition, compileCondition } from '@kubewright/kube/cel';
import { type Criteria, readCriteria } from '../matching/criteria.ts';
import { type HookClient, readClient } from '../../model/hook-client.ts';
import { bodyOf, maybeNumber, objectAt, objectsAt, stringAt, stringsAt } from '../../objects/read.ts';

export const GROUP = 'admissionregistration.k8s.io';

/** One webhook of a configuration, read for use. */
export type Hook = {
  readonly name: string;
  readonly configuration: string;
  /** Unique, also among webhooks of the same name. */
  readonly uid: string;
  readonly client: HookClient;
  /** Which writes it wants to see. */
  readonly criteria: Criteria;
  /** `Ignore` admits a write where the call fails; `Fail` rejects it. */
  readonly failurePolicy: string;
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
    criteria: readCriteria(webhook, 'rules'),
    failurePolicy: stringAt(webhook, 'failurePolicy'),
    conditions: objectsAt(webhook, 'matchConditions').map(readCondition),
    sideEffects: stringAt(webhook, 'sideEffects'),
    timeoutSeconds: maybeNumber(webhook, 'timeoutSeconds') ?? 10,
    reinvoked: stringAt(webhook, 'reinvocationPolicy') === 'IfNeeded',
    reviewVersions: stringsAt(webhook, 'admissionReviewVersions'),
  };
}

function readCondition(condition: JsonObject): HookCondition {
  const expression = compileCondition(stringAt(condition, 'expression').trim());
  return { name: stringAt(condition, 'name'), expression };
}
