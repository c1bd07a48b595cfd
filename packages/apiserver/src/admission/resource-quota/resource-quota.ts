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

/** Who owns what admission writes, as in kube-apiserver. */
const MANAGER = 'kube-apiserver';

type Surroundings = Pick<RestContext, 'now' | 'store'> & { readonly registry: Registry };

/**
 * What the ResourceQuotas of a namespace leave of room: a write that needs more is refused, and what passes is charged
 * at once. Nothing waits between the charge and the store, so that no two writes are given the same room.
 * https://kubernetes.io/docs/concepts/policy/resource-quotas/
 */
export function resourceQuota(surroundings: Surroundings): AdmissionPlugin {
  const quotas = surroundings.store.collection('', 'resourcequotas');
  return {
    validate(attributes) {
      const { operation, request, dryRun } = attributes;
      if (quotas.entries.length === 0 || operation === 'DELETE' || request.namespace === '') return;
      const own = quotas.inNamespace(request.namespace).map(({ object }) => object);
      const verdict = own.length === 0 ? undefined : judge(own, attributes, surroundings);
      if (verdict === undefined) return;
      if ('refused' in verdict) throw newForbidden(attributes, verdict.refused);
      if (!dryRun) for (const charge of verdict.charges) book(surroundings, charge);
    },
  };
}

/** Undefined where the write is nothing that counts. */
function judge(
  quotas: readonly Stored[],
  { request, object, oldObject }: AdmissionAttributes,
  { now }: Surroundings,
): Verdict | undefined {
  const evaluator = evaluatorFor(request.definition.group, request.definition.resource);
  if (evaluator === undefined || object === undefined) return undefined;
  const write = { subresource: request.subresource, object, old: oldObject };
  if (!evaluator.handles(write)) return undefined;
  return chargeQuotas(quotas, write, evaluator, now().getTime());
}

function book({ store, registry, now }: Surroundings, { quota, used }: Charge): void {
  const definition = registry.find('', 'v1', 'resourcequotas');
  if (definition === undefined) return;
  const status = withField(statusOf(quota), 'used', amountsAsJson(used));
  const charged = changeObject(quota, (body) => withField(body, 'status', status));
  const strategy = definition.status ?? definition.strategy;
  const writer = { manager: MANAGER, subresource: 'status', strategy, now: now() };
  const recorded: KubeObject = recordUpdate(registry, definition, quota, charged, writer);
  store.collection('', 'resourcequotas').put(objectKey(namespaceOf(quota), quota.metadata.name), recorded);
}
