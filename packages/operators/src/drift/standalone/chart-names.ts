import type { ChartValues } from './chart-values.ts';

/** The names of what the original's chart installs, with these values as a release of this name. */
export type ChartNames = {
  readonly namespace: string;
  /** The MutatingWebhookConfiguration. */
  readonly configuration: string;
  /** Deployment, Service and ClusterRole of the webhook. */
  readonly webhook: string;
  readonly webhookAccount: string;
  /** The ClusterRole that has the roles of policies. */
  readonly resources: string;
  readonly controller: string;
  readonly certificate: string;
  /** The Secret with the segment of the webhook's path. */
  readonly path: string;
  readonly config: string;
  readonly backend: string;
};

const CHART = 'kausality';
const LONGEST = 63;

export type Release = { readonly name: string; readonly namespace: string };

export function chartNames(values: ChartValues, release: Release): ChartNames {
  const { serviceAccount } = values;
  const base = baseName(values, release);
  const webhook = `${base}-webhook`;
  return {
    namespace: release.namespace,
    configuration: base,
    webhook,
    webhookAccount: serviceAccount.name || (serviceAccount.create ? webhook : 'default'),
    resources: `${webhook}-resources`,
    controller: `${base}-controller`,
    certificate: `${webhook}-cert`,
    path: `${webhook}-path`,
    config: `${webhook}-config`,
    backend: `${base}-backend-log`,
  };
}

function baseName({ fullnameOverride, nameOverride }: ChartValues, { name: release }: Release): string {
  const name = nameOverride || CHART;
  const whole = fullnameOverride || (release.includes(name) ? release : `${release}-${name}`);
  return whole.slice(0, LONGEST).replace(/-$/, '');
}
