import { admissionregistrationv1, jsonEqual, type Json, type Stored } from '@kubewright/kube';
import { type PartRef, partOf, type Steps } from '@kubewright/runtime';
import { COMPONENT, KAUSALITIES, type Kausality } from '../api.ts';
import { namespaceSelector, webhookRules } from './webhook-rules.ts';

type Configuration = Stored<admissionregistrationv1.MutatingWebhookConfiguration>;
type Webhook = admissionregistrationv1.MutatingWebhook;

type Wanted = Required<Pick<Webhook, 'rules' | 'namespaceSelector'>>;

/** A MutatingWebhookConfiguration that somebody else installs, and where its webhook runs. */
export type SharedWebhook = {
  readonly configurations: PartRef<admissionregistrationv1.MutatingWebhookConfiguration>;
  readonly name: string;
  /** The webhook's own namespace, which it must never block. */
  readonly home: string;
};

export function sharedWebhook(name: string, home: string): SharedWebhook {
  const settings = { fieldSelector: `metadata.name=${name}` };
  return {
    configurations: partOf(admissionregistrationv1.mutatingwebhookconfigurations, 'kausality', settings),
    name,
    home,
  };
}

/** What the first webhook of the configuration has to have for these policies. */
function wantedOf(first: Webhook, policies: readonly Kausality[], home: string): Wanted {
  return {
    rules: webhookRules(policies),
    namespaceSelector: namespaceSelector(first.namespaceSelector, home),
  };
}

/** Whether the API server calls the webhook for exactly what the policies name. */
export function isApplied(
  configuration: admissionregistrationv1.MutatingWebhookConfiguration | undefined,
  policies: readonly Kausality[],
  home: string,
): boolean {
  const first = configuration?.webhooks?.[0];
  if (first === undefined) return false;
  const { rules = [], namespaceSelector: selector = {} } = first;
  const live: Json = { rules, namespaceSelector: selector };
  return jsonEqual(live, wantedOf(first, policies, home));
}

type Observed = { readonly configuration: Configuration; readonly policies: readonly Kausality[] };
type Action = { readonly configuration: Configuration; readonly wanted: Wanted };

/**
 * Keeps rules and namespaceSelector of the first webhook. Everything else of the configuration, such as its
 * `clientConfig`, belongs to who installed it.
 */
export function sharedWebhookSteps({
  configurations,
  home,
}: SharedWebhook): Steps<Observed, Action, never, admissionregistrationv1.MutatingWebhookConfiguration> {
  return {
    observe({ name }, { cache }) {
      const configuration = cache.get(configurations, { name });
      return configuration && { configuration, policies: cache.list(KAUSALITIES) };
    },
    decide({ configuration, policies }) {
      const first = configuration.webhooks?.[0];
      if (first === undefined) return { reason: 'NoWebhook' };
      if (isApplied(configuration, policies, home)) return { reason: 'UpToDate' };
      const wanted = wantedOf(first, policies, home);
      return { reason: 'PoliciesChanged', action: { configuration, wanted } };
    },
    async act({ configuration, wanted }, { client }) {
      const { name } = configuration.metadata;
      const first = configuration.webhooks?.[0]?.name ?? '';
      const body = [
        // The first webhook must still be the one that was observed.
        { op: 'test', path: '/webhooks/0/name', value: first },
        ...Object.entries(wanted).map(([key, value]) => ({
          op: 'add',
          path: `/webhooks/0/${key}`,
          value: value as Json,
        })),
      ];
      await client.patch(configurations, { name }, { type: 'json', body }, { fieldManager: COMPONENT });
      return 'done';
    },
    subject: ({ configuration }) => configuration,
  };
}
