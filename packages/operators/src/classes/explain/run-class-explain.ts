import { ignoreNotFound, systemClock } from '@kubewright/client';
import { appsv1, autoscalingv2, compareText, corev1, type Json } from '@kubewright/kube';
import type { CommandCall, CommandStage } from '../../kit/operator.ts';
import { findClass } from './find-class.ts';
import { LABELS, ROUTER_LABELS } from '../api.ts';
import { storedGrid } from '../decide/grid-readiness.ts';
import type { ObservedClass } from '../decide/observed-class.ts';
import { TABLE } from '../decide/table.ts';
import { KNATIVE_SERVICES } from '../knative-api.ts';
import { readSettings, settingsFor } from '../settings.ts';
import { render } from '../templates/render.ts';
import { routerOf } from '../templates/router-of.ts';
import { describeClass } from './describe-class.ts';
import { type Explanation, explainClass } from './explain-class.ts';

/** `kubewright class explain NAME`: what the operator would decide about a class now, with the default settings. */
export async function runClassExplain(
  { args: [name = ''] }: CommandCall,
  connect: () => Promise<CommandStage>,
): Promise<void> {
  const stage = await connect();
  const observed = await observe(stage, name);
  const explanation = explainClass(observed, new Date(systemClock.now()));
  const { runtime } = observed;
  stage.print({
    json: findingsOf(explanation),
    text: () => describeClass(runtime, explanation, stage.paint),
  });
}

/** What the operator observes, but read from the server. */
async function observe({ client, namespace }: CommandStage, name: string): Promise<ObservedClass> {
  const runtime = await findClass(client, namespace, name);
  const mine = { namespace, labelSelector: `${LABELS.owner}=${name}` };
  const settings = settingsFor(readSettings({}), runtime);
  const [deployments, statefulSets, services, pods, autoscalers, routerServices] = await Promise.all([
    client.list(appsv1.deployments, mine),
    client.list(appsv1.statefulsets, mine),
    client.list(corev1.services, mine),
    client.list(corev1.pods, mine),
    client.list(autoscalingv2.horizontalpodautoscalers, { namespace }),
    client.list(corev1.services, { namespace, labelSelector: ROUTER_LABELS }),
  ]);
  const knative = await ignoreNotFound(client.list(KNATIVE_SERVICES, mine));
  const live = [...deployments.items, ...statefulSets.items, ...services.items, ...(knative?.items ?? [])];
  const routers = routerServices.items
    .map((service) => routerOf(service))
    .toSorted((a, b) => compareText(a.service, b.service));
  const rendered = render(runtime, settings, { routers, hasKnative: knative !== undefined });
  const grid = storedGrid(runtime.status ?? {});
  return {
    runtime,
    settings,
    rendered,
    live,
    pods: pods.items,
    autoscalers: autoscalers.items,
    routers,
    grid,
  };
}

function findingsOf({ row, next, functions, unready, coming, ...said }: Explanation): Json {
  const found = TABLE[row];
  const decides =
    found === undefined ? null : { number: row + 1, when: found.when, does: found.does, until: found.until };
  const all = functions.map(({ key, state, nfr }) => ({ key, state, nfr: (nfr ?? null) as Json }));
  const soon = coming.map((each) => ({ ...each }));
  return { ...said, row: decides, next: next ?? null, unready, coming: soon, functions: all };
}
