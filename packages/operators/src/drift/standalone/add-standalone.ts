import type { Json } from '@kubewright/kube';
import { decisions, type Manager, watchMapped } from '@kubewright/runtime';
import { COMPONENT, KAUSALITIES } from '../api.ts';
import { addDriftWebhook } from '../controller.ts';
import { ownUser } from '../webhook/own-writes.ts';
import { policyOf, POLICY_ROLES } from './policy-role.ts';
import { sharedWebhook, sharedWebhookSteps } from './shared-webhook.ts';
import { standalonePolicySteps } from './standalone-policy-steps.ts';

/** The path of the original webhook. */
const PATH = '/mutate';

/**
 * Adds the webhook of a process that only serves it: somebody else installs its configuration and certificates.
 * `config` is what its config file says: the backends of DriftReports. Whoever has the original reads its annotations.
 */
export function addStandaloneWebhook(manager: Manager, config: Json): void {
  const own = ownUser(manager.client);
  addDriftWebhook(manager, { path: PATH, own, reportConfig: config, place: 'annotations' });
}

/** Where the webhook is installed. */
export type StandaloneController = {
  /** The MutatingWebhookConfiguration. */
  readonly webhookName: string;
  /** The namespace of the webhook's Service. */
  readonly webhookNamespace: string;
};

/** Adds the controller that has the webhook called for what policies name, and writes their roles and status. */
export function addStandaloneController(
  manager: Manager,
  { webhookName, webhookNamespace }: StandaloneController,
): void {
  const shared = sharedWebhook(webhookName, webhookNamespace);
  const { configurations } = shared;
  const configuration = (): readonly { readonly name: string }[] => [{ name: webhookName }];
  const everyPolicy = (): readonly { readonly name: string }[] =>
    manager.cache.list(KAUSALITIES).map(({ metadata: { name } }) => ({ name }));
  manager.addController({
    name: 'drift-webhooks',
    reconciler: decisions(manager, configurations, sharedWebhookSteps(shared), { component: COMPONENT }),
    sources: [watchMapped(configurations, configuration), watchMapped(KAUSALITIES, configuration)],
  });
  manager.addController({
    name: 'kausality',
    reconciler: decisions(manager, KAUSALITIES, standalonePolicySteps(shared), { component: COMPONENT }),
    sources: [
      watchMapped(KAUSALITIES, everyPolicy),
      watchMapped(configurations, everyPolicy),
      watchMapped(POLICY_ROLES, (role) => {
        const name = policyOf(role);
        return name === undefined ? [] : [{ name }];
      }),
    ],
  });
}
