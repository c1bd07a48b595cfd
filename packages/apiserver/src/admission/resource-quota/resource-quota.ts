import type { KubeObject, Stored } from '@kubewright/kube';
import { statusOf } from '../../objects/read.ts';
import { changeObject, withField } from '../../objects/change-object.ts';
import { amountsAsJson } from '../../quota/amounts.ts';
import { evaluatorFor } from '../../quota/evaluator-for.ts';
import type { Registry } from '../../registry/registry.ts';
import type { RestContext } from '../../rest/rest-context.ts';
import { recordUpdate } from '../../rest/record-update.ts';
import { objectKey } from '../../storage/stored-object.ts';
import type { AdmissionAttributes } from '../../rest/admission-attributes.ts';
import type { AdmissionPlugin } from '../admission-plugin.ts';
import { newForbidden } from '../new-forbidden.ts';
import { type Charge, chargeQuotas, type Verdict } from './charge-quotas.ts';
import { namespaceOf } from '../../objects/name-of.ts';

/** The field manager of admission's writes, as in kube-apiserver. */
const MANAGER = 'kube-apiserver';

type Context = Pick<RestContext, 'now' | 'store'> & { readonly registry: Registry };

/**
 * Enforces the ResourceQuotas of a namespace: rejects a write that exceeds them, and charges any other at once. Nothing
 * waits between the charge and the store, so that no two writes use the same rest of a quota.
 * https://kubernetes.io/docs/concepts/policy/resource-quotas/
 */
export function resourceQuota(context: Context): AdmissionPlugin {
  const quotas = context.store.collection('', 'resourcequotas');
  return {
    validate(attributes) {
      const { operation, request, dryRun } = attributes;
      if (quotas.entries.length === 0 || operation === 'DELETE' || request.namespace === '') return;
      const own = quotas.inNamespace(request.namespace).map(({ object }) => object);
      const verdict = own.length === 0 ? undefined : check(own, attributes, context);
      if (verdict === undefined) return;
      if ('rejected' in verdict) throw newForbidden(attributes, verdict.rejected);
      if (!dryRun) for (const charge of verdict.charges) storeCharge(context, charge);
    },
  };
}

/** Undefined where no quota counts the write. */
function check(
  quotas: readonly Stored[],
  { request, object, oldObject }: AdmissionAttributes,
  { now }: Context,
): Verdict | undefined {
  const evaluator = evaluatorFor(request.definition.group, request.definition.resource);
  if (evaluator === undefined || object === undefined) return undefined;
  const write = { subresource: request.subresource, object, old: oldObject };
  if (!evaluator.handles(write)) return undefined;
  return chargeQuotas(quotas, write, evaluator, now().getTime());
}

function storeCharge({ store, registry, now }: Context, { quota, used }: Charge): void {
  const definition = registry.find('', 'v1', 'resourcequotas');
  if (definition === undefined) return;
  const status = withField(statusOf(quota), 'used', amountsAsJson(used));
  const charged = changeObject(quota, (body) => withField(body, 'status', status));
  const strategy = definition.status ?? definition.strategy;
  const writer = { manager: MANAGER, subresource: 'status', strategy, now: now() };
  const recorded: KubeObject = recordUpdate(registry, definition, quota, charged, writer);
  store.collection('', 'resourcequotas').put(objectKey(namespaceOf(quota), quota.metadata.name), recorded);
}
