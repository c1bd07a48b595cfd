import type { Profile } from './profile.ts';

/** What a request of capture makes, and what is taken from its claim. Where the manager has one account, it is of who keeps them. */
const ARTIFACTS = ['ManifestCheckpoint', 'VolumeSnapshotContent', 'PersistentVolumeClaim', 'Pod'];

/**
 * The status of a class says which size it is about to give a function, so that a crash between both is none; and which
 * children it wants: what a function leaves behind goes after the others are ready.
 */
export const kubewright: readonly Profile[] = [
  {
    group: 'oaas.io',
    kind: 'ClassRuntime',
    source: 'Kubewright',
    wanted: 'resource_refs',
    announced: [
      { kind: 'Deployment', field: 'spec.replicas', at: 'nfr_details.*.enforcement.applying.replicas' },
      {
        kind: 'Service',
        field: 'spec.template.metadata.annotations[autoscaling.knative.dev/min-scale]',
        at: 'nfr_details.*.enforcement.applying.replicas',
      },
      ...['request', 'limit'].map((part) => ({
        kind: 'Deployment',
        field: 'spec.template.spec.containers',
        at: `nfr_details.*.resources.*.enforcement.applying.${part}`,
      })),
    ],
  },
  // Its status names the generation that a synthesis is of, and one that is under way: of another input or synthesizer, too.
  {
    group: 'eno.azure.io',
    kind: 'Composition',
    source: 'Kubewright',
    ready: [],
    observedGeneration: 'currentSynthesis.observedCompositionGeneration',
    working: [
      { field: 'simplified.status', values: ['PendingSynthesis', 'Synthesizing', 'WaitingOnDependencies'] },
      { field: 'inFlightSynthesis.uuid', differsFrom: 'currentSynthesis.uuid' },
    ],
    transient: ['Pod', 'ResourceSlice'],
  },
  {
    group: 'deckhouse.io',
    kind: 'ObjectKeeper',
    source: 'Kubewright',
    ready: [],
    transient: ARTIFACTS,
    changing: [{ kind: 'PersistentVolume', fields: ['metadata.ownerReferences', 'spec.claimRef'] }],
  },
  // Its chunks are there before it is Ready, and never change.
  {
    group: 'state-snapshotter.deckhouse.io',
    kind: 'ManifestCheckpoint',
    source: 'Kubewright',
    ready: ['Ready'],
  },
];
