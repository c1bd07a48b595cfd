import type { admissionregistrationv1, Stored } from '@kubewright/kube';
import type { Io, Steps } from '@kubewright/runtime';
import { COMPONENT, KAUSALITIES } from '../api.ts';
import { CONFIGURATIONS } from './configurations.ts';
import { CONFIGURATION, webhookEntries, hasEntries } from './webhook-entries.ts';

type Configuration = Stored<admissionregistrationv1.MutatingWebhookConfiguration>;

type Observed = {
  readonly configuration: Configuration;
  /** The webhooks of the policies; undefined while the address is not known. */
  readonly entries: ReturnType<typeof webhookEntries>;
};

type Action = Required<Pick<Configuration, 'webhooks'>> & { readonly configuration: Configuration };

/** Keeps one webhook for each policy in the configuration, with the address and caBundle of the installed one. */
export const webhookSteps: Steps<Observed, Action, never, Configuration> = {
  observe({ name }, { cache }) {
    const configuration = cache.get(CONFIGURATIONS, { name });
    if (configuration === undefined) return undefined;
    return { configuration, entries: webhookEntries(cache.list(KAUSALITIES), configuration) };
  },
  decide({ configuration, entries }) {
    if (entries === undefined) return { reason: 'NoCertificateYet' };
    if (hasEntries(configuration, entries)) return { reason: 'UpToDate' };
    return { reason: 'PoliciesChanged', action: { configuration, webhooks: entries } };
  },
  async act({ configuration: { metadata }, webhooks }, { client }: Io) {
    const { name, resourceVersion } = metadata;
    const wanted = {
      apiVersion: 'admissionregistration.k8s.io/v1',
      kind: 'MutatingWebhookConfiguration',
      // With the resourceVersion: an older caBundle must not overwrite a renewed one.
      metadata: { name, resourceVersion },
      webhooks,
    } as const;
    await client.apply(CONFIGURATIONS, wanted, { fieldManager: COMPONENT, force: true });
    return 'done';
  },
  subject: ({ configuration }) => configuration,
};

/** There is one configuration, so every event maps to the same request. */
export const configurationRequest = { name: CONFIGURATION };
