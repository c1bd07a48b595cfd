import type { admissionregistrationv1 } from '@kubewright/kube';
import { MANAGER } from '../../../kit/install-objects.ts';
import { ACCOUNTS } from '../../api.ts';
import { BASE, CONFIGURATION, homeOf } from '../../policy/webhook-entries.ts';

type Configuration = admissionregistrationv1.MutatingWebhookConfiguration;
type Webhook = admissionregistrationv1.MutatingWebhook;

/** A webhook of drift as it is installed: by `kubewright install`, or in place of the original. */
export type Installation = {
  readonly configuration: string;
  readonly webhooks: readonly Webhook[];
  /** The namespace in which it runs. */
  readonly home: string;
  /** The service account that reads parents. */
  readonly account: string;
  /** The label with which an administrator gives that account more rights. */
  readonly aggregation: string;
  /** Where the Lease of the manager that leads may be; the original's webhook has none. */
  readonly leases: readonly { readonly namespace: string; readonly name: string }[];
};

const STANDALONE = { name: 'kausality', webhook: 'mutating.webhook.kausality.io', home: 'kausality-system' };

/** The installations among all webhook configurations. */
export function installationsOf(configurations: readonly Configuration[]): readonly Installation[] {
  return configurations.flatMap((one): readonly Installation[] => {
    const { webhooks = [], metadata } = one;
    const configuration = metadata.name ?? '';
    if (configuration === CONFIGURATION)
      return [
        {
          configuration,
          webhooks: webhooks.filter(({ name }) => name === BASE || name.endsWith(`.${BASE}`)),
          home: homeOf(one),
          account: `system:serviceaccount:${homeOf(one)}:${ACCOUNTS.webhook}`,
          aggregation: 'kubewright.io/aggregate-to-drift-webhook',
          // Where "kubewright install" puts it, and where a manager that is run by hand does.
          leases: [homeOf(one), 'kube-system'].map((namespace) => ({ namespace, name: MANAGER })),
        },
      ];
    const isStandalone = webhooks[0]?.name === STANDALONE.webhook;
    return isStandalone ? [standalone(configuration, webhooks)] : [];
  });
}

/** `https://HOST:PORT`, where it runs outside of the cluster. */
export function urlOf({ webhooks }: Installation): string | undefined {
  const url = webhooks.map(({ clientConfig }) => clientConfig.url).find((one) => one != null);
  return url == null || !URL.canParse(url) ? undefined : new URL(url).origin;
}

function standalone(configuration: string, webhooks: readonly Webhook[]): Installation {
  const home = webhooks[0]?.clientConfig.service?.namespace ?? STANDALONE.home;
  return {
    configuration,
    // The controller keeps the first one alone.
    webhooks: webhooks.slice(0, 1),
    home,
    account: `system:serviceaccount:${home}:kausality-webhook`,
    aggregation: 'kausality.io/aggregate-to-webhook-resources',
    leases: [],
  };
}
