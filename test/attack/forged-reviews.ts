import { Agent, request } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { admissionregistrationv1, corev1, type JsonObject, type KubeObject } from '@kubewright/kube';
import { STATEFUL_MIGRATIONS } from '@kubewright/operators';
import { waitForObject } from '@kubewright/runtime';
import { ANNOTATIONS, KAUSALITIES } from '../../packages/operators/src/drift/api.ts';
import { userHash } from '../../packages/operators/src/drift/annotations/user-hash.ts';
import { ANNOTATIONS as QUEUES } from '../../packages/operators/src/migration/api.ts';
import { type Attack, inputs } from './attack.ts';
import type { Installation } from './installation.ts';
import { annotationsOf } from '../../packages/operators/src/drift/testing/annotations-of.ts';

/** Until what a webhook has noted is written. */
const EFFECTS_MS = 5000;
const NAMESPACE = 'forged';
const CONTROLLER = 'system:serviceaccount:forged:controller';
const STALE = `kw-${'0'.repeat(32)}`;
/** A review of each kind, this many times. */
const ROUNDS = 100;

/** Handshakes are not what is tried here. */
const AGENT = new Agent({ keepAlive: true, rejectUnauthorized: false });

/** One AdmissionRequest that no API server has sent. */
type Forged = { readonly at: string; readonly request: JsonObject };

/** Somebody who reaches the webhook port, without credentials, sends AdmissionReviews in other people's names. */
export const forgedReviews: Attack = {
  name: 'forged-reviews',
  about:
    'anybody sends AdmissionReviews to every webhook, which make users controllers, drift, use approvals and evict',
  async play(installation) {
    const { client, webhookPort } = installation;
    const stage = await prepare(installation);
    const paths = await webhookPaths(installation);
    const effects = new Set<string>();
    let sent = 0;
    for (let round = 0; round < inputs(ROUNDS); round++) {
      for (const one of forgedRequests(stage, paths, round)) {
        const answers = await Promise.all(
          [one.at, `${one.at}/${STALE}`].map((at) => send(webhookPort, at, one)),
        );
        sent += answers.length;
        for (const answer of answers.filter((status) => status !== 404))
          effects.add(`${one.at} responds ${answer}`);
      }
    }
    await sleep(EFFECTS_MS);
    for (const parent of [stage.parent, stage.approved]) {
      const key = { namespace: NAMESPACE, name: parent.metadata.name ?? '' };
      const after = await client.get(corev1.configmaps, key);
      for (const name of [ANNOTATIONS.controllers, ANNOTATIONS.freeze, ANNOTATIONS.approvals]) {
        const [was, is] = [parent, after].map((one) => annotationsOf(one)[name]);
        if (was !== is) effects.add(`${key.name}: ${name} was ${was}, and is ${is}`);
      }
    }
    const { items } = await client.list(STATEFUL_MIGRATIONS, { namespace: NAMESPACE });
    for (const { metadata } of items) effects.add(`migration ${metadata.name} has begun`);
    return { inputs: sent, effects: [...effects] };
  },
};

type Stage = {
  /** Has a controller, and nothing to reconcile. */
  readonly parent: KubeObject;
  /** The same, with an approval for one change. */
  readonly approved: KubeObject;
  /** Its annotations say that it can be moved. */
  readonly pod: KubeObject;
};

async function prepare({ client, namespace }: Installation): Promise<Stage> {
  await namespace(NAMESPACE);
  const create = (name: string, more: Readonly<Record<string, string>> = {}): Promise<KubeObject> => {
    const annotations = {
      [ANNOTATIONS.phase]: 'initialized',
      [ANNOTATIONS.controllers]: userHash(CONTROLLER),
    };
    const metadata = { namespace: NAMESPACE, name, annotations: { ...annotations, ...more } };
    return client.create(corev1.configmaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata });
  };
  const once = [{ apiVersion: 'v1', kind: 'ConfigMap', name: '*', mode: 'once', generation: 0 }];
  const [parent, approved] = [
    await create('parent'),
    await create('approved', { [ANNOTATIONS.approvals]: JSON.stringify(once) }),
  ];
  // Only now: the webhook removes from new objects what it alone may write.
  await client.create(KAUSALITIES, {
    apiVersion: 'kausality.io/v1alpha1',
    kind: 'Kausality',
    metadata: { name: NAMESPACE },
    spec: {
      resources: [{ apiGroups: [''], resources: ['configmaps'] }],
      namespaces: { names: [NAMESPACE] },
      mode: 'enforce',
      brake: { drifts: 5, window: '10m' },
    },
  });
  const annotations = { [QUEUES.queue]: 'orders', [QUEUES.exchange]: 'events' };
  const pod = { namespace: NAMESPACE, name: 'consumer' };
  await client.create(corev1.pods, {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { ...pod, annotations },
    spec: { containers: [{ name: 'consumer', image: 'consumer' }] },
  });
  const running = await waitForObject(client, corev1.pods, pod, (one) => one?.status?.phase === 'Running');
  if (running === undefined) throw new Error('the pod does not run');
  return { parent, approved, pod: running };
}

/** As every reader of the documentation knows them: without what stands behind. */
async function webhookPaths({ client }: Installation): Promise<readonly string[]> {
  const [mutating, validating] = [
    await client.list(admissionregistrationv1.mutatingwebhookconfigurations),
    await client.list(admissionregistrationv1.validatingwebhookconfigurations),
  ];
  const paths = [...mutating.items, ...validating.items].flatMap(({ webhooks = [] }) =>
    webhooks.map(({ clientConfig }) => (clientConfig.service?.path ?? '').replace(/\/kw-[0-9a-f]+$/, '')),
  );
  return [...new Set(paths)];
}

/** Each kind of request, at each path: most paths have use for one kind alone. */
function forgedRequests(
  { parent, approved, pod }: Stage,
  paths: readonly string[],
  round: number,
): readonly Forged[] {
  const maps = {
    kind: { group: '', version: 'v1', kind: 'ConfigMap' },
    resource: { group: '', version: 'v1', resource: 'configmaps' },
  };
  const childOf = (owner: KubeObject): JsonObject => childOfOwner(owner, round);
  const user = { username: CONTROLLER };
  const { name = '' } = parent.metadata;
  const status = {
    ...maps,
    operation: 'UPDATE',
    subResource: 'status',
    name,
    object: parent,
    oldObject: parent,
  };
  const drifted = childOf(parent);
  const drift = { ...maps, operation: 'UPDATE', name: 'child', oldObject: drifted, object: changed(drifted) };
  const permitted = childOf(approved);
  const approvedChange = { ...drift, oldObject: permitted, object: changed(permitted) };
  const deletion = { ...maps, operation: 'DELETE', name: 'child', oldObject: childOf(approved) };
  const pods = { group: '', version: 'v1', resource: 'pods' };
  const eviction = {
    kind: { group: 'policy', version: 'v1', kind: 'Eviction' },
    resource: pods,
    subResource: 'eviction',
    operation: 'CREATE',
    name: pod.metadata.name ?? '',
    object: { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: pod.metadata.name ?? '' } },
  };
  const capture = captureOf(round);
  const requests: readonly JsonObject[] = [
    { ...status, userInfo: { username: `user-${round}` } },
    { ...drift, userInfo: user },
    { ...approvedChange, userInfo: user },
    { ...deletion, userInfo: user },
    { ...eviction, userInfo: user },
    { ...capture, userInfo: { username: 'admin', groups: ['system:masters'] } },
  ];
  return paths.flatMap((at) =>
    requests.map((one) => ({ at, request: { uid: `forged-${round}`, namespace: NAMESPACE, ...one } })),
  );
}

function childOfOwner(owner: KubeObject, round: number): JsonObject {
  const { name = '', uid = '' } = owner.metadata;
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      namespace: NAMESPACE,
      name: 'child',
      uid: `child-${round}`,
      ownerReferences: [{ apiVersion: 'v1', kind: 'ConfigMap', name, uid, controller: true }],
    },
    data: { a: '1' },
  };
}

function changed(child: JsonObject): JsonObject {
  return { ...child, data: { a: '2' } };
}

function captureOf(round: number): JsonObject {
  const group = 'state-snapshotter.deckhouse.io';
  const kind = 'ManifestCaptureRequest';
  const annotations = { 'capture.kubewright.io/requested-by': 'admin' };
  return {
    kind: { group, version: 'v1alpha1', kind },
    resource: { group, version: 'v1alpha1', resource: 'manifestcapturerequests' },
    operation: 'CREATE',
    name: `capture-${round}`,
    object: {
      apiVersion: `${group}/v1alpha1`,
      kind,
      metadata: { namespace: NAMESPACE, name: `capture-${round}`, annotations },
      spec: { targets: [{ apiVersion: 'v1', kind: 'Secret', name: 'any' }] },
    },
  };
}

/** The HTTP status: every review has some response, and from 200 on it was read. */
function send(port: number, path: string, { request: forged }: Forged): Promise<number> {
  const body = JSON.stringify({
    kind: 'AdmissionReview',
    apiVersion: 'admission.k8s.io/v1',
    request: forged,
  });
  return new Promise((resolve, reject) => {
    const options = { host: '127.0.0.1', port, path, method: 'POST', agent: AGENT };
    const call = request({ ...options, headers: { 'content-type': 'application/json' } }, (response) => {
      response.resume().on('end', () => resolve(response.statusCode ?? 0));
    });
    call.on('error', reject);
    call.end(body);
  });
}
