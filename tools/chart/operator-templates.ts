import type { KubeObject } from '@kubewright/kube';
import { installObjects, MANAGER, webhookConfigurations } from '@kubewright/operators';
import { isOn, USES_CERT_MANAGER, type Loaded, OPTIONS } from './conditions.ts';
import { type Value, when } from './write-template.ts';

/** The templates of each operator, by their names: what is there where it is on. */
export function operatorTemplates(operators: readonly Loaded[]): Readonly<Record<string, readonly Value[]>> {
  return Object.fromEntries(
    operators.flatMap((one) => [
      [`crds-${one.name}.yaml`, definitions(one)],
      [`${one.name}.yaml`, [...accounts(one), ...configurations(one)]],
    ]),
  );
}

/** They are templates, not in `crds/`, which "helm upgrade" does not touch. */
function definitions({ name, parts }: Loaded): readonly Value[] {
  return parts.resources.map(({ definition }) => {
    const annotations = when('.Values.crds.keep', { 'helm.sh/resource-policy': 'keep' });
    const metadata = { ...definition.metadata, annotations };
    return when(`and .Values.crds.install ${isOn(name)}`, { ...definition, metadata });
  });
}

/** Service accounts and rights of its parts. */
function accounts({ name, parts }: Loaded): readonly Value[] {
  const isShared = ({ kind, metadata }: KubeObject): boolean =>
    kind === 'Namespace' ||
    kind === 'CustomResourceDefinition' ||
    (kind === 'ServiceAccount' && metadata.name === MANAGER);
  return installObjects([parts], OPTIONS)
    .filter((object) => !isShared(object))
    .map((object) => when(isOn(name), object));
}

function configurations({ name, parts }: Loaded): readonly Value[] {
  return webhookConfigurations([parts], OPTIONS).map((object) =>
    when(isOn(name), {
      ...object,
      metadata: {
        ...object.metadata,
        annotations: when(USES_CERT_MANAGER, {
          'cert-manager.io/inject-ca-from': `${OPTIONS.namespace}/${MANAGER}-webhooks`,
        }),
      },
      ...(object.kind === 'APIService' ? {} : { webhooks: webhooks(object) }),
    }),
  );
}

type Webhook = { readonly clientConfig: { readonly service: { readonly path: string } } };

/**
 * The path is the manager's, which adds a segment to it that changes: "helm upgrade" would undo that, and conflict with it
 * where it applies on the server. A certificate of others comes without segments.
 */
function webhooks(object: KubeObject): readonly Value[] {
  return (object['webhooks'] as unknown as readonly Webhook[]).map((webhook) => {
    const { path, ...service } = webhook.clientConfig.service;
    return {
      ...webhook,
      clientConfig: { service: { ...service, path: when(USES_CERT_MANAGER, path) } },
    };
  });
}
