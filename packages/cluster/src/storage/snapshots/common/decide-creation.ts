import type { Stored } from '@kubewright/kube';
import type { VolumeSnapshot, VolumeSnapshotContent } from '../api.ts';
import { CLAIM_FINALIZER, has, IS_DEFAULT_CLASS, isDying, withFinalizers } from '../marks.ts';
import type { ObservedSnapshot, SnapshotStep } from './snapshot-step.ts';

/** The name of the content that is made for a snapshot. */
export function contentNameOf({ metadata }: Stored<VolumeSnapshot>): string {
  return `snapcontent-${metadata.uid}`;
}

/** What is to be said or done of its class first: a snapshot without one gets the only default class of its volume's driver. */
export function decideClass(observed: ObservedSnapshot): SnapshotStep | undefined {
  const { snapshot, classes } = observed;
  if (snapshot.spec.volumeSnapshotClassName !== undefined) return findClass(observed);
  const fail = (why: string): SnapshotStep => ({
    type: 'fail',
    reason: 'SetDefaultSnapshotClassFailed',
    message: `Failed to set default snapshot class with error ${why}`,
  });
  const why = sourceFault(observed);
  if (why !== undefined) return fail(why);
  const driver = observed.volume?.spec.csi?.driver;
  const defaults = classes.filter(
    (one) => one.driver === driver && one.metadata.annotations?.[IS_DEFAULT_CLASS] === 'true',
  );
  if (defaults.length > 1) return fail(`${defaults.length} default snapshot classes were found`);
  const [only] = defaults;
  if (only === undefined) return fail('cannot find default snapshot class');
  const spec = { ...snapshot.spec, volumeSnapshotClassName: only.metadata.name };
  return { type: 'updateSnapshot', snapshot: { ...snapshot, spec } };
}

function findClass({ snapshot, classes }: ObservedSnapshot): SnapshotStep | undefined {
  const name = snapshot.spec.volumeSnapshotClassName ?? '';
  if (classes.some(({ metadata }) => metadata.name === name)) return undefined;
  const why = `volumesnapshotclass.snapshot.storage.k8s.io "${name}" not found`;
  const message = `Failed to get snapshot class with error ${why}`;
  return { type: 'fail', reason: 'GetSnapshotClassFailed', message };
}

/** Why no snapshot can be taken of the claim, as things stand. */
function sourceFault({ snapshot, claim, volume }: ObservedSnapshot): string | undefined {
  const name = snapshot.spec.source.persistentVolumeClaimName ?? '';
  if (claim === undefined)
    return `failed to retrieve PVC ${name} from the lister: "persistentvolumeclaim \\"${name}\\" not found"`;
  if (claim.status?.phase !== 'Bound')
    return `the PVC ${name} is not yet bound to a PV, will not attempt to take a snapshot`;
  if (volume === undefined) return `failed to retrieve PV ${claim.spec.volumeName ?? ''} from the API server`;
  if (volume.spec.claimRef?.uid !== claim.metadata.uid) return 'claim in dataSource not bound or invalid';
  return volume.spec.csi === undefined
    ? `cannot find CSI PersistentVolumeSource for volume ${volume.metadata.name}`
    : undefined;
}

/** The claim is held while a snapshot is taken; then the content, which the driver's side acts upon. */
export function decideCreation(observed: ObservedSnapshot): SnapshotStep {
  const { snapshot, claim } = observed;
  const fail = (why: string): SnapshotStep => ({
    type: 'fail',
    reason: 'SnapshotContentCreationFailed',
    message: `Failed to create snapshot content with error ${why}`,
  });
  const name = snapshot.metadata.name;
  if (claim === undefined)
    return fail(`snapshot controller failed to update ${name} on API server: cannot get claim from snapshot`);
  if (!has(claim, CLAIM_FINALIZER)) {
    if (!isDying(claim)) return { type: 'updateClaim', claim: withFinalizers(claim, CLAIM_FINALIZER) };
    const why = 'cannot add finalizer on claim because it is being deleted';
    return fail(`snapshot controller failed to update ${claim.metadata.name} on API server: ${why}`);
  }
  const content = contentFor(observed);
  if (typeof content === 'string')
    return fail(`failed to get input parameters to create snapshot ${name}: ${JSON.stringify(content)}`);
  const of = `${snapshot.metadata.namespace}/${name}`;
  const message = `Waiting for a snapshot ${of} to be created by the CSI driver.`;
  return { type: 'createContent', content, note: { type: 'Normal', reason: 'CreatingSnapshot', message } };
}

/** The content, or why there is none. */
function contentFor(observed: ObservedSnapshot): VolumeSnapshotContent | string {
  const { snapshot, volume, classes } = observed;
  const why = sourceFault(observed);
  if (why !== undefined) return why;
  const className = snapshot.spec.volumeSnapshotClassName ?? '';
  const found = classes.find(({ metadata }) => metadata.name === className);
  if (found === undefined || volume?.spec.csi === undefined) return 'its class or its volume is gone';
  return {
    apiVersion: 'snapshot.storage.k8s.io/v1',
    kind: 'VolumeSnapshotContent',
    metadata: { name: contentNameOf(snapshot) },
    spec: {
      volumeSnapshotRef: referenceTo(snapshot),
      source: { volumeHandle: volume.spec.csi.volumeHandle },
      volumeSnapshotClassName: className,
      deletionPolicy: found.deletionPolicy,
      driver: found.driver,
      sourceVolumeMode: volume.spec.volumeMode ?? 'Filesystem',
    },
  };
}

function referenceTo({ apiVersion, kind, metadata }: Stored<VolumeSnapshot>): SnapshotReference {
  const { name, namespace, uid, resourceVersion } = metadata;
  return { apiVersion, kind, namespace, name, uid, resourceVersion };
}

type SnapshotReference = NonNullable<VolumeSnapshotContent['spec']['volumeSnapshotRef']>;
