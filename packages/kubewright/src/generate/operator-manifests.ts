import type { JsonObject, KubeObject } from '@kubewright/kube';
import { binding, role } from '@kubewright/operators';
import { managerObjects } from '../run/manager-objects.ts';
import { accessRules, type SentRequest } from './access-rules.ts';
import type { OperatorModule } from './load-operator.ts';

export type OperatorManifestOptions = {
  readonly namespace: string;
  readonly image: string;
  readonly requests: readonly SentRequest[];
};

/** Files for `kubectl apply -f FOLDER`, which applies them in the order of their names: name → objects. */
export function operatorManifests(
  operator: OperatorModule,
  options: OperatorManifestOptions,
): ReadonlyMap<string, readonly KubeObject[]> {
  const { name, definitions, webhooks } = operator;
  const { namespace, image } = options;
  const env = [{ name: 'NAMESPACE', valueFrom: { fieldRef: { fieldPath: 'metadata.namespace' } } }];
  const hasWebhooks = webhooks.length > 0;
  return new Map([
    ['access.yaml', accessObjects(operator, options)],
    ['crds.yaml', definitions],
    ['deployment.yaml', managerObjects({ name, namespace, image, env, hasWebhooks })],
    ['webhooks.yaml', webhooks.map((configuration) => withService(configuration, { name, namespace }))],
  ]);
}

/** The namespace, the account, and roles with what the requests need. */
function accessObjects(
  { name, definitions }: OperatorModule,
  { namespace, requests }: OperatorManifestOptions,
): readonly KubeObject[] {
  const groups = definitions.map(({ spec }) => (spec as { readonly group: string }).group);
  const { cluster, own } = accessRules(requests, { namespace, groups });
  return [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace } },
    role(name, cluster),
    binding(name, [name], namespace),
    role(name, own, namespace),
    binding(name, [name], namespace, 'Role'),
  ];
}

function withService(
  configuration: KubeObject,
  service: { readonly name: string; readonly namespace: string },
): KubeObject {
  const webhooks = (configuration['webhooks'] ?? []) as readonly JsonObject[];
  return {
    ...configuration,
    webhooks: webhooks.map((webhook) => {
      const { service: declared, ...config } = (webhook['clientConfig'] ?? {}) as JsonObject;
      return {
        ...webhook,
        clientConfig: { ...config, service: { ...service, ...(declared as JsonObject) } },
      };
    }),
  };
}
