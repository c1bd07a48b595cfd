import type { Client } from '@kubewright/client';
import { corev1, errorText, type JsonObject, type OwnerReference, ownerReferenceTo } from '@kubewright/kube';
import { DRIFT_ANNOTATIONS } from '@kubewright/operators';
import { installDefinitions, waitForObject } from '@kubewright/runtime';
import {
  reconcileSite,
  SITE_CONTROLLER,
  version1,
} from '../../packages/operators/src/drift/demo/site-controller.ts';
import { SITES } from '../../packages/operators/src/drift/demo/site.ts';
import { type Attack, inputs } from './attack.ts';
import type { Installation } from './installation.ts';
import { lookFromNow, trackNamespace } from './tracked-namespace.ts';
import { annotationsOf } from '../../packages/operators/src/drift/testing/annotations-of.ts';

const NAMESPACE = 'trips';
const WEB = { namespace: NAMESPACE, name: 'web' };
const ROUNDS = 20;

type Trip = {
  readonly name: string;
  /** What the controller writes before its change, and after it: `ownerReferences` of the child. */
  readonly before: (owner: OwnerReference) => readonly JsonObject[];
};

/** Each leads away from the owner, to a change that nobody checks, and back. */
const TRIPS: readonly Trip[] = [
  { name: 'without a reference', before: () => [] },
  { name: 'with a reference that does not control', before: (owner) => [{ ...owner, controller: false }] },
  { name: 'with another uid', before: (owner) => [{ ...owner, uid: 'another' }] },
  { name: 'with another name', before: (owner) => [{ ...owner, name: 'another' }] },
  { name: 'with another kind', before: (owner) => [{ ...owner, kind: 'Another' }] },
  {
    name: 'with a version that is not served',
    before: (owner) => [{ ...owner, apiVersion: 'demo.kubewright.io/v99' }],
  },
];

/** A controller of a parent that nobody has changed. */
export const metadataRoundTrips: Attack = {
  name: 'metadata-round-trips',
  about:
    'a controller takes its child from the parent, changes it, and gives it back; or adopts what it made without an owner',
  async play(installation: Installation) {
    const { client, as, namespace } = installation;
    const alice = as('alice', ['system:masters']);
    const ctl = as(SITE_CONTROLLER.username, SITE_CONTROLLER.groups);
    await installDefinitions(client, [SITES.definition], { fieldManager: 'attack' });
    await namespace(NAMESPACE);
    await trackNamespace(client, NAMESPACE);
    const owner = await reconciledSite(alice, ctl);
    await adopt(ctl, owner, 'orphan');
    await lookFromNow(installation);
    const effects: string[] = [];
    const rounds = inputs(ROUNDS);
    for (let round = 0; round < rounds; round++) {
      for (const trip of TRIPS)
        effects.push(...(await took(trip, owner, { alice, ctl, color: `drift-${round}` })));
      const adopted = await adopt(ctl, owner, `orphan-${round}`);
      if (!adopted.includes('no approval')) effects.push(`adoption: ${adopted}`);
    }
    return { inputs: rounds * (TRIPS.length + 1), effects };
  },
};

async function reconciledSite(alice: Client, ctl: Client): Promise<OwnerReference> {
  const { apiVersion, kind } = { apiVersion: 'demo.kubewright.io/v1', kind: 'Site' };
  await alice.create(SITES, { apiVersion, kind, metadata: WEB, spec: { color: 'red' } });
  await reconcileSite(ctl, WEB, version1, Date.now());
  const site = await waitForObject(
    alice,
    SITES,
    WEB,
    (live) => annotationsOf(live)[DRIFT_ANNOTATIONS.phase] === 'initialized',
  );
  if (site === undefined) throw new TypeError('the Site is gone');
  return ownerReferenceTo(site, { controller: true });
}

/** What a trip did that it must not. */
async function took(
  trip: Trip,
  owner: OwnerReference,
  { alice, ctl, color }: { readonly alice: Client; readonly ctl: Client; readonly color: string },
): Promise<readonly string[]> {
  const outcome = await goRound(ctl, trip.before(owner), [{ ...owner }], color);
  const { data, metadata } = await alice.get(corev1.configmaps, WEB);
  const [reference] = metadata.ownerReferences ?? [];
  const isKept = reference?.uid === owner.uid && reference.controller === true;
  if (data?.['color'] === 'red' && isKept && outcome.includes('no approval')) return [];
  const body = { metadata: { ownerReferences: [{ ...owner }] }, data: { color: 'red' } };
  await alice.patch(corev1.configmaps, WEB, { type: 'merge', body });
  return [`${trip.name}: ${isKept ? '' : 'lost its owner, '}${data?.['color']} (${outcome})`];
}

/** What came of the first write that failed; `done` if none did. */
async function goRound(
  ctl: Client,
  away: readonly JsonObject[],
  back: readonly JsonObject[],
  color: string,
): Promise<string> {
  const bodies: readonly JsonObject[] = [
    { metadata: { ownerReferences: away } },
    { data: { color } },
    { metadata: { ownerReferences: back } },
  ];
  const failures: string[] = [];
  for (const body of bodies)
    await ctl
      .patch(corev1.configmaps, WEB, { type: 'merge', body })
      .catch((error: unknown) => failures.push(errorText(error)));
  return failures[0] ?? 'done';
}

async function adopt(ctl: Client, owner: OwnerReference, name: string): Promise<string> {
  const metadata = { namespace: NAMESPACE, name };
  await ctl.create(corev1.configmaps, { apiVersion: 'v1', kind: 'ConfigMap', metadata });
  const body: JsonObject = { metadata: { ownerReferences: [{ ...owner }] } };
  return ctl.patch(corev1.configmaps, metadata, { type: 'merge', body }).then(
    () => 'done',
    (error: unknown) => errorText(error),
  );
}
