import { corev1, errorText, isConditionTrue, type KubeObject } from '@kubewright/kube';
import { DRIFT_ANNOTATIONS, KAUSALITIES } from '@kubewright/operators';
import { installDefinitions, waitForObject } from '@kubewright/runtime';
import {
  reconcileSite,
  SITE_CONTROLLER,
  version1,
  version2,
} from '../../../packages/operators/src/drift/demo/site-controller.ts';
import { SITES } from '../../../packages/operators/src/drift/demo/site.ts';
import type { Installation } from '../installation.ts';
import { keepTrying } from './keep-trying.ts';
import type { Work } from './work.ts';
import { annotationsOf } from '../../../packages/operators/src/drift/testing/annotations-of.ts';

const NAMESPACE = 'kill-drift';
const WEB = { namespace: NAMESPACE, name: 'web' };

/** A change of a parent each round, which its controller follows; and a controller that drifts, which is denied. */
export function driftWork({ client, as, namespace }: Installation): Work {
  const alice = as('alice', ['system:masters']);
  const controller = as(SITE_CONTROLLER.username, SITE_CONTROLLER.groups);
  const unexpected: string[] = [];
  let color = 'color-0';

  return {
    name: 'drift',
    async prepare() {
      await installDefinitions(client, [SITES.definition], { fieldManager: 'attack' });
      await namespace(NAMESPACE);
      await client.create(KAUSALITIES, {
        apiVersion: 'kausality.io/v1alpha1',
        kind: 'Kausality',
        metadata: { name: NAMESPACE },
        spec: {
          mode: 'enforce',
          namespaces: { names: [NAMESPACE] },
          resources: [
            { apiGroups: [''], resources: ['configmaps'] },
            { apiGroups: [SITES.group], resources: ['sites'] },
          ],
        },
      });
      await waitForObject(client, KAUSALITIES, { name: NAMESPACE }, (live) =>
        isConditionTrue(live?.status?.conditions, 'Ready'),
      );
      const site = { apiVersion: 'demo.kubewright.io/v1', kind: 'Site', metadata: WEB, spec: { color } };
      await alice.create(SITES, site);
      await reconcileSite(controller, WEB, version1, Date.now());
      const isInitialized = (live: KubeObject | undefined): boolean =>
        annotationsOf(live)[DRIFT_ANNOTATIONS.phase] === 'initialized';
      await waitForObject(client, SITES, WEB, isInitialized);
    },
    async begin(round) {
      color = `color-${round}`;
      await keepTrying(() => alice.patch(SITES, WEB, { type: 'merge', body: { spec: { color } } }));
      await keepTrying(() => reconcileSite(controller, WEB, version1, Date.now()));
      // The parent is reconciled: this is drift. What is denied is denied for any reason; what is stored is a fault.
      const stored = await reconcileSite(controller, WEB, version2, Date.now()).catch((error: unknown) => {
        errorText(error);
        return false;
      });
      const { data } = await client.get(corev1.configmaps, WEB);
      if (stored || data?.['theme'] !== undefined)
        unexpected.push(`drift: that of round ${round} was stored`);
    },
    async faults() {
      const live = await client.get(corev1.configmaps, WEB);
      const { data } = live;
      const trace = annotationsOf(live)[DRIFT_ANNOTATIONS.trace] ?? '';
      return [
        ...unexpected,
        ...(data?.['color'] === color ? [] : [`drift: configmap/web has ${data?.['color']}, not ${color}`]),
        ...(trace.includes('alice') ? [] : [`drift: the trace does not lead to alice: ${trace}`]),
      ];
    },
  };
}
