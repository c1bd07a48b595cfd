import {
  appsv1,
  type CustomObject,
  customResource,
  getCondition,
  type Infer,
  s,
  type Stored,
} from '@kubewright/kube';
import {
  applyOwned,
  asReconciler,
  conditionsWith,
  confirmLive,
  generationChanged,
  type Manager,
  updateStatus,
  watchKind,
  watchOwned,
} from '@kubewright/runtime';

const fieldManager = 'site-operator';
const immutable = [{ rule: 'self == oldSelf', message: 'host cannot be changed' }];
const schema = s.object({
  spec: s.object({
    host: s.string({ pattern: '^[a-z0-9.-]+$', maxLength: 253, validations: immutable }),
    text: s.string({ maxLength: 4096 }),
    replicas: s.integer({ minimum: 0, default: 1 }),
  }),
  status: s.optional(s.object({ readyReplicas: s.integer(), conditions: s.conditions() })),
});

export type Site = CustomObject<Infer<typeof schema>>;

export const sites = customResource({
  group: 'example.com',
  version: 'v1',
  kind: 'Site',
  plural: 'sites',
  scope: 'Namespaced',
  schema,
  columns: [
    { name: 'Host', type: 'string', jsonPath: '.spec.host' },
    { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' },
  ],
});

/** Something outside the cluster: nobody but the operator cleans up there. */
export type Dns = { set(host: string, target: string): Promise<void>; remove(host: string): Promise<void> };

/** Serves each Site with a Deployment, and points its host there. */
export function addSiteController(manager: Manager, dns: Dns): void {
  const events = manager.recorderFor(fieldManager);
  manager.addController({
    name: 'site',
    sources: [watchKind(sites, { predicates: [generationChanged] }), watchOwned(appsv1.deployments, sites)],
    reconciler: asReconciler(manager, sites, {
      finalizer: 'example.com/dns',
      async reconcile(site) {
        const before = getCondition(site.status?.conditions, 'Ready');
        if (before === undefined) {
          // From a Site that the cache still shows and that is gone, nobody would take the host away again.
          if ((await confirmLive(manager, sites, site)) === undefined) return;
          await dns.set(site.spec.host, `${site.metadata.name}.${site.metadata.namespace}`);
        }
        const wanted = deploymentFor(site);
        const deployment = await applyOwned(manager, appsv1.deployments, site, wanted, { fieldManager });
        const { readyReplicas = 0 } = deployment.status ?? {};
        const isServing = readyReplicas >= site.spec.replicas;
        const reason = isServing ? 'Serving' : 'Starting';
        const message = `${readyReplicas} of ${site.spec.replicas} replicas are ready`;
        const ready = { type: 'Ready', status: isServing ? 'True' : 'False', reason, message } as const;
        const conditions = conditionsWith(manager, site, ready);
        await updateStatus(manager, sites, site, { readyReplicas, conditions });
        if (before?.reason !== reason) events.record(site, { type: 'Normal', reason, message });
      },
      finalize: (site) => dns.remove(site.spec.host),
    }),
  });
}

/** What the operator decides of the Deployment; everything else is left to others. */
function deploymentFor({ spec, metadata: { name, namespace } }: Stored<Site>): appsv1.Deployment {
  const labels = { site: name };
  const container = { name: 'web', image: 'hashicorp/http-echo:1.0', args: [`-text=${spec.text}`] };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace, labels },
    spec: {
      replicas: spec.replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [container] } },
    },
  };
}
